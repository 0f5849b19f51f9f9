"""What can be claimed about an effect, as types that share nothing, so that no arithmetic can mix them.

`Bounds` (in bounds.py) holds if its inputs hold; a `ConfidenceInterval` is a procedure with a level and a scope; a
`WidenedInterval` adds an allowance for systematic error; an `EffectEstimate` is a size and no uncertainty.
"""

import math
from dataclasses import dataclass

from analysis.errors import Refused
from analysis.inputs import Scale
from analysis.procedures import Spread, t_quantile, two_sided_p

LARGEST_LOG = 700.0


@dataclass(frozen=True, slots=True)
class Frame:
    """What an effect is about.

    scale: ratio is candidate over baseline; difference and proportion are candidate minus baseline, in `unit`.
    scope: to which placements it speaks. counted: what its independent units are, in words.
    """

    scale: Scale
    unit: str
    scope: str
    estimand: str
    counted: str


@dataclass(frozen=True, slots=True)
class EffectEstimate:
    """The size of the observed effect, without any uncertainty."""

    value: float
    frame: Frame
    baseline_runs: int
    candidate_runs: int


@dataclass(frozen=True, slots=True)
class ConfidenceInterval:
    """An interval of a procedure that covers the true effect in a share `confidence` of repetitions.

    centre, se, df: on the scale where effects add (the log, for a ratio). units: independent units behind it.
    """

    estimate: float
    lo: float
    hi: float
    centre: float
    se: float
    df: float
    p_value: float
    confidence: float
    method: str
    units: int
    frame: Frame
    assumptions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WidenedInterval:
    """A confidence interval, and an allowance on each side for effects that are bounded but not random.

    allowance: on the scale where effects add. reasons: where it comes from.
    """

    statistical: ConfidenceInterval
    lo: float
    hi: float
    allowance: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EquivalenceInterval:
    """The interval that decides "within the margin" alone, where the plan fixes a level of its own for it.

    widened: with the allowances of the governing interval. with_excluded: if no run were excluded, when some are.
    """

    interval: ConfidenceInterval
    widened: WidenedInterval | None
    with_excluded: ConfidenceInterval | None

    @property
    def governing(self) -> ConfidenceInterval | WidenedInterval:
        """The interval with its allowances, where there are any."""
        return self.widened or self.interval


def interval_of(spread: Spread, *, confidence: float, frame: Frame, assumptions: tuple[str, ...]) -> ConfidenceInterval:
    """The t interval of a spread at `confidence`, back on the scale of the frame.

    Raises:
        Refused: unbounded, when the interval is too wide for any number.
    """
    return interval_within(
        spread,
        t_quantile(spread.df, confidence) * spread.se,
        confidence=confidence,
        p_value=two_sided_p(spread.df, spread.centre / spread.se),
        frame=frame,
        assumptions=assumptions,
    )


def interval_within(
    spread: Spread,
    half: float,
    *,
    confidence: float,
    p_value: float,
    frame: Frame,
    assumptions: tuple[str, ...],
) -> ConfidenceInterval:
    """The interval of `half` on each side of the centre, on the additive scale, back on the scale of the frame.

    Raises:
        Refused: unbounded.
    """
    lo, hi = _ends(spread.centre - half, spread.centre + half, frame)
    return ConfidenceInterval(
        estimate=math.exp(spread.centre) if frame.scale == "ratio" else spread.centre,
        lo=lo,
        hi=hi,
        centre=spread.centre,
        se=spread.se,
        df=float(spread.df),
        p_value=p_value,
        confidence=confidence,
        method=f"{spread.method}_log" if frame.scale == "ratio" else f"{spread.method}_difference",
        units=spread.units,
        frame=frame,
        assumptions=assumptions,
    )


def widen(
    interval: ConfidenceInterval, *, baseline: float, candidate: float, shared_gain: bool, reasons: tuple[str, ...]
) -> WidenedInterval:
    """The interval of the true effect when each run's value may be off by up to `baseline` or `candidate`.

    Args:
        baseline, candidate: greatest systematic error of a run of the arm, at least 0, on the additive scale.
        shared_gain: one instrument served both arms, so that the common part of the error drops out.

    Raises:
        TypeError: what is given is not a confidence interval.
        Refused: unbounded.
    """
    if not isinstance(interval, ConfidenceInterval):
        raise TypeError(f"only a ConfidenceInterval can be widened, not a {type(interval).__name__}")
    allowance = abs(candidate - baseline) if shared_gain else baseline + candidate
    lo, hi = _widened(interval, allowance)
    return WidenedInterval(interval, lo, hi, allowance, reasons)


def _widened(interval: ConfidenceInterval, allowance: float) -> tuple[float, float]:
    """From the interval's own ends, so that it holds for every procedure, not only for t intervals."""
    if interval.frame.scale != "ratio":
        return interval.lo - allowance, interval.hi + allowance
    _require_printable(math.log(interval.lo) - allowance, math.log(interval.hi) + allowance)
    return interval.lo * math.exp(-allowance), interval.hi * math.exp(allowance)


def _ends(low: float, high: float, frame: Frame) -> tuple[float, float]:
    if frame.scale != "ratio":
        return low, high
    _require_printable(low, high)
    return math.exp(low), math.exp(high)


def _require_printable(low: float, high: float) -> None:
    if max(-low, high) > LARGEST_LOG:
        raise Refused("unbounded", "The interval is too wide to be printed.", "Add runs.")
