"""`countersign attach`: evidence files pushed to a memo, labelled by a manifest, a pattern or options.

What `countersign run` captured goes with the files that it names: as their provenance, placement and labels.

Files are named by their bytes, so that a push which broke off can be repeated: what is there already stays.
"""

import csv
import json
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from analysis import evidence
from analysis.errors import MalformedEvidence, UnknownFormat
from analysis.evidence.format import Document
from reviews.capture import machine
from reviews.capture.record import NAMES, Capture, Provenance, provenance
from reviews.cli.captured import Captured, is_capture
from reviews.cli.command import Command, Exit, UsageError, complain, pairs, table, write, write_json
from reviews.cli.files import documents, labels_of
from reviews.cli.server import Server
from reviews.cli.withheld import Checked, checked, refuse
from reviews.digests import digest_of
from reviews.errors import Refusal
from reviews.vocabulary import Arm, EvidenceUse, Source

LABELS: Final = ("kind", "arm", "run", "block", "placement", "use", "excluded", "clock")
CAPTURE: Final = "capture"
READ_WITHIN_S: Final = 120.0
ASK_EVERY_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class Push:
    """A file to be pushed, with its labels. understood: the format, or "" with the reason why there is none.

    capture: of the run that wrote it, None without one. checked: what was taken out of it, and what was found in it.
    provenance: where it comes from, with the source of each part.
    """

    document: Document
    labels: Mapping[str, str]
    understood: str
    reason: str
    checked: Checked
    capture: Capture | None = None
    provenance: Provenance = field(default_factory=dict)


