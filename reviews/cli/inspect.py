"""`countersign inspect`: what a file is, what was read from it, or what was refused and where."""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from analysis import evidence
from analysis.errors import MalformedEvidence, Refused, UnknownFormat
from analysis.evidence.format import Document
from analysis.reading import Reading
from reviews import printing
from reviews.capture.record import from_bytes, provenance
from reviews.cli.captured import is_capture
from reviews.cli.command import Command, Exit, complain, table, write, write_json
from reviews.cli.files import documents
from reviews.cli.power_series import power_series
from reviews.digests import digest_of
from reviews.watching import SECONDS, Watched

COUNTED: Final = ("metric", "stat", "kind", "unit")


def arguments(parser: ArgumentParser) -> None:
    """Files or folders, a format chosen by hand, and how to print."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="evidence files, or folders of them")
    parser.add_argument("--format", help="read as this format, whatever the content looks like")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"what a file may take (default: {SECONDS:g})")
    parser.add_argument("--json", action="store_true", help="print JSON, one object per file")


@dataclass(frozen=True, slots=True)
class Found:
    """What came of a file: a reading and why it was recognised, or the refusal."""

    document: Document
    because: str
    reading: Reading | None
    refused: UnknownFormat | MalformedEvidence | Refused | None


def run(options: Namespace) -> Exit:
    """Tells of every file; REFUSED when one of them cannot be read."""
    worst = Exit.OK
    for document in documents(options.files, lambda: Watched(seconds=options.seconds)):
        if is_capture(document.name):
            _tell_capture(document, as_json=options.json)
            continue
        found = look(document, options.format)
        if found.refused is not None:
            worst = Exit.REFUSED
        if options.json:
            write_json(as_json(found))
        else:
            _tell(found)
    return worst


def _tell_capture(document: Document, *, as_json: bool) -> None:
    """What was captured. Raises BadInput(bad_capture)."""
    capture = from_bytes(document.content, document.name)
    if as_json:
        write_json({"file": document.name, "capture": msgspec.to_builtins(capture)})
        return
    write(f"{document.name}: what countersign run captured of run {capture.run} under the plan {capture.plan}")
    for name, said in provenance(capture).items():
        write(f"  {name}: {said['value']} ({said['source']})")
    for sentence in capture.not_seen:
        write(f"  not seen: {sentence}")


def look(document: Document, format_name: str | None) -> Found:
    """What the file holds, or why it was refused."""
    try:
        known = evidence.recognise(document, format_name)
        return Found(document, "chosen by hand" if format_name else known.reason, known.read(), None)
    except (UnknownFormat, MalformedEvidence, Refused) as refused:
        return Found(document, "", None, refused)


def as_json(found: Found) -> dict[str, object]:
    """All of it as JSON values."""
    document = found.document
    told: dict[str, object] = {"file": document.name, "sha256": digest_of(document), "size": document.size}
    if found.refused is not None:
        why = found.refused
        where = document.name if isinstance(why, Refused) else why.where
        told["refused"] = {"code": why.code, "message": why.message, "where": where, "needs": why.needs}
    if found.reading is not None:
        told |= {"format": found.reading.format, "because": found.because, **_reading(found.reading)}
    return told


def _reading(reading: Reading) -> dict[str, object]:
    return {
        "parser_version": reading.parser_version,
        "runs": [
            {"run": run.key, "status": run.status, "reason": run.reason, "where": run.where} for run in reading.runs
        ],
        "measurements": [
            {"metric": metric, "stat": stat, "kind": kind, "unit": unit, "values": count}
            for (metric, stat, kind, unit), count in _counted(reading).items()
        ],
        "settings": {
            role: sorted({s.name for s in reading.settings if s.role == role})
            for role in ("configuration", "work", "identity")
        },
        "power_series": [series.as_json for series in power_series(reading)],
        "not_measured": _not_measured(reading),
        "leniences": list(reading.leniences),
        "notices": list(reading.notices),
    }


def _counted(reading: Reading) -> Mapping[tuple[str, ...], int]:
    held = reading.measurements.measured()
    return {names: len(held.only(**dict(zip(COUNTED, names, strict=True)))) for names in held.combinations(*COUNTED)}


def _not_measured(reading: Reading) -> list[str]:
    lacking = reading.measurements.not_measured()
    return [f"{metric}: {reason}" for metric, reason in lacking.combinations("metric", "reason")]


def _tell(found: Found) -> None:
    if found.refused is not None:
        complain(f"{found.refused} [{found.refused.code}] {found.refused.needs}")
    if found.reading is not None:
        _tell_reading(found, found.reading)


def _tell_reading(found: Found, reading: Reading) -> None:
    failed = sum(run.status != "completed" for run in reading.runs)
    write(f"{found.document.name}: {reading.format}, because {found.because}")
    write(f"  {printing.plural(len(reading.runs), 'run')}" + (f", {failed} not completed" if failed else ""))
    rows = [(*names, printing.count(count)) for names, count in _counted(reading).items()]
    write(_indented(table(rows, ("metric", "stat", "kind", "unit", "values"))))
    told = (
        ("power and energy counters", [series.sentence for series in power_series(reading)]),
        ("not measured", _not_measured(reading)), ("leniences", reading.leniences), ("notices", reading.notices),
    )  # fmt: skip
    for name, lines in told:
        if lines:
            write(f"  {name}:")
            write(_indented("\n".join(lines), "    "))


def _indented(text: str, by: str = "  ") -> str:
    return "\n".join(f"{by}{line}" for line in text.splitlines())


COMMAND = Command("inspect", "what is this file, what was read from it, what was refused and where", arguments, run)
