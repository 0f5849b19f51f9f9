"""What is left of an effect when a failed run counts as the worst there is: a statement on one side, or on none."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from analysis.claims import ConfidenceInterval, Frame, WidenedInterval
from analysis.exact import plain_decimal
from analysis.failures import FailureCount
from analysis.inputs import Better

ASSUMED: Final = "a failed run counts as the worst there is: no throughput, or no end"
SHOWN: Final = 4


@dataclass(frozen=True, slots=True)
class WorstCase:
    """The effect among all runs, failed ones at their worst; an end is None where nothing bounds it.

    The other end is that of the interval among completed runs, which `confidence`, `method` and `units` are of.
    """

    lo: float | None
    hi: float | None
    lost: tuple[str, ...]
    confidence: float
    method: str
    units: int
    frame: Frame
    assumptions: tuple[str, ...]

    @property
    def said(self) -> str:
        """One sentence for every face."""
        arms = " and ".join(self.lost)
        start = f"If the failed {arms} runs count as the worst there is, "
        level = plain_decimal(100 * self.confidence, significant=6)
        unit = "" if self.frame.unit == "1" else f" {self.frame.unit}"
        for end, word in ((self.lo, "at least"), (self.hi, "at most")):
            if end is not None:
                ends = f"{word} {plain_decimal(end, significant=SHOWN)}{unit}"
                return (
                    f"{start}the effect is bounded on one side only: {ends}, the end of the {level} % interval among "
                    "completed runs."
                )
        return f"{start}nothing bounds the effect."


def worst_case(
    governing: ConfidenceInterval | WidenedInterval | None, failures: Collection[FailureCount], better: Better
) -> WorstCase | None:
    """The worst case of an effect with lost runs; None when no run was lost, or there is no interval."""
    lost = tuple(count.arm for count in failures if count.failed)
    if governing is None or not lost:
        return None
    inner = governing.statistical if isinstance(governing, WidenedInterval) else governing
    lower = ("candidate" in lost) if better == "higher" else ("baseline" in lost)
    upper = ("baseline" in lost) if better == "higher" else ("candidate" in lost)
    return WorstCase(
        None if lower else governing.lo,
        None if upper else governing.hi,
        lost,
        inner.confidence,
        inner.method,
        inner.units,
        inner.frame,
        (*inner.assumptions, ASSUMED),
    )
