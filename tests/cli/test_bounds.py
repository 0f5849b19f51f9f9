import json

import pytest

from tests.cli.typed import typed


def test_the_answer_is_rounded_outward(capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(capsys, "bounds", "99..101", "109..111")

    assert answer.code == 0
    assert "between 0.89189189 and 0.92660551 times the baseline's: lower" in answer.out
    assert "no confidence level" in answer.out


def test_json_carries_the_ends_the_direction_and_the_kind(capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(typed(capsys, "bounds", "99..101", "109..111", "--json").out)

    assert (answer["lower"], answer["upper"]) == ("0.89189189", "0.92660551")
    assert (answer["direction"], answer["kind"]) == ("below_one", "deterministic_bounds")


def test_work_that_differs_enters_the_ratio(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("bounds", "99..101", "109..111", "--work", "10000", "--candidate-work", "10100..10200", "--json")

    answer = json.loads(typed(capsys, *words).out)

    assert (answer["lower"], answer["upper"]) == ("0.90081081", "0.94513762")


@pytest.mark.parametrize(
    ("low", "code"),
    [("0..1", "not_positive"), ("2..1", "reversed"), ("nan..1", "not_finite"), ("abc..1", "not_a_number")],
)
def test_bounds_that_are_none_are_refused_with_their_code(
    low: str, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = typed(capsys, "bounds", low, "1..2")

    assert (answer.code, answer.out) == (4, "")
    assert f"[{code}]" in answer.err


@pytest.mark.parametrize("words", [("bounds",), ("bounds", "1..2", "1..2", "--digits", "41"), ("nothing",)])
def test_wrong_usage_has_an_exit_code_of_its_own(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(capsys, *words)

    assert answer.code == 64
    assert answer.err
