"""The tail of every run in a whole assessment: requests that come together, and tails that are too small."""

from dataclasses import replace

from analysis.assess import LabelledRun, assess
from analysis.table import Table
from tests.analysis.props import a_request, codes
from tests.analysis.stepped import ARMS, P99, latencies, said, sentence


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
