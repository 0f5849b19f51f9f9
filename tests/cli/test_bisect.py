"""`countersign bisect`: from results of `countersign compare` to the build to run next."""

import json
from pathlib import Path

import pytest

from reviews import printing
from tests.cli.typed import Typed, a_file, typed

BASE = (10.0, 10.05, 9.96, 10.02, 9.99)


def compared(capsys: pytest.CaptureFixture[str], folder: Path, build: str, factor: float, count: int = 5) -> Path:
    """The result of the build against the base, on `count` runs of each arm."""
    base = a_file(folder, f"base-{build}", BASE[:count])
    candidate = a_file(folder, build, [factor * value for value in BASE[::-1][:count]])
    words = ("--metric", "wall_time", "--better", "lower", "--margin", "1.03", "--json")
    answer = typed(capsys, "compare", base, "--candidate", candidate, *words)
    path = folder / f"result-{build}-{count}.json"
    path.write_text(answer.out)
    return path


def bisect(capsys: pytest.CaptureFixture[str], *words: object) -> Typed:
    return typed(capsys, "bisect", *words)


def test_it_names_the_build_to_run_next_and_what_the_rest_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    end = compared(capsys, tmp_path, "v4", 1.08)
    middle = compared(capsys, tmp_path, "v2", 1.0)

    first = bisect(capsys, "v0", "v1", "v2", "v3", f"v4={end}", "--runs", "6")
    then = bisect(capsys, "v0", "v1", f"v2={middle}", "v3", f"v4={end}", "--json")

    assert first.code == 2
    assert "The effect begins after v0 and not after v4: 4 builds. Run v2 against v0." in first.out
    assert "24 runs are expected, 24 at most" in first.out
    assert f"at most {printing.percent(0.15)}." in first.out
    said = json.loads(then.out)
    assert (said["after"], said["upto"], said["next"], said["located"]) == ("v2", "v4", "v3", False)
    assert then.code == 2


def test_it_ends_where_the_effect_begins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ends = [compared(capsys, tmp_path, build, factor) for build, factor in (("v1", 1.0), ("v2", 1.08))]

    answer = bisect(capsys, "v0", f"v1={ends[0]}", f"v2={ends[1]}")

    assert answer.code == 0
    assert answer.out.startswith("The effect begins at v2: v1 is as v0 within the margin, v2 is beyond it.")
    assert "are expected" not in answer.out


def test_a_single_run_of_a_build_decides_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    end = compared(capsys, tmp_path, "v2", 1.08)
    single = compared(capsys, tmp_path, "v1", 1.08, 1)

    answer = bisect(capsys, "v0", f"v1={single}", f"v2={end}")

    assert answer.code == 2
    assert "Run v1 against v0 again, with more runs." in answer.out
    assert "undecided" in answer.out


def test_without_an_established_effect_there_is_nothing_to_locate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    equal = compared(capsys, tmp_path, "v2", 1.0)

    for words in (("v0", "v1", f"v2={equal}"), ("v0", "v1", "v2")):
        answer = bisect(capsys, *words)
        assert answer.code == 4
        assert "[nothing_to_locate]" in answer.err


def test_another_file_is_no_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("[]", "{}", "no JSON", '{"kind": "assessment"}'):
        (tmp_path / "x.json").write_text(text)
        answer = bisect(capsys, "v0", "v1", f"v2={tmp_path / 'x.json'}")
        assert answer.code == 64, text
        assert "is no result of countersign compare --json" in answer.err