def arguments(parser: ArgumentParser) -> None:
    """A memo, files, where their labels come from, and what happens to the set."""
    parser.add_argument("memo", metavar="NUMBER")
    parser.add_argument("files", nargs="*", metavar="FILE", help="evidence files, or folders of them")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--manifest", metavar="RUNS.csv", help="a table with the columns file and any label")
    source.add_argument("--pattern", help='labels from paths, for example "{arm}/{placement}/b{block}.json"')
    parser.add_argument("--kind", default="benchmark_run", help="artifact kind (default: benchmark_run)")
    parser.add_argument("--arm", default="", choices=("", *Arm.values), metavar="ARM", help="baseline or candidate")
    parser.add_argument("--block", default="", help="block of all files")
    parser.add_argument("--placement", default="", help="placement of all files, typed")
    parser.add_argument(
        "--clock", default="", help="zone of the times in all files, UTC+01:00, or seconds to add: +3600"
    )
    parser.add_argument("--use", default=EvidenceUse.CONFIRMING.value, choices=EvidenceUse.values)
    parser.add_argument(
        "--provenance", action="append", default=[], metavar="NAME=VALUE", help="where the files come from, as typed"
    )
    parser.add_argument("--set", type=int, metavar="N", help="attach to this open set; without it a new one is opened")
    parser.add_argument("--title", default="Pushed from the command line", help="title of a new set")
    parser.add_argument("--plan", default="", metavar="NONCE", help="plan of a new set")
    parser.add_argument("--seal", action="store_true", help="seal the set when every file is read")
    texts = parser.add_mutually_exclusive_group()
    texts.add_argument("--drop-texts", action="store_true", help="send files without prompts and generated texts")
    texts.add_argument(
        "--keep-texts", default="", metavar="WHY", help="send files as they are; why is recorded with your name"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be sent, and send nothing")
    parser.add_argument("--json", action="store_true", help="print what was done as JSON")


def run(options: Namespace) -> Exit:
    """Pushes and attaches; one table of every file, with those not understood named."""
    pushes = list(_pushes(options))
    if not pushes:
        raise UsageError("No file is named: give files, or a manifest.")
    refuse((push.checked for push in pushes), keep=bool(options.keep_texts))
    if options.dry_run:
        _tell(options, pushes, set_number=0)
        return Exit.OK
    server = Server()
    number = options.set or _open(server, options)
    try:
        _fill(server, options, number, pushes)
    except Refusal:
        complain(f"Set {number} stays open with what was sent: repeat the command with --set {number}.")
        raise
    _tell(options, pushes, set_number=number)
    return Exit.OK


def _fill(server: Server, options: Namespace, number: int, pushes: list[Push]) -> None:
    for push in pushes:
        _send(server, options, number, push)
    if options.seal:
        for push in pushes:
            _wait(server, push)
        server.post(f"memos/{options.memo}/evidence-sets/{number}/seal/", {})


def _pushes(options: Namespace) -> Iterator[Push]:
    common = {name: str(getattr(options, name, "")) for name in LABELS}
    captured, typed = Captured(), pairs(options.provenance, "--provenance")
    for document, name, labels in _labelled(options, captured):
        captured.look_beside(Path(document.name))
        capture = captured.of(Path(document.name), digest_of(document))
        sent = checked(Document(document.held, name), drop=options.drop_texts)
        push = _looked_at(sent, {**common, **labels})
        push = _captured(push, capture, options.plan) if capture else push
        yield replace(push, provenance=_provenance(capture, typed))
    for document in captured.used():
        labels = dict.fromkeys(LABELS, "") | {"kind": CAPTURE, "use": options.use}
        yield Push(document, labels, CAPTURE, "it is what countersign run captured", checked(document, drop=False))


def _provenance(capture: Capture | None, typed: Mapping[str, str]) -> Provenance:
    """What was captured of the run, else what the CI job of this command says; and what is typed.

    Raises UsageError for a name that no provenance has, and for one that was captured otherwise.
    """
    job = {name: {"value": value, "source": "capture"} for name, value in machine.of_job().items()}
    seen = provenance(capture) if capture else job
    for name, value in typed.items():
        if name not in NAMES:
            raise UsageError(f"--provenance {name}: choose of {', '.join(NAMES)}.")
        if name in seen and seen[name]["value"] != value:
            raise UsageError(f"--provenance {name}={value}: {seen[name]['value']} was captured, and counts.")
    return {**{name: {"value": value, "source": "typed"} for name, value in typed.items()}, **seen}


def _labelled(options: Namespace, captured: Captured) -> Iterator[tuple[Document, str, Mapping[str, str]]]:
    """The evidence files with the names that they get and their labels; captures among them are taken aside."""
    found = list(documents(options.files))
    for document in found:
        if is_capture(document.name):
            captured.take(document)
    if options.manifest:
        yield from _manifest(options.manifest)
    for document in found:
        if not is_capture(document.name):
            yield document, document.name, labels_of(document.name, options.pattern)


def _captured(push: Push, capture: Capture, plan: str) -> Push:
    """The file with what was captured: its placement counts before a typed one, its labels where none is given."""
    if plan and plan != capture.plan:
        complain(f"{push.document.name} was captured under the plan {capture.plan}, not {plan}.")
    if capture.exit_code:
        complain(f"The command that wrote {push.document.name} ended with {capture.exit_code}.")
    typed = push.labels["placement"]
    if typed and typed != capture.placement:
        complain(f"{push.document.name}: the placement {typed} is not used; {capture.placement} was captured.")
    labels = {
        **push.labels,
        "arm": push.labels["arm"] or capture.arm,
        "block": push.labels["block"] or capture.block,
        "placement": capture.placement,
        "placement_source": Source.CAPTURE.value,
    }
    return replace(push, labels=labels, capture=capture)


def _manifest(path: str) -> Iterator[tuple[Document, str, Mapping[str, str]]]:
    """The files of a table, named relative to it, with their labels. Raises UsageError for a table that is none."""
    place = Path(path)
    if not place.is_file():
        raise UsageError(f"There is no file {path}.")
    with place.open(newline="", encoding="utf-8-sig") as file:
        rows = csv.DictReader(file)
        unknown = set(rows.fieldnames or ()) - {"file", *LABELS}
        if "file" not in (rows.fieldnames or ()) or unknown:
            raise UsageError(f"{path} needs the column file, and may have {', '.join(LABELS)}; not {sorted(unknown)}.")
        for row in rows:
            (document,) = documents([str(place.parent / row["file"])])
            yield document, row["file"], {name: row[name] for name in LABELS if row.get(name)}


def _looked_at(sent: Checked, labels: Mapping[str, str]) -> Push:
    document = sent.document
    try:
        found = evidence.recognise(document)
        evidence.read(document, found.format.name)
    except (UnknownFormat, MalformedEvidence) as refused:
        return Push(document, labels, "", str(refused), sent)
    return Push(document, labels, found.format.name, found.reason, sent)


def _open(server: Server, options: Namespace) -> int:
    body = {"title": options.title, "plan": options.plan}
    return int(server.post(f"memos/{options.memo}/evidence-sets/", body).json()["number"])


def _send(server: Server, options: Namespace, number: int, push: Push) -> None:
    """The file in the store and in the set; one that is in the set already is left as it is."""
    memo, digest = options.memo, digest_of(push.document)
    said = dict(push.provenance)
    if push.checked.dropped:
        value = f"{', '.join(push.checked.dropped)}, by countersign attach, before it was sent"
        said["texts_dropped"] = {"value": value, "source": Source.CAPTURE.value}
    fields = {"sha256": digest, "kept_because": options.keep_texts}
    if said:
        fields["provenance"] = json.dumps(said)
    server.send_file("artifacts/", push.document, fields)
    try:
        server.post(f"memos/{memo}/evidence-sets/{number}/attachments/", {"artifact": digest, **push.labels})
    except Refusal as refused:
        if refused.code != "attached_already":
            raise
        complain(f"{push.document.name} is attached already.")


def _wait(server: Server, push: Push) -> None:
    """Until the server has read the file. Raises Refusal when that takes too long."""
    digest, until = digest_of(push.document), time.monotonic() + READ_WITHIN_S
    while server.get(f"artifacts/{digest}/").json()["parse"] is None:
        if time.monotonic() > until:
            raise Refusal(
                f"{push.document.name} is still not read after {READ_WITHIN_S:g} s.",
                needs="See whether a worker is running, then seal the set.",
                code="still_reading",
            )
        time.sleep(ASK_EVERY_S)


def _tell(options: Namespace, pushes: list[Push], *, set_number: int) -> None:
    if options.json:
        files = [
            {
                "file": p.document.name,
                "format": p.understood,
                "reason": p.reason,
                "labels": dict(p.labels),
                "dropped": list(p.checked.dropped),
                "sha256": digest_of(p.document),
            }
            for p in pushes
        ]
        write_json(
            {"memo": options.memo, "set": set_number, "sealed": bool(options.seal and set_number), "files": files}
        )
        return
    rows = [
        (p.document.name, p.understood or "not understood", *(p.labels[name] for name in ("kind", "arm", "block")))
        for p in pushes
    ]
    write(table(rows, ("file", "format", "kind", "arm", "block")))
    for push in pushes:
        if not push.understood:
            write(f"  {push.reason}")
        if push.checked.dropped:
            digest = digest_of(push.document)
            write(f"{push.document.name} is sent without {', '.join(push.checked.dropped)}: as sent, it is {digest}.")
    if told := sum(push.capture is not None for push in pushes):
        write(f"Of {told} file(s) the placement and the provenance were captured.")
    done = f"attached to set {set_number}" + (", sealed" if options.seal else "") if set_number else "would be sent"
    write(f"{len(pushes)} file(s) {done}.")


COMMAND = Command("attach", "push evidence files to a memo", arguments, run)
