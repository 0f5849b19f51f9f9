"""`countersign trace` on tables of the times of stages."""

import json
from pathlib import Path

import pytest

from tests.analysis.tabled import NOISE
from tests.cli.test_trace import trace
from tests.cli.typed import typed

HEAD = "run,metric,stat,value,unit,kind,index,stage\n"


def table(path: Path, forward: float, *, stages: tuple[str, str] = ("load", "forward")) -> Path:
    """Four repetitions of two stages; the first is longer."""
    rows = [
        f"r,step_time,value,{value + (5 if n == 0 else n / 100)},ms,raw,{n},{stage}\n"
        for n in range(4)
        for stage, value in zip(stages, (1.0 + forward % 0.1 / 9, forward), strict=True)
    ]
    path.write_text(HEAD + "".join(rows))
    return path


def arms(folder: Path, forward: float) -> tuple[list[Path], list[Path]]:
    baseline, candidate = (
        [table(folder / f"{arm}-b{n}.csv", value + more) for n, more in enumerate(NOISE)]
        for arm, value in (("a", 2.0), ("b", forward))
    )
    return baseline, candidate


def test_tables_of_repeated_runs_are_answered_with_a_set_of_stages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    baseline, candidate = arms(tmp_path, 2.4)

    answer = typed(capsys, "trace", *baseline, "--candidate", *candidate)

    assert answer.code == 0
    assert "The tables list the same stages." in answer.out
    assert "Divergence is established at forward; stages before forward are excluded." in answer.out
    assert "what overlaps, when a device was busy or idle, and what waited for what are not recorded" in answer.out
    assert "All stages of the candidate together take 1.13" in answer.out
    assert "Counted: 6 runs per arm" in answer.out
    assert "The first repetition of 6 of 6 tables of the baseline is left out" in answer.out


def test_two_tables_part_in_time_against_the_repetitions_and_in_structure_by_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, slow = table(tmp_path / "a.csv", 2.0), table(tmp_path / "b.csv", 3.0)
    other = table(tmp_path / "c.csv", 2.0, stages=("load", "backward"))

    timed, named = (json.loads(typed(capsys, "trace", one, path, "--json").out) for path in (slow, other))

    assert (timed["divergence"], timed["found"], timed["excluded"]) == ("time", ["forward"], ["load"])
    assert (named["divergence"], named["timelines"], named["tables"]) == ("structure", [], True)
    assert "at place 2, where the baseline has forward and the candidate backward" in named["sentence"]


def test_statistics_of_rocprof_of_several_runs_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files: dict[str, list[Path]] = {}
    for arm, calls, length in (("a", 2, 1000), ("b", 2, 1500)):
        for n, more in enumerate(NOISE):
            total = int(calls * length * (1 + more))
            path = tmp_path / f"{arm}{n}.csv"
            path.write_text(f"Name,Calls,TotalDurationNs,AverageNs\ngemm,{calls},{total},{total / calls}\n")
            files.setdefault(arm, []).append(path)

    answer = typed(capsys, "trace", *files["a"], "--candidate", *files["b"], "--markdown")

    assert "Divergence is established at compute" in answer.out
    assert "- 6 tables of the baseline with 6 repetitions; 6 tables of the candidate with 6 repetitions." in answer.out
    assert "| gemm | 2 | 2 |" in answer.out


def test_a_table_and_a_trace_are_not_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(capsys, "trace", trace(tmp_path / "a.json"), table(tmp_path / "b.csv", 2.0))

    assert (answer.code, answer.out) == (4, "")
    assert "[kinds_differ]" in answer.err
    assert "the same export of the same tool for every run" in answer.err
