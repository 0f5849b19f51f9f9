"""Deterministic bounds over the API: exact, printed outward, refused with the codes of the analysis."""

from typing import Any

import pytest

from tests import cast
from tests.api.asking import as_nobody, as_token, good, problem

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_the_cast")]


@pytest.fixture
def _the_cast(db: None) -> None:
    cast.the_team()


def ranges(**changes: object) -> dict[str, Any]:
    return {"baseline": {"low": "99", "high": "101"}, "candidate": {"low": "109", "high": "111"}, **changes}


def histogram(**changes: object) -> dict[str, Any]:
    return {"edges": ["10", "20", "50", "100", "inf"], "counts": [800, 150, 45, 5], "p": "0.99", **changes}


def test_a_ratio_of_stated_bounds_is_rounded_outward() -> None:
    answer = good(as_token("ann", "read").post("bounds/ratio/", ranges()))

    assert (answer["lower"], answer["upper"]) == ("0.89189189", "0.92660551")
    assert (answer["direction"], answer["exact"]) == ("below_one", ["33/37", "101/109"])
    assert "no confidence level" in answer["sentence"]


def test_work_that_differs_enters_the_ratio() -> None:
    body = ranges(
        baseline_work={"low": "10000", "high": "10000"}, candidate_work={"low": "10100", "high": "10200"}, digits=4
    )

    answer = good(as_token("ann").post("bounds/ratio/", body))

    assert (answer["lower"], answer["upper"]) == ("0.9008", "0.9452")


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"baseline": {"low": "0", "high": "1"}}, "not_positive"),
        ({"baseline": {"low": "2", "high": "1"}}, "reversed"),
        ({"candidate": {"low": "1", "high": "inf"}}, "not_finite"),
        ({"baseline_work": {"low": "1", "high": "1"}}, "work_missing"),
        ({"baseline_work": {"low": "0", "high": "1"}, "candidate_work": {"low": "1", "high": "1"}}, "zero_work"),
        ({"unit": "jiffies"}, "unit_mismatch"),
    ],
)
def test_bounds_that_are_none_are_refused(changes: dict[str, object], code: str) -> None:
    problem(as_token("ann").post("bounds/ratio/", ranges(**changes)), 422, code)


def test_a_quantile_of_a_histogram_is_the_edges_of_its_bucket() -> None:
    answer = good(as_token("ann", "read").post("bounds/histogram-quantile/", histogram()))

    assert (answer["lower"], answer["upper"], answer["unit"]) == ("0.05000000", "0.10000000", "s")
    assert (answer["exact"], answer["values"]) == (["1/20", "1/10"], 1000)
    assert answer["assumptions"] == ["rank 990 of 1000 lies in the bucket (50, 100] ms"]
    assert "no confidence level" in answer["sentence"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"p": "0.999"}, "open_bucket"),
        ({"p": "1"}, "not_a_quantile"),
        ({"p": "half"}, "not_a_number"),
        ({"counts": [1]}, "bad_histogram"),
        ({"counts": []}, "bad_histogram"),
        ({"edges": [], "counts": []}, "bad_histogram"),
        ({"counts": [0, 0, 0, 0]}, "bad_histogram"),
        ({"edges": ["0", "20", "50", "100", "200"], "p": "0.5"}, "not_positive"),
    ],
)
def test_a_histogram_that_does_not_hold_the_answer_is_refused(changes: dict[str, object], code: str) -> None:
    problem(as_token("ann").post("bounds/histogram-quantile/", histogram(**changes)), 422, code)


@pytest.mark.parametrize("path", ["bounds/ratio/", "bounds/histogram-quantile/"])
def test_what_is_missing_or_unknown_is_refused(path: str) -> None:
    body = {**(ranges() if "ratio" in path else histogram()), "level": "0.95"}

    assert as_token("ann").post(path, body).status_code == 422
    assert as_token("ann").post(path, {}).status_code == 422
    assert as_nobody().post(path, {}).status_code == 401
