"""One number of every run from its power: joules per unit of work, work per joule, or joules, gross or net of idle.

The number is of exactly the window in which the work was done. It may come with bounds, and it may be bounds only.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

import numpy as np

from analysis.bounds import Bounds
from analysis.energy import IdlePower, energy_per_unit, energy_per_unit_bounds, net_of_idle
from analysis.errors import Refused
from analysis.inputs import AssessmentRequest, ComparisonPlan, LabelledRun
from analysis.instants import SECOND
from analysis.joining import JoinedPower, Metered, metered, power_logs
from analysis.metering import EnergyMetric, Metering, check_metering, energy_metric
from analysis.notices import Notice, Refusal, as_value
from analysis.power import Energy, Window, aliasing
from analysis.power_rows import ROWS, IdleEnergy, of_idle, of_work, rows_of, setting_of
from analysis.run_values import RunValue
from analysis.series import cut_in_words
from analysis.two_sources import of_two_sources, other_joules
from analysis.window_energy import DeviceEnergy, WindowEnergy
from analysis.work_in_window import work_of

BY_MEAN: Final = (
    "The energy is the mean of the samples in the window times its length, as the rules of MLPerf have it, and not the "
    "integral between them."
)
IDLE_AS_BEFORE: Final = "during the work the idle host would have taken what it took when idle"


@dataclass(frozen=True, slots=True)
class RunEnergy:
    """The plan's metric of one run, in `unit`, as its power tells it.

    value: None when there is no point. bounds, compared: as in WindowEnergy, of the metric. joules: gross, over the
    window. window_s: None when no window is known. samples: of the power, or readings of the counter.
    gap_share: of the window. problem: why there is no point, when there is none. other_joules: as the other source,
    counter or samples, tells them, None without one. devices: whose energies were added. joined: with which logs.
    """

    unit: str
    value: float | None
    bounds: Bounds | None
    compared: Bounds | None
    joules: float | None
    window_s: float | None
    samples: int
    gap_share: float
    notices: tuple[Notice, ...]
    problem: Refusal | None
    other_joules: float | None = None
    devices: tuple[DeviceEnergy, ...] = ()
    joined: JoinedPower | None = None

    def run_value(self) -> RunValue:
        """The number of the run. Raises Refused, the problem, when there is none."""
        if self.problem is not None:
            raise Refused(self.problem.code, self.problem.message, self.problem.needs)
        return RunValue(self.value or 0.0, self.unit, None, 0, "ours")


def of_request(request: AssessmentRequest) -> Mapping[str, RunEnergy]:
    """The energy of every run, by its label; empty unless the metric is an energy and the plan declares a metering.

    Without a declaration, the runs that hold power and no number of the tool's own say that it is missing.
    """
    plan, metric = request.plan, energy_metric(request.plan.metric)
    if metric is None:
        return {}
    if plan.metering is None:
        return {run.label: _undeclared(metric) for run in request.runs if _has_only_power(run, plan)}
    try:
        check_metering(plan.metering)
    except Refused:
        return {}
    return {run.label: _of_run(run, metric, plan.metering, request) for run in request.runs}


def _has_only_power(run: LabelledRun, plan: ComparisonPlan) -> bool:
    own = run.reading.of_run(run.run.key)
    held = any(len(own.only(metric=name)) for name in ROWS.values()) or power_logs(run)
    return not len(own.only(metric=plan.metric)) and bool(held)


def _undeclared(metric: EnergyMetric) -> RunEnergy:
    why = Refusal(
        "metering_not_declared",
        "The run holds power, and the plan does not say how it is measured.",
        "Declare the metering in the plan: its source, and what bounds the power between samples.",
    )
    return _nothing(metric, why)


def _nothing(metric: EnergyMetric, why: Refusal) -> RunEnergy:
    return RunEnergy(metric.unit, None, None, None, None, None, 0, 0.0, (), why)


def _of_run(run: LabelledRun, metric: EnergyMetric, metering: Metering, request: AssessmentRequest) -> RunEnergy:
    try:
        _require_fitting(metric, metering, request)
        found = metered(run)
        gross = _by_rule(found, of_work(found.run, found.window, metering))
        taken = _net(gross, of_idle(found.run, metering), found.window) if metric.net else gross
        work = work_of(run, metric.work, found.window) if metric.work else Fraction(1)
        other = other_joules(found, metering)
        return RunEnergy(
            metric.unit,
            _per_unit(taken.energy, metric, work),
            _bounds_per_unit(taken.bounds, metric, work),
            _bounds_per_unit(taken.compared, metric, work),
            gross.energy.joules if gross.energy else None,
            float(found.window.seconds),
            gross.samples,
            gross.gap_share,
            (
                *(gross.energy.notices if gross.energy else ()),
                *of_two_sources(gross.energy, other),
                *_aliasing(found.run, run, metering),
            ),
            gross.problem,
            other,
            gross.devices,
            found.joined,
        )
    except Refused as refused:
        return _nothing(metric, as_value(refused))


def _by_rule(found: Metered, gross: WindowEnergy) -> WindowEnergy:
    """The same; by the rules of MLPerf, where its own logs were joined, as the mean of the samples times the window."""
    means = [device.mean_watts for device in gross.devices]
    if not found.by_mean or gross.energy is None or None in means:
        return gross
    seconds = float(found.window.seconds)
    devices = tuple(replace(one, joules=(one.mean_watts or 0.0) * seconds) for one in gross.devices)
    notice = Notice("mean_times_window", BY_MEAN)
    energy = replace(
        gross.energy,
        joules=sum(one.joules or 0.0 for one in devices),
        method="mean",
        notices=(*gross.energy.notices, notice),
    )
    return replace(gross, energy=energy, devices=devices)


def _net(gross: WindowEnergy, idle: IdleEnergy, window: Window) -> WindowEnergy:
    """The same without what the idle host would have taken in the window.

    Raises:
        Refused: not_positive, when idle may have taken it all; power_gaps, counter_reset of the idle rows.
    """
    if idle.energy.energy is None:
        why = idle.energy.problem or Refusal("idle_not_measured", "", "")
        raise Refused(why.code, f"Of the idle rows: {why.message}", why.needs)
    taken = gross.energy
    if taken is not None:
        watts = idle.energy.energy.joules / float(idle.window.seconds)
        taken = replace(taken, joules=net_of_idle(taken, IdlePower(watts, idle.host), host=idle.host))
    times = window.seconds / idle.window.seconds
    return replace(
        gross,
        energy=taken,
        bounds=_less(gross.bounds, idle.energy.bounds, times),
        compared=_less(gross.compared, idle.energy.compared, times),
    )


def _less(gross: Bounds | None, idle: Bounds | None, times: Fraction) -> Bounds | None:
    if gross is None or idle is None:
        return None
    return Bounds(gross.lo - times * idle.hi, gross.hi - times * idle.lo, "J", (*gross.assumptions, IDLE_AS_BEFORE))


def _per_unit(energy: Energy | None, metric: EnergyMetric, work: Fraction) -> float | None:
    if energy is None:
        return None
    joules = energy_per_unit(energy, float(work), work_window=energy.window)
    return 1 / joules if metric.per_joule else joules


def _bounds_per_unit(energy: Bounds | None, metric: EnergyMetric, work: Fraction) -> Bounds | None:
    if energy is None:
        return None
    each = energy_per_unit_bounds(energy, Bounds(work, work, "1", ()))
    return Bounds(1 / each.hi, 1 / each.lo, metric.unit, each.assumptions) if metric.per_joule else each


def _aliasing(run: LabelledRun, timed: LabelledRun, metering: Metering) -> tuple[Notice, ...]:
    """A notice when the load, whose period is declared or timed as steps, meets the samples at the same phases."""
    devices = list(rows_of(run, run.run.key, metering.source).by("stage").values())
    if metering.source == "counter" or not devices:
        return ()
    period = metering.load_period or _step_time(timed)
    every = Fraction(float(np.median(np.diff(np.unique(devices[0].number("started_ns")))))) / SECOND
    found = aliasing(period, every) if period else None
    return (found,) if found else ()


def _step_time(run: LabelledRun) -> Fraction | None:
    """The median of the steps that the run timed."""
    steps = run.reading.of_run(run.run.key).only(metric="step_time", kind="raw", phase="measured", stage="")
    values = steps.measured().values
    return Fraction(float(np.median(values))) if values.size else None


def _require_fitting(metric: EnergyMetric, metering: Metering, request: AssessmentRequest) -> None:
    """What else the plan asks for must leave the window as it is, and one meter must be one."""
    plan = request.plan
    if plan.stat not in metric.stats:
        raise Refused(
            "not_measured",
            f"An energy is one number of a run; it has no {plan.stat}.",
            f"Choose the statistic {metric.stats[0]}.",
        )
    if plan.warmup_steps or plan.warmup_seconds:
        raise Refused(
            "window_mismatch",
            f"The plan cuts a warmup of {cut_in_words(plan)}, and the energy is of the window that each run states.",
            "Let the window begin after the warmup, count the work of that window, and cut nothing.",
        )
    meters = sorted({name for run in request.runs if (name := setting_of(run, run.run.key, "meter"))})
    if metering.one_meter and len(meters) > 1:
        raise Refused(
            "not_one_meter",
            f"The plan says that one meter served both arms, and the runs name {' and '.join(meters[:3])}.",
            "Measure both arms with one meter, or let the error of its scale count twice.",
        )
