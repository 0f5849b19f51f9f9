"""The sampling lab of the API: the numbers of the function, and its refusals."""

import pytest

from analysis.sampling import MODELS, sampling_lab
from tests import cast
from tests.api.asking import as_nobody, as_token, good, problem

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_the_cast")]


@pytest.fixture
def _the_cast(db: None) -> None:
    cast.the_team()


def test_the_answer_is_that_of_the_function() -> None:
    lab = sampling_lab("0.5", 20)

    answer = good(as_token("ann", "read").get("sampling-lab/?p=0.5&n=20"))

    assert lab.normal is not None
    assert [(bar["k"], bar["exact"], bar["normal"]) for bar in answer["bars"]] == [
        (bar.k, bar.exact, bar.normal) for bar in lab.bars
    ]
    assert (answer["p"], answer["n"], answer["mean_proportion"], answer["mean_variance"]) == (0.5, 20, 0.5, 0.0125)
    assert answer["normal"] == {
        "bound": lab.normal.bound,
        "bound_printed": "0.1062",
        "greatest_error": lab.normal.greatest_error,
        "covered": lab.normal.covered,
    }
    assert answer["models"] == MODELS


def test_a_certain_outcome_has_no_normal_comparison() -> None:
    answer = good(as_token("ann").get("sampling-lab/?p=1&n=3"))

    assert answer["normal"] is None
    assert [(bar["exact"], bar["normal"]) for bar in answer["bars"]] == [(0, None), (0, None), (0, None), (1, None)]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("p=0.5&n=101", "not_a_trial_count"),
        ("p=0.5&n=0", "not_a_trial_count"),
        ("p=1.01&n=20", "not_a_proportion"),
        ("p=half&n=20", "not_a_number"),
        ("p=inf&n=20", "not_finite"),
    ],
)
def test_what_is_no_experiment_is_refused_with_the_codes_of_the_analysis(query: str, code: str) -> None:
    problem(as_token("ann").get(f"sampling-lab/?{query}"), 422, code)


@pytest.mark.parametrize("query", ["p=0.5", "n=20", "p=0.5&n=2.5", "p=0.5&n=20&seed=1"])
def test_what_is_missing_or_unknown_is_refused(query: str) -> None:
    assert as_token("ann").get(f"sampling-lab/?{query}").status_code == 422


def test_nobody_asks_without_a_token() -> None:
    assert as_nobody().get("sampling-lab/?p=0.5&n=20").status_code == 401
