"""The benchmarks run, and say what they found; nothing here is timed."""

import importlib
import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from analysis.assess import assess
from analysis.parquet import from_parquet, to_parquet
from benchmarks import __main__ as command
from benchmarks import (
    contestants,
    coverage,
    grid,
    growth,
    holistic,
    opponents,
    otava,
    parsing,
    peers,
    simulation,
    speed,
    steps,
)
from benchmarks.contestants import Contestant
from benchmarks.grid import Cell
from benchmarks.ratio import NO_BUDGET, Measured, Ratio, Said

CELL = Cell(runs=3, steps=4, icc=0.5, rho=0.9, law="normal")


def telling(monkeypatch: pytest.MonkeyPatch, told: list[Measured]) -> list[bool]:
    """Lets `speed` tell this; gives the list in which each call notes whether it was to be quick."""
    asked: list[bool] = []

    def measure(*, quick: bool) -> Iterator[Measured]:
        asked.append(quick)
        yield from told

    monkeypatch.setattr(speed, "measure", measure)
    return asked


def scores(cell: Cell, replications: int) -> dict[str, coverage.Score]:
    return {score.name: score for score in coverage.scores_of(0, cell, replications)}


@pytest.mark.parametrize("name", sorted([*command.names(), *command.PLUMBING]))
def test_every_module_imports_without_measuring(name: str) -> None:
    assert importlib.import_module(f"benchmarks.{name}").__doc__


def test_the_benchmarks_are_those_that_measure() -> None:
    assert command.names() == ["coverage", "parsing", "serving", "simulation", "speed", "tables"]
    assert all(hasattr(importlib.import_module(f"benchmarks.{name}"), "measure") for name in command.names())


def test_an_unknown_benchmark_is_named_with_those_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["haste"]) == 2
    said = "no benchmark haste. There are: coverage, parsing, serving, simulation, speed, tables"
    assert said in capsys.readouterr().err


def test_a_broken_budget_fails_the_command_and_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[Measured] = [
        Ratio("ours", 3.0, 1.0, "theirs", 2),
        Ratio("ours", 3.0, 1.0, "theirs", NO_BUDGET),
        Said("low", held=False),
    ]
    asked = telling(monkeypatch, told)

    assert command.main(["--quick", "speed"]) == 1
    assert asked == [True]
    above, free, low = capsys.readouterr().out.splitlines()
    assert above.endswith("3 × theirs (budget 2: ABOVE BUDGET)")
    assert free.endswith("3 × theirs (no budget)")
    assert low == "low  NOT HELD"


def test_what_holds_its_budget_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = telling(monkeypatch, [Ratio("ours", 1.0, 1.0, "theirs", 1)])

    assert command.main(["speed"]) == 0
    assert asked == [False]


@pytest.mark.parametrize(("seconds", "text"), [(2.5, "2.50 s"), (0.0025, "2.50 ms"), (0.000025, "25.0 µs")])
def test_a_time_is_in_the_unit_that_it_reads_best_in(seconds: float, text: str) -> None:
    assert command.time_of(seconds) == text


def test_the_steps_of_a_run_have_the_variance_between_runs_and_the_autocorrelation_asked_for() -> None:
    cell = Cell(runs=2, steps=50, icc=0.5, rho=0.9, law="lognormal")
    logs = np.log(grid.simulate(cell, 2000, np.random.default_rng(1)).steps)

    assert logs.std() == pytest.approx(0.5, rel=0.02)
    assert np.corrcoef(logs[..., 0].ravel(), logs[..., -1].ravel())[0, 1] == pytest.approx(0.5, abs=0.05)
    assert np.corrcoef(logs[..., 0].ravel(), logs[..., 1].ravel())[0, 1] == pytest.approx(0.95, abs=0.02)


def test_the_full_grid_has_every_number_of_runs_and_no_cell_twice() -> None:
    cells = list(grid.full())

    assert len(cells) == len(set(cells)) > 250
    assert {cell.runs for cell in cells} == {2, 3, 5, 10, 30}
    assert {cell.law for cell in cells if (cell.runs, cell.steps) == (30, 1000)} == {"normal"}


def test_the_quick_grid_is_smaller() -> None:
    assert 0 < len(list(grid.quick())) < 30


