"""Runs that record stages and counters, read from a file as somebody would write it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from analysis import evidence
from analysis.assess import AssessmentResult, LabelledRun, assess
from analysis.evidence.format import Document
from analysis.parts import SplitAnswer
from tests.analysis.props import a_plan, a_request

Row = dict[str, object]
WORK = {"output_tokens": 10_000}


def row(metric: str, value: float, unit: str = "s", **more: object) -> Row:
    return {"metric": metric, "value": value, "unit": unit, **more}


def stages(metric: str = "wall_time", **times: float) -> list[Row]:
    """One row a stage, in the order given."""
    return [row(metric, value, stage=name) for name, value in times.items()]


def runs_of(
    arm: Any, measured: Sequence[list[Row]], *, work: Mapping[str, object] = WORK, **labels: Any
) -> tuple[LabelledRun, ...]:
    """One run for each list of rows, as the runs of one file; blocks by number when `blocked`."""
    runs = [
        {"run": f"{arm[0]}{i}", "settings": {"image": arm}, "work": dict(work), "measurements": rows}
        for i, rows in enumerate(measured)
    ]
    content = json.dumps({"countersign": "measurements/1", "runs": runs}).encode()
    reading = evidence.read(Document(content, "runs.json"), None)
    blocked = labels.pop("blocked", False)
    ordinary: dict[str, Any] = {
        "placement": "host-1",
        "placement_verified": True,
        "excluded": "",
        "block": "",
        **labels,
    }
    return tuple(
        LabelledRun(
            run=run, reading=reading, artifact=f"sha-{arm}", label=run.key, arm=arm,
            **{**ordinary, "block": f"k{i}" if blocked else ordinary["block"]},
        )
        for i, run in enumerate(reading.runs)
    )  # fmt: skip


def assessed(
    baseline: Sequence[list[Row]], candidate: Sequence[list[Row]], *, blocked: bool = False, **changes: Any
) -> AssessmentResult:
    """What an assessment says of these runs under the ordinary plan, with changes."""
    work = changes.pop("work", WORK)
    arms = (("baseline", baseline), ("candidate", candidate))
    runs = [run for arm, measured in arms for run in runs_of(arm, measured, work=work, blocked=blocked)]
    return assess(a_request(runs, a_plan(required=(), tolerances={}, **changes)))


def the_split(result: AssessmentResult) -> SplitAnswer:
    (found,) = result.splits
    return found
