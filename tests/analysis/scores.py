"""Runs of a quality evaluation, with one score per item."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from analysis.assess import LabelledRun
from analysis.inputs import ComparisonPlan
from analysis.table import Table
from tests.analysis.props import a_measurement, a_plan, a_run

BASELINE = {"q1": 0.6, "q2": 0.7, "q3": 0.8, "q4": 0.5, "q5": 0.9}
CANDIDATE = {"q1": 0.62, "q2": 0.69, "q3": 0.85, "q4": 0.53, "q5": 0.9}


def by_item(**changes: Any) -> ComparisonPlan:
    ordinary: dict[str, Any] = {
        "metric": "exact_match", "stat": "mean", "better": "higher", "scale": "difference", "unit": "item",
        "margin": Fraction("-0.05"), "role": "guardrail", "tolerances": {},
    }  # fmt: skip
    return a_plan(**{**ordinary, **changes})


def scored_run(
    arm: str,
    number: int,
    marks: Mapping[str, float | None],
    subjects: Mapping[str, str] | None = None,
    **labels: Any,
) -> LabelledRun:
    """A run that scored these items; None is an item without a score."""
    run = a_run(arm, number, None, **labels)
    rows = (
        a_measurement(
            mark, metric="exact_match", unit="1", item=item, subject=(subjects or {}).get(item, ""), reason="r"
        )
        for item, mark in marks.items()
    )
    return replace(run, reading=replace(run.reading, measurements=Table.of(rows)))


def one_each(
    baseline: Mapping[str, float | None] = BASELINE,
    candidate: Mapping[str, float | None] = CANDIDATE,
    subjects: Mapping[str, str] | None = None,
) -> tuple[LabelledRun, ...]:
    return scored_run("baseline", 1, baseline, subjects), scored_run("candidate", 1, candidate, subjects)
