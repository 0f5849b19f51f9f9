"""Quantiles of the requests or steps of one run, by nearest rank, and how many of them a quantile needs."""

import math
import re
from collections.abc import Collection
from fractions import Fraction
from typing import Final

PERCENTILE: Final = re.compile(r"p(\d{1,2}(?:\.\d{1,6})?)", re.ASCII)
TAIL_REQUESTS: Final = 10


def quantile_of(stat: str) -> Fraction | None:
    """The p of "p99.9" or "median", exactly; None when `stat` is no quantile."""
    if stat == "median":
        return Fraction(1, 2)
    found = PERCENTILE.fullmatch(stat)
    p = Fraction(found[1]) / 100 if found else None
    return p or None


def nearest_rank(values: Collection[float], p: Fraction) -> float:
    """The smallest value with at least a share `p` of the values at or below it; `values` is not empty."""
    rank = -(-len(values) * p.numerator // p.denominator)
    return sorted(values)[rank - 1]


def fewest_requests(p: Fraction) -> int:
    """How many requests a run needs for the quantile: ten beyond it. A median is no tail."""
    return 1 if p == Fraction(1, 2) else math.ceil(TAIL_REQUESTS / min(p, 1 - p))
