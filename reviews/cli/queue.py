"""`countersign queue`: how long requests waited, and what a batch policy does to it at the same offered load."""

from argparse import ArgumentParser, Namespace

from analysis.policy_impact import queue_answer
from reviews.cli.command import Command, Exit, UsageError, write, write_json
from reviews.cli.files import labelled, read
from reviews.planner.asking import amount
from reviews.queue_words import as_json, lines


def arguments(parser: ArgumentParser) -> None:
    """The runs of one policy or two, and how to print."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="evidence files, or folders")
    parser.add_argument("--candidate", nargs="+", metavar="PATH", default=[], help="the same under another policy")
    parser.add_argument("--varied", default="", metavar="NAMES", help="settings that are the policy: a,b")
    parser.add_argument("--warmup", type=int, default=0, metavar="REQUESTS", help="cut from the start of every run")
    parser.add_argument("--pattern", help='labels from paths, for example "*-b{block}.json"')
    parser.add_argument("--format", help="read every file as this format")
    parser.add_argument("--confidence", default="0.95", help="level of the intervals (default: 0.95)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: Namespace) -> Exit:
    """Prints profile and impact at each offered load. Raises Refused."""
    if options.warmup < 0:
        raise UsageError("--warmup is at least 0.")
    found = queue_answer(
        tuple(labelled(read(options.paths, options.format), "baseline", options.pattern, {})),
        tuple(labelled(read(options.candidate, options.format), "candidate", options.pattern, {})),
        varied=[name.strip() for name in options.varied.split(",") if name.strip()],
        warmup=options.warmup,
        confidence=amount(options.confidence),
    )
    if options.json:
        write_json(as_json(found))
    else:
        write("\n".join(lines(found)))
    return Exit.OK


COMMAND = Command("queue", "how long requests waited, and what a batch policy does to it", arguments, run)
