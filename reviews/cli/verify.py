"""`countersign verify`: the signatures of a decision record, checked from the file alone."""

import json
from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from pathlib import Path

from reviews import record_proof
from reviews.cli.command import Command, Exit, UsageError, write, write_json
from reviews.digests import sha256_of
from reviews.errors import BadInput


def arguments(parser: ArgumentParser) -> None:
    """A decision record, and its digest as somebody else has it."""
    parser.add_argument("record", metavar="RECORD", help="the file dossier.json of a decided memo")
    parser.add_argument("--sha256", default="", metavar="DIGEST", help="as printed in the PDF: the file must have it")
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")


def run(options: Namespace) -> Exit:
    """A line for each signature; FAILED when one does not hold, or the file has another digest."""
    data = _bytes(options.record)
    digest = sha256_of(data)
    same = options.sha256.lower() in ("", digest)
    found = record_proof.proofs(_record(data))
    holds = same and not any(one.faults for one in found)
    if options.json:
        write_json({"sha256": digest, "as_given": same, "holds": holds, "signatures": [asdict(one) for one in found]})
        return Exit.OK if holds else Exit.FAILED
    write(f"SHA-256 {digest}{'' if same else ', which is not the one that was given'}")
    for one in found:
        write(f"{'does not hold' if one.faults else 'holds'}: {one.signer} as {one.role}")
        for said in one.faults or (one.told,):
            write(f"  {said}")
    write("Every signature holds." if holds else "Not everything holds.")
    return Exit.OK if holds else Exit.FAILED


def _bytes(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}.") from error


def _record(data: bytes) -> record_proof.JSON:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadInput(
            "This file is no JSON.", needs="Give the file dossier.json of a decided memo.", code="no_decision_record"
        ) from error
    return found if isinstance(found, dict) else {}


COMMAND = Command("verify", "check the signatures of a decision record, offline", arguments, run)
