"""Which steps a warmup in seconds or in numbered steps cuts, by the clock and the numbers of every run."""

from dataclasses import replace
from fractions import Fraction

import pytest

from analysis.assess import LabelledRun, assess
from analysis.table import Table
from tests.analysis.props import a_request, a_run, codes, ends
from tests.analysis.stepped import ARMS, STEPS, runs, said, sentence, started


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
    timed = [started(run, 0.25) for run in runs(metric="ttft")]
    result = assess(a_request(timed, replace(STEPS, metric="ttft", warmup_steps=0, warmup_seconds=Fraction(20))))

    assert {(one.cut, one.cut_s, one.clock, one.kind) for one in said(result).runs} == {(80, 20.0, "starts", "warmup")}


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
