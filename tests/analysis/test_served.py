"""Goodput of runs and of sweeps of rates, counted from raw requests at the plan's service level."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from analysis.assess import AssessmentResult, LabelledRun, assess
from analysis.restored import from_json
from analysis.results import to_json
from analysis.service_level import ServiceLevel
from analysis.table import Table
from tests.analysis.props import SECOND, a_measurement, a_plan, a_request, a_run, a_setting, change, codes

F = Fraction
LEVEL = ServiceLevel({"ttft": F("0.2"), "tpot": F("0.05")}, F("0.9"))
OK, SLOW, FAILED = (0.1, 0.04), (0.3, 0.04), (None, None)
Request = tuple[float | None, float | None]


def a_plan_of(stat: str, **changes: Any) -> Any:
    ordinary: dict[str, Any] = {
        "metric": "goodput", "stat": stat, "better": "higher", "margin": F("0.98"), "service_level": LEVEL,
        "required": (), "tolerances": {},
    }  # fmt: skip
    return a_plan(**{**ordinary, **changes})


def served(
    arm: str, number: int, requests: Sequence[Request], *, seconds: str = "10", settings: Any = (), **more: Any
) -> LabelledRun:
    """A run with (ttft, tpot) of each request."""
    run = a_run(arm, number, None, settings=settings, work=(), **more)
    rows = (
        a_measurement(value, metric=metric, index=i, reason="failed")
        for at, metric in enumerate(("ttft", "tpot"))
        for i, value in enumerate(request[at] for request in requests)
    )
    lasted = replace(a_setting("duration" if seconds else "other", seconds or "1"), role="identity")
    reading = replace(run.reading, measurements=Table.of(rows), settings=(*run.reading.settings, lasted))
    return replace(run, reading=reading)


def arms(baseline: Sequence[int], candidate: Sequence[int], **more: Any) -> tuple[LabelledRun, ...]:
    """Runs of 100 requests each, of which so many kept the level."""
    return tuple(
        served(arm, n, [OK] * kept + [SLOW] * (100 - kept), **more)
        for arm, counts in (("baseline", baseline), ("candidate", candidate))
        for n, kept in enumerate(counts)
    )


THREE = arms((90, 88, 91), (80, 79, 78))


def refused_by(result: AssessmentResult) -> str:
    assert result.refusal is not None
    assert result.refusal.needs
    return result.refusal.code


def goodput(runs: Sequence[LabelledRun], **plan: Any) -> AssessmentResult:
    return assess(a_request(runs, a_plan_of("rate", **plan)))


def test_the_goodput_of_a_run_is_requests_per_second_that_kept_every_limit() -> None:
    result = goodput(THREE)

    assert [(p.value, p.unit, p.n_inner) for p in result.runs[:3]] == [
        (9.0, "1/s", 100),
        (8.8, "1/s", 100),
        (9.1, "1/s", 100),
    ]
    assert result.outcome == "verdict"
    assert result.interval is not None
    assert result.interval.frame.estimand == (
        "ratio of typical (geometric-mean) run goodput rate (requests with tpot <= 0.05 s, ttft <= 0.2 s), "
        "candidate over baseline"
    )


def test_requests_that_failed_or_are_not_listed_kept_none() -> None:
    lost = served("candidate", 9, [OK] * 70 + [FAILED] * 10, file_run={"attempted": 200})
    (point,) = [p for p in goodput((*THREE, lost)).runs if p.label == "c9"]

    assert (point.value, point.n_inner, point.left_out) == (7.0, 200, 10)


@pytest.mark.parametrize(("rate", "said"), [("12", True), ("inf", False)])
def test_a_goodput_at_an_offered_rate_speaks_of_that_load(rate: str, said: bool) -> None:
    result = goodput(arms((90, 88, 91), (80, 79, 78), settings=(("request_rate", rate),)))

    assert ("goodput_of_one_load" in codes(result.notices)) is said


def test_a_run_that_served_nothing_at_the_level_failed() -> None:
    result = goodput((*THREE, served("candidate", 9, [SLOW] * 50)))

    assert result.outcome == "failed_to_serve"
    assert (result.failures[1].failed, result.failures[1].runs) == (1, 4)
    (point,) = [p for p in result.runs if p.label == "c9"]
    assert point.reason == "None of 50 requests with tpot <= 0.05 s, ttft <= 0.2 s was served."


def test_an_excluded_run_that_served_nothing_stays_excluded() -> None:
    runs = change((*THREE, served("candidate", 9, [SLOW] * 50)), "c9", excluded="too hot")

    assert [p.status for p in goodput(runs).runs if p.label == "c9"] == ["excluded"]


def rows_of(run: LabelledRun, *rows: Any) -> LabelledRun:
    return replace(run, reading=replace(run.reading, measurements=Table.of(rows)))


BARE = served("candidate", 9, [OK] * 5)
TTFT = a_measurement(0.1, metric="ttft", index=0)
TPOT = a_measurement(0.01, metric="tpot", index=0)


@pytest.mark.parametrize(
    ("run", "code"),
    [
        (rows_of(BARE, TTFT), "no_requests"),
        (rows_of(BARE, TTFT, replace(TPOT, unit="1")), "unit_mismatch"),
        (rows_of(BARE, TTFT, TTFT, TPOT), "duplicate_request"),
        (served("candidate", 9, [OK] * 5, seconds=""), "no_duration"),
        (served("candidate", 9, [OK] * 5, seconds="0"), "no_duration"),
    ],
)
def test_a_run_without_countable_requests_has_no_goodput(run: LabelledRun, code: str) -> None:
    assert refused_by(goodput((*THREE, run))) == code


def test_a_goodput_needs_its_requests() -> None:
    assert refused_by(goodput(THREE, minimum_requests=101)) == "too_few_requests"


def test_rows_of_metrics_meet_by_the_index_of_the_request() -> None:
    """Request 1 is slow in one metric, 2 lacks the other, and the rows stand in another order."""
    ttfts, tpots = ((0, 0.1), (1, 0.3), (2, 0.1), (3, 0.1)), ((3, 0.01), (0, 0.01), (1, 0.01))
    rows = [(index, value, "ttft") for index, value in ttfts] + [(index, value, "tpot") for index, value in tpots]
    run = rows_of(BARE, *(a_measurement(value, metric=metric, index=index) for index, value, metric in rows))
    (point,) = [p for p in goodput((*THREE, run)).runs if p.label == "c9"]

    assert (point.value, point.n_inner, point.left_out) == (0.2, 4, 1)


def test_requests_without_an_index_count_by_their_place() -> None:
    run = rows_of(served("candidate", 9, [OK]), *(replace(m, index=None) for m in (TTFT, TTFT, TPOT, TPOT)))

    assert [p.value for p in goodput((*THREE, run)).runs if p.label == "c9"] == [0.2]


# Sweeps

SHARES = {"2": 100, "4": 98, "8": 91, "16": 40}


def sweep(arm: str, block: str, shares: dict[str, int], at: int = 0, **labels: Any) -> list[LabelledRun]:
    """The runs of one sweep: by rate, how many of 100 requests kept the level."""
    return [
        served(
            arm, 0, [OK] * kept + [SLOW] * (100 - kept), settings=(("request_rate", rate),), block=block,
            file_run={"started_ns": (at + n) * SECOND},
            **{"label": f"{arm[0]}{block}-{rate}", "artifact": f"{arm}{block}{rate}", **labels},
        )
        for n, (rate, kept) in enumerate(shares.items())
    ]  # fmt: skip


def less(**changes: int) -> dict[str, int]:
    return SHARES | {rate.removeprefix("at"): kept for rate, kept in changes.items()}


def swept(runs: Sequence[LabelledRun], **plan: Any) -> AssessmentResult:
    return assess(a_request(runs, a_plan_of("max", **plan)))


BLOCKS = [
    run
    for n, (base, cand) in enumerate(
        ((SHARES, less(at8=80)), (SHARES, less(at8=89)), (less(at8=89), less(at4=10, at8=9)), (SHARES, SHARES))
    )
    for run in (
        *sweep("baseline", f"k{n}", base, 100 * n),
        *sweep("candidate", f"k{n}", cand, 100 * n + 10 * (-1) ** n),
    )
]


def test_a_sweep_gives_the_highest_rate_that_held() -> None:
    result = swept(BLOCKS)

    assert [(p.label, p.value) for p in result.runs if p.arm == "candidate"] == [
        ("candidate sweep k0 on host-1", 4.0),
        ("candidate sweep k1 on host-1", 4.0),
        ("candidate sweep k2 on host-1", 2.0),
        ("candidate sweep k3 on host-1", 8.0),
    ]
    assert result.design is not None
    assert (result.design.kind, result.design.counted) == ("blocked", "blocks")
    assert result.interval is not None
    assert result.interval.frame.estimand == (
        "ratio of typical (geometric-mean) run goodput max (90 % of requests with tpot <= 0.05 s, ttft <= 0.2 s), "
        "candidate over baseline"
    )
    first = result.sweeps[0]
    assert (first.goodput, first.broken_at, first.level) == (8.0, 16.0, LEVEL.said)
    assert [(float(r.rate), r.kept, r.offered, r.held) for r in first.rates] == [
        (2.0, 100, 100, True), (4.0, 98, 100, True), (8.0, 91, 100, True), (16.0, 40, 100, False),
    ]  # fmt: skip
    assert result.runs[0].n_inner == 400
    assert result.outcome == "verdict"


def test_blocks_that_only_one_arm_uses_tell_its_sweeps_apart() -> None:
    runs = [replace(run, block=f"{run.arm}{run.block}") for run in BLOCKS]
    result = swept(runs)

    assert result.design is not None
    assert (result.design.kind, result.design.counted) == ("independent", "sweeps per arm")
    assert result.interval is not None
    assert (result.interval.units, result.interval.frame.counted) == (4, "sweeps per arm")


def test_without_blocks_the_runs_of_an_arm_on_a_placement_are_a_sweep() -> None:
    runs = [replace(run, block="", placement=f"host-{run.block}") for run in BLOCKS]
    result = swept(runs)

    assert result.interval is not None
    assert (result.interval.method, result.interval.units) == ("placement_log", 4)


def test_a_sweep_without_labels_is_named_by_its_arm() -> None:
    runs = [replace(run, block="", placement="") for run in BLOCKS[:8]]

    assert [p.label for p in swept(runs).runs] == ["baseline sweep", "candidate sweep"]


def test_sweeps_that_held_the_same_rate_need_closer_rates() -> None:
    same = [run for n in range(3) for arm in ("baseline", "candidate") for run in sweep(arm, f"k{n}", SHARES)]
    result = swept(same)

    assert refused_by(result) == "zero_variance"
    assert result.refusal is not None
    assert result.refusal.needs == "Try rates that lie closer together."


def test_a_sweep_that_did_not_break_says_so() -> None:
    runs = [run for run in BLOCKS if not run.label.endswith("-16")]
    result = swept(runs)

    assert {"sweep_too_short"} <= codes(result.notices)
    assert any(notice.sentence.startswith("baseline sweep k0 on host-1, ") for notice in result.notices)


def test_a_run_that_failed_kept_none_of_its_rate() -> None:
    runs = change(BLOCKS, "bk0-8", run=replace(BLOCKS[2].run, status="failed", reason="it crashed"))
    result = swept(runs)

    assert result.sweeps[0].goodput == 4.0
    lost = result.sweeps[0].rates[2]
    assert (lost.kept, lost.offered, lost.held, lost.failed) == (0, 0, False, "it crashed")
    assert (result.failures[0].failed, result.failures[0].runs, result.failures[0].counted) == (0, 4, "sweeps")
    assert result.outcome == "verdict"
    assert result.among == ""
    assert "failed_at_rate" in codes(result.notices)
    assert "baseline sweep k0 on host-1: The run at 8/s failed and counts as none kept: it crashed." in [
        notice.sentence for notice in result.notices
    ]
    assert to_json(from_json(to_json(result))) == to_json(result)


K9 = (*sweep("baseline", "k9", {"2": 10}), *sweep("candidate", "k9", {"2": 10}))


def test_sweeps_without_any_rate_that_held_failed() -> None:
    both, candidate = swept((*BLOCKS, *K9)), swept((*BLOCKS, *sweep("baseline", "k9", SHARES), *K9[1:]))

    assert (both.outcome, both.among) == ("verdict", "among sweeps that held a rate")
    assert [(count.failed, count.runs, count.counted) for count in both.failures] == [(1, 5, "sweeps")] * 2
    assert any(notice.sentence.startswith("1 of 5 baseline sweeps failed (95 %") for notice in both.notices)
    assert both.interval is not None
    assert both.interval.frame.estimand.endswith(", among sweeps that held a rate")
    assert both.worst_case is not None
    assert both.worst_case.said.startswith("If the failed baseline and candidate sweeps count as the worst there is, ")
    assert [one.kept for one in both.sweeps[4].rates] == [10]
    assert to_json(from_json(to_json(both))) == to_json(both)
    assert (candidate.outcome, candidate.refusal) == ("failed_to_serve", None)


def test_a_baseline_without_any_rate_that_held_is_refused() -> None:
    slow = [run for n in range(3) for run in sweep("baseline", f"k{n}", {"2": 10})]
    result = swept([*slow, *(run for run in BLOCKS if run.arm == "candidate")])

    assert refused_by(result) == "no_goodput"
    assert result.refusal is not None
    assert result.refusal.message.startswith("No baseline sweep held a rate: No rate tried served 90 %")
    assert result.refusal.needs == "Try lower rates."


def test_an_excluded_sweep_is_excluded_whatever_it_held() -> None:
    result = swept([*BLOCKS, *(replace(run, excluded="too hot") for run in K9)])

    assert [point.status for point in result.runs if point.block == "k9"] == ["excluded"] * 2
    assert [count.runs for count in result.failures] == [4, 4]
    assert result.outcome == "verdict"


@pytest.mark.parametrize(
    ("labels", "status"),
    [
        ({"excluded": "too hot"}, "excluded"),
        ({"run": replace(BLOCKS[2].run, status="partial", reason="cut")}, "partial"),
    ],
)
def test_a_sweep_with_a_broken_run_is_set_apart_with_its_block(labels: Any, status: str) -> None:
    result = swept(change(BLOCKS, "bk0-8", **labels))

    assert [p.status for p in result.runs if p.block == "k0"] == [status, "dropped_with_block"]
    assert result.interval is not None
    assert result.interval.units == 3


def rated(rate: str) -> tuple[LabelledRun, ...]:
    """The first block, with a run offered at another rate."""
    other = sweep("baseline", "k0", {rate: 100}, label="other", artifact="other")
    return (*BLOCKS, *other)


@pytest.mark.parametrize(
    ("runs", "code"),
    [
        (rated("8"), "bad_sweep"),
        (rated("inf"), "no_request_rate"),
        (rated("-1"), "no_request_rate"),
        ((*BLOCKS, served("baseline", 7, [OK], block="k0")), "no_request_rate"),
    ],
)
def test_a_sweep_without_a_goodput_is_refused(runs: Sequence[LabelledRun], code: str) -> None:
    result = swept(runs, varied=("request_rate", "image"))

    assert refused_by(result) == code
    assert result.refusal is not None
    assert result.refusal.message.startswith("The baseline sweep k")


def test_starts_that_are_not_known_leave_the_order_unknown() -> None:
    runs = change(BLOCKS, "bk0-8", run=replace(BLOCKS[2].run, started_ns=None))

    assert swept(runs).overlap is None


def test_a_plan_without_a_level_still_shows_the_sweeps() -> None:
    result = swept(BLOCKS, service_level=None)

    assert refused_by(result) == "no_service_level"
    assert [point.status for point in result.runs] == ["no_value"] * 8
