"""`countersign summary`: a verdict from a table of means, standard deviations and counts of runs."""

import json

import pytest

from tests.cli.typed import typed

BASELINE = ("--baseline", "99.737", "0.453", "5")
CANDIDATE = ("--candidate", "109.849", "1.003", "5")
LOWER = ("--better", "lower")


def test_the_answer_has_verdict_interval_scope_cause_and_assumptions(capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(capsys, "summary", *BASELINE, *CANDIDATE, *LOWER)

    assert answer.code == 1
    assert "lower is better: Regression of at least 2% established." in answer.out
    assert (
        "1.101 [1.089, 1.114], 95\N{NO-BREAK SPACE}% confidence, welch_log from summaries, 5 against 5 runs"
        in answer.out
    )
    assert "the summarised runs, wherever they ran" in answer.out
    assert "not for the change" in answer.out
    assert "both arms did the same work on the same placement" in answer.out
    assert "A summary does not show whether both arms did the same work." in answer.out


def test_json_carries_the_whole_result(capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(typed(capsys, "summary", *BASELINE, *CANDIDATE, *LOWER, "--json").out)

    assert (answer["kind"], answer["verdict"]["materiality"]) == ("comparison_of_summaries", "worse_than_margin")
    assert (answer["baseline"]["mean"], answer["interval"]["units"]) == ("99.737", 5)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((*BASELINE, *CANDIDATE, "--better", "higher"), 0),
        ((*BASELINE, *CANDIDATE, *LOWER, "--margin", "20%"), 0),
        ((*BASELINE, *CANDIDATE, *LOWER, "--margin", "1.1"), 2),
        ((*BASELINE, "--candidate", "109.849", "1.003", "2", *LOWER), 2),
    ],
)
def test_the_exit_code_says_it_by_materiality(
    words: tuple[str, ...], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed(capsys, "summary", *words).code == code


def test_two_runs_in_an_arm_have_an_interval_and_say_what_would_help(capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(capsys, "summary", *BASELINE, "--candidate", "109.849", "1.003", "2", *LOWER)

    assert "no verdict: it needs 3." in answer.out
    assert "What would help: Add runs." in answer.out
    assert "5 against 2 runs" in answer.out


@pytest.mark.parametrize("of", ["steps", "requests"])
def test_a_summary_of_steps_is_refused_with_its_way_out(of: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--baseline", "99.7", "0.4", "20000", "--candidate", "109.8", "1", "20000", "--of", of)

    answer = typed(capsys, "summary", *words, *LOWER)

    assert (answer.code, answer.out) == (4, "")
    assert f"20000 {of} say nothing about another run. Give one value per run" in answer.err
    assert "[aggregate_only]" in answer.err


@pytest.mark.parametrize(
    ("candidate", "margin", "code"),
    [
        (("109", "30", "5"), "2%", "aggregate_only"),
        (("0", "1", "5"), "2%", "not_positive"),
        (("109", "1", "1"), "2%", "too_few_runs"),
        (("109", "1", "5.5"), "2%", "not_a_count"),
        (("109", "1", "-5"), "2%", "not_a_count"),
        (("109", "1", "1e300"), "2%", "not_a_count"),
        (("about 109", "1", "5"), "2%", "not_a_number"),
        (("1e399", "1", "5"), "2%", "not_finite"),
        (("109", "1", "5"), "0.98", "bad_margin"),
        (("109", "1", "5"), "0%", "bad_margin"),
        (("109", "1", "5"), "some", "not_a_number"),
    ],
)
def test_what_carries_no_interval_is_refused_with_its_code(
    candidate: tuple[str, ...], margin: str, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = typed(capsys, "summary", *BASELINE, "--candidate", *candidate, *LOWER, "--margin", margin)

    assert (answer.code, answer.out) == (4, "")
    assert f"[{code}]" in answer.err


def test_which_way_is_better_must_be_said(capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(capsys, "summary", *BASELINE, *CANDIDATE)

    assert answer.code == 64
    assert "--better" in answer.err
