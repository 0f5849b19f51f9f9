"""`countersign compare` on runs that record stages and counters."""

import json
from pathlib import Path

import pytest

from tests import staged
from tests.cli.typed import typed


def arms(folder: Path, seed: int = 1) -> tuple[object, ...]:
    """Two files, the runs of one arm in each."""
    whole = json.loads(staged.runs_file(seed))
    paths = []
    for arm in ("baseline", "candidate"):
        path = folder / f"{arm}.json"
        path.write_text(json.dumps({**whole, "runs": [run for run in whole["runs"] if run["run"].endswith(arm)]}))
        paths.append(path)
    return (paths[0], "--candidate", paths[1], "--metric", "wall_time", "--varied", "max_batch")


def test_the_text_says_where_the_difference_begins_and_how_that_was_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = typed(capsys, "compare", *arms(tmp_path)).out

    assert "Where the difference begins: Divergence is established at run; stages before run are excluded." in said
    assert "outside the stages" in said
    assert "Kind: confidence intervals, 98.3333\N{NO-BREAK SPACE}% confidence each" in said
    assert "The counters are consistent with scheduling, and with no other mechanism of the table." in said
    assert "dram_bytes_per_work  not used" in said
    assert "What would help" not in said


def test_stages_are_summed_where_it_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = typed(capsys, "compare", *arms(tmp_path), "--stages", "summed").out

    assert "exclusive, and their sum is the number of the run" in said
    assert "outside the stages" not in said


def test_only_the_primary_metric_is_a_sum_of_stages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = (*arms(tmp_path), "--metric", "queue_wait:mean", "--stages", "summed")
    said = typed(capsys, "compare", *asked).out

    assert "exclusive, and their sum is the number of the run" in said
    assert "The run has no stages of queue_wait" not in said


def test_what_cannot_be_split_says_why_and_what_would_help(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = (*arms(tmp_path), "--stages", "cumulative", "--unit-of-work", "samples")
    said = typed(capsys, "compare", *asked).out
    marked = typed(capsys, "compare", *asked, "--markdown").out

    assert "Cumulative times each hold those before them, so they do not add up." in said
    assert "What would help: Record exclusive times to see the difference as a sum." in said
    assert "Not every run records samples as one number above 0." in said
    assert "so they do not add up. Record exclusive times" in marked


def test_markdown_has_a_table_for_each_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = typed(capsys, "compare", *arms(tmp_path), "--markdown").out

    assert "**Where the difference begins.** Divergence is established at run" in said
    assert "| stage | ratio | interval | standing |\n|---|---|---|---|" in said
    assert "| scheduling | supported |  |" in said
    assert "- Scope: this placement only" in said


def test_json_has_every_answer_with_its_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(typed(capsys, "compare", *arms(tmp_path), "--json", "--counter-margin", "0.05").out)

    assert (found["stages"]["kind"], found["stages"]["found"]) == ("stages", ["run"])
    assert [split["kind"] for split in found["splits"]] == ["split", "split"]
    assert (found["mechanisms"]["kind"], found["mechanisms"]["dominant"]) == ("mechanisms", "scheduling")
    assert found["plan"]["counter_margin"] == "0.05"
    for basis in (found["stages"]["basis"], found["mechanisms"]["basis"]):
        assert {"level", "together", "method", "units", "counted", "scope", "estimand", "assumptions"} <= set(basis)


@pytest.mark.parametrize(
    ("margin", "code", "said"), [("3%", 64, "'3%' is no number"), ("0", 4, "is no margin of a counter")]
)
def test_a_margin_that_is_none_is_refused(
    margin: str, code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = typed(capsys, "compare", *arms(tmp_path), "--counter-margin", margin)

    assert answer.code == code
    assert said in answer.out + answer.err


def test_differences_are_printed_in_seconds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = typed(capsys, "compare", *arms(tmp_path), "--scale", "difference", "--margin", "0.01").out

    assert "stage   difference  interval" in said
    assert "a stage within 10.00\N{NO-BREAK SPACE}ms is excluded" in said
