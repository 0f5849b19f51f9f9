"""The ordinary run, plan and request of the analysis tests; each test names what is special."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from analysis.assess import AssessmentRequest, AssessmentResult, ComparisonPlan, LabelledRun
from analysis.measurements import FileRun, Measurement, Setting, SettingRole
from analysis.reading import Reading
from analysis.table import Table

BASELINE = (0.100001, 0.100299, 0.099726, 0.099113, 0.099546)
CANDIDATE = (0.108915, 0.110066, 0.111484, 0.10946, 0.10932)
WORK = (("output_tokens", "10000"),)
SECOND = 1_000_000_000

PLAN = ComparisonPlan(
    metric="wall_time",
    stat="value",
    better="lower",
    scale="ratio",
    margin=Fraction("1.02"),
    role="primary",
    varied=("image",),
    required=("output_tokens",),
    tolerances={"output_tokens": Fraction("0.005")},
    warmup_steps=0,
    minimum_requests=0,
    hardware_varied=False,
    slo=None,
    match="same_requests",
    confidence=0.95,
    looks=1,
    look=1,
)


def a_plan(**changes: Any) -> ComparisonPlan:
    return replace(PLAN, **changes)


def a_measurement(value: float | None, **changes: Any) -> Measurement:
    ordinary = Measurement(
        run="0", metric="wall_time", value=value, unit="s", where="f:1", kind="raw", stat="value", n=None,
        phase="measured", index=None, started_ns=None, stage="", original=str(value), original_unit="s", reason="",
    )  # fmt: skip
    return replace(ordinary, **changes)


def a_setting(name: str, value: str, role: SettingRole = "configuration") -> Setting:
    return Setting("0", name, value, "", role, "file field", "f:2")


def a_run(
    arm: str,
    number: int,
    values: Sequence[float | None] | float | None,
    *,
    work: Sequence[tuple[str, str]] = WORK,
    settings: Sequence[tuple[str, str]] = (),
    measured: dict[str, Any] | None = None,
    file_run: dict[str, Any] | None = None,
    **labels: Any,
) -> LabelledRun:
    """A run "b1" or "c1" of one arm. values: one number, or the raw rows. measured: changes to every row."""
    rows = values if isinstance(values, Sequence) else (values,)
    changes = measured or {}
    found = FileRun("0", "completed", "", None, None, None, None, "f:0")
    reading = Reading(
        "test", 1, (found,),
        Table.of(a_measurement(value, **{"index": i, **changes}) for i, value in enumerate(rows)),
        (
            *(a_setting(name, value, "work") for name, value in work),
            *(a_setting(name, value) for name, value in (("image", arm), *settings)),
        ),
        (), (),
    )  # fmt: skip
    label = f"{arm[0]}{number}"
    ordinary: dict[str, Any] = {
        "artifact": f"sha-{label}", "label": label, "arm": arm, "block": "", "placement": "host-1",
        "placement_verified": True, "excluded": "",
    }  # fmt: skip
    return LabelledRun(run=replace(found, **(file_run or {})), reading=reading, **{**ordinary, **labels})


def interleaved(baseline: Sequence[float], candidate: Sequence[float], **common: Any) -> tuple[LabelledRun, ...]:
    """Unblocked runs, one minute apart; the arms swap their order from pair to pair."""
    runs = []
    for arm, values in (("baseline", baseline), ("candidate", candidate)):
        for i, value in enumerate(values):
            turn = 2 * i + ((arm == "candidate") ^ (i % 2))
            runs.append(a_run(arm, i, value, file_run={"started_ns": 60 * SECOND * turn}, **common))
    return tuple(runs)


def blocked(baseline: Sequence[float], candidate: Sequence[float], **common: Any) -> tuple[LabelledRun, ...]:
    """The same as blocks of one run per arm."""
    return tuple(replace(run, block=f"k{run.label[1:]}") for run in interleaved(baseline, candidate, **common))


def a_request(runs: Sequence[LabelledRun], plan: ComparisonPlan = PLAN, **parts: Any) -> AssessmentRequest:
    return AssessmentRequest(
        **{"plan": plan, "runs": tuple(runs), "explained": (), "stated": (), "predictions": (), **parts}
    )


def change(runs: Sequence[LabelledRun], label: str, /, **labels: Any) -> tuple[LabelledRun, ...]:
    """The runs, with one of them relabelled."""
    return tuple(replace(run, **labels) if run.label == label else run for run in runs)


def codes(notices: Sequence[Any]) -> set[str]:
    return {notice.code for notice in notices}


INDEPENDENT = a_request(interleaved(BASELINE, CANDIDATE))
BLOCKED = a_request(blocked(BASELINE, CANDIDATE))


def near(*values: float) -> Any:
    return pytest.approx(values, rel=1e-9)


def ends(result: AssessmentResult) -> tuple[float, float]:
    assert result.interval is not None
    return result.interval.lo, result.interval.hi


def inverted(result: AssessmentResult) -> tuple[float, float]:
    """The interval of the throughput ratio, of a time ratio."""
    return 1 / ends(result)[1], 1 / ends(result)[0]
