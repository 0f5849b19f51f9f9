"""A file of trace events as a trace: its events by column, and what stands around them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from analysis.evidence import limits, text_reader, trace_event
from analysis.evidence.format import Document
from analysis.evidence.trace_columns import Columns, Gathered, KindOf
from analysis.evidence.trace_event import Event
from analysis.evidence.trace_file import Source, TraceFile
from analysis.evidence.values import Json
from analysis.traces.events import Events

LIST: Final = re.compile(rb'\s*\[\s*\{|\s*\{(?s:.)*?"traceEvents"\s*:\s*\[')
KEYS: Final = tuple(re.compile(rb'"%b"\s*:' % key) for key in (b"ph", b"ts"))
QUOTED: Final = "times stand in quotes"


def lists_events(document: Document) -> bool:
    """Whether a file lists trace events, of whatever tool. Never raises."""
    head, _ = text_reader.ends(document)
    return LIST.match(head) is not None and all(key.search(head) for key in KEYS)


@dataclass(frozen=True, slots=True)
class Trace:
    """The events of a file, and what stands around them."""

    gathered: Gathered
    fields: Mapping[str, Json]
    leniences: tuple[str, ...]
    incomplete: bool

    @property
    def events(self) -> Events:
        """The events that are read."""
        return self.gathered.events


def read(document: Document, kind_of: KindOf, *, named: bool) -> Trace:
    """The trace in a document. Raises what read_from raises."""
    return read_from(document.opened(), document.name, kind_of, named=named)


def read_from(source: Source, name: str, kind_of: KindOf, *, named: bool) -> Trace:
    """The trace in a file that is read forward. named: kinds depend on the labels of processes and threads.

    Raises:
        MalformedEvidence: malformed_json, duplicate_key, too_deep, too_large, too_many_rows, not_a_number,
            not_an_object, not_text.
    """
    decoder = trace_event.Decoder()
    file = TraceFile[Event](source, name, decoder.decode, partial(trace_event.refuse, name=name))
    columns, events = Columns(), 0
    for batch in file.batches():
        events += len(batch)
        limits.refuse_many_events(events, name)
        columns.add(batch)
    leniences = (*file.leniences, *((QUOTED,) if decoder.quoted else ()))
    return Trace(columns.gathered(kind_of, named=named), file.fields, leniences, file.incomplete)
