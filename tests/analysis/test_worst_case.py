"""An effect with lost runs: what is left of it when they count as the worst there is."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from analysis.assess import AssessmentResult, assess
from analysis.claims import WidenedInterval
from analysis.restored import from_json
from analysis.results import to_json
from analysis.worst_case import worst_case
from tests.analysis.props import (
    BASELINE,
    CANDIDATE,
    INDEPENDENT,
    a_plan,
    a_request,
    change,
    codes,
    interleaved,
)


def with_lost(*labels: str, **plan: Any) -> AssessmentResult:
    runs = INDEPENDENT.runs
    for label in labels:
        (run,) = (one for one in runs if one.label == label)
        runs = change(runs, label, run=replace(run.run, status="failed", reason="out of memory"))
    return assess(a_request(runs, a_plan(**plan)))


@pytest.mark.parametrize(
    ("lost", "low", "high"), [(["c1"], True, False), (["b1"], False, True), (["b1", "c1"], False, False)]
)
def test_a_lost_run_leaves_one_side_of_a_time_or_none(lost: list[str], low: bool, high: bool) -> None:
    result = with_lost(*lost)

    assert result.interval is not None
    assert result.worst_case is not None
    assert (result.worst_case.lo, result.worst_case.hi) == (
        result.interval.lo if low else None,
        result.interval.hi if high else None,
    )
    assert {"failed_runs", "among_completed_runs"} <= codes(result.notices)
    assert result.among == "among completed runs"
    assert assess(INDEPENDENT).among == ""
    assert result.interval.frame.estimand.endswith(", among completed runs")


def test_a_lost_candidate_of_which_more_is_better_is_bounded_above() -> None:
    result = with_lost("c1")
    assert result.interval is not None
    found = worst_case(result.interval, result.failures, "higher")

    assert found is not None
    assert (found.lo, found.hi) == (None, result.interval.hi)
    assert found.said == (
        "If the failed candidate runs count as the worst there is, the effect is bounded on one side only: at most "
        f"{result.interval.hi:.4g}, the end of the 95 % interval among completed runs."
    )


def test_it_is_said_when_nothing_is_left() -> None:
    found = with_lost("b1", "c1").worst_case

    assert found is not None
    assert found.said == (
        "If the failed baseline and candidate runs count as the worst there is, nothing bounds the effect."
    )


def test_the_widened_interval_gives_the_end_when_it_governs() -> None:
    result = with_lost("c1")
    assert result.interval is not None
    widened = WidenedInterval(result.interval, 0.5, 2.0, 0.1, ("clocks",))
    found = worst_case(widened, result.failures, "lower")

    assert found is not None
    assert (found.lo, found.hi, found.method) == (0.5, None, "welch_log")


def test_a_difference_is_said_in_its_unit() -> None:
    found = with_lost("c1", scale="difference", margin=Fraction("0.01")).worst_case

    assert found is not None
    assert " s, the end of the 95 % interval" in found.said


@pytest.mark.parametrize(
    ("lost", "better", "lo", "hi", "said"),
    [
        (
            ["c1"],
            "higher",
            -1.0,
            0.011,
            "at most 0.011, the end of the 95 % interval among completed runs, and at least -1",
        ),
        (
            ["b1"],
            "higher",
            -0.02,
            1.0,
            "at least -0.02, the end of the 95 % interval among completed runs, and at most 1",
        ),
        (
            ["c1"],
            "lower",
            -0.02,
            1.0,
            "at least -0.02, the end of the 95 % interval among completed runs, and at most 1",
        ),
        (
            ["b1", "c1"],
            "higher",
            -1.0,
            1.0,
            "only its scale bounds the effect: a difference of two shares lies between",
        ),
    ],
)
def test_a_difference_of_shares_is_bounded_by_its_scale(
    lost: list[str], better: Any, lo: float, hi: float, said: str
) -> None:
    result = with_lost(*lost, scale="proportion", margin=Fraction("0.01"))
    assert result.interval is not None
    interval = replace(result.interval, lo=-0.02, hi=0.011, frame=replace(result.interval.frame, unit="1"))
    found = worst_case(interval, result.failures, better)

    assert found is not None
    assert (found.lo, found.hi) == (lo, hi)
    assert said in found.said
    assert "a share of 0, or of 1 where lower is better" in found.assumptions[-1]


def test_an_interval_beyond_what_shares_can_differ_by_ends_there() -> None:
    result = with_lost("c1", scale="proportion", margin=Fraction("0.01"))
    assert result.interval is not None
    found = worst_case(replace(result.interval, lo=-1.3, hi=1.2), result.failures, "higher")

    assert found is not None
    assert (found.lo, found.hi) == (-1, 1)


def test_without_lost_runs_or_without_an_interval_there_is_none() -> None:
    assert assess(INDEPENDENT).worst_case is None
    whole = assess(INDEPENDENT).estimate
    assert whole is not None
    assert "among" not in whole.frame.estimand
    few = interleaved(BASELINE[:2], CANDIDATE[:2])
    lost = change(few, "c1", run=replace(few[-1].run, status="failed"))
    assert assess(a_request(lost)).worst_case is None


def test_it_carries_its_kind_level_scope_and_assumptions_and_is_read_back() -> None:
    result = with_lost("c1")
    said: Any = to_json(result)["worst_case"]

    assert said["kind"] == "worst_case"
    assert (said["confidence"], said["units"], said["scope"], said["hi"]) == ("0.95", 4, "this placement only", None)
    assert "a failed run counts as the worst there is" in said["assumptions"][-1]
    assert said["sentence"].startswith("If the failed candidate runs")
    assert to_json(from_json(to_json(result))) == to_json(result)
