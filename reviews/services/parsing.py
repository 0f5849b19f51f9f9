"""Reading artifacts: recognised and parsed once per parser version, kept as Parquet beside them.

A file that no parser knows is kept as a plain attachment; one that a parser refuses keeps the reason and the place.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from analysis import evidence
from analysis.errors import MalformedEvidence, UnknownFormat
from analysis.evidence import stage_tables
from analysis.evidence.format import Document
from analysis.evidence.stored import Stored as OnDisk
from analysis.parquet import SCHEMA_VERSION, from_parquet, to_parquet
from analysis.reading import Reading
from reviews.errors import NotVisible, Unreadable
from reviews.models import Artifact, Measurements, Parse
from reviews.services import jobs, store
from reviews.vocabulary import ParseState
from reviews.watching import Say, Watched

JOB: Final = "parse"
PARQUET_LIMIT_BYTES: Final = 4 * 1024**3


@dataclass(frozen=True, slots=True)
class Found:
    """What reading a file came to. reading: None when it was refused, or no format claims it."""

    format: str
    parser_version: int
    state: ParseState
    code: str
    message: str
    where: str
    reading: Reading | None


def work(running: jobs.Running) -> jobs.Keep:
    """The job `parse` of one artifact; its argument `format` is the format that somebody chose, or ""."""
    artifact = Artifact.objects.get(pk=running.claim.subject_id)
    asked = str(running.claim.arguments.get("format", ""))
    found = find(artifact, asked, running.progress)
    table = _stored(found)
    return lambda: {"parse": keep(artifact, asked, found, table).pk}


def parse(artifact: Artifact, *, asked: str) -> Parse:
    """The parse of the artifact by today's parsers, made now when there is none."""
    found = find(artifact, asked)
    table = _stored(found)
    with transaction.atomic():
        return keep(artifact, asked, found, table)


def _stored(found: Found) -> store.Stored | None:
    """The table of measurements in the store, written while no transaction is open; None without one."""
    if found.reading is None:
        return None
    return store.put([to_parquet(found.reading)], limit_bytes=PARQUET_LIMIT_BYTES)


def find(artifact: Artifact, asked: str, say: Say | None = None) -> Found:
    """What the bytes are, and what stands in them. `say` is told how far the reading is.

    Never raises for what a file can be, but Refused(too_slow), and what `say` raises: nothing is found then.
    """
    if asked:
        require_format(asked)
    folder = Path(settings.ARTIFACT_ROOT) / "incoming"
    watch = Watched(seconds=settings.PARSE_SECONDS, say=say, folder=folder)
    file = store.open_artifact(artifact.sha256)  # open as long as the reading, which reads numbers as written again
    return _find(Document(OnDisk(file, file.name), artifact.name, watch), asked or None)


def _find(document: Document, asked: str | None) -> Found:
    try:
        known = evidence.recognise(document, asked)
    except (UnknownFormat, MalformedEvidence) as refused:
        return Found("", 0, ParseState.UNRECOGNISED, refused.code, refused.message, refused.where, None)
    name, version = known.format.name, known.format.version
    try:
        reading = known.read()
    except MalformedEvidence as refused:
        return Found(name, version, ParseState.REFUSED, refused.code, refused.message, refused.where, None)
    return Found(name, reading.parser_version, ParseState.PARSED, "", known.reason, "", reading)


def format_of(artifact: Artifact) -> str:
    """The format of the bytes of a file that is not read yet; "" when none, or more than one, claims them."""
    with store.open_artifact(artifact.sha256) as file:
        try:
            return evidence.recognise(Document(OnDisk(file, file.name), artifact.name)).format.name
        except (UnknownFormat, MalformedEvidence):
            return ""


def keep(artifact: Artifact, asked: str, found: Found, table: store.Stored | None) -> Parse:
    """The row of what was found, and of its measurements; the row that stands already when there is one."""
    named = {"asked_format": asked, "format": found.format, "parser_version": found.parser_version}
    known = artifact.parses.filter(**named).first()
    if known is not None:
        return known
    now = timezone.now()
    parse = Parse.objects.create(
        artifact=artifact,
        **named,
        state=found.state,
        code=found.code,
        message=found.message,
        where=found.where,
        notices=list(found.reading.notices) if found.reading else [],
        leniences=list(found.reading.leniences) if found.reading else [],
        parsed_at=now,
    )
    if found.reading is not None and table is not None:
        Measurements.objects.create(
            parse=parse,
            table_sha256=table.sha256,
            size=table.size,
            schema_version=SCHEMA_VERSION,
            runs=len(found.reading.runs),
            rows=len(found.reading.measurements),
            timed_runs=len(stage_tables.tables_in(found.reading)),
            written_at=now,
        )
    return parse


def newest(artifact: Artifact) -> Parse | None:
    """The parse that counts: the latest that somebody asked for by name, else the latest; None while unread."""
    by_hand = artifact.parses.exclude(asked_format="").order_by("-pk").first()
    return by_hand or artifact.parses.order_by("-pk").first()


def reading_of(parse: Parse) -> Reading:
    """What the parse read, from its Parquet file.

    Raises:
        Unreadable: the parse has no measurements; says why.
    """
    if parse.state != ParseState.PARSED:
        raise Unreadable(
            f"{parse.artifact.name} has no measurements: {parse.message}",
            needs="Attach a file of a known format, or choose its format by hand.",
            code=parse.code,
            where=parse.where,
        )
    with store.open_artifact(parse.measurements.table_sha256) as file:
        return from_parquet(file.read())


def format_names() -> tuple[str, ...]:
    """The formats that can be chosen by hand."""
    return tuple(known.name for known in evidence.FORMATS)


def require_format(name: str) -> None:
    """Raises NotVisible when there is no such format."""
    if name not in format_names():
        raise NotVisible(f"There is no format {name}.", needs=f"Choose one of: {', '.join(format_names())}.")
