"""The events of a trace file of any format, for what looks at events rather than at measurements."""

import gzip
import zlib
from collections.abc import Iterator, Mapping
from typing import Final

from analysis.errors import MalformedEvidence, UnknownFormat
from analysis.evidence import chrome_trace, containers, pytorch_trace, trace_source, values
from analysis.evidence.format import HEAD_BYTES, Document, Format
from analysis.evidence.trace_columns import KindOf
from analysis.evidence.trace_file import Source
from analysis.evidence.trace_source import Trace
from analysis.evidence.values import Json
from analysis.traces.events import Events

KINDS: Final[tuple[tuple[Format, KindOf, bool], ...]] = (
    (pytorch_trace.FORMAT, pytorch_trace.kind_of, False),
    (chrome_trace.FORMAT, chrome_trace.kind_of, True),
)


SETTINGS: Final = (
    "record_shapes", "with_stack", "with_flops", "with_modules", "profile_memory", "deviceProperties",
)  # fmt: skip
"""What changes the times of a trace, or is another device."""


def events_of(document: Document) -> Events:
    """The events of a trace in memory. Raises what trace_in raises."""
    return trace_in(document.opened(), document.name).events


def trace_in(source: Source, name: str) -> Trace:
    """A trace that is read forward, perhaps packed with gzip: it is never in memory as a whole.

    Raises:
        UnknownFormat: it is no trace.
        MalformedEvidence: broken_container, and those of trace_source.read_from.
    """
    packed = source.read(len(containers.GZIP)) == containers.GZIP
    source.seek(0)
    unpacked: Source = gzip.GzipFile(fileobj=source) if packed else source
    try:
        head = unpacked.read(HEAD_BYTES)
        unpacked.seek(0)
        kind_of, named = _kinds(Document(head, name))
        return trace_source.read_from(unpacked, name, kind_of, named=named)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise MalformedEvidence(f"it is no whole gzip file: {error}", where=name, code="broken_container") from error


def cautions(baseline: Trace, candidate: Trace) -> Iterator[str]:
    """What a reader of a comparison should know of the two files: how they had to be read, and settings that differ."""
    for arm, trace in (("baseline", baseline), ("candidate", candidate)):
        for lenience in trace.leniences:
            yield f"In the {arm}, {lenience}."
        for why, count in trace.gathered.unplaced.items():
            yield f"Events of the {arm} not read, because they {why}: {count}."
    for name in SETTINGS:
        ours, theirs = (_written(trace.fields, name) for trace in (baseline, candidate))
        if ours != theirs:
            yield f"The profiles differ in {name}: {ours} in the baseline, {theirs} in the candidate."


def _written(fields: Mapping[str, Json], name: str) -> str:
    value = fields.get(name)
    if isinstance(value, list):
        named = [values.written(one["name"]) for one in value if isinstance(one, dict) and "name" in one]
        return "; ".join(dict.fromkeys(named)) or "not stated"
    return "not stated" if value is None else values.shown(value)


def _kinds(head: Document) -> tuple[KindOf, bool]:
    for form, kind_of, named in KINDS:
        if form.looks_right(head) is not None:
            return kind_of, named
    raise UnknownFormat("it is no trace: those of PyTorch and of Chrome, JAX and XProf are compared", where=head.name)
