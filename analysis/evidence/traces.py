"""The events of a trace file of any format, for what looks at events rather than at measurements."""

import gzip
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from analysis import evidence
from analysis.errors import MalformedEvidence, UnknownFormat
from analysis.evidence import (
    chrome_trace,
    containers,
    jax_xplane,
    limits,
    nsys_sqlite,
    nsys_stats,
    pytorch_trace,
    rocpd,
    rocprof,
    stage_tables,
    trace_source,
    values,
)
from analysis.evidence.format import HEAD_BYTES, Document, Format
from analysis.evidence.profiles import Executions
from analysis.evidence.stage_tables import RunTable
from analysis.evidence.trace_columns import Gathered, KindOf
from analysis.evidence.trace_file import Source
from analysis.evidence.trace_source import Trace
from analysis.evidence.values import Json, Numeral
from analysis.traces.events import Events

KINDS: Final[tuple[tuple[Format, KindOf, bool], ...]] = (
    (pytorch_trace.FORMAT, pytorch_trace.kind_of, False),
    (chrome_trace.FORMAT, chrome_trace.kind_of, True),
)
SETTINGS: Final = (
    "record_shapes", "with_stack", "with_flops", "with_modules", "profile_memory", "deviceProperties",
)  # fmt: skip
"""What changes the times of a trace, or is another device."""
NO_TRACE: Final = (
    "it is no trace: those of PyTorch, of Chrome, JAX and XProf, of Nsight Systems and of ROCm are compared, and tables"
    " of the times of stages"
)

ByProcess = tuple[tuple[str, Executions], ...]


def _of_report(document: Document) -> ByProcess:
    found = nsys_stats.executions(document)
    return () if found is None else (("0", found),)


PROFILES: Final[tuple[tuple[Format, Callable[[Document], ByProcess]], ...]] = (
    (nsys_sqlite.FORMAT, lambda document: (("0", nsys_sqlite.executions(document)),)),
    (rocpd.FORMAT, lambda document: (("0", rocpd.executions(document)),)),
    (rocprof.FORMAT, rocprof.executions),
    (nsys_stats.FORMAT, _of_report),
    (jax_xplane.FORMAT, lambda document: (("0", jax_xplane.executions(document)[0]),)),
)
"""The formats that list executions, and those of each process by its key; none in a summary."""
FORMATS: Final = (*(form.name for form, _, _ in KINDS), *(form.name for form, _ in PROFILES))
"""The formats of which a file may be a trace."""
TABLES: Final = stage_tables.FORMATS
"""The formats of which a file may be a table of the times of stages."""


@dataclass(frozen=True, slots=True)
class RunTrace:
    """The trace of one run. key: of the run in its file, as a reading has it."""

    key: str
    trace: Trace

    @property
    def rank(self) -> str:
        """Which rank of a distributed job it is; "" where the file does not say."""
        told = self.trace.fields.get("distributedInfo")
        rank = told.get("rank") if isinstance(told, dict) else None
        return rank.text if isinstance(rank, Numeral) else ""

    @property
    def content(self) -> Events:
        """Its timed events."""
        return self.trace.events

    @property
    def leniences(self) -> tuple[str, ...]:
        """What was needed to read its file."""
        return self.trace.leniences


Traced = RunTrace | RunTable


def runs_in(source: Source, name: str) -> tuple[Traced, ...]:
    """The traces in a file, else the tables of times in it.

    A trace in JSON, perhaps packed with gzip, is read forward, never in memory as a whole.

    Raises:
        UnknownFormat: there is neither in it.
        MalformedEvidence: those of containers.opened, of trace_source.read_from and of the parser of the format.
    """
    try:
        return (RunTrace("0", trace_in(source, name)),)
    except UnknownFormat:
        source.seek(0)
    whole = Document(source.read(limits.BYTES + 1), name)
    inside = containers.opened(whole).documents
    found = tuple(run for document in inside for run in _of_document(document, whole, several=len(inside) > 1))
    return found or _tables(whole)


def _tables(document: Document) -> tuple[RunTable, ...]:
    """The tables of times in a file. Raises UnknownFormat where it has none, and what the parser raises."""
    try:
        known = evidence.recognise(document)
    except UnknownFormat:
        known = None
    found = stage_tables.tables_in(known.read()) if known and known.format.name in TABLES else ()
    if not found:
        raise UnknownFormat(NO_TRACE, where=document.name)
    return found


def _of_document(document: Document, whole: Document, *, several: bool) -> Iterator[RunTrace]:
    """The runs of one file, called as `evidence.read` calls them."""
    member = document.name.removeprefix(f"{whole.name}/")
    for form, kind_of, named in KINDS:
        if form.looks_right(document) is not None:
            trace = trace_source.read(document, kind_of, named=named)
            yield RunTrace(f"{member}:0" if several else "0", trace)
            return
    for form, executions in PROFILES:
        if form.looks_right(document) is not None:
            for key, found in executions(document):
                trace = Trace(Gathered(found.events(), {}, {}), {}, (), incomplete=False)
                yield RunTrace(f"{member}:{key}" if several else key, trace)
            return


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


def cautions(baseline: Sequence[Traced], candidate: Sequence[Traced]) -> Iterator[str]:
    """What a reader of a comparison should know of the files: how they had to be read, and settings that differ."""
    arms = {"baseline": baseline, "candidate": candidate}
    traces = {arm: [run.trace for run in of_arm if isinstance(run, RunTrace)] for arm, of_arm in arms.items()}
    for arm, of_arm in arms.items():
        for lenience in dict.fromkeys(lenience for run in of_arm for lenience in run.leniences):
            yield f"In the {arm}, {lenience}."
        for why in dict.fromkeys(why for trace in traces[arm] for why in trace.gathered.unplaced):
            count = sum(trace.gathered.unplaced.get(why, 0) for trace in traces[arm])
            yield f"Events of the {arm} not read, because they {why}: {count}."
    for name in SETTINGS:
        ours, theirs = (
            " and ".join(dict.fromkeys(_written(trace.fields, name) for trace in of_arm)) for of_arm in traces.values()
        )
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
    raise UnknownFormat(NO_TRACE, where=head.name)
