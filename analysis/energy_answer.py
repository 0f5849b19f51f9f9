"""What a comparison of energies says beside its interval: each run's bounds, the allowance, and bounds of the ratio.

Bounds are texts, rounded outward to ten significant digits, so that they stay bounds in every record. The ratio speaks
of these runs only, and carries no level.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Final

from analysis import canonical
from analysis.bounds import NO_LEVEL, Bounds, Direction, direction, touches_one
from analysis.exact import outward_float, to_decimal_outward
from analysis.inputs import ARMS, Arm, AssessmentRequest, ComparisonPlan
from analysis.joining import JoinedPower
from analysis.metering import Metering, energy_metric
from analysis.notices import Notice, Refusal, named
from analysis.run_energy import RunEnergy
from analysis.runs import RunPoint
from analysis.window_energy import DeviceEnergy, assumptions

DIGITS: Final = 10
ROUNDING: Final = Fraction(1, 10**12)
"""Of a value that is a float: below it, its ends differ from it by rounding alone."""
OPEN: Final = ("used", "no_value")
FOUND: Final[Mapping[Direction, str]] = {
    "below_one": "lower",
    "above_one": "higher",
    "not_established": "direction not established",
}


@dataclass(frozen=True, slots=True)
class MeteredRun:
    """One run: its value as in RunPoint, with ends that it keeps for certain under the assumptions, "" without any.

    joules: gross, over the window of `window_s` seconds, which `samples` samples or readings span.
    error: how far the value may be off, for the comparison, on the scale where effects add; None when unbounded.
    reason: why there is no point, "" when there is one. other_joules: by the source that the plan does not name.
    devices: whose energies were added. joined: which logs of power, and how; None when the file itself has it.
    """

    label: str
    arm: Arm
    value: float | None
    unit: str
    lower: str
    upper: str
    joules: float | None
    window_s: float | None
    samples: int
    gap_share: float
    error: float | None
    reason: str
    other_joules: float | None = None
    devices: tuple[DeviceEnergy, ...] = ()
    joined: JoinedPower | None = None


@dataclass(frozen=True, slots=True)
class RatioBounds:
    """Candidate over baseline, whichever run of each arm is taken; of these runs only, without any level.

    allowed: the stated error of the measurement, by which the ends are moved outward, in words; "" without any.
    """

    lower: str
    upper: str
    direction: Direction
    touches_one: bool
    baseline_runs: int
    candidate_runs: int
    sentence: str
    allowed: str = ""


@dataclass(frozen=True, slots=True)
class EnergyAnswer:
    """The energies of a comparison.

    baseline_error, candidate_error: the greatest of the arm's used runs, None when one of them is unbounded.
    reason: where the allowance for them comes from, in words; "" when there is none.
    """

    source: str
    estimand: str
    assumptions: tuple[str, ...]
    runs: tuple[MeteredRun, ...]
    baseline_error: float | None
    candidate_error: float | None
    reason: str
    ratio: RatioBounds | None

    @property
    def is_bounded(self) -> bool:
        """Whether every used run has its bounds, so that an interval can be widened by them."""
        return self.baseline_error is not None and self.candidate_error is not None


def answer(
    request: AssessmentRequest, energies: Mapping[str, RunEnergy], points: Collection[RunPoint]
) -> EnergyAnswer | None:
    """The energies of the runs that enter the comparison; None when the metric does not come from power."""
    metering, metric = request.plan.metering, energy_metric(request.plan.metric)
    if metering is None or metric is None or not energies:
        return None
    rows = tuple(_metered(point, energies[point.label], request.plan) for point in points)
    errors = [_greatest(rows, points, arm) for arm in ARMS]
    return EnergyAnswer(
        source=metering.source,
        estimand=request.plan.metric.replace("_", " "),
        assumptions=_assumed(metering, energies),
        runs=rows,
        baseline_error=errors[0],
        candidate_error=errors[1],
        reason=_reason(request.plan, errors[0], errors[1], rows[0].unit),
        ratio=_ratio(request.plan, energies, points),
    )


def _assumed(metering: Metering, energies: Mapping[str, RunEnergy]) -> tuple[str, ...]:
    held = [energy.compared for energy in energies.values() if energy.compared is not None]
    return held[0].assumptions if held else assumptions(metering, shared=metering.one_meter)


def _metered(point: RunPoint, energy: RunEnergy, plan: ComparisonPlan) -> MeteredRun:
    bounds = energy.bounds
    return MeteredRun(
        label=point.label,
        arm=point.arm,
        value=energy.value,
        unit=energy.unit,
        lower=outward(bounds.lo, up=False) if bounds else "",
        upper=outward(bounds.hi, up=True) if bounds else "",
        joules=energy.joules,
        window_s=energy.window_s,
        samples=energy.samples,
        gap_share=energy.gap_share,
        error=_error(energy, plan),
        reason=energy.problem.message if energy.problem else "",
        other_joules=energy.other_joules,
        devices=energy.devices,
        joined=energy.joined,
    )


def _error(energy: RunEnergy, plan: ComparisonPlan) -> float | None:
    """How far the value may be from the true one: on the log for a ratio; a shared scale drops out of ratios only."""
    bounds = energy.compared if plan.scale == "ratio" else energy.bounds
    if bounds is None or energy.value is None:
        return None
    value = Fraction(energy.value)
    off = max(bounds.hi / value, value / bounds.lo) - 1
    if off < ROUNDING:
        return 0.0
    if plan.scale == "ratio":
        return math.log1p(outward_float(off, up=True))
    return outward_float(max(bounds.hi - value, value - bounds.lo), up=True)


def _greatest(rows: Collection[MeteredRun], points: Collection[RunPoint], arm: Arm) -> float | None:
    used = {point.label for point in points if point.status == "used"}
    errors = [row.error for row in rows if row.label in used and row.arm == arm]
    known = [error for error in errors if error is not None]
    return max(known) if known and len(known) == len(errors) else None


def _reason(plan: ComparisonPlan, baseline: float | None, candidate: float | None, unit: str) -> str:
    if baseline is None or candidate is None or not (baseline or candidate):
        return ""
    said = [_off(error, unit if plan.scale != "ratio" else "") for error in (baseline, candidate)]
    return f"the measurement, which may be off in each run of the baseline {said[0]}, and of the candidate {said[1]}"


def _off(error: float, unit: str) -> str:
    if not error:
        return "by nothing"
    if unit:
        return f"by up to {outward(Fraction(error), up=True)} {unit}"
    return f"by a factor of up to {outward(Fraction(math.exp(error)), up=True)}"


def _ratio(plan: ComparisonPlan, energies: Mapping[str, RunEnergy], points: Collection[RunPoint]) -> RatioBounds | None:
    """Bounds of the ratio of any candidate to any baseline run; None when a run has none, or no ratio is asked for."""
    held = {arm: [energies[p.label].compared for p in points if p.arm == arm and p.status in OPEN] for arm in ARMS}
    known = {arm: [bounds for bounds in held[arm] if bounds is not None] for arm in ARMS}
    if plan.scale != "ratio" or any(not known[arm] or len(known[arm]) < len(held[arm]) for arm in ARMS):
        return None
    baseline, candidate = ((min(b.lo for b in known[arm]), max(b.hi for b in known[arm])) for arm in ARMS)
    error = plan.measurement_error
    stated = error is not None and min(error.baseline, error.candidate) >= 1
    off, allowed = (error.of_ratio, error.said) if error is not None and stated else (Fraction(1), "")
    besides = f", and if {allowed}" if allowed else ""
    lowest, highest = candidate[0] / baseline[1] / off, candidate[1] / baseline[0] * off
    ratio = Bounds(lowest, highest, "1", known["baseline"][0].assumptions)
    low, high = outward(ratio.lo, up=False), outward(ratio.hi, up=True)
    found = direction(ratio)
    return RatioBounds(
        low, high, found, touches_one(ratio), len(known["baseline"]), len(known["candidate"]),
        f"Under the stated assumptions{besides}, whichever run of each arm is taken, "
        f"{plan.metric.replace('_', ' ')} of the "
        f"candidate is between {low} and {high} times the baseline's: {FOUND[found]}. {NO_LEVEL} They speak of these "
        "runs only.",
        allowed,
    )  # fmt: skip


def outward(value: Fraction, *, up: bool) -> str:
    """A positive number to ten significant digits, rounded outward; at least six decimals of it."""
    digits = max(0, DIGITS - len(str(int(value)))) if value >= 1 else DIGITS + _zeros(value)
    text = to_decimal_outward(value, digits=digits, up=up)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _zeros(value: Fraction) -> int:
    """The zeros after the point before the first other digit of a number between 0 and 1."""
    return next(zeros for zeros in count() if value * 10 ** (zeros + 1) >= 1)


def notices(energies: Mapping[str, RunEnergy], found: EnergyAnswer | None) -> tuple[Notice, ...]:
    """What a reader should know of the energies, each thing once with the runs that it holds for."""
    seen: dict[str, tuple[Notice, list[str]]] = {}
    for label, energy in sorted(energies.items()):
        for notice in energy.notices:
            seen.setdefault(notice.code, (notice, []))[1].append(label)
    said = [Notice(code, f"{first.sentence} So in {named(labels)}.") for code, (first, labels) in seen.items()]
    if found is not None and not found.is_bounded and any(run.value is not None for run in found.runs):
        said.append(
            Notice(
                "power_unbounded",
                "Nothing bounds the power between samples of some run: the interval holds no allowance for it.",
            )
        )
    return tuple(said)


def judged_by(found: EnergyAnswer | None, plan: ComparisonPlan) -> Refusal | None:
    """Why no verdict may rest on these energies; None when one may.

    What is the same error in every run shows in no interval: only a counter, a range or a slew bounds it.
    """
    if found is None or plan.metering is None or plan.metering.carries_verdict:
        return None
    return Refusal(
        "power_between_samples",
        "The power between samples is assumed, not bounded, and an error that all runs share shows in no interval.",
        "Read an energy counter, or declare the range or the slew of the power.",
    )


def to_json(found: EnergyAnswer | None) -> object:
    """The answer as JSON values, each claim with its kind, unit, scope and what it rests on."""
    if found is None:
        return None
    ratio = None
    if found.ratio is not None:
        about = {"kind": "deterministic_bounds", "unit": "1", "scope": "these runs only"}
        ratio = {**about, **_object(found.ratio), "estimand": f"ratio of {found.estimand}, any run of each arm"}
        ratio["assumptions"] = [*found.assumptions, *((found.ratio.allowed,) if found.ratio.allowed else ())]
    rows = [{"kind": "deterministic_bounds", **_object(row)} for row in found.runs]
    return {"kind": "metered_energy", **_object(found), "runs": rows, "ratio": ratio}


def _object(value: object) -> dict[str, object]:
    said = canonical.as_json(value)
    return dict(said) if isinstance(said, dict) else {}
