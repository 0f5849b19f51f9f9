"""Sweeps of rates: the highest rate whose requests kept the plan's service level."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from analysis.assess import LabelledRun
from analysis.restored import from_json
from analysis.results import to_json
from tests.analysis.props import change, codes
from tests.analysis.served import BLOCKS, K9, LEVEL, OK, SHARES, refused_by, served, sweep, swept


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
