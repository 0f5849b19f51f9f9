"""`countersign event`: what was deployed, advanced or rolled back, reported to the server."""

from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime

from reviews.cli.command import Command, Exit, write, write_json
from reviews.cli.server import Server
from reviews.vocabulary import ProductionEventKind


def arguments(parser: ArgumentParser) -> None:
    """What happened, to which build, and when."""
    parser.add_argument(
        "kind", metavar="KIND", choices=ProductionEventKind.values, help="deployed, advanced, rolled_back"
    )
    parser.add_argument("--build", required=True, help="image digest, or another name of what runs")
    parser.add_argument("--scope", default="", help="hosts or traffic")
    parser.add_argument("--percent", metavar="P", default="", help="of that scope, above 0 and at most 100")
    parser.add_argument("--text", default="", help="in words, what happened")
    parser.add_argument("--at", metavar="TIME", help="ISO 8601 with its zone; now, when it is left out")
    parser.add_argument("--id", metavar="ID", default="", help="your name for the event: sent again, it is kept once")
    parser.add_argument("--memo", metavar="NUMBER", help="the memo; without it, the one that names the digest")
    parser.add_argument("--team", default="", help="whose build it is where no memo names it")
    parser.add_argument("--json", action="store_true", help="print the event as JSON")


def run(options: Namespace) -> Exit:
    """Reports it; prints the memo that it belongs to, or that there is none."""
    body = {
        "kind": options.kind,
        "build": options.build,
        "scope": options.scope,
        "scope_percent": options.percent,
        "text": options.text,
        "happened_at": options.at or datetime.now(UTC).isoformat(),
        "event_id": options.id,
    }
    if options.memo:
        row = Server().post(f"memos/{options.memo}/production-events/", body).json()
        number = options.memo
    else:
        row = Server().post("production-events/", {**body, "team": options.team}).json()
        number = row["memo"]
    if options.json:
        write_json(row)
    else:
        said = ProductionEventKind(options.kind).label
        write(f"{said} {options.build}: " + (number or "no memo names it; it is listed as a deployment without a memo"))
    return Exit.OK


COMMAND = Command("event", "report what happened in production", arguments, run)
