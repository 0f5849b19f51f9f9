"""Every run's cut and class in a whole assessment, and the effect at both cuts when the warmup is longer."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from analysis.assess import LabelledRun, assess, to_json
from analysis.restored import from_json
from analysis.step_report import NO_ORDER, NO_ROWS, TOO_FEW
from analysis.table import Table
from tests.analysis.props import BLOCKED, INDEPENDENT, a_plan, a_request, a_run, change, codes, ends
from tests.analysis.stepped import ARMS, OFF, P99, STEPS, latencies, runs, said, sentence, started


def test_a_longer_warmup_shows_the_effect_with_both_cuts_and_the_declared_one_governs() -> None:
    asked = a_request(runs(), STEPS)
    result = assess(asked)
    other = said(result).other

    assert other is not None
    needed = said(result).needed_steps or 0
    assert 60 <= needed < 80
    assert other.cut == f"{needed} steps"
    with_it = assess(replace(asked, plan=replace(STEPS, warmup_steps=needed)))
    assert other.interval == with_it.interval
    assert other.estimate == with_it.estimate
    assert result.interval != with_it.interval
    assert result.governing == result.interval
    notice = sentence(result, "warmup_longer_than_declared")
    assert notice.endswith(
        f"What the effect would be with {needed} steps cut stands beside it. The declared cut governs."
    )
    assert "warmup_longer_than_declared" not in codes(with_it.notices)


def test_the_longer_cut_is_widened_like_the_effect_beside_which_it_stands() -> None:
    result = assess(a_request(runs(), replace(STEPS, measurement_error=OFF)))
    other = said(result).other

    assert other is not None
    assert other.interval is not None
    assert other.widened is not None
    assert other.widened.statistical == other.interval
    assert other.widened.lo == pytest.approx(other.interval.lo / 1.0404)
    assert other.widened.hi == pytest.approx(other.interval.hi * 1.0404)
    again = said(from_json(to_json(result))).other
    assert again is not None
    assert again.widened is not None
    assert again.widened.hi == pytest.approx(other.widened.hi)


def test_a_longer_cut_that_a_record_of_before_kept_has_no_allowance() -> None:
    written: Any = to_json(assess(a_request(runs(), STEPS)))
    del written["steps"]["other"]["widened"]

    other = said(from_json(written)).other
    assert other is not None
    assert (other.interval is not None, other.widened) == (True, None)


def test_a_difference_at_the_longer_cut_is_widened_by_what_its_own_values_may_be_off() -> None:
    result = assess(a_request(runs(), replace(STEPS, scale="difference", margin=Fraction(1), measurement_error=OFF)))
    other = said(result).other

    assert result.widened is not None
    assert other is not None
    assert other.widened is not None
    assert 0 < other.widened.allowance < result.widened.allowance, "the slow steps are cut, so the values are smaller"


def test_every_run_says_what_was_cut_and_how_it_went() -> None:
    result = assess(a_request(runs(), STEPS))
    (one, *_) = said(result).runs

    assert (one.label, one.recorded, one.cut, one.kind, one.clock) == ("b0", 400, 10, "warmup", "durations")
    assert one.cut_s == pytest.approx(10 * 0.15, rel=0.05)
    assert one.steady_from is not None
    assert one.steady_from >= 60
    assert one.independent is not None
    assert one.independent > 200
    assert (one.beyond, one.effective, one.estimability) == (None, None, "")
    assert (said(result).declared, said(result).unchecked) == ("10 steps", "")


def test_a_rate_whose_first_steps_are_low_is_a_warmup() -> None:
    slow = runs(slow=-0.5, unit="1/s", metric="throughput")
    plan = replace(STEPS, metric="throughput", better="higher", margin=Fraction("0.98"))
    result = assess(a_request(slow, plan))

    assert {one.kind for one in said(result).runs} == {"warmup"}
    assert {(one.clock, one.cut_s) for one in said(result).runs} == {("", None)}


def test_runs_that_never_settle_or_differ_are_named_in_one_sentence_each() -> None:
    falling = [0.3 - 0.0005 * i for i in range(400)]
    mixed = [*runs(warm=0), a_run("baseline", 9, falling, measured={"metric": "step_time"}, file_run={"started_ns": 1})]
    result = assess(a_request(mixed, STEPS))

    assert sentence(result, "no_steady_state") == "Not steady to the end: b9."
    assert sentence(result, "inconsistent") == "The runs differ in how they go: flat, no steady state."
    (odd,) = (one for one in said(result).runs if one.label == "b9")
    assert (odd.kind, odd.steady_from) == ("no_steady_state", None)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (INDEPENDENT, TOO_FEW),
        (a_request(runs(warm=0, length=30), STEPS), TOO_FEW),
        (a_request(runs(metric="ttft"), replace(STEPS, metric="ttft")), NO_ORDER),
        (
            a_request(
                [
                    a_run(arm, i, 1.0 + i, measured={"kind": "aggregate", "stat": "mean"})
                    for arm in ARMS
                    for i in (1, 2)
                ],
                a_plan(stat="mean"),
            ),
            NO_ROWS,
        ),
    ],
    ids=["a benchmark", "thirty repetitions", "requests without starts", "aggregates"],
)
def test_without_a_series_no_notice_is_given_and_the_report_says_why(asked: Any, why: str) -> None:
    result = assess(asked)

    assert said(result).unchecked == why
    assert {one.kind for one in said(result).runs} == {""}
    assert not codes(result.notices) & {
        "steady_state_not_assessable", "inconsistent", "no_steady_state", "warmup_longer_than_declared",
    }  # fmt: skip


def test_short_runs_beside_long_ones_are_listed_once() -> None:
    long, short = runs(warm=0), runs(warm=0, length=20, pairs=4)
    result = assess(a_request([*long[:4], *short[4:]], STEPS))

    assert sentence(result, "steady_state_not_assessable") == "Too short to tell whether steady: b2, b3, c2, c3."
    kinds = {one.label: one.kind for one in said(result).runs}
    assert (kinds["b0"], kinds["b2"]) == ("flat", "not_assessable")


def test_failed_runs_are_not_in_the_report_and_excluded_ones_are_not_checked() -> None:
    asked = runs()
    lost = change(asked, "c1", run=replace(asked[3].run, status="failed"))
    result = assess(a_request(change(lost, "b2", excluded="throttled"), STEPS))
    kinds = {one.label: (one.kind, one.cut) for one in said(result).runs}

    assert "c1" not in kinds
    assert kinds["b2"] == ("", 10)
    assert kinds["b0"] == ("warmup", 10)


def test_one_run_per_arm_shows_both_sizes_and_no_interval() -> None:
    result = assess(a_request(runs(pairs=1), STEPS))
    other = said(result).other

    assert other is not None
    assert other.estimate is not None
    assert other.interval is None
    assert other.refusal is not None
    assert other.estimate.value == pytest.approx(1.05, rel=0.02)


def test_arms_that_cannot_be_compared_keep_the_notice_without_an_effect() -> None:
    odd = [replace(run, reading=replace(run.reading, settings=())) for run in runs()]
    result = assess(a_request(odd, STEPS))

    assert result.outcome == "not_comparable"
    assert said(result).other is None
    assert "the effect is" not in sentence(result, "warmup_longer_than_declared")


REPORTS: dict[str, tuple[Sequence[LabelledRun], Any]] = {
    "both cuts": (runs(), STEPS),
    "one run per arm": (runs(pairs=1), STEPS),
    "seconds": (runs(), replace(STEPS, warmup_steps=0, warmup_seconds=Fraction("2.5"))),
    "a difference": (runs(), replace(STEPS, scale="difference", margin=Fraction("0.01"))),
    "tails": ([latencies(arm, i, 999) for arm in ARMS for i in range(3)], P99),
    "blocks": (BLOCKED.runs, a_plan()),
}


@pytest.mark.parametrize(("asked", "plan"), REPORTS.values(), ids=REPORTS)
def test_a_report_is_read_back_as_it_was_written(asked: Sequence[LabelledRun], plan: Any) -> None:
    written: Any = to_json(assess(a_request(asked, plan)))

    assert to_json(from_json(written)) == written
    assert written["steps"]["kind"] == "step_report"
    if written["steps"]["other"]:
        assert (written["steps"]["other"]["kind"], written["steps"]["other"]["governs"]) == ("other_cut", False)


def test_a_result_of_before_the_report_is_read_without_one() -> None:
    written: Any = to_json(assess(a_request(runs(pairs=3), STEPS)))
    before = {key: value for key, value in written.items() if key not in ("steps", "worst_case")}
    before["plan"] = {key: value for key, value in written["plan"].items() if key != "warmup_seconds"}
    read = from_json(before)

    assert (read.steps, read.worst_case, read.plan.warmup_seconds) == (None, None, None)
    assert to_json(read)["steps"] is None


def test_order_of_runs_and_doubled_steps_change_nothing_of_the_effect() -> None:
    """Doubled steps need twice the cut in steps; doubled requests, of the same starts, the same cut in seconds."""
    asked, usual = runs(), assess(a_request(runs(), STEPS))
    twice = assess(a_request([_doubled(run) for run in asked], replace(STEPS, warmup_steps=20)))
    timed = [started(run, 0.25) for run in runs(metric="ttft")]
    plan = replace(STEPS, metric="ttft", warmup_steps=0, warmup_seconds=Fraction(3))
    once, again = (assess(a_request(of, plan)) for of in (timed, [_doubled(run) for run in timed]))

    assert ends(twice) == pytest.approx(ends(usual), rel=1e-12)
    assert ends(again) == pytest.approx(ends(once), rel=1e-12)
    assert {one.kind for one in said(twice).runs} == {"warmup"}
    assert to_json(assess(a_request(asked[::-1], STEPS))) == to_json(usual)


def _doubled(run: LabelledRun) -> LabelledRun:
    rows = [replace(m, index=2 * i + j) for i, m in enumerate(run.reading.measurements) for j in (0, 1)]
    return replace(run, reading=replace(run.reading, measurements=Table.of(rows)))
