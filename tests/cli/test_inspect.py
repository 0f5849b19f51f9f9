import json
from pathlib import Path

import pytest

from reviews.cli import files
from tests.cli.typed import a_file, typed


def test_a_file_is_named_counted_and_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(capsys, "inspect", a_file(tmp_path, "base", (0.1, None)))

    assert answer.code == 0
    assert "countersign-measurements, because" in answer.out
    assert "2 runs, 1 not completed" in answer.out
    assert "wall_time" in answer.out


def test_what_was_not_measured_is_listed_with_its_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.json"
    energy = {"metric": "energy", "stat": "value", "unit": "J", "value": None, "reason": "no counter"}
    run = {"run": "r", "status": "completed", "measurements": [energy]}
    path.write_text(json.dumps({"countersign": "measurements/1", "tool": "test", "runs": [run]}))

    answer = typed(capsys, "inspect", path)

    assert "energy: no counter" in answer.out


def test_a_folder_stands_for_its_files_and_json_tells_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a_file(tmp_path, "base", (0.1,))

    told = json.loads(typed(capsys, "inspect", tmp_path, "--json").out)

    assert (told["format"], told["settings"]["work"]) == ("countersign-measurements", ["requests_completed"])
    assert told["measurements"][0]["values"] == 1


def test_a_refusal_names_the_place_and_the_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = a_file(tmp_path, "base", (-1.0,))

    answer = typed(capsys, "inspect", bad)
    told = json.loads(typed(capsys, "inspect", bad, "--json").out)

    assert answer.code == 4
    assert "[not_positive] Write null with a reason where nothing was measured, and never zero." in answer.err
    assert told["refused"]["code"] == "not_positive"
    assert "measurements[0]" in told["refused"]["where"]
    assert told["refused"]["needs"].startswith("Write null")


def test_a_format_can_be_chosen_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = a_file(tmp_path, "base", (0.1,))

    chosen = typed(capsys, "inspect", path, "--format", "countersign-measurements")
    unknown = typed(capsys, "inspect", path, "--format", "nothing")

    assert "chosen by hand" in chosen.out
    assert unknown.code == 4


def test_a_file_that_takes_too_long_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = a_file(tmp_path, "slow", [1.0])

    said = typed(capsys, "inspect", "--json", "--seconds", "-1", path)

    assert said.code == 4
    refused = json.loads(said.out)["refused"]
    assert (refused["code"], refused["where"]) == ("too_slow", str(path))


def test_a_large_file_is_read_where_it_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = a_file(tmp_path, "large", [1.0])
    held = json.loads(typed(capsys, "inspect", "--json", path).out)
    monkeypatch.setattr(files, "HELD_BYTES", 0)

    assert json.loads(typed(capsys, "inspect", "--json", path).out) == held
