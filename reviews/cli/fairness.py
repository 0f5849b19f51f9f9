"""`countersign fairness`: how evenly streams or cores are served, with intervals over runs."""

from argparse import ArgumentParser, Namespace

from reviews.cli.command import Command, Exit, write, write_json
from reviews.cli.files import labelled, read
from reviews.fairness import FairnessWish, as_json, lines, metric_of, report_of
from reviews.planner.asking import amount


def arguments(parser: ArgumentParser) -> None:
    """The runs, what of their streams is looked at, and how to print."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="evidence files, or folders")
    parser.add_argument("--candidate", nargs="+", metavar="PATH", default=[], help="the same streams under a change")
    parser.add_argument("--metric", default="", help="what is looked at; its stages are the streams")
    parser.add_argument("--stat", default="mean", help="of each stream in a run (default: mean)")
    parser.add_argument("--better", choices=("higher", "lower"), required=True)
    parser.add_argument("--warmup", type=int, default=0, metavar="STEPS", help="cut from the start of every stream")
    parser.add_argument("--format", help="read every file as this format")
    parser.add_argument("--confidence", default="0.95", help="level of the intervals (default: 0.95)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: Namespace) -> Exit:
    """Prints index, worst stream and change. Raises Refused."""
    baseline = tuple(labelled(read(options.paths, options.format), "baseline", None, {}))
    candidate = tuple(labelled(read(options.candidate, options.format), "candidate", None, {}))
    wish = FairnessWish(
        metric=metric_of(baseline, options.metric),
        stat=options.stat,
        better=options.better,
        warmup=options.warmup,
        confidence=amount(options.confidence),
    )
    report = report_of(wish, baseline, candidate)
    if options.json:
        write_json(as_json(report))
    else:
        write("\n".join(lines(report)))
    return Exit.OK


COMMAND = Command("fairness", "how evenly streams are served: Jain's index and the worst stream", arguments, run)
