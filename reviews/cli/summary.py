"""`countersign summary`: two arms of which only the mean, the standard deviation and the count of runs are known."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from analysis.summaries import ArmSummary, SummaryOf
from analysis.summary_comparison import SummaryComparison, compare_summaries, comparison_to_json
from reviews import summaries
from reviews.cli.command import Command, Exit, write, write_json
from reviews.cli.compare import EXITS

ARM = ("MEAN", "SD", "COUNT")


def arguments(parser: ArgumentParser) -> None:
    """The two summaries, what they are of, and how they are judged."""
    parser.add_argument("--baseline", nargs=3, required=True, metavar=ARM, help="of the baseline, in one unit")
    parser.add_argument("--candidate", nargs=3, required=True, metavar=ARM, help="of the candidate, in the same unit")
    parser.add_argument(
        "--of", choices=("runs", "steps", "requests"), default="runs", help="what was counted (default: runs)"
    )
    parser.add_argument("--better", choices=("higher", "lower"), required=True)
    parser.add_argument("--margin", default="2%", help='what is still acceptable: "2%%" (default) or a ratio "0.98"')
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: Namespace) -> Exit:
    """Prints what the summaries establish; raises Refused for those that carry no interval."""
    found = compare_summaries(
        _summary(options.baseline, options.of),
        _summary(options.candidate, options.of),
        better=options.better,
        margin=summaries.margin_of(options.margin, options.better),
    )
    if options.json:
        write_json(comparison_to_json(found))
    else:
        write("\n".join(summaries.lines(found)))
    return exit_of(found)


def _summary(words: Sequence[str], of: SummaryOf) -> ArmSummary:
    mean, deviation, count = words
    return summaries.summary_of(mean, deviation, count, of)


def exit_of(found: SummaryComparison) -> Exit:
    """The exit code, as of `compare`."""
    return Exit.UNDECIDED if found.verdict is None else EXITS[found.verdict.materiality]


COMMAND = Command("summary", "verdict from the mean, standard deviation and count of each arm's runs", arguments, run)
