from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from analysis import hypothesis
from analysis.assess import Predicted
from analysis.errors import Refused
from analysis.margin import Margin
from analysis.procedures import welch
from tests.analysis.props import a_run, codes
from tests.analysis.test_procedures import B, C, interval

MARGIN = Margin(Fraction("0.98"), "higher", "ratio", "1")
SOME = interval(welch(B, C))


def predicted(low: Any, high: Any, *, registered_ns: int | None = 1) -> Predicted:
    ends = [None if end is None else Fraction(end) for end in (low, high)]
    return Predicted("P1", "H1", "wall_time", "value", ends[0], ends[1], registered_ns)


def judged(prediction: Predicted, lo: float, hi: float, *, post_hoc: bool = False) -> hypothesis.Judgement:
    found = replace(SOME, lo=lo, hi=hi)
    return hypothesis.judge(prediction, found, MARGIN, post_hoc=post_hoc, absent=("inconclusive", ""))


@pytest.mark.parametrize(
    ("lo", "hi", "outcome"),
    [
        (0.91, 0.94, "supported"),
        (0.90, 0.95, "supported"),
        (0.80, 0.89, "refuted"),
        (0.96, 0.99, "refuted"),
        (0.85, 0.92, "inconclusive"),
        (0.93, 0.97, "inconclusive"),
        (0.80, 0.99, "inconclusive"),
    ],
)
def test_the_interval_judges_the_prediction(lo: float, hi: float, outcome: str) -> None:
    assert judged(predicted(0.90, 0.95), lo, hi).outcome == outcome


@pytest.mark.parametrize(("low", "high"), [(None, 1), (0, 1)])
def test_a_direction_alone_is_a_prediction(low: Any, high: Any) -> None:
    assert judged(predicted(low, high), 0.90, 0.95).outcome == "supported"
    assert judged(predicted(low, high), 1.01, 1.05).outcome == "refuted"
    assert judged(predicted(1, None), 1.01, 1.05).outcome == "supported"
    assert judged(predicted(1, None), 0.90, 0.95).outcome == "refuted"


@pytest.mark.parametrize(("low", "high"), [(None, None), (0, None), ("0.98", "1.03"), ("0.5", 2), (None, "1.03")])
def test_a_prediction_that_excludes_nothing_of_interest_is_refused(low: Any, high: Any) -> None:
    found = judged(predicted(low, high), 0.90, 0.95)

    assert (found.outcome, found.code) == ("refused", "unfalsifiable")


def test_ends_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(Refused) as refused:
        hypothesis.check(predicted("0.95", "0.90"), MARGIN)
    assert refused.value.code == "reversed"


def test_the_margin_is_taken_on_the_native_side_when_lower_is_better() -> None:
    lower = Margin(Fraction("1.02"), "lower", "ratio", "1")

    hypothesis.check(predicted("0.99", "1.5"), lower)
    with pytest.raises(Refused):
        hypothesis.check(predicted("0.98", "1.02"), lower)


def test_a_predicted_difference_of_zero_is_an_end() -> None:
    power = Margin(Fraction("0.5"), "lower", "difference", "W")

    hypothesis.check(predicted(0, None), power)
    assert hypothesis.judge(
        predicted(0, None), replace(SOME, lo=-2.0, hi=-1.0), power, post_hoc=False, absent=("inconclusive", "")
    ).outcome == "refuted"  # fmt: skip


def test_a_post_hoc_prediction_never_counts_as_support_but_can_be_refuted() -> None:
    found = judged(predicted(0.90, 0.95), 0.91, 0.94, post_hoc=True)

    assert (found.outcome, found.post_hoc) == ("inconclusive", True)
    assert "post hoc" in found.sentence
    assert judged(predicted(0.90, 0.95), 0.99, 1.0, post_hoc=True).outcome == "refuted"


@pytest.mark.parametrize(
    ("registered_ns", "starts", "post_hoc"),
    [(9, (10, 20), False), (10, (10, 20), True), (15, (10, 20), True), (None, (10,), True), (9, (10, None), True)],
)
def test_a_prediction_is_registered_before_the_first_run_or_it_is_post_hoc(
    registered_ns: int | None, starts: tuple[int | None, ...], post_hoc: bool
) -> None:
    runs = [a_run("baseline", i, 1.0, file_run={"started_ns": start}) for i, start in enumerate(starts)]

    assert hypothesis.is_post_hoc(predicted(None, 1, registered_ns=registered_ns), runs) == post_hoc


def test_without_an_interval_the_judgement_says_why() -> None:
    found = hypothesis.judge(
        predicted(None, 1), None, MARGIN, post_hoc=False, absent=("not_comparable", "work_mismatch")
    )

    assert (found.outcome, found.code) == ("not_comparable", "work_mismatch")


def test_all_are_judged_in_the_order_of_their_keys() -> None:
    both = [replace(predicted(None, 1), key=key) for key in ("P2", "P1")]
    found = hypothesis.judge_all(both, [], SOME, MARGIN, absent=("inconclusive", ""))

    assert [judgement.key for judgement in found] == ["P1", "P2"]
    assert all(judgement.post_hoc for judgement in found)


def test_predictions_of_other_metrics_are_named() -> None:
    assert codes(hypothesis.judged_elsewhere([predicted(None, 1)], "ttft", "p99")) == {"predictions_elsewhere"}
    assert hypothesis.judged_elsewhere([predicted(None, 1)], "wall_time", "value") == ()
