"""What a memo could measure next, from what it states and what its own comparisons know."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest

from reviews.memo_text.shipped import templates
from reviews.models import Assessment
from reviews.queries.comparisons import Compared
from reviews.queries.next_measurement import GUESS, NextOfMemo, next_of
from reviews.sections import (
    Comparison,
    Comparisons,
    Header,
    Hypotheses,
    Hypothesis,
    HypothesisResolution,
    MemoContent,
    Prediction,
)

TEMPLATE = next(one for one in templates() if one.slug == "batch-size-effects")
MINUTE = 60 * 10**9
NOON = 1_800_000_000_000_000_000


def predicted(low: str, high: str, *, metric: str = "throughput", stat: str = "rate", when: str = "") -> Prediction:
    return Prediction(key=f"P{low}{high}", metric=metric, stat=stat, condition=when, low=low, high=high)


def hypothesis(key: str, *predictions: Prediction, state: str = "") -> Hypothesis:
    return Hypothesis(
        key=key,
        rank="competing",
        mechanism="compute",
        statement="It changed.",
        predictions=predictions,
        resolution=HypothesisResolution(state=state),
    )


def result(se: str = "0.02", *, scale: str = "ratio", starts: tuple[object, ...] = (), refuted: str = "") -> Any:
    """The part of a frozen result that is read; starts in minutes, as text like every large number of a result."""
    times = [None if at is None else str(NOON + int(float(str(at)) * MINUTE)) for at in starts]
    return {
        "interval": {"se": se, "scale": scale} if se else None,
        "runs": [{"started_ns": at} for at in times],
        "judgements": [{"hypothesis": refuted, "outcome": "refuted"}] if refuted else [],
    }


def compared(
    key: str, found: Mapping[str, Any] | None, *, metric: str = "throughput", scale: str = "ratio"
) -> Compared:
    row = Comparison(
        key=key, metric=metric, stat="rate", slice="", role="primary", better="higher", scale=scale, margin="0.98",
        purpose="fix_check", match="same_requests",
    )  # fmt: skip
    return Compared(row, None if found is None else Assessment(result=found))


H1 = hypothesis("H1", predicted("0.9", "0.95"))
H2 = hypothesis("H2", predicted("1", ""))


def found(*stated: Hypothesis, known: tuple[Compared, ...] = (), guess: Fraction = GUESS) -> NextOfMemo:
    header = Header(title="t", team="serving", intent="planned_change", template=TEMPLATE.slug, template_version=1)
    content = MemoContent(
        header=header,
        hypotheses=Hypotheses(hypotheses=stated),
        comparisons=Comparisons(comparisons=tuple(one.row for one in known)),
    )
    return next_of(content, TEMPLATE, known, guess)


def test_a_memo_that_has_measured_nothing_ranks_by_a_guess_and_by_bits_alone() -> None:
    answer = found(H1, H2)

    (row,) = answer.rows
    assert (row.metric, row.stat, row.found.se, row.known_by, row.timed_by) == ("throughput", "rate", 0.01, "", "")
    assert (answer.ranked_by, answer.guessed, answer.guess_percent) == ("bits", True, "1")
    assert 0.9 < row.found.bits <= 1


def test_a_wider_guess_tells_less() -> None:
    assert found(H1, H2, guess=Fraction(1, 5)).rows[0].found.bits < found(H1, H2).rows[0].found.bits


def test_the_memos_own_interval_and_runs_give_standard_error_and_minutes() -> None:
    answer = found(H1, H2, known=(compared("C1", result(starts=(0, 2, 4, 6))),))

    (row,) = answer.rows
    assert (row.found.se, row.known_by) == (0.02, "C1")
    assert (row.found.minutes, row.timed_by) == (8.0, "C1")
    assert (answer.ranked_by, answer.guessed) == ("bits_per_minute", False)


def test_of_several_comparisons_the_least_favourable_is_taken() -> None:
    known = (compared("C1", result("0.02", starts=(0, 9))), compared("C2", result("0.03", starts=(0, 1))))

    (row,) = found(H1, H2, known=known).rows
    assert (row.found.se, row.known_by, row.found.minutes, row.timed_by) == (0.03, "C2", 18.0, "C1")


@pytest.mark.parametrize("starts", [(), (0,), (0, None), (5, 5)])
def test_minutes_need_starts_that_differ_of_every_run(starts: tuple[object, ...]) -> None:
    (row,) = found(H1, H2, known=(compared("C1", result(starts=starts)),)).rows

    assert (row.found.minutes, row.timed_by) == (None, "")


@pytest.mark.parametrize("known", [None, result(""), result(scale="difference")])
def test_without_an_interval_of_a_ratio_the_standard_error_is_a_guess(known: Any) -> None:
    assert found(H1, H2, known=(compared("C1", known),)).guessed


def test_another_metric_of_the_memo_lends_nothing() -> None:
    assert found(H1, H2, known=(compared("C1", result(), metric="goodput"),)).guessed


def test_a_measurement_is_a_metric_a_stat_and_a_condition() -> None:
    slow = predicted("1.2", "1.5", metric="e2e_latency", stat="p99", when="queue  full")
    one = hypothesis("H1", *H1.predictions, slow, predicted("0.9", "0.95", when="idle"))
    other = hypothesis("H2", predicted("0.9", "0.95", when="idle "), predicted("1", ""))

    rows = {(row.metric, row.stat, row.condition): row.found for row in found(one, other).rows}

    assert set(rows) == {
        ("throughput", "rate", ""),
        ("throughput", "rate", "idle"),
        ("e2e_latency", "p99", "queue full"),
    }
    assert rows["throughput", "rate", "idle"].bits == pytest.approx(0, abs=1e-9)
    assert rows["e2e_latency", "p99", "queue full"].unpredicted == ("H2",)


def test_the_order_of_the_hypotheses_changes_nothing() -> None:
    third = hypothesis("H3", predicted("1.5", "2"))

    assert found(H1, H2, third) == found(third, H2, H1)


def test_several_predictions_of_one_hypothesis_hold_together() -> None:
    narrower = hypothesis("H1", predicted("0.9", ""), predicted("", "0.95"), predicted("0.5", "2"))

    assert found(narrower, H2).rows == found(H1, H2).rows


@pytest.mark.parametrize("broken", [(predicted("0.9", "0.95"), predicted("1", "")), (predicted("-2", "-1"),)])
def test_predictions_that_leave_no_ratio_are_named_and_count_as_none(broken: tuple[Prediction, ...]) -> None:
    answer = found(hypothesis("H1", *broken), H2)

    assert answer.rows[0].found.unpredicted == ("H1",)
    assert "The predictions of H1 for throughput rate leave no ratio" in answer.left_out[0]


def test_resolved_hypotheses_are_no_rivals_and_one_alone_has_nothing_to_be_told_from() -> None:
    answer = found(H1, H2, hypothesis("H3", predicted("1.5", "2"), state="refuted"))

    assert answer.hypotheses == ("H1", "H2")
    assert found(H1, hypothesis("H2", state="open")).hypotheses == ("H1", "H2")
    for alone in (found(H1, hypothesis("H2", state="supported")), found()):
        assert (alone.rows, alone.concerns) == ((), False)
        assert alone.why_not == "Fewer than two hypotheses are open, so there is nothing to tell apart."


@pytest.mark.parametrize("silent", [(), (predicted("", ""),), (predicted("0.9", "1", metric="quality"),)])
def test_without_a_prediction_of_a_ratio_the_memo_says_so(silent: tuple[Prediction, ...]) -> None:
    answer = found(
        hypothesis("H1", *silent),
        hypothesis("H2"),
        known=(compared("C3", None, metric="quality", scale="difference"),),
    )

    assert answer.rows == ()
    assert answer.why_not == "No open hypothesis predicts a ratio that can be used."


def test_a_metric_that_is_compared_as_a_difference_is_left_out_and_named() -> None:
    differs = hypothesis("H1", *H1.predictions, predicted("1", "2", metric="quality"))
    answer = found(differs, H2, known=(compared("C3", None, metric="quality", scale="difference"),))

    assert [row.metric for row in answer.rows] == ["throughput"]
    assert answer.left_out == ("quality rate is compared as a difference, and only ratios are ranked.",)


def test_a_hypothesis_that_a_comparison_refutes_is_named_while_nobody_resolves_it() -> None:
    known = (compared("C1", result(refuted="H2")),)

    assert found(H1, H2, known=known).left_out == (
        "C1 refutes a prediction of H2, which still counts here because it is not resolved.",
    )
    assert "H3" not in str(found(H1, H2, known=(compared("C1", result(refuted="H3")),)).left_out)


def test_what_cannot_be_ranked_is_said_in_place_of_rows() -> None:
    answer = found(H1, H2, known=(compared("C1", result("20")),))

    assert answer.rows == ()
    assert "No measurement has a standard error of 20" in answer.why_not
