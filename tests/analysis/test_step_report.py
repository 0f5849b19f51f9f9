"""Every run's cut, class and tail in a whole assessment, and the effect at both cuts when the warmup is longer."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from analysis.assess import AssessmentResult, LabelledRun, assess, to_json
from analysis.inputs import Arm, MeasurementError
from analysis.restored import from_json
from analysis.step_report import NO_ORDER, NO_ROWS, TOO_FEW, StepReport
from analysis.table import Table
from tests.analysis.props import (
    BLOCKED,
    INDEPENDENT,
    SECOND,
    a_plan,
    a_request,
    a_run,
    change,
    codes,
    ends,
)

ARMS: tuple[Arm, Arm] = ("baseline", "candidate")
OFF = MeasurementError(Fraction("1.02"), Fraction("1.02"))
STEPS = a_plan(metric="step_time", stat="mean", warmup_steps=10)


def runs(*, warm: int = 60, slow: float = 0.5, length: int = 400, pairs: int = 4, **measured: Any) -> list[LabelledRun]:
    """Pairs of runs of steps of about 0.1 s: the first `warm` slower by `slow`, the candidate 5 % slower throughout."""
    found = []
    for k in range(pairs):
        for arm in ("baseline", "candidate"):
            rng = np.random.default_rng(10 * k + (arm == "candidate"))
            level = 0.1 * (1.05 if arm == "candidate" else 1.0) * np.exp(0.003 * rng.standard_normal())
            values = level * (1 + 0.02 * rng.standard_normal(length) + slow * (np.arange(length) < warm))
            at = 60 * SECOND * (2 * k + ((arm == "candidate") ^ (k % 2)))
            changes = {"metric": "step_time", **measured}
            found.append(a_run(arm, k, values.tolist(), measured=changes, file_run={"started_ns": at}))
    return found


def said(result: AssessmentResult) -> StepReport:
    assert result.steps is not None
    return result.steps


def sentence(result: AssessmentResult, code: str) -> str:
    (notice,) = (one for one in result.notices if one.code == code)
    return notice.sentence


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


def test_a_warmup_in_seconds_cuts_every_run_on_its_own_clock() -> None:
    in_seconds = replace(STEPS, warmup_steps=0, warmup_seconds=Fraction(10))
    result = assess(a_request(runs(), in_seconds))

    cuts = [one.cut for one in said(result).runs]
    assert 60 < min(cuts) < max(cuts) < 80
    assert all(one.cut_s is not None and 10 <= one.cut_s < 10.2 for one in said(result).runs)
    assert said(result).declared == "10 s"
    assert "warmup_longer_than_declared" not in codes(result.notices)
    assert "no_steady_state" not in codes(result.notices)


def test_a_warmup_in_seconds_that_is_too_short_is_found_in_seconds() -> None:
    asked = a_request(runs(), replace(STEPS, warmup_steps=0, warmup_seconds=Fraction(2)))
    result = assess(asked)
    needed, other = said(result).needed_seconds, said(result).other

    assert needed is not None
    assert 9 < needed < 13
    assert said(result).needed_steps is None
    with_it = assess(replace(asked, plan=replace(asked.plan, warmup_seconds=needed)))
    assert other is not None
    assert (other.interval, other.cut) == (with_it.interval, said(with_it).declared)
    assert "warmup_longer_than_declared" not in codes(with_it.notices)
    assert "longer than the declared 2 s" in sentence(result, "warmup_longer_than_declared")
    assert said(result).runs[0].cut in range(12, 16)


@pytest.mark.parametrize("values", [[None], [0.1] * 60])
def test_a_warmup_in_seconds_that_leaves_nothing_is_not_called_too_short(values: list[float | None]) -> None:
    gone = [a_run(arm, i, values, measured={"metric": "step_time"}) for arm in ARMS for i in (1, 2, 3)]
    result = assess(a_request(gone, replace(STEPS, warmup_steps=0, warmup_seconds=Fraction(1000))))

    assert result.refusal is not None
    assert result.refusal.code == "not_measured"
    assert (said(result).needed_steps, said(result).needed_seconds) == (None, None)
    assert {(one.cut, one.cut_s) for one in said(result).runs} == {(len(values), None)}


def test_without_a_clock_the_seconds_are_refused_and_no_warmup_is_held_against_them() -> None:
    rates = runs(slow=-0.5, unit="1/s", metric="throughput")
    plan = replace(STEPS, metric="throughput", better="higher", margin=Fraction("0.98"), warmup_steps=0)
    result = assess(a_request(rates, replace(plan, warmup_seconds=Fraction(2))))

    assert result.refusal is not None
    assert result.refusal.code == "no_run_clock"
    assert (said(result).needed_steps, said(result).needed_seconds) == (None, None)
    assert {(one.cut, one.cut_s, one.kind) for one in said(result).runs} == {(0, None, "warmup")}


def test_starts_are_the_clock_where_the_rows_have_them() -> None:
    timed = [_started(run, 0.25) for run in runs(metric="ttft")]
    result = assess(a_request(timed, replace(STEPS, metric="ttft", warmup_steps=0, warmup_seconds=Fraction(20))))

    assert {(one.cut, one.cut_s, one.clock, one.kind) for one in said(result).runs} == {(80, 20.0, "starts", "warmup")}


def _started(run: LabelledRun, every: float) -> LabelledRun:
    rows = [replace(m, started_ns=round(every * SECOND * i)) for i, m in enumerate(run.reading.measurements)]
    return replace(run, reading=replace(run.reading, measurements=Table.of(rows)))


def test_steps_that_the_file_numbers_from_a_later_one_are_cut_and_checked_by_their_numbers() -> None:
    shifted = [_numbered(run, 1000) for run in runs()]
    plan = replace(STEPS, warmup_steps=1010)
    result, usual = assess(a_request(shifted, plan)), assess(a_request(runs(), STEPS))

    assert said(result).needed_steps == 1000 + (said(usual).needed_steps or 0)
    assert ends(result) == ends(usual)
    theirs, ours = said(result).other, said(usual).other
    assert theirs is not None
    assert ours is not None
    assert theirs.interval == ours.interval
    timed = assess(a_request(shifted, replace(plan, warmup_steps=0, warmup_seconds=Fraction(10))))
    assert said(timed).other is None


def _numbered(run: LabelledRun, first: int | None) -> LabelledRun:
    rows = [replace(m, index=None if first is None else first + i) for i, m in enumerate(run.reading.measurements)]
    return replace(run, reading=replace(run.reading, measurements=Table.of(rows)))


def test_a_step_without_a_value_moves_no_other_and_hides_the_seconds_behind_it() -> None:
    asked = runs()
    gap = [_without(run, 5) for run in asked]
    result = assess(a_request(gap, STEPS))

    assert {(one.steady_from or 0) % 5 for one in said(result).runs} == {1}
    assert {(one.recorded, one.cut, one.cut_s) for one in said(result).runs} == {(400, 10, None)}


def _without(run: LabelledRun, at: int) -> LabelledRun:
    rows = [replace(m, value=None if i == at else m.value) for i, m in enumerate(run.reading.measurements)]
    return replace(run, reading=replace(run.reading, measurements=Table.of(rows)))


def test_steps_without_numbers_count_by_their_place() -> None:
    plans = [STEPS, replace(STEPS, warmup_steps=0, warmup_seconds=Fraction(2))]
    for plan in plans:
        bare, usual = (assess(a_request(asked, plan)) for asked in ([_numbered(r, None) for r in runs()], runs()))
        assert (said(bare), ends(bare)) == (said(usual), ends(usual))


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


def latencies(arm: Arm, number: int, length: int, *, phi: float = 0.0, start: bool = True) -> LabelledRun:
    noise = np.random.default_rng(number + 50 * (arm == "candidate")).standard_normal(length)
    for i in range(1, length):
        noise[i] = phi * noise[i - 1] + np.sqrt(1 - phi**2) * noise[i]
    run = a_run(arm, number, np.exp(0.5 * noise).tolist(), measured={"metric": "ttft"})
    return _started(run, 0.01) if start else run


P99 = a_plan(metric="ttft", stat="p99", margin=Fraction("1.1"))


def test_tails_that_come_together_are_one_sentence_with_all_their_runs() -> None:
    many = [latencies(arm, i, 2000, phi=0.98) for arm in ARMS for i in range(3)]
    result = assess(a_request(many, P99))

    said_of = sentence(result, "correlated_tail")
    assert said_of.startswith(
        "Requests beyond p99 come together and count for fewer independent ones: b0 (20 count for "
    )
    assert said_of.count("count for ") == 7
    one = said(result).runs[0]
    assert one.effective is not None
    assert (one.beyond, one.estimability) == (20, "estimable")
    assert one.effective < 10


def test_requests_that_are_not_known_to_be_in_order_say_nothing_of_coming_together() -> None:
    many = [latencies(arm, i, 2000, phi=0.98, start=False) for arm in ARMS for i in range(3)]
    result = assess(a_request(many, P99))

    assert "correlated_tail" not in codes(result.notices)
    assert {(one.beyond, one.effective) for one in said(result).runs} == {(20, None)}


def test_a_value_of_too_few_requests_is_shown_and_carries_no_interval() -> None:
    few = [latencies(arm, i, 999) for arm in ARMS for i in range(3)]
    result = assess(a_request(few, P99))

    assert result.refusal is not None
    assert (result.outcome, result.refusal.code, result.interval) == ("refused", "tail_too_small", None)
    assert {(p.status, p.value is None, p.n_inner) for p in result.runs} == {("value_only", False, 999)}
    assert sentence(result, "small_tail").startswith(
        "Few requests lie beyond p99. The value is shown, and carries no interval: b0 (9.99 of 999), b1 (9.99 of 999), "
    )
    assert {run.kind for run in said(result).runs} == {"flat"}


def test_below_the_floor_not_even_the_value_is_shown() -> None:
    few = [latencies(arm, i, 298) for arm in ARMS for i in range(3)]
    result = assess(a_request(few, P99))

    assert result.refusal is not None
    assert result.refusal.code == "quantile_not_estimable"
    assert {(p.status, p.value) for p in result.runs} == {("no_value", None)}
    assert "Even the value says nothing" in sentence(result, "small_tail")


def test_an_excluded_run_with_too_small_a_tail_has_no_value_to_be_put_back() -> None:
    many = [latencies(arm, i, 1000) for arm in ARMS for i in range(3)]
    result = assess(a_request([*many, replace(latencies("baseline", 8, 999), excluded="throttled")], P99))

    assert result.outcome == "verdict"
    assert [(p.status, p.value) for p in result.runs if p.label == "b8"] == [("excluded", None)]
    assert result.with_excluded is None


def test_a_longer_cut_that_leaves_too_few_requests_says_so_beside_the_effect() -> None:
    warm = [_warm(latencies(arm, i, 1050), 60) for arm in ARMS for i in range(3)]
    result = assess(a_request(warm, replace(P99, warmup_steps=40)))
    other = said(result).other

    assert other is not None
    assert other.refusal is not None
    assert (other.estimate, other.interval, other.refusal.code) == (None, None, "tail_too_small")
    assert other.refusal.message.startswith("Run b0: p99 of ")


def _warm(run: LabelledRun, first: int) -> LabelledRun:
    rows = [replace(m, value=(m.value or 0) + 9 * (i < first)) for i, m in enumerate(run.reading.measurements)]
    return replace(run, reading=replace(run.reading, measurements=Table.of(rows)))


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
    timed = [_started(run, 0.25) for run in runs(metric="ttft")]
    plan = replace(STEPS, metric="ttft", warmup_steps=0, warmup_seconds=Fraction(3))
    once, again = (assess(a_request(of, plan)) for of in (timed, [_doubled(run) for run in timed]))

    assert ends(twice) == pytest.approx(ends(usual), rel=1e-12)
    assert ends(again) == pytest.approx(ends(once), rel=1e-12)
    assert {one.kind for one in said(twice).runs} == {"warmup"}
    assert to_json(assess(a_request(asked[::-1], STEPS))) == to_json(usual)


def _doubled(run: LabelledRun) -> LabelledRun:
    rows = [replace(m, index=2 * i + j) for i, m in enumerate(run.reading.measurements) for j in (0, 1)]
    return replace(run, reading=replace(run.reading, measurements=Table.of(rows)))
