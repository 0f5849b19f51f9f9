"""Summaries of runs from text, and their comparison in lines: the same on the command line and in the API."""

from collections.abc import Iterator
from fractions import Fraction

from analysis.errors import Refused
from analysis.exact import Exact, nearest_float, parse_exact
from analysis.inputs import Better
from analysis.summaries import ArmSummary, SummaryOf
from analysis.summary_comparison import SummaryComparison
from reviews import printing


def summary_of(mean: Exact, deviation: Exact, count: Exact, of: SummaryOf) -> ArmSummary:
    """The summary that somebody wrote. Raises Refused: not_a_number, not_finite, not_a_count."""
    number = parse_exact(count)
    if number.denominator != 1 or number < 0:
        raise Refused("not_a_count", f"{str(count)[:40]} is no count of {of}.", f"Give how many {of} the arm has.")
    return ArmSummary(nearest_float(parse_exact(mean)), nearest_float(parse_exact(deviation)), number.numerator, of)


def margin_of(said: str, better: Better) -> Fraction:
    """The worst acceptable ratio: "2%" is 0.98 when higher is better and 1.02 when lower is. Raises Refused."""
    text = said.strip()
    if not text.endswith("%"):
        return parse_exact(text)
    share = parse_exact(text.removesuffix("%")) / 100
    return 1 - share if better == "higher" else 1 + share


def lines(found: SummaryComparison) -> Iterator[str]:
    """The comparison in plain lines."""
    yield f"{found.margin.better} is better: {found.headline}"
    if found.refusal is not None:
        yield f"What would help: {found.refusal.needs}"
    yield f"Effect, candidate/baseline: {interval_in_words(found)}"
    yield f"Cause: {found.attribution.sentence}"
    yield ""
    yield "Assumed, because a summary does not show it:"
    yield from (f"  {said}" for said in found.interval.assumptions)
    yield ""
    yield "Notices:"
    yield from (f"  {notice.sentence}" for notice in found.notices)


def interval_in_words(found: SummaryComparison) -> str:
    """The interval with its level, procedure, counts and scope."""
    interval = found.interval
    counts = (printing.count(found.baseline.count), printing.plural(found.candidate.count, "run"))
    words = printing.IntervalWords(
        level=interval.confidence,
        method=f"{interval.method} from summaries",
        replicates=f"{counts[0]} against {counts[1]}",
        scope=interval.frame.scope,
    )
    return printing.interval(interval.estimate, interval.lo, interval.hi, words)
