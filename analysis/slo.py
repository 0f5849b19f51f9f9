"""One arm against a limit: would another run keep it? The unit is the run, as everywhere.

A limit is kept when the bound of the next run keeps it; the bound of a typical run passes far too often (an eighth to
four fifths of arms that lie exactly at the limit). It is broken when even the typical run lies beyond it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from analysis.errors import Refused
from analysis.inputs import Better
from analysis.notices import Refusal
from analysis.procedures import ROUNDING, mean, t_quantile, variance

Outcome = Literal["pass", "fail", "not_established"]

FOUND: Final[Mapping[Outcome, str]] = {
    "pass": "kept",
    "fail": "broken by the typical run (one-sided)",
    "not_established": "neither kept nor broken is established",
}
HOLDS: Final = "the stated greatest errors of the measurement hold"
ASSUMED: Final = ("runs are independent of each other", "log run values are roughly normal")
FEWEST_RUNS: Final = 3
NEXT: Final = "next_run_prediction_bound_log"
TYPICAL: Final = "typical_run_bound_log"


@dataclass(frozen=True, slots=True)
class SloCheck:
    """How the runs of one arm stand to a limit, all values in `unit`, the base unit of the runs.

    typical: the geometric mean of the runs. next_run: one-sided bound of another run, on the side of the limit.
    typical_far, typical_near: one-sided bounds of the typical run, beyond and before it as seen towards the limit.
    far_factor, near_factor: by which next_run and typical_far, and typical_near, were moved outward for what the values
    of the runs may be off, at least 1; allowed: why, in words.
    """

    outcome: Outcome
    limit: float
    typical: float
    next_run: float
    typical_far: float
    typical_near: float
    unit: str
    runs: int
    confidence: float
    method: str
    scope: str
    estimand: str
    assumptions: tuple[str, ...]
    sentence: str
    far_factor: float = 1.0
    near_factor: float = 1.0
    allowed: tuple[str, ...] = ()

    @property
    def decided_by(self) -> str:
        """The procedure of the bound that decided: of the typical run where the limit is broken, else of the next."""
        return TYPICAL if self.outcome == "fail" else self.method


@dataclass(frozen=True, slots=True)
class SloAnswer:
    """What the runs of an arm say of a limit in base units: the check, or the refusal of one."""

    limit: float
    check: SloCheck | None
    refusal: Refusal | None

    @property
    def said(self) -> str:
        """The answer in words, with what stands behind it."""
        if self.check is not None:
            check = self.check
            return f"{check.sentence} {check.decided_by}, {check.runs} candidate runs, {check.scope}."
        why = f" {self.refusal.message} {self.refusal.needs}" if self.refusal else ""
        return f"Nothing can be said of the limit of {self.limit:.4g}.{why}"


@dataclass(frozen=True, slots=True)
class _Logs:
    centre: float
    deviation: float
    runs: int


def next_run_bound(values: Sequence[float], *, confidence: float, better: Better) -> float:
    """The value that another run like these stays within, with `confidence` on one side; in the unit of the values.

    Args:
        values: one positive value per run, at least 2. better: "lower" gives an upper bound, "higher" a lower one.

    Raises:
        Refused: too_few_runs, not_positive, zero_variance, bad_level.
    """
    return _beyond(_logs(values, fewest=2), _towards(better), confidence, math.sqrt(1 + 1 / len(values)))


def typical_run_bounds(values: Sequence[float], *, confidence: float) -> tuple[float, float]:
    """The one-sided lower and upper bounds of the typical (geometric-mean) run, each at `confidence`.

    Raises:
        Refused: too_few_runs (fewer than 2), not_positive, zero_variance, bad_level.
    """
    logs, share = _logs(values, fewest=2), 1 / math.sqrt(len(values))
    return _beyond(logs, -1, confidence, share), _beyond(logs, 1, confidence, share)


def slo_check(
    values: Sequence[float], limit: float, *, better: Better, confidence: float, unit: str, scope: str
) -> SloCheck:
    """Whether the runs keep the limit: one quantile, throughput or power per run, at the conservative rank.

    Args:
        values: positive, at least 3. limit: greatest allowed value, or smallest when `better` is "higher".
        unit: of both. scope: to which placements the runs speak.

    Raises:
        Refused: too_few_runs, not_positive, zero_variance, bad_level.
    """
    logs, towards, share = _logs(values, fewest=FEWEST_RUNS), _towards(better), 1 / math.sqrt(len(values))
    if not (math.isfinite(limit) and limit > 0):
        raise _not_positive(limit)
    next_run = next_run_bound(values, confidence=confidence, better=better)
    near, far = _beyond(logs, -towards, confidence, share), _beyond(logs, towards, confidence, share)
    outcome = _outcome(next_run, near, limit, towards)
    return SloCheck(
        outcome=outcome,
        limit=limit,
        typical=math.exp(logs.centre),
        next_run=next_run,
        typical_far=far,
        typical_near=near,
        unit=unit,
        runs=len(values),
        confidence=confidence,
        method=NEXT,
        scope=scope,
        estimand="another run of this arm",
        assumptions=ASSUMED,
        sentence=_sentence(outcome, near if outcome == "fail" else next_run, limit, unit=unit, confidence=confidence),
    )


def allowing(check: SloCheck, *, up: float, down: float, better: Better, reasons: tuple[str, ...]) -> SloCheck:
    """The same check of the true values, when the value of a run may be off: every bound is moved outward.

    Args:
        up, down: by which factors the true value may lie above and below the measured one, at least 1.
    """
    far, near = (up, down) if better == "lower" else (down, up)
    towards = _towards(better)
    next_run, typical_far = (one * far**towards for one in (check.next_run, check.typical_far))
    typical_near = check.typical_near * near**-towards
    outcome = _outcome(next_run, typical_near, check.limit, towards)
    value, factor, before = (
        (typical_near, near, check.typical_near) if outcome == "fail" else (next_run, far, check.next_run)
    )
    moved = (
        f" The bound is {_said(before, check.unit)} by the spread of the runs, moved outward by a factor of "
        f"{factor:.6g} for {' and '.join(reasons)}."
    )
    sentence = _sentence(outcome, value, check.limit, unit=check.unit, confidence=check.confidence)
    return replace(
        check, outcome=outcome, next_run=next_run, typical_far=typical_far, typical_near=typical_near,
        assumptions=(*check.assumptions, HOLDS), sentence=sentence + moved, far_factor=far, near_factor=near,
        allowed=reasons,
    )  # fmt: skip


def _outcome(next_run: float, near: float, limit: float, towards: int) -> Outcome:
    if towards * next_run <= towards * limit:
        return "pass"
    return "fail" if towards * near > towards * limit else "not_established"


def _said(value: float, unit: str) -> str:
    return f"{value:.4g} {unit}" if unit != "1" else f"{value:.4g}"


def _sentence(outcome: Outcome, bound: float, limit: float, *, unit: str, confidence: float) -> str:
    """With the bound that decides: that of the typical run where the limit is broken, else that of the next run."""
    run = "typical" if outcome == "fail" else "next"
    said = f"The {100 * confidence:g} % bound of the {run} run is {_said(bound, unit)}, against a limit of "
    return f"{said}{_said(limit, unit)}: {FOUND[outcome]}."


def _towards(better: Better) -> int:
    return 1 if better == "lower" else -1


def _beyond(logs: _Logs, towards: int, confidence: float, share: float) -> float:
    if not 0.5 <= confidence < 1:
        raise Refused("bad_level", f"{confidence:g} is no confidence of a bound.", "Give a level from 0.5 to below 1.")
    one_sided = t_quantile(logs.runs - 1, 2 * confidence - 1)
    return math.exp(logs.centre + towards * one_sided * logs.deviation * share)


def _logs(values: Sequence[float], *, fewest: int) -> _Logs:
    if len(values) < fewest:
        raise Refused(
            "too_few_runs",
            f"{len(values)} runs cannot say what another run would do.",
            f"Run the arm at least {fewest} times, better 5.",
        )
    for value in values:
        if not (math.isfinite(value) and value > 0):
            raise _not_positive(value)
    logs = [math.log(value) for value in values]
    spread = variance(logs, rounding=ROUNDING * max(abs(x) for x in logs))
    if spread == 0:
        raise Refused(
            "zero_variance",
            "The runs do not vary: they are copies, or the timer is coarser than their spread.",
            "Use a finer timer or separate runs.",
        )
    return _Logs(mean(logs), math.sqrt(spread), len(values))


def _not_positive(value: float) -> Refused:
    return Refused("not_positive", f"{value:g} is no positive value.", "Give positive values in one unit.")
