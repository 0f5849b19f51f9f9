"""What the API computes from a request alone: the numbers of the functions, and their refusals."""

from typing import Any

import pytest

from analysis.next_measurement import ranking_to_json
from reviews import next_measurement
from tests import cases, cast
from tests.api.asking import as_nobody, as_token, good, of, problem

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_the_cast")]


@pytest.fixture
def _the_cast(db: None) -> None:
    cast.the_team()


def question(**changes: object) -> dict[str, Any]:
    """Two hypotheses and two measurements, the first with these members."""
    first = {
        "name": "clocks replay",
        "standard_error": "0.01",
        "minutes": "60",
        "predictions": [
            {"hypothesis": "H1", "low": "0.93", "high": "0.97"},
            {"hypothesis": "H2", "low": "0.995", "high": "1.005"},
        ],
    }
    second = {
        "name": "kernel replay",
        "standard_error": "0.01",
        "minutes": "10",
        "predictions": [{"hypothesis": "H1", "low": "1.04", "high": None}],
    }
    return {"hypotheses": [{"key": "H1"}, {"key": "H2"}], "measurements": [{**first, **changes}, second]}


def test_the_ranking_is_that_of_the_function() -> None:
    answer = good(as_token("ann", "read").post("next-measurement/", question()))

    assert answer == ranking_to_json(next_measurement.ranked(next_measurement.from_values(question())))
    assert [row["name"] for row in answer["measurements"]] == ["kernel replay", "clocks replay"]
    assert answer["measurements"][0]["no_prediction"] == ["H2"]
    assert "no evidence" in answer["sentence"]


def test_without_minutes_the_order_is_by_bits_alone() -> None:
    answer = good(as_token("ann").post("next-measurement/", question(minutes=None)))

    assert answer["ranked_by"] == "bits"
    assert [row["name"] for row in answer["measurements"]] == ["clocks replay", "kernel replay"]
    assert answer["measurements"][0]["bits_per_minute"] is None


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"standard_error": "0"}, "not_positive"),
        ({"standard_error": "nan"}, "not_finite"),
        ({"standard_error": "a little"}, "not_a_number"),
        ({"minutes": "1e10"}, "bad_minutes"),
        ({"name": "kernel replay"}, "named_twice"),
        ({"predictions": [{"hypothesis": "H3", "low": "1"}]}, "unknown_hypothesis"),
        ({"predictions": [{"hypothesis": "H1"}, {"hypothesis": "H1"}]}, "named_twice"),
    ],
)
def test_what_cannot_be_ranked_is_refused_with_the_codes_of_the_analysis(changes: dict[str, object], code: str) -> None:
    assert problem(as_token("ann").post("next-measurement/", question(**changes)), 422, code)["detail"]


def test_one_hypothesis_has_nothing_to_be_told_from() -> None:
    body = {
        "hypotheses": [{"key": "H1"}],
        "measurements": [{"name": "again", "standard_error": "1", "predictions": []}],
    }

    assert "rival" in problem(as_token("ann").post("next-measurement/", body), 422, "one_hypothesis")["detail"]


@pytest.mark.parametrize("changes", [{"minute": "5"}, {"standard_error": None}, {"predictions": 1}])
def test_what_is_missing_or_unknown_is_refused(changes: dict[str, object]) -> None:
    assert as_token("ann").post("next-measurement/", question(**changes)).status_code == 422


def test_nobody_asks_without_a_token() -> None:
    assert as_nobody().post("next-measurement/", question()).status_code == 401


def test_a_memo_ranks_what_its_hypotheses_predict() -> None:
    answer = good(as_token("ann", "read").get(of(cases.a_memo_with_evidence(), "next-measurement/")))

    (row,) = answer["measurements"]
    assert (row["metric"], row["stat"], row["condition"]) == ("throughput", "rate", "queue full")
    assert (row["standard_error_of"], row["minutes_of"], row["minutes"]) == ("C1", "C1", 6.0)
    assert (answer["hypotheses"], answer["ranked_by"]) == (["H1", "H2"], "bits_per_minute")
    assert "no evidence" in answer["sentence"]


def test_the_guess_of_a_memo_without_an_interval_is_chosen_in_percent() -> None:
    memo = cases.a_memo_in_review()

    def errors(query: str) -> list[float]:
        answer = good(as_token("ann").get(of(memo, f"next-measurement/{query}")))
        return [row["standard_error"] for row in answer["measurements"]]

    assert (errors(""), errors("?guess=2.5")) == ([0.01], [0.025])
    assert as_token("ann").get(of(memo, "next-measurement/?guess=0")).status_code == 422
