"""Traces of the PyTorch profiler (Kineto), and of its relatives that write the same categories (Ascend, MTIA).

In the file: events with `ts` and `dur` in µs, whatever `displayTimeUnit` says. Three generations: whole µs of the
epoch; fractions of them; fractions relative to `baseTimeNanoseconds`. All are read exactly, to the nanosecond.
Here: one file is one run (one rank); a step is an annotation `ProfilerStep#N` of the host.
"""

import re
from collections.abc import Mapping
from typing import Final

from analysis.evidence import collect, text_reader, trace_reading, trace_source, values
from analysis.evidence.collect import Collection, Run, inside
from analysis.evidence.format import Document, Format
from analysis.evidence.trace_source import Trace
from analysis.evidence.values import Json, Numeral
from analysis.reading import Reading
from analysis.traces.events import Kind, Lane

NAME: Final = "pytorch-trace"
VERSION: Final = 1

MARKS: Final = re.compile(
    rb'"(?:schemaVersion|deviceProperties|distributedInfo|baseTimeNanoseconds)"\s*:|"cat"\s*:\s*"(?:cpu_op|Operator|kernel|'
    rb'Kernel|cuda_runtime|Runtime|user_annotation|gpu_memcpy|python_function|cpu_to_cuda)"'
)

STEP: Final = re.compile(r"ProfilerStep\s*#\d+$")
INPUT: Final = re.compile(r"DataLoader|dataloader|data_loader")
COLLECTIVE: Final = re.compile(
    r"nccl|rccl|oneccl|hccl|mscclpp|all[_-]?reduce|all[_-]?gather|reduce[_-]?scatter|all[_-]?to[_-]?all|sendrecv",
    re.IGNORECASE,
)
HOST_COLLECTIVE: Final = re.compile(r"(?:gloo|mpi):")
WAIT: Final = re.compile(r"Synchronize|StreamWaitEvent|EventWait", re.IGNORECASE)
DEVICE_KINDS: Final[Mapping[str, Kind]] = {
    "kernel": Kind.KERNEL, "mtia_ccp_events": Kind.KERNEL, "concurrent_kernel": Kind.KERNEL,
    "memcpy": Kind.MEMORY, "gpu_memcpy": Kind.MEMORY, "memset": Kind.MEMORY, "gpu_memset": Kind.MEMORY,
}  # fmt: skip
HOST_KINDS: Final[Mapping[str, Kind]] = {
    "cpu_op": Kind.OPERATOR, "operator": Kind.OPERATOR,
    "runtime": Kind.LAUNCH, "cuda_runtime": Kind.LAUNCH, "cuda_driver": Kind.LAUNCH, "driver": Kind.LAUNCH,
    "hip_runtime": Kind.LAUNCH, "xpu_runtime": Kind.LAUNCH, "xpu_driver": Kind.LAUNCH, "mtia_runtime": Kind.LAUNCH,
    "privateuse1_runtime": Kind.LAUNCH, "cuda_sync": Kind.SYNCHRONISATION,
    "user_annotation": Kind.OTHER,
}  # fmt: skip
CONFIGURATION: Final = re.compile(
    r"schemaVersion|record_shapes|with_stack|with_flops|with_modules|profile_memory|.*_version"
)
EPOCH_FROM_NS: Final = 10**18
"""Without a base, times are whole microseconds of the epoch; older clocks counted from the start of the machine."""
DISTRIBUTED: Final = ("backend", "world_size", "nccl_version", "rank")
WHOLE_TIMES: Final = "Times are whole microseconds: what took less than one has no length."


def looks_right(document: Document) -> str | None:
    """The reason why this is a trace of the PyTorch profiler, or None."""
    if trace_source.lists_events(document) and is_of_pytorch(document):
        return "it lists trace events, with fields or categories of the PyTorch profiler"
    return None


def is_of_pytorch(document: Document) -> bool:
    """Whether fields or categories of a trace are those of the PyTorch profiler."""
    return any(MARKS.search(part) for part in text_reader.ends(document))


def kind_of(cat: str, name: str, _lane: Lane) -> Kind:
    """What an event is, by its category and name."""
    key = cat.lower()
    if key in ("user_annotation", "cpu_op", "operator"):
        if STEP.match(name):
            return Kind.STEP
        if INPUT.search(name):
            return Kind.INPUT
        if HOST_COLLECTIVE.match(name):
            return Kind.HOST_COMMUNICATION
    if key in DEVICE_KINDS:
        kind = DEVICE_KINDS[key]
        return Kind.COMMUNICATION if kind == Kind.KERNEL and COLLECTIVE.search(name) else kind
    kind = HOST_KINDS.get(key, Kind.OTHER)
    return Kind.SYNCHRONISATION if kind == Kind.LAUNCH and WAIT.search(name) else kind


def parse(document: Document) -> Reading:
    """One run with its steps.

    Raises:
        MalformedEvidence: malformed_json, not_a_number, not_an_object, not_text, no_runs.
    """
    trace = trace_source.read(document, kind_of, named=False)
    collection = Collection(document)
    where = f"{document.name}:"
    started = _started(trace)
    run = collection.add(collect.completed("0", document.name, started_ns=started))
    _settings(collection, run, trace.fields, where)
    trace_reading.measure(collection, run, trace.events, f"{where}traceEvents")
    trace_reading.left_out(collection, trace.gathered.unplaced, trace.gathered.unread)
    times = trace.events.start, trace.events.length
    if not any((column % 1000).any() for column in times):
        collection.notice(WHOLE_TIMES)
    return collection.reading(NAME, VERSION, trace.leniences, incomplete=trace.incomplete)


def _started(trace: Trace) -> int | None:
    """The start of the first event in nanoseconds of the epoch, where the file tells it."""
    base = trace.fields.get("baseTimeNanoseconds")
    if isinstance(base, Numeral):
        return values.count(base, "baseTimeNanoseconds") + trace.events.origin_ns
    return trace.events.origin_ns if trace.events.origin_ns > EPOCH_FROM_NS else None


def _settings(collection: Collection, run: Run, fields: Mapping[str, Json], where: str) -> None:
    """How the profiler was set and on what, as configuration; who, where and which rank, as identity."""
    for key, value in fields.items():
        place = inside(where, key)
        if key == "deviceProperties" or key == "computeProperties":
            _devices(run, value, place)
        elif key == "distributedInfo" and isinstance(value, dict):
            for part in (part for part in DISTRIBUTED if part in value):
                state = run.identified if part == "rank" else run.configured
                state(part, value[part], f"{place}.{part}")
            collection.leave(f"distributedInfo.{part}" for part in value if part not in DISTRIBUTED)
        elif isinstance(value, list | dict):
            collection.leave([key])
        elif CONFIGURATION.fullmatch(key):
            run.configured(key, value, place)
        else:
            run.identified(key, value, place)


def _devices(run: Run, value: Json, where: str) -> None:
    names = [device["name"] for device in values.items(value, where) if isinstance(device, dict) and "name" in device]
    texts = [name for name in names if isinstance(name, str)]
    if texts:
        run.configured("device", "; ".join(dict.fromkeys(texts)), where)
        run.configured("devices", Numeral(str(len(texts))), where)


FORMAT: Final = Format(NAME, "PyTorch profiler trace", VERSION, looks_right, parse, streams=True)
