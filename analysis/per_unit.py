"""A metric per unit of the recorded work: "wall_time_per_output_token" is the wall time of a run over its tokens.

It divides the size of the work out, and nothing else: the start of a run and what else does not grow with the work
weigh less in the larger one. So it is for arms whose work differs in size, never for arms whose work differs in kind.
"""

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from analysis.bounds import work_bound
from analysis.errors import Refused
from analysis.inputs import AssessmentRequest, ComparisonPlan, LabelledRun
from analysis.metering import energy_metric
from analysis.run_values import RunValue, value_of
from analysis.table import Table

NAME: Final = re.compile(r"(?P<whole>[a-z0-9_]+?)_per_(?P<work>[a-z0-9_]+)")
OF_A_WHOLE: Final = ("value", "total")


@dataclass(frozen=True, slots=True)
class PerUnit:
    """A number of a whole run over its work: both by name."""

    whole: str
    work: str


def work_words(name: str) -> tuple[str, ...]:
    """The settings that may count a work: "request" is `request`, `requests`, `requests_completed`."""
    return (name, f"{name}s", f"{name}s_completed", f"{name}_completed")


def unit_of(counted: str) -> str:
    """One unit of a counted work: "request" of `requests_completed`, "output_token" of `output_tokens`."""
    return counted.removesuffix("_completed").removesuffix("s")


def per_unit(request: AssessmentRequest) -> PerUnit | None:
    """What the plan's metric is made of, when no run measured it by that name and every part of it is there."""
    parts = NAME.fullmatch(request.plan.metric)
    if parts is None or energy_metric(request.plan.metric) is not None:
        return None
    metrics = {name for run in request.runs for name in run.reading.measurements.distinct("metric")}
    known = request.plan.metric not in metrics and parts["whole"] in metrics
    return PerUnit(parts["whole"], parts["work"]) if known else None


def divided_by(request: AssessmentRequest) -> tuple[str, ...]:
    """The settings that may count the work by which the plan's metric is divided; () when it is per nothing."""
    energy, other = energy_metric(request.plan.metric), per_unit(request)
    work = energy.work if energy is not None else other.work if other is not None else ""
    return work_words(work) if work else ()


def value_per_unit(run: LabelledRun, rows: Table, plan: ComparisonPlan, parts: PerUnit) -> RunValue:
    """The number of the whole run over its work.

    Args:
        rows: of the whole, of this run.

    Raises:
        Refused: not_of_a_whole_run, work_not_stated, zero_work, and what `value_of` refuses.
    """
    if plan.stat not in OF_A_WHOLE:
        raise Refused(
            "not_of_a_whole_run",
            f"The {plan.stat} of {parts.whole} is none of a whole run, which its work could divide.",
            f"Choose the statistic {' or '.join(OF_A_WHOLE)}.",
        )
    found = value_of(rows, replace(plan, metric=parts.whole))
    return replace(found, value=float(Fraction(found.value) / work_of(run, parts.work)), n_inner=None)


def work_of(run: LabelledRun, name: str) -> Fraction:
    """How much the run did of what the metric names: "request" is `request`, `requests` or `requests_completed`.

    Raises:
        Refused: work_not_stated, zero_work.
    """
    found = stated_work(run, name)
    if found is None:
        raise Refused(
            "work_not_stated",
            f"The run does not say how many {name} it did.",
            f"State {' or '.join(work_words(name)[:3])} in its work, counted in the window of its number.",
        )
    return found


def stated_work(run: LabelledRun, name: str) -> Fraction | None:
    """What the run states of it, None when it states nothing. Raises Refused(zero_work)."""
    done = {s.name: s.value for s in run.reading.settings_of(run.run.key) if s.role == "work"}
    found = next((done[word] for word in work_words(name) if word in done), None)
    return None if found is None else work_bound(found, found, assumption="").lo
