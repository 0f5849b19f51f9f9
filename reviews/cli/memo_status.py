"""`countersign memo status`: the gate of a memo in words, with an exit code for CI."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from reviews import printing
from reviews.cli.command import Command, Exit, write, write_json
from reviews.cli.server import Server
from reviews.vocabulary import DecisionKind


def arguments(parser: ArgumentParser) -> None:
    """A memo, and the decision that is asked about."""
    parser.add_argument("memo", metavar="NUMBER")
    parser.add_argument("--decision", choices=DecisionKind.values, help="ask for this one only")
    parser.add_argument("--json", action="store_true", help="print what the gate says as JSON")


def run(options: Namespace) -> Exit:
    """Prints what blocks each decision; OK when one of those asked for may be recorded now, else FAILED."""
    server = Server()
    memo, seen, together = (server.get(f"memos/{options.memo}/{part}").json() for part in ("", "gate/", "together/"))
    asked = [one for one in seen["outlooks"] if options.decision in (None, one["kind"])]
    if options.json:
        write_json(
            {
                "memo": memo["number"],
                "state": memo["state"],
                "headline": memo["headline"],
                "together": together,
                "decisions": asked,
            }
        )
    else:
        write(f"{memo['number']} {memo['title']} ({memo['state'].replace('_', ' ')}): {memo['headline']['sentence']}")
        write("\n".join(_together(together)))
        for one in asked:
            _tell(one)
    return Exit.OK if any(one["allowed"] for one in asked) else Exit.FAILED


def _together(said: dict[str, Any]) -> Iterator[str]:
    """Guardrails, claims, screening and attribution, a line each."""
    yield f"guardrails: {said['ship']}"
    yield f"claims: {said['family']}"
    for one in said["claims"]:
        yield f"  {one['name']}: {one['sentence']} Adjusted p = {printing.significant(one['adjusted_p'], 3)}."
    if said["screened"]:
        noted = [one["name"] for one in said["screened"] if one["noted"]]
        yield f"{said['screening'].removesuffix('.').lower()}: {', '.join(noted) or 'nothing is noted'}"
    attribution = said["attribution"]
    yield f"attribution: {attribution['sentence']} (rung {attribution['rung']} of 4)"
    yield from (f"  {one}" for one in (*attribution["cautions"], *attribution["lifts"]))


def _tell(outlook: dict[str, Any]) -> None:
    label = DecisionKind(outlook["kind"]).label
    missing = f"{len(outlook['blockers'])} missing" if outlook["blockers"] else ""
    said = " ".join(part for part in (missing, outlook["why_not_here"]) if part)
    write(f"{label}: {said or 'may be recorded'}")
    for line in outlook["blockers"]:
        write(f"  {line['sentence']}" + (f" ({line['who']})" if line["who"] else ""))


COMMAND = Command("memo status", "the gate of a memo in words", arguments, run)
