"""Comparisons of summaries over the API: those of the function, and its refusals."""

from fractions import Fraction
from typing import Any

import pytest

from analysis.summaries import ArmSummary
from analysis.summary_comparison import compare_summaries, comparison_to_json
from tests import cast
from tests.api.asking import as_nobody, as_token, good, problem

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_the_cast")]
PATH = "comparison-of-summaries/"


@pytest.fixture
def _the_cast(db: None) -> None:
    cast.the_team()


def question(**changes: object) -> dict[str, Any]:
    return {
        "baseline": {"mean": "99.737", "deviation": "0.453", "count": 5},
        "candidate": {"mean": "109.849", "deviation": "1.003", "count": 5},
        "better": "lower",
        **changes,
    }


def test_the_answer_is_that_of_the_function() -> None:
    baseline, candidate = ArmSummary(99.737, 0.453, 5, "runs"), ArmSummary(109.849, 1.003, 5, "runs")
    expected = compare_summaries(baseline, candidate, better="lower", margin=Fraction("1.02"))

    answer = good(as_token("ann", "read").post(PATH, question()))

    assert answer == comparison_to_json(expected)
    assert answer["verdict"]["materiality"] == "worse_than_margin"


def test_a_verdict_that_is_withheld_says_why() -> None:
    answer = good(as_token("ann").post(PATH, question(candidate={"mean": "109.849", "deviation": "1.003", "count": 2})))

    assert (answer["outcome"], answer["verdict"]) == ("withheld", None)
    assert answer["refusal"]["code"] == "too_few_for_verdict"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"of": "steps"}, "aggregate_only"),
        ({"of": "requests"}, "aggregate_only"),
        ({"baseline": {"mean": "1", "deviation": "0.5", "count": 5}}, "aggregate_only"),
        ({"baseline": {"mean": "fast", "deviation": "0.5", "count": 5}}, "not_a_number"),
        ({"baseline": {"mean": "1", "deviation": "0.01", "count": 1}}, "too_few_runs"),
        ({"margin": "0.98"}, "bad_margin"),
        ({"better": "higher", "margin": "100%"}, "bad_margin"),
    ],
)
def test_what_carries_no_interval_is_refused_with_the_codes_of_the_analysis(
    changes: dict[str, object], code: str
) -> None:
    problem(as_token("ann").post(PATH, question(**changes)), 422, code)


@pytest.mark.parametrize("changes", [{"better": "faster"}, {"confidence": "0.9"}, {"candidate": {"mean": "1"}}])
def test_what_is_missing_or_unknown_is_refused(changes: dict[str, object]) -> None:
    assert as_token("ann").post(PATH, question(**changes)).status_code == 422
    assert as_nobody().post(PATH, question()).status_code == 401
