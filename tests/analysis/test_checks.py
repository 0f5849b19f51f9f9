import math
from dataclasses import replace
from typing import Any

import pytest

from analysis import checks
from analysis.design import infer_design
from analysis.runs import read_points
from tests.analysis.props import a_plan, a_request, a_run, codes, interleaved
from tests.analysis.test_design import a_point, in_blocks, lay_out, on


def started(baseline: list[int], candidate: list[int], values: Any = None) -> tuple[Any, ...]:
    times = [("baseline", t) for t in baseline] + [("candidate", t) for t in candidate]
    return tuple(
        a_point(arm, f"r{i}", started_ns=t * 10**9, value=values[i] if values else 1.0)
        for i, (arm, t) in enumerate(times)
    )


@pytest.mark.parametrize(
    ("baseline", "candidate", "share"),
    [
        ([1, 2, 3], [4, 5, 6], 0),
        ([4, 5, 6], [1, 2, 3], 0),
        ([1, 3, 5, 7, 9], [2, 4, 6, 8, 10], 0.8),
        ([1, 4, 5, 8], [2, 3, 6, 7], 1),
        ([1], [1], 1),
    ],
)
def test_overlap_says_how_the_arms_interleave(baseline: Any, candidate: Any, share: float) -> None:
    assert checks.overlap(started(baseline, candidate)) == pytest.approx(share, abs=1e-12)


def test_overlap_is_unknown_without_all_start_times() -> None:
    assert checks.overlap((*started([1], [2]), a_point("baseline", "x"))) is None
    assert checks.overlap(started([1], [])) is None


def of_order(points: Any) -> set[str]:
    return codes(checks.of_order(infer_design(points, hardware_varied=False), points, points))


def test_the_order_of_the_arms_is_said() -> None:
    assert of_order(started([1, 2, 3], [4, 5, 6])) == {"order_confounded"}
    assert of_order(started([1, 2, 4], [3, 5, 6])) == {"weak_overlap"}
    assert of_order(started([1, 4, 5, 8], [2, 3, 6, 7])) == set()
    assert of_order(lay_out(*on("h", 2, 2))) == {"order_unknown"}


DRIFTING = [1.00, 1.041, 1.079, 1.02, 1.061, 1.10]


def test_a_slope_over_time_is_a_drift() -> None:
    points = started([1, 3, 5], [2, 4, 6], DRIFTING)
    notices = checks.of_order(infer_design(points, hardware_varied=False), points, points)

    assert [n.code for n in notices] == ["drift"]
    assert notices[0].sentence.endswith("Use blocks.")


def test_blocks_remove_a_drift() -> None:
    points = tuple(replace(p, block=f"k{i % 3}") for i, p in enumerate(started([1, 3, 5], [2, 4, 6], DRIFTING)))
    notices = checks.of_order(infer_design(points, hardware_varied=False), points, points)

    assert notices[-1].sentence.endswith("The blocks remove it.")


def test_the_drift_test_is_the_slope_test_of_ancova() -> None:
    import numpy as np  # noqa: PLC0415
    from scipy import stats  # noqa: PLC0415

    points = started([1, 3, 5, 9], [2, 4, 7, 8], [1.0, 1.3, 1.1, 1.6, 1.2, 1.1, 1.5, 1.4])
    t = np.array([p.started_ns for p in points]) / 1e9
    design = np.column_stack([np.ones(8), [p.arm == "candidate" for p in points], t])
    x = np.array([p.value for p in points])
    beta, rest, *_ = np.linalg.lstsq(design, x, rcond=None)
    se = math.sqrt(rest[0] / 5 * np.linalg.inv(design.T @ design)[2, 2])

    assert checks.drift_p(points) == pytest.approx(2 * stats.t.sf(abs(beta[2] / se), 5), rel=1e-9)


@pytest.mark.parametrize(
    "points",
    [
        started([1], [2]),
        started([1, 1], [1, 1]),
        started([1, 2, 3], [1, 2, 3]),
        lay_out(*on("h", 3, 3)),
        (*started([1, 2], [3]), a_point("baseline", "x", value=None, started_ns=1)),
    ],
    ids=["two runs", "one instant", "no variance", "no starts", "no value"],
)
def test_a_drift_that_cannot_be_tested_is_not_claimed(points: Any) -> None:
    assert checks.drift_p(points) is None


def of_layout(points: Any, *, hardware_varied: bool = False) -> set[str]:
    return codes(checks.of_layout(infer_design(points, hardware_varied=hardware_varied), points))


def test_the_layout_says_what_limits_it() -> None:
    assert of_layout(lay_out(*on("h", 2, 2))) == {"one_placement"}
    assert of_layout(lay_out(*on("h", 2, 2), *on("i", 2, 2))) == set()
    assert of_layout(lay_out(*on("h", 2, 0), *on("i", 0, 2)), hardware_varied=True) == {"one_system_per_arm"}
    assert of_layout(lay_out(*on("", 2, 2))) == {"one_placement", "placement_not_verified"}
    assert of_layout(lay_out(*on("h", 2, 5))) == {"one_placement", "unbalanced"}


def test_dropped_blocks_are_counted() -> None:
    points = lay_out(*in_blocks("h", 3))
    dropped = (replace(points[0], status="failed"), replace(points[1], status="dropped_with_block"), *points[2:])

    assert "dropped_blocks" in of_layout(dropped)


@pytest.mark.parametrize(("spread", "unequal"), [(2.9, False), (3.1, True), (0.0, True)])
def test_a_threefold_spread_is_unequal(spread: float, unequal: bool) -> None:
    values = [1.0, 1.1, 1.0, 1.0 + 0.1 * spread]

    assert ("unequal_spread" in of_layout(started([1, 2], [3, 4], values))) == unequal


def test_two_arms_without_spread_are_equal_in_that() -> None:
    assert "unequal_spread" not in of_layout(started([1, 2], [3, 4], [1.0, 1.0, 2.0, 2.0]))


def of_timer(resolution: str, baseline: Any, candidate: Any) -> set[str]:
    labelled = interleaved(baseline, candidate, settings=(("timer_resolution", resolution),))
    timed = [
        replace(
            run,
            reading=replace(
                run.reading,
                settings=tuple(
                    replace(s, unit="s" if s.name == "timer_resolution" else "") for s in run.reading.settings
                ),
            ),
        )
        for run in labelled
    ]
    return codes(checks.of_timer(timed, read_points(a_request(timed))))


def test_a_timer_coarser_than_half_the_spread_is_said() -> None:
    assert of_timer("0.003", [1.0, 1.01], [2.0, 2.1]) == set()
    assert of_timer("0.004", [1.0, 1.01], [2.0, 2.1]) == {"quantised"}
    assert of_timer("0.08", [1.0, 2.0], [2.0, 2.1]) == {"quantised"}


def test_an_unknown_timer_says_nothing() -> None:
    labelled = [a_run("baseline", i, 1.0) for i in range(3)]

    assert checks.of_timer(labelled, read_points(a_request(labelled, a_plan()))) == ()
