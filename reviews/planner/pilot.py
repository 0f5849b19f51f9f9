"""What a pilot says of the noise: how runs differ, and how the steps inside them do. On logs, where effects add."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from analysis.errors import Refused
from analysis.inputs import LabelledRun
from analysis.measurements import Measurement
from analysis.planning import Noise, VarianceComponents, upper_sd, variance_components
from analysis.procedures import variance
from analysis.steady import integrated_autocorrelation_time
from reviews import printing

ASSURANCE: Final = 0.8


@dataclass(frozen=True, slots=True)
class Pilot:
    """metric: with its stat, where the files hold the tool's own number only. runs: how many were used.

    steps_correlate_over: the autocorrelation time of the steps, at least 1. notes: what a reader should know.
    """

    metric: str
    runs: int
    spread: VarianceComponents
    steps_correlate_over: float
    notes: tuple[str, ...]

    @property
    def has_steps(self) -> bool:
        """Whether the files hold more than one number per run."""
        return self.spread.steps_per_run > 1

    @property
    def noise(self) -> Noise:
        """To plan with, at face value."""
        return Noise(self.spread.between, self.spread.within * self.steps_correlate_over, 0.0)

    @property
    def upper_noise(self) -> Noise:
        """The same with the runs' spread at the limit that it stays below in 80 % of pilots."""
        square = self.spread.mean_square * upper_sd(1.0, self.runs - 1, assurance=ASSURANCE) ** 2
        between = max(0.0, (square - self.spread.within) / self.spread.steps_per_run)
        return Noise(between, self.noise.step, 0.0)


class NotSaid(Refused):
    """What is asked for does not hold together: something is left out, or said that does not belong to it."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What of a pilot is planned for; "" is for a pilot that has one only. warmup: steps cut from every run."""

    metric: str = ""
    stat: str = ""
    warmup: int = 0


def pilot_of(runs: Sequence[LabelledRun], choice: Choice) -> Pilot:
    """The spread of the runs.

    Raises:
        NotSaid: metric_not_chosen, none of several metrics or stats is chosen, or one that is not there.
        Refused: too_few_runs, too_few_steps, not_positive, aggregate_only, ambiguous_value.
    """
    completed = [run for run in runs if run.run.status == "completed" and not run.excluded]
    rows = [[m for m in r.reading.of_run(r.run.key) if _usable(m)] for r in completed]
    metric = _one(choice.metric, {m.metric for row in rows for m in row}, "metric")
    measured = [[m for m in row if m.metric == metric] for row in rows]
    if any(sum(m.kind == "raw" for m in row) > 1 for row in measured):
        if choice.stat:
            raise NotSaid("metric_not_chosen", f"The pilot holds the steps of {metric}.", "Leave out the stat.")
        return _of_steps(metric, _those(runs, completed, measured), choice.warmup)
    stat = _one(choice.stat, {m.stat for row in measured for m in row}, "stat")
    single = [[m for m in row if m.stat == stat] for row in measured]
    return _of_single_values(f"{metric} {stat}", _those(runs, completed, single), choice.warmup)


@dataclass(frozen=True, slots=True)
class _Used:
    """The rows of the runs that are used, one list per run, and what is to be said of the choice."""

    rows: tuple[Sequence[Measurement], ...]
    notes: tuple[str, ...]


def _those(
    found: Sequence[LabelledRun], completed: Sequence[LabelledRun], rows: Sequence[Sequence[Measurement]]
) -> _Used:
    used = [run for run, row in zip(completed, rows, strict=True) if row]
    return _Used(tuple(row for row in rows if row), (*_left_out(len(found) - len(used)), *_differing(used)))


def _of_steps(metric: str, used: _Used, warmup: int) -> Pilot:
    steps = [_logs(_steps(row, warmup)) for row in used.rows]
    spread = variance_components(steps)
    return Pilot(metric, len(steps), spread, _correlation(steps), (*used.notes, *_negative(spread)))


def _of_single_values(metric: str, used: _Used, warmup: int) -> Pilot:
    """A pilot whose files hold one number per run: nothing is known of steps."""
    if warmup:
        raise Refused("aggregate_only", f"The pilot holds one {metric} per run, not steps.", "Leave out the warmup.")
    if any(len(row) > 1 for row in used.rows):
        raise Refused("ambiguous_value", f"A run reports {metric} more than once.", "Give files that report it once.")
    if len(used.rows) < 2:
        raise Refused("too_few_runs", "One run says nothing of how runs differ.", "Pilot at least two runs.")
    square = variance(_logs([m.value or 0.0 for row in used.rows for m in row]), rounding=0.0)
    spread = VarianceComponents(0.0, square, square, 1.0, between_was_negative=False)
    only = "The files hold one number per run: a step stands for a whole run here."
    return Pilot(metric, len(used.rows), spread, 1.0, (*used.notes, only))


def _usable(m: Measurement) -> bool:
    return m.phase == "measured" and m.stage == "" and m.value is not None


def _one(asked: str, found: set[str], what: str) -> str:
    if asked and asked in found:
        return asked
    if len(found) == 1 and not asked:
        return found.pop()
    listed = ", ".join(sorted(found)) or "nothing"
    raise NotSaid("metric_not_chosen", f"The pilot has: {listed}.", f"Say with {what} what is planned for.")


def _steps(rows: Sequence[Measurement], warmup: int) -> list[float]:
    raw = [m for m in rows if m.kind == "raw"]
    return [m.value or 0.0 for i, m in enumerate(raw) if (i if m.index is None else m.index) >= warmup]


def _logs(values: Sequence[float]) -> list[float]:
    if any(value <= 0 for value in values):
        raise Refused("not_positive", "The pilot holds a value of 0 or less.", "Relative spread needs positive values.")
    return [math.log(value) for value in values]


def _correlation(steps: Sequence[Sequence[float]]) -> float:
    """The mean over the runs whose steps differ at all."""
    times = [integrated_autocorrelation_time(run) for run in steps if len(set(run)) > 1]
    return math.fsum(times) / len(times) if times else 1.0


def _left_out(count: int) -> tuple[str, ...]:
    said = f"{printing.plural(count, 'run')} left out: not completed, excluded, or without this metric."
    return (said,) if count else ()


def _differing(runs: Sequence[LabelledRun]) -> tuple[str, ...]:
    stated: dict[str, set[str]] = {}
    for run in runs:
        for setting in run.reading.settings_of(run.run.key):
            if setting.role == "configuration":
                stated.setdefault(setting.name, set()).add(setting.value)
    names = ", ".join(sorted(name for name, values in stated.items() if len(values) > 1))
    return (f"The runs differ in {names}: their spread holds that too.",) if names else ()


def _negative(spread: VarianceComponents) -> tuple[str, ...]:
    said = (
        "Runs differ no more than their steps make them: the variance between runs came out negative, and counts as 0."
    )
    return (said,) if spread.between_was_negative else ()
