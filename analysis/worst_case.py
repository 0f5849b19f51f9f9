"""What is left of an effect when a failed run counts as the worst there is: a statement on one side, or on none."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from analysis.claims import ConfidenceInterval, Frame, WidenedInterval
from analysis.exact import plain_decimal
from analysis.failures import AMONG, Counted, FailureCount
from analysis.inputs import Better, Scale

ASSUMED: Final[dict[Scale, str]] = {
    "ratio": "no throughput, or no end",
    "difference": "whatever that is in the unit of the metric",
    "proportion": "a share of 0, or of 1 where lower is better",
    "count": "whatever that is in the unit of the metric",
}
SHOWN: Final = 4


@dataclass(frozen=True, slots=True)
class WorstCase:
    """The effect among all runs, failed ones at their worst; an end is None where nothing bounds it.

    A difference of two shares is never outside -1 to 1. The other end is that of the interval among completed runs,
    which `confidence`, `method` and `units` are of. lost_units: runs or sweeps.
    """

    lo: float | None
    hi: float | None
    lost: tuple[str, ...]
    confidence: float
    method: str
    units: int
    frame: Frame
    assumptions: tuple[str, ...]
    lost_units: Counted = "runs"

    @property
    def said(self) -> str:
        """One sentence for every face."""
        arms = " and ".join(self.lost)
        start = f"If the failed {arms} {self.lost_units} count as the worst there is, "
        level = plain_decimal(100 * self.confidence, significant=6)
        unit = "" if self.frame.unit == "1" else f" {self.frame.unit}"
        shares = self.frame.scale == "proportion"
        for end, word, other in ((self.lo, "at least", "at most 1"), (self.hi, "at most", "at least -1")):
            if end is not None and not (shares and abs(end) == 1):
                side = f", and {other}, as any difference of two shares" if shares else ""
                one_sided = "" if shares else "bounded on one side only: "
                ends = f"{word} {plain_decimal(end, significant=SHOWN)}{unit}"
                among = AMONG[self.lost_units]
                return f"{start}the effect is {one_sided}{ends}, the end of the {level} % interval {among}{side}."
        if shares:
            return f"{start}only its scale bounds the effect: a difference of two shares lies between -1 and 1."
        return f"{start}nothing bounds the effect."


def worst_case(
    governing: ConfidenceInterval | WidenedInterval | None, failures: Collection[FailureCount], better: Better
) -> WorstCase | None:
    """The worst case of an effect with lost runs; None when no run was lost, or there is no interval."""
    lost = tuple(count.arm for count in failures if count.failed)
    if governing is None or not lost:
        return None
    (counted,) = {count.counted for count in failures}
    inner = governing.statistical if isinstance(governing, WidenedInterval) else governing
    lower = ("candidate" in lost) if better == "higher" else ("baseline" in lost)
    upper = ("baseline" in lost) if better == "higher" else ("candidate" in lost)
    end, lo, hi = None, governing.lo, governing.hi
    if inner.frame.scale == "proportion":
        end, lo, hi = 1.0, max(lo, -1.0), min(hi, 1.0)
    return WorstCase(
        (-end if end else None) if lower else lo,
        end if upper else hi,
        lost,
        inner.confidence,
        inner.method,
        inner.units,
        inner.frame,
        (*inner.assumptions, f"a failed {counted[:-1]} counts as the worst there is: {ASSUMED[inner.frame.scale]}"),
        counted,
    )
