"""Traces in the trace event format of Chrome and Perfetto, as JAX, XProf and TensorFlow write them.

In the file: `ts` and `dur` in µs, as whole events (X) or as their beginning and end (B, E); processes and threads are
called by metadata events. Here: one file is one run. On a process `/device:…` the threads "XLA Ops" and "Stream …" hold
kernels and the thread "Steps" the steps; all other events are the host's.
"""

import re
from typing import Final

from analysis.evidence import collect, pytorch_trace, trace_reading, trace_source
from analysis.evidence.collect import Collection, inside
from analysis.evidence.format import Document, Format
from analysis.reading import Reading
from analysis.traces.events import Kind, Lane

NAME: Final = "chrome-trace"
VERSION: Final = 1

DEVICE: Final = re.compile(r"/device:(?!CPU)|^(?:GPU|TPU)\b")
OPERATIONS: Final = re.compile(r"XLA Ops\b|Stream\b|stream ")
STEPS: Final = "Steps"
MEMORY: Final = re.compile(
    r"memcpy|memset|^copy\b|copy-(?:start|done)|copyBuffer|fillBuffer|^(?:Host|Device)To", re.IGNORECASE
)
COLLECTIVE: Final = re.compile(r"collective|send\b|recv\b|send-done|recv-done", re.IGNORECASE)
INPUT: Final = re.compile(r"infeed|DataLoader|Iterator::|InputPipeline", re.IGNORECASE)
CALL: Final = re.compile(r"(?:hip|cuda|cu)[A-Z]\w+")
PYTHON: Final = "$"
"""Before the name of a function of Python, which contains all that it calls."""
CAPPED: Final = 1_000_000
PERHAPS_CAPPED: Final = "JAX and XProf stop at about a million events without saying so: the trace may miss its end."


def looks_right(document: Document) -> str | None:
    """The reason why this is a trace of Chrome's format, and none of the PyTorch profiler, or None."""
    if trace_source.lists_events(document) and not pytorch_trace.is_of_pytorch(document):
        return 'it lists trace events with "ph" and "ts"'
    return None


def kind_of(_cat: str, name: str, lane: Lane) -> Kind:
    """What an event is, by its name and by where it runs."""
    if not DEVICE.search(lane.process):
        return _of_host(name)
    if lane.thread == STEPS:
        return Kind.STEP
    if not OPERATIONS.match(lane.thread):
        return Kind.OTHER
    if pytorch_trace.COLLECTIVE.search(name) or COLLECTIVE.search(name):
        return Kind.COMMUNICATION
    if INPUT.search(name):
        return Kind.INPUT
    return Kind.MEMORY if MEMORY.search(name) else Kind.KERNEL


def _of_host(name: str) -> Kind:
    if name.startswith(PYTHON):
        return Kind.OTHER
    if INPUT.search(name):
        return Kind.INPUT
    if CALL.match(name):
        return Kind.SYNCHRONISATION if pytorch_trace.WAIT.search(name) else Kind.LAUNCH
    return Kind.OPERATOR


def parse(document: Document) -> Reading:
    """One run with its steps.

    Raises:
        MalformedEvidence: malformed_json, not_a_number, not_an_object, no_runs.
    """
    trace = trace_source.read(document, kind_of, named=True)
    collection = Collection(document)
    where = f"{document.name}:"
    run = collection.add(collect.completed("0", document.name))
    for key, value in trace.fields.items():
        if isinstance(value, list | dict):
            collection.leave([key])
        else:
            run.identified(key, value, inside(where, key))
    trace_reading.measure(collection, run, trace.events, f"{where}traceEvents")
    trace_reading.left_out(collection, trace.gathered.unplaced, trace.gathered.unread)
    if len(trace.events) >= CAPPED:
        collection.notice(PERHAPS_CAPPED)
    return collection.reading(NAME, VERSION, trace.leniences, incomplete=trace.incomplete)


FORMAT: Final = Format(NAME, "Chrome trace events", VERSION, looks_right, parse, streams=True)
