"""`countersign inspect`: what a file is, what was read from it, or what was refused and where."""

from argparse import ArgumentParser, Namespace
from collections import Counter

from analysis import evidence
from analysis.errors import MalformedEvidence, UnknownFormat
from analysis.evidence.format import Document
from analysis.measurements import Reading
from reviews import printing
from reviews.cli.command import Command, Exit, complain, table, write, write_json
from reviews.cli.files import documents
from reviews.digests import sha256_of


def arguments(parser: ArgumentParser) -> None:
    """Files or folders, a format chosen by hand, and how to print."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="evidence files, or folders of them")
    parser.add_argument("--format", help="read as this format, whatever the content looks like")
    parser.add_argument("--json", action="store_true", help="print JSON, one object per file")


def run(options: Namespace) -> Exit:
    """Tells of every file; REFUSED when one of them cannot be read."""
    worst = Exit.OK
    for document in documents(options.files):
        found = look(document, options.format)
        if "refused" in found:
            worst = Exit.REFUSED
        _tell(found, as_json=options.json)
    return worst


def look(document: Document, format_name: str | None) -> dict[str, object]:
    """What the file holds, or why it was refused, as JSON values."""
    told: dict[str, object] = {
        "file": document.name,
        "sha256": sha256_of(document.content),
        "size": len(document.content),
    }
    try:
        reason = "chosen by hand" if format_name else evidence.recognise(document).reason
        reading = evidence.read(document, format_name)
    except (UnknownFormat, MalformedEvidence) as refused:
        return {**told, "refused": {"code": refused.code, "message": refused.message, "where": refused.where}}
    return {**told, "format": reading.format, "because": reason, **_reading(reading)}


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
        "not_measured": sorted({f"{m.metric}: {m.reason}" for m in reading.measurements if m.value is None}),
        "leniences": list(reading.leniences),
        "notices": list(reading.notices),
    }


def _counted(reading: Reading) -> Counter[tuple[str, str, str, str]]:
    return Counter((m.metric, m.stat, m.kind, m.unit) for m in reading.measurements if m.value is not None)


def _tell(found: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        write_json(found)
    elif "refused" in found:
        _tell_refused(found)
    else:
        _tell_read(found)


def _tell_refused(found: dict[str, object]) -> None:
    refused = found["refused"]
    if isinstance(refused, dict):
        complain(f"{refused['where']}: {refused['message']} [{refused['code']}]")


def _tell_read(found: dict[str, object]) -> None:
    runs, measured = found["runs"], found["measurements"]
    if not isinstance(runs, list) or not isinstance(measured, list):
        return
    failed = sum(run["status"] != "completed" for run in runs)
    write(f"{found['file']}: {found['format']}, because {found['because']}")
    write(f"  {printing.plural(len(runs), 'run')}" + (f", {failed} not completed" if failed else ""))
    names = ("metric", "stat", "kind", "unit")
    rows = [(*(str(m[name]) for name in names), printing.count(m["values"])) for m in measured]
    write(_indented(table(rows, (*names, "values"))))
    for name in ("not_measured", "leniences", "notices"):
        lines = found[name]
        if isinstance(lines, list) and lines:
            write(f"  {name.replace('_', ' ')}:")
            write(_indented("\n".join(lines), "    "))


def _indented(text: str, by: str = "  ") -> str:
    return "\n".join(f"{by}{line}" for line in text.splitlines())


COMMAND = Command("inspect", "what is this file, what was read from it, what was refused and where", arguments, run)
