"""The margin of a plan, in both orientations: as registered, and turned so that below the neutral value is worse."""

from dataclasses import dataclass
from fractions import Fraction

from analysis.exact import plain_decimal
from analysis.inputs import Better, ComparisonPlan, Scale


@dataclass(frozen=True, slots=True)
class Margin:
    """The worst acceptable effect, as registered: a ratio or a difference candidate against baseline."""

    native: Fraction
    better: Better
    scale: Scale
    unit: str

    @property
    def neutral(self) -> Fraction:
        """The effect that is none."""
        return Fraction(1 if self.scale == "ratio" else 0)

    @property
    def worse(self) -> Fraction:
        """The limit below which an oriented effect is materially worse: 0.98, and exactly 1/1.02 for "1.02"."""
        if self.better == "higher":
            return self.native
        return 1 / self.native if self.scale == "ratio" else -self.native

    @property
    def best(self) -> Fraction:
        """The limit above which an oriented effect is materially better."""
        return 1 / self.worse if self.scale == "ratio" else -self.worse

    @property
    def said(self) -> str:
        """The margin as people say it: "2%", or "0.5 W" of a difference."""
        amount = abs(self.native - self.neutral)
        if self.scale == "ratio":
            return f"{plain_decimal(100 * amount, significant=6)}%"
        return f"{plain_decimal(amount, significant=6)} {self.unit if self.unit != '1' else ''}".strip()

    def oriented(self, lo: Fraction, hi: Fraction) -> tuple[Fraction, Fraction]:
        """The ends, turned so that below the neutral value is worse."""
        if self.better == "higher":
            return lo, hi
        return (1 / hi, 1 / lo) if self.scale == "ratio" else (-hi, -lo)


def margin_of(plan: ComparisonPlan, *, unit: str) -> Margin:
    """The plan's margin. unit: base unit of the metric, which a difference is in."""
    return Margin(plan.margin, plan.better, plan.scale, unit)
