"""Quantiles of a histogram: the bucket that holds the rank is all that is known, so the answer is bounds."""

import bisect
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Final, cast

from analysis.bounds import Bounds, quantity_to_json
from analysis.errors import Refused
from analysis.exact import Exact, parse_exact, plain_decimal
from analysis.units import factor_to_base

NOT_ANOTHER_RUN: Final = (
    "No value inside a bucket is known, so nothing is interpolated. This is the quantile of these values, and says "
    "nothing of another run."
)


def histogram_quantile_bounds(edges: Sequence[Exact], counts: Sequence[int], p: Fraction, *, unit: str) -> Bounds:
    """The edges, in the base unit, of the bucket (low, high] that holds the nearest rank ceil(N p).

    Args:
        edges: rising, one more than `counts`; the last may be infinity ("inf"), for a bucket without an upper edge.
        counts: values in each bucket, not cumulative.

    Raises:
        Refused: bad_histogram, open_bucket, not_positive (a bucket that begins at 0), not_a_quantile,
            not_a_number, unit_mismatch.
    """
    if not 0 < p < 1:
        raise Refused(
            "not_a_quantile",
            f"{plain_decimal(p, significant=6)[:40]} is no share of the values.",
            "Give p between 0 and 1.",
        )
    base, factor = factor_to_base(unit)
    lows, highs = _ends(edges, counts)
    total = sum(counts)
    rank = -(-total * p.numerator // p.denominator)
    bucket = bisect.bisect_left(list(accumulate(counts)), rank)
    low, high = lows[bucket], highs[bucket]
    if high is None:
        raise Refused(
            "open_bucket",
            f"Rank {rank} of {total} lies in the last bucket, which has no upper edge.",
            "Record finer buckets, up to beyond the slowest request.",
        )
    if low <= 0:
        raise Refused(
            "not_positive",
            f"Rank {rank} of {total} lies in the bucket that begins at {edges[bucket]}.",
            "Record buckets with a lowest edge above 0.",
        )
    said = f"rank {rank} of {total} lies in the bucket ({edges[bucket]}, {edges[bucket + 1]}] {unit}".strip()
    return Bounds(low * factor, high * factor, base, (said,))


def histogram_quantile_to_json(
    edges: Sequence[Exact], counts: Sequence[Exact], p: str, *, unit: str, digits: int
) -> dict[str, object]:
    """The quantile of a histogram that somebody wrote down, as JSON values; decimals are rounded outward.

    Args:
        counts: whole numbers, not cumulative.

    Raises:
        Refused: as `histogram_quantile_bounds`, and not_printable.
    """
    whole = [_count(count) for count in counts]
    found = histogram_quantile_bounds(edges, whole, parse_exact(p), unit=unit)
    return {
        **quantity_to_json(found, name=f"{p.strip()} quantile", digits=digits),
        "values": sum(whole),
        "scope": NOT_ANOTHER_RUN,
    }


def histogram_in_words(found: Mapping[str, object]) -> str:
    """What `histogram_quantile_to_json` found, in the only words that bounds allow."""
    (rank,) = cast("list[str]", found["assumptions"])
    return f"{found['sentence']} {rank[0].upper()}{rank[1:]}. {found['scope']}"


def _count(said: Exact) -> int:
    value = parse_exact(said)
    if value.denominator != 1:
        raise _bad(f"A count of values is a whole number, and {str(said)[:40]} is none.")
    return value.numerator


def _ends(edges: Sequence[Exact], counts: Sequence[int]) -> tuple[list[Fraction], list[Fraction | None]]:
    """The exact low and high edge of every bucket; the last high one is None for infinity."""
    if len(edges) != len(counts) + 1 or not sum(counts) or min(counts) < 0:
        raise _bad("A histogram has one edge more than counts, and counts at least one value.")
    lows = [parse_exact(edge) for edge in edges[:-1]]
    last = None if _is_infinite(edges[-1]) else parse_exact(edges[-1])
    closed = lows if last is None else [*lows, last]
    if any(high <= low for low, high in pairwise(closed)):
        raise _bad("The edges of the histogram do not rise.")
    return lows, [*lows[1:], last]


def _is_infinite(edge: Exact) -> bool:
    if isinstance(edge, str):
        return edge.strip().lower().lstrip("+") in ("inf", "infinity")
    return isinstance(edge, float) and edge == math.inf


def _bad(message: str) -> Refused:
    return Refused("bad_histogram", message, "Give the rising edges, and the count of every bucket between them.")
