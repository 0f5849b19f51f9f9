"""`countersign compare` on runs that bring their steps: cuts, courses, tails, partial and lost runs."""

import json
from pathlib import Path

import pytest

from tests.cli.typed import Typed, typed
from tests.step_runs import START, steps_file

BASE = ("--metric", "step_time", "--stat", "mean", "--varied", "max_batch")
Capture = pytest.CaptureFixture[str]


def arms(folder: Path, **special: object) -> tuple[Path, str, Path]:
    """The baseline's and the candidate's runs in a file each."""
    document = json.loads(steps_file(START, **special))  # type: ignore[arg-type]
    for arm in ("baseline", "candidate"):
        runs = [run for run in document["runs"] if run["run"].endswith(arm)]
        (folder / f"{arm}.json").write_text(json.dumps({**document, "runs": runs}))
    return folder / "baseline.json", "--candidate", folder / "candidate.json"


def compared(capsys: Capture, folder: Path, *words: object, **special: object) -> Typed:
    return typed(capsys, "compare", *arms(folder, **special), *BASE, *words)


def test_the_runs_say_their_cut_and_course_and_both_cuts_have_their_effect(capsys: Capture, tmp_path: Path) -> None:
    answer = compared(capsys, tmp_path, "--warmup", 10)

    assert "Warmup cut: 10 steps declared, from the start of every run; rows cut from a run: 10, 1.4" in answer.out
    assert "With a longer cut: With 5" in answer.out
    assert "It governs nothing." in answer.out
    assert "warmup, then steady, from step 4" in answer.out
    assert "The warmup lasts up to 5" in answer.out


def test_seconds_cut_on_the_clock_of_each_run(capsys: Capture, tmp_path: Path) -> None:
    answer = json.loads(compared(capsys, tmp_path, "--warmup-seconds", "8", "--json").out)

    assert {run["clock"] for run in answer["steps"]["runs"]} == {"durations"}
    assert {run["cut"] for run in answer["steps"]["runs"]} <= set(range(50, 65))
    assert answer["plan"]["warmup_seconds"] == "8"
    assert answer["steps"]["other"] is None


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--warmup-seconds", "8", "--warmup", "10"), 4, "declares its warmup in steps and in seconds"),
        (("--warmup-seconds", "0"), 4, "A warmup in seconds is longer than none."),
        (("--warmup-seconds", "soon"), 64, "is no number"),
        (("--warmup-seconds", "1000"), 4, "A warmup of 1000 s leaves nothing of step_time."),
        (("--warmup", "-5"), 4, "The plan has a warmup of -5 steps."),
        (("--minimum-steps", "-5"), 4, "The plan has a fewest number of -5 steps."),
    ],
)
def test_a_warmup_that_cannot_be_cut_is_refused(
    words: tuple[str, ...], code: int, said: str, capsys: Capture, tmp_path: Path
) -> None:
    answer = compared(capsys, tmp_path, *words)

    assert answer.code == code
    assert said in answer.out + answer.err


def test_a_partial_run_counts_once_it_kept_the_fewest_steps(capsys: Capture, tmp_path: Path) -> None:
    words = arms(tmp_path)
    document = json.loads(words[0].read_text())
    document["runs"][0] |= {"status": "partial", "reason": "cut off"}
    words[0].write_text(json.dumps(document))

    left_out = typed(capsys, "compare", *words, *BASE)
    used = typed(capsys, "compare", *words, *BASE, "--minimum-steps", "200")
    too_few = typed(capsys, "compare", *words, *BASE, "--minimum-steps", "201")

    assert "partial: partial run: cut off" in left_out.out
    assert "used: partial run: cut off" in used.out
    assert "Used, with as many steps or requests as planned: " in used.out
    assert "Not used" not in used.out
    assert "A run has 200 requests." in too_few.out


def test_a_tail_says_how_much_lies_in_it(capsys: Capture, tmp_path: Path) -> None:
    answer = typed(
        capsys, "compare", *arms(tmp_path), "--metric", "step_time", "--stat", "p95", "--varied", "max_batch"
    )

    assert "beyond" in answer.out
    assert "10.0, worth " in answer.out
    assert "Requests beyond p95 come together" in answer.out


def test_markdown_has_the_same_columns_and_lines(capsys: Capture, tmp_path: Path) -> None:
    answer = compared(capsys, tmp_path, "--warmup", 10, "--markdown")

    assert "| run | arm | block | value | status | rows | cut | course |" in answer.out
    assert "- Warmup cut: 10 steps declared" in answer.out
    assert "| used | 200 | 10, 1.4" in answer.out


def test_without_steps_it_is_said_that_nothing_was_checked(capsys: Capture, tmp_path: Path) -> None:
    answer = compared(capsys, tmp_path, length=30)

    assert "Warmup cut: None is declared, and nothing was cut." in answer.out
    assert "Steady state: Not checked. No run has the 50 steps in order that a check needs." in answer.out


def test_nothing_is_reported_as_cut_by_a_plan_that_is_refused(capsys: Capture, tmp_path: Path) -> None:
    answer = compared(capsys, tmp_path, "--warmup", "-5")

    assert "Warmup cut" not in answer.out
    assert "longer than the declared" not in answer.out
