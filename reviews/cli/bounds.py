"""`countersign bounds`: the conservative ratio of two bounded quantities, or the quantile of a histogram."""

from argparse import ArgumentParser, Namespace

from analysis.bounds import Bounds, bound, bounds_to_json, in_words, ratio_bounds, work_bound
from analysis.histogram import histogram_in_words, histogram_quantile_to_json
from reviews.cli.command import Command, Exit, UsageError, write, write_json


def arguments(parser: ArgumentParser) -> None:
    """Two ranges and the work behind them, or a histogram; and how to print."""
    parser.add_argument("baseline", nargs="?", metavar="LOW..HIGH", help="bounds of the baseline's duration or energy")
    parser.add_argument("candidate", nargs="?", metavar="LOW..HIGH", help="bounds of the candidate's")
    parser.add_argument("--unit", default="ms", help="unit of both, or of the edges (default: ms)")
    parser.add_argument("--work", metavar="LOW..HIGH", help="valid work of the baseline, when the works differ")
    parser.add_argument("--candidate-work", metavar="LOW..HIGH", help="valid work of the candidate")
    parser.add_argument("--shared-scale", action="store_true", help="both works carry one unknown factor")
    histogram = parser.add_argument_group("a quantile of a histogram, in place of the two ranges")
    histogram.add_argument("--edges", metavar="A,B,…", help='rising edges of the buckets; the last may be "inf"')
    histogram.add_argument(
        "--counts", metavar="N,M,…", help="values in each bucket, not cumulative: one fewer than edges"
    )
    histogram.add_argument("--p", metavar="P", help="which quantile: 0.99")
    parser.add_argument("--digits", type=int, default=8, help="decimals, rounded outward (default: 8)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: Namespace) -> Exit:
    """Prints the ratio or the quantile; raises Refused for bounds that are none."""
    if not 0 <= options.digits <= 40:
        raise UsageError("--digits is between 0 and 40.")
    histogram, ranges = (options.edges, options.counts, options.p), (options.baseline, options.candidate)
    of_ranges = any(ranges) or options.work or options.candidate_work or options.shared_scale
    if None not in histogram and not of_ranges:
        return _quantile(options)
    if None not in ranges and not any(histogram):
        return _ratio(options)
    raise UsageError("Give two ranges LOW..HIGH, or --edges, --counts and --p of a histogram.")


def _ratio(options: Namespace) -> Exit:
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


def _quantile(options: Namespace) -> Exit:
    edges, counts = options.edges.split(","), options.counts.split(",")
    found = histogram_quantile_to_json(edges, counts, options.p, unit=options.unit, digits=options.digits)
    if options.json:
        write_json(found)
    else:
        write(histogram_in_words(found))
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


COMMAND = Command("bounds", "the conservative ratio of stated bounds, or the quantile of a histogram", arguments, run)
