"""`countersign bounds`: the conservative ratio interval of two bounded quantities."""

from argparse import ArgumentParser, Namespace

from analysis.bounds import Bounds, bound, bounds_to_json, in_words, ratio_bounds, work_bound
from reviews.cli.command import Command, Exit, UsageError, write, write_json


def arguments(parser: ArgumentParser) -> None:
    """Two ranges, the work behind them, and how to print."""
    parser.add_argument("baseline", metavar="LOW..HIGH", help="bounds of the baseline's duration or energy")
    parser.add_argument("candidate", metavar="LOW..HIGH", help="bounds of the candidate's")
    parser.add_argument("--unit", default="ms", help="unit of both (default: ms)")
    parser.add_argument("--work", metavar="LOW..HIGH", help="valid work of the baseline, when the works differ")
    parser.add_argument("--candidate-work", metavar="LOW..HIGH", help="valid work of the candidate")
    parser.add_argument("--shared-scale", action="store_true", help="both works carry one unknown factor")
    parser.add_argument("--digits", type=int, default=8, help="decimals, rounded outward (default: 8)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: Namespace) -> Exit:
    """Prints the ratio; raises Refused for bounds that are none."""
    if not 0 <= options.digits <= 40:
        raise UsageError("--digits is between 0 and 40.")
    ratio = ratio_bounds(
        _range(options.baseline, options.unit, "baseline"),
        _range(options.candidate, options.unit, "candidate"),
        baseline_work=_work(options.work),
        candidate_work=_work(options.candidate_work),
        shared_scale=options.shared_scale,
    )
    if options.json:
        write_json(bounds_to_json(ratio, digits=options.digits))
    else:
        write(in_words(ratio, digits=options.digits))
    return Exit.OK


def _range(text: str, unit: str, arm: str) -> Bounds:
    low, high = _ends(text)
    return bound(low, high, unit=unit, assumption=f"the {arm} lies between {low} and {high} {unit}")


def _work(text: str | None) -> Bounds | None:
    if text is None:
        return None
    low, high = _ends(text)
    return work_bound(low, high, assumption=f"valid work lies between {low} and {high}")


def _ends(text: str) -> tuple[str, str]:
    """The two ends of LOW..HIGH; a single number is both."""
    low, sign, high = text.partition("..")
    return low.strip(), (high if sign else low).strip()


COMMAND = Command("bounds", "the conservative ratio interval of stated bounds", arguments, run)
