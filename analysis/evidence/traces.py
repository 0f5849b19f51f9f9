"""The events of a trace file of any format, for what looks at events rather than at measurements."""

import gzip
import io
from typing import Final

from analysis.errors import MalformedEvidence, UnknownFormat
from analysis.evidence import chrome_trace, containers, pytorch_trace, trace_source
from analysis.evidence.format import HEAD_BYTES, Document, Format
from analysis.evidence.trace_columns import KindOf
from analysis.evidence.trace_file import Source
from analysis.traces.events import Events

KINDS: Final[tuple[tuple[Format, KindOf, bool], ...]] = (
    (pytorch_trace.FORMAT, pytorch_trace.kind_of, False),
    (chrome_trace.FORMAT, chrome_trace.kind_of, True),
)


def events_of(document: Document) -> Events:
    """The events of a trace in memory. Raises what events_in raises."""
    return events_in(io.BytesIO(document.content), document.name)


def events_in(source: Source, name: str) -> Events:
    """The events of a trace that is read forward, perhaps packed with gzip: it is never in memory as a whole.

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
        return trace_source.read_from(unpacked, name, kind_of, named=named).events
    except (gzip.BadGzipFile, EOFError) as error:
        raise MalformedEvidence(f"it is no whole gzip file: {error}", where=name, code="broken_container") from error


def _kinds(head: Document) -> tuple[KindOf, bool]:
    for form, kind_of, named in KINDS:
        if form.looks_right(head) is not None:
            return kind_of, named
    raise UnknownFormat("it is no trace: those of PyTorch and of Chrome, JAX and XProf are compared", where=head.name)
