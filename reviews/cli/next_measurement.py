"""`countersign next`: which measurement would tell the open hypotheses apart, for the least time."""

from argparse import ArgumentParser, Namespace

import msgspec

from analysis.next_measurement import NO_EVIDENCE, Ranking, assumptions, ranking_to_json
from reviews import next_measurement as written
from reviews import printing
from reviews.cli.command import Command, Exit, UsageError, table, write, write_json
from reviews.cli.texts import text_of


def arguments(parser: ArgumentParser) -> None:
    """The file that states hypotheses and possible measurements, and how to print."""
    parser.add_argument("file", metavar="FILE.json", help='hypotheses and possible measurements; "-" is standard input')
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: Namespace) -> Exit:
    """Prints the ranking; raises Refused for what cannot be ranked."""
    ranking = written.ranked(_written(options.file))
    if options.json:
        write_json(ranking_to_json(ranking))
    else:
        write(_text(ranking))
    return Exit.OK


def _written(path: str) -> written.Written:
    try:
        return written.from_text(text_of(path))
    except msgspec.DecodeError as error:
        raise UsageError(f"{path} states no hypotheses and measurements: {error}. docs/cli.md shows one.") from error


def _text(ranking: Ranking) -> str:
    by = "bits a minute" if ranking.ranked_by == "bits_per_minute" else "bits"
    priors = ", ".join(f"{key} {prior:.3g}" for key, prior in ranking.priors.items())
    return "\n".join(
        (
            f"What to measure next, by {by}. {NO_EVIDENCE}",
            "",
            table([written.row_of(row) for row in ranking.rows], written.HEADS),
            "",
            f"Telling {', '.join(ranking.priors)} apart for certain is {printing.bits(ranking.most_bits)} bits.",
            f"Priors: {priors}.",
            *assumptions(ranking),
        )
    )


COMMAND = Command("next", "which measurement would tell hypotheses apart, for the least time", arguments, run)