def test_our_intervals_cover_where_those_of_single_steps_do_not() -> None:
    found = scores(CELL, 200)

    assert found["ours: welch_log"].coverage > 0.9
    assert found["ours: paired_log"].coverage > 0.9
    assert found["per-step t"].coverage < 0.75
    assert found["scipy bootstrap, percentile"].coverage < 0.88
    assert found["pooled t"].width == 1
    assert found["ours: welch_log"].width > 1


def test_a_false_change_is_an_interval_that_leaves_out_no_change() -> None:
    found = scores(CELL, 20)

    assert all(s.false_changes == pytest.approx(1 - s.coverage) for s in found.values() if not math.isnan(s.coverage))


def test_a_cell_gives_the_same_scores_again() -> None:
    assert scores(CELL, 20) == scores(CELL, 20)


@pytest.mark.parametrize("cell", [replace(CELL, law="skewed"), replace(CELL, runs=2, steps=1, rho=0.0)])
def test_every_law_and_the_smallest_cell_are_scored(cell: Cell) -> None:
    assert {score.replications for score in scores(cell, 20).values()} == {20}


def test_a_slow_procedure_gets_fewer_comparisons_and_at_least_a_hundred() -> None:
    slow = Contestant("slow, steps", ours=False, effort=10_000, judge=lambda sample: contestants.judged(*sample.runs))

    assert coverage.allowed(slow, replace(CELL, steps=5), 2000) == 333
    assert coverage.allowed(slow, replace(CELL, steps=1000), 2000) == 100
    assert coverage.allowed(slow, replace(CELL, steps=1000), 40) == 40


def test_ours_are_held_to_their_coverage_and_peers_to_none() -> None:
    score = coverage.Score(CELL, "ours", ours=True, replications=10_000, coverage=0.9, width=1, false_changes=0.1)

    assert not score.held
    assert replace(score, ours=False).held
    assert replace(score, coverage=0.935).held


def test_the_summary_has_the_range_over_the_cells_of_a_number_of_runs() -> None:
    one = coverage.Score(CELL, "ours", ours=True, replications=100, coverage=0.93, width=1.5, false_changes=0.07)

    heading, line = coverage.summary([one, replace(one, coverage=0.97, width=1.7, false_changes=0.03)])
    assert heading.text.startswith("3 runs per arm")
    assert line.text.split() == ["ours", "0.930", "0.970", "1.600", "0.070"]


def test_a_peer_that_is_not_there_is_skipped_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> object:
        raise ModuleNotFoundError(f"No module named '{name.split('.', maxsplit=1)[0]}'")

    monkeypatch.setattr(importlib, "import_module", absent)
    reasons = {one.name: one.reason for one in contestants.contestants() if isinstance(one, peers.Skipped)}

    assert set(reasons) == {"pyperf", "inference-doctor", "benchmatrix"}
    assert reasons["pyperf"] == "not installed here (No module named 'pyperf')"


def test_ours_and_the_peer_answer_the_same_question() -> None:
    baseline, candidate = steps.simulated(5, 3).mean(axis=2)
    ours = speed.welch(baseline.tolist(), candidate.tolist())
    blocks = speed.paired(baseline.tolist(), candidate.tolist())
    resampled = opponents.percentile_bootstrap(baseline, candidate)
    studentised = opponents.bootstrap_t(baseline, candidate)

    assert ours.lo < np.exp(resampled[0]) < ours.estimate < np.exp(resampled[1]) < ours.hi
    assert studentised[0] < math.log(ours.estimate) < studentised[1]
    assert blocks.estimate == pytest.approx(ours.estimate)


def test_the_intervals_are_measured_against_every_peer() -> None:
    told = list(speed.intervals(steps.simulated(3, 5)))
    ratios = {one.peer: one.budget for one in told if isinstance(one, Ratio)}

    assert ratios["scipy ttest_ind interval"] == 0.1
    assert {"scipy bootstrap, BCa, 10,000", "scipy mannwhitneyu, exact", "per-step t-test, 2 x 15"} <= set(ratios)


def test_runs_full_of_steps_get_a_verdict_from_their_parquet_files() -> None:
    contents = steps.files(steps.simulated(3, 20))
    result = assess(steps.request([from_parquet(content) for content in contents]))

    assert result.outcome == "verdict"
    assert [point.n_inner for point in result.runs] == [20] * 6
    assert result.overlap is not None
    assert result.overlap > 0.5


