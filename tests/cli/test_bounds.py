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


HISTOGRAM = ("bounds", "--edges", "10,20,50,100,inf", "--counts", "800,150,45,5")


def test_a_quantile_of_a_histogram_is_the_edges_of_its_bucket(capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(capsys, *HISTOGRAM, "--p", "0.99", "--digits", "3")

    assert answer.code == 0
    assert "the 0.99 quantile is between 0.050 and 0.100 s." in answer.out
    assert "Rank 990 of 1000 lies in the bucket (50, 100] ms." in answer.out
    assert "no confidence level" in answer.out
    assert "says nothing of another run" in answer.out
    assert "%" not in answer.out


def test_the_quantile_of_a_histogram_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(typed(capsys, *HISTOGRAM, "--p", "0.95", "--unit", "s", "--json").out)

    assert (answer["exact"], answer["unit"], answer["values"]) == (["20", "50"], "s", 1000)
    assert (answer["kind"], answer["name"]) == ("deterministic_bounds", "0.95 quantile")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((*HISTOGRAM, "--p", "0.999"), "open_bucket"),
        ((*HISTOGRAM, "--p", "99"), "not_a_quantile"),
        ((*HISTOGRAM, "--p", "0.9", "--unit", "jiffies"), "unit_mismatch"),
        (("bounds", "--edges", "0,10", "--counts", "5", "--p", "0.9"), "not_positive"),
        (("bounds", "--edges", "1,10", "--counts", "5,", "--p", "0.9"), "not_a_number"),
        (("bounds", "--edges", "1,10,5", "--counts", "5,1", "--p", "0.9"), "bad_histogram"),
    ],
)
def test_a_histogram_that_does_not_hold_the_answer_is_refused(
    words: tuple[str, ...], code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = typed(capsys, *words)

    assert (answer.code, answer.out) == (4, "")
    assert f"[{code}]" in answer.err


@pytest.mark.parametrize(
    "words",
    [
        HISTOGRAM,
        (*HISTOGRAM, "--p", "0.9", "1..2", "1..2"),
        (*HISTOGRAM, "--p", "0.9", "--work", "5"),
        (*HISTOGRAM, "--p", "0.9", "--shared-scale"),
        ("bounds", "1..2"),
        ("bounds", "1..2", "1..2", "--p", "0.9"),
    ],
)
def test_ranges_and_a_histogram_are_not_mixed(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(capsys, *words)

    assert (answer.code, answer.out) == (64, "")
    assert "--edges, --counts and --p" in answer.err
