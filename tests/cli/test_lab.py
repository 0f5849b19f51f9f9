import json

import pytest

from analysis.sampling import sampling_lab
from reviews.sampling import lab_to_json
from tests.cli.typed import typed


def test_the_lab_prints_what_the_function_says(capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(capsys, "lab", "--p", "0.5", "--n", "20")

    assert answer.code == 0
    assert "Independent Bernoulli trials, not training time." in answer.out
    assert "≤ 0.1062" in answer.out
    assert ["10", "0.5", "0.1762", "0.1769"] in [line.split() for line in answer.out.splitlines()]


def test_json_carries_the_full_values(capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(typed(capsys, "lab", "--p", "0.1", "--n", "50", "--json").out)

    assert answer == lab_to_json(sampling_lab("0.1", 50))
    assert answer["normal"]["covered"] == pytest.approx(0.9952390544079506, rel=1e-12)


def test_without_words_it_is_one_half_and_twenty(capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(typed(capsys, "lab", "--json").out)

    assert (answer["p"], answer["n"], len(answer["bars"])) == (0.5, 20, 21)


def test_a_certain_outcome_has_its_comparison_disabled(capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(capsys, "lab", "--p", "1", "--n", "3")

    assert ["3", "1", "1.000", "disabled"] in [line.split() for line in answer.out.splitlines()]
    assert ["0", "0", "0", "disabled"] in [line.split() for line in answer.out.splitlines()]


@pytest.mark.parametrize(
    ("p", "n", "code"),
    [
        ("2", "5", "not_a_proportion"),
        ("0.5", "101", "not_a_trial_count"),
        ("0.5", "1.5", "not_a_trial_count"),
        ("half", "5", "not_a_number"),
        ("inf", "5", "not_finite"),
    ],
)
def test_what_is_no_experiment_is_refused_in_words(
    p: str, n: str, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = typed(capsys, "lab", "--p", p, "--n", n)

    assert (answer.code, answer.out) == (4, "")
    assert f"[{code}]" in answer.err