def test_reports_and_summaries_are_measured() -> None:
    values = steps.simulated(3, 20)

    assert [ratio.name for ratio in speed.reports(values, rounds=1)] == [
        "report from values in memory",
        "report from Parquet",
        "report from Parquet",
        "reading from Parquet",
    ]
    assert [ratio.name for ratio in speed.summaries(steps.simulated(3, 60), rounds=1)] == [
        f"{name} of 6 runs of 60 steps" for name in ("means", "p99", "p99", "MSER-5", "ESS")
    ]


def test_a_run_made_of_columns_is_the_run_of_its_file() -> None:
    made = steps.reading(steps.simulated(1, 20)[0, 0])

    assert from_parquet(to_parquet(made)) == made
    assert (made.measurements[3].where, made.measurements[3].index) == ("steps.csv:5", 3)


def test_a_peer_in_an_environment_of_its_own_is_skipped_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(otava, "PYTHON", tmp_path / "python")
    absent = otava.seconds([1.0], calls=1)
    monkeypatch.setattr(otava, "PYTHON", Path(sys.executable))
    broken = otava.seconds([1.0], calls=1)
    (tmp_path / "python").write_text("#!/bin/sh\necho 0.25\n")
    (tmp_path / "python").chmod(0o700)
    monkeypatch.setattr(otava, "PYTHON", tmp_path / "python")

    assert absent == peers.Skipped("apache-otava", "its environment is not there")
    assert isinstance(broken, peers.Skipped)
    assert broken.reason == "ModuleNotFoundError: No module named 'otava'"
    assert otava.seconds([1.0], calls=1) == 0.25


def test_growth_is_told_beside_the_size_before() -> None:
    size = growth.measured(100)
    first, second = growth.lines([replace(size, read_s=1.0, report_s=2.0), replace(size, read_s=9.0, report_s=22.0)])

    assert "size before" not in first.text
    assert second.text.endswith(", ×  9.00 and × 11.00 of the size before")


def test_a_trace_is_written_read_into_stages_and_held_to_its_budgets(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "trace.json"
    events = parsing.write(path, 500_000)
    found = parsing.stages(path)

    assert events == 2 * (1 + 4 * parsing.OPERATORS)
    assert len(parsing.PEER.decode(path.read_bytes()).events) == events
    assert {stage: times.tolist() for stage, times in found.items()} == {
        "host operators": [400 * 21_500] * 2, "host launch": [400 * 8_500] * 2, "compute": [400 * 42_125] * 2,
    }  # fmt: skip

    monkeypatch.setattr(parsing, "MEBI", 2**12)
    monkeypatch.setattr(holistic, "PYTHON", tmp_path / "python")
    said, ratio, memory, pair = parsing.measure(quick=True)

    assert isinstance(ratio, Ratio)
    assert (ratio.name, ratio.budget, said.held) == ("trace to stages", 2.0, True)
    assert isinstance(memory, Said)
    assert "of the file; budget 0.5" in memory.text
    assert pair == Said("HolisticTraceAnalysis is not measured: its environment is not there", held=True)


def test_two_traces_are_compared_beside_a_peer_in_a_process_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho loud\necho 1000\n")
    python.chmod(0o700)
    monkeypatch.setattr(holistic, "PYTHON", python)

    ratio = parsing.pair(tmp_path, 500_000)
    found = parsing.compared(tmp_path / "baseline.json", tmp_path / "candidate.json")

    assert isinstance(ratio, Ratio)
    assert (ratio.peer, ratio.peer_s, ratio.budget) == ("HolisticTraceAnalysis", 1000.0, 0.2)
    assert 0 < ratio.ours_s < 1000
    assert (found.divergence, found.description.steps) == ("none", (2, 2))


def test_a_peer_that_breaks_in_its_process_is_skipped_with_its_last_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(holistic, "PYTHON", Path(sys.executable))

    broken = holistic.seconds(tmp_path / "a", tmp_path / "b", rounds=1)

    assert isinstance(broken, peers.Skipped)
    assert broken.reason == "ModuleNotFoundError: No module named 'hta'"


def test_the_simulation_is_held_to_theory_and_to_its_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "REQUESTS", 20_000)
    lines = list(simulation.measure(quick=True))

    assert all(line.held for line in lines if "requests/s" not in line.text)
    assert [line.text.partition(",")[0] for line in lines[:3:2]] == ["batch 1", "mean batch 20"]
    monkeypatch.setattr(simulation, "MOST_FALSE", 0.001)
    assert not next(simulation._false(2000)).held
