"""`countersign fairness`: streams out of files, in words and as JSON."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.typed import typed

Capture = pytest.CaptureFixture[str]
RUNS = [(100, 101, 80), (99, 102, 84), (101, 100, 79)]
FAIRER = [(96, 95, 92), (95, 96, 91), (97, 95.5, 93)]


def a_file(folder: Path, name: str, runs: list[Any], **more: Any) -> Path:
    """Raw steps of each stream around its value; the first one is far off."""
    rows = [
        {
            "run": f"{name}-{n}",
            "work": {"steps": 3},
            "measurements": [
                {"metric": "rate", "unit": "1/s", "stage": f"core {at}", "values": [value * 9, value - 1, value + 1]}
                for at, value in enumerate(run)
            ],
            **more,
        }
        for n, run in enumerate(runs)
    ]
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"countersign": "measurements/1", "runs": rows}))
    return path


def test_the_words_say_index_worst_stream_and_change(capsys: Capture, tmp_path: Path) -> None:
    base, cand = a_file(tmp_path, "base", RUNS), a_file(tmp_path, "cand", FAIRER)

    answer = typed(capsys, "fairness", base, "--candidate", cand, "--better", "higher", "--warmup", 1)

    assert answer.code == 0, answer.err
    assert "Fairness of rate mean over 3 streams, higher is better." in answer.out
    assert "Baseline, 3 runs: Jain's index 0.9" in answer.out
    assert "it is core 2 in 3 runs" in answer.out
    assert "below 0 is fairer: \N{MINUS SIGN}0." in answer.out
    assert "this is no verdict" in answer.out


def test_one_arm_alone_is_told_without_a_change(capsys: Capture, tmp_path: Path) -> None:
    path = a_file(tmp_path, "base", RUNS)
    words = ("fairness", path, "--better", "lower", "--warmup", 1)

    found = json.loads(typed(capsys, *words, "--json").out)
    assert (found["candidate"], found["change"], found["metric"]) == (None, None, "rate")
    assert found["baseline"]["worst_streams"][0][0] == "core 1"
    said = typed(capsys, *words).out
    assert said.startswith("Fairness of rate")
    assert "Runs, 3 runs" in said
    assert "verdict" not in said


@pytest.mark.parametrize(
    ("runs", "more", "code"),
    [
        (RUNS[:1], (), "too_few_runs"),
        ([(100,), (101,)], (), "no_streams"),
        (RUNS, ("--metric", "latency"), "metric_not_chosen"),
        ([(100, 101), (100, 101, 99)], (), "streams_differ"),
        (RUNS, ("--warmup", "3"), "not_measured"),
    ],
)
def test_what_has_no_fairness_is_refused(
    capsys: Capture, tmp_path: Path, runs: list[Any], more: tuple[str, ...], code: str
) -> None:
    answer = typed(capsys, "fairness", a_file(tmp_path, "base", runs), "--better", "higher", *more)

    assert (answer.code, answer.out) == (4, "")
    assert f"[{code}]" in answer.err


def test_failed_runs_are_left_out(capsys: Capture, tmp_path: Path) -> None:
    path = a_file(tmp_path, "base", RUNS)
    content = json.loads(path.read_text())
    content["runs"][0] |= {"status": "failed", "reason": "it crashed", "measurements": []}
    path.write_text(json.dumps(content))

    found = json.loads(typed(capsys, "fairness", path, "--better", "higher", "--metric", "rate", "--json").out)
    assert len(found["baseline"]["runs"]) == 2
