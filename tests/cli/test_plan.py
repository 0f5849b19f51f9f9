"""The planner on the command line: the numbers of the analysis, from spreads that are stated or piloted."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from analysis.planning import Cost, Noise, plan_placements, upper_sd, variance_components
from analysis.steady import integrated_autocorrelation_time
from tests.cli.typed import a_file, typed

COSTS = ("--run-cost", "60", "--step-cost", "0.1")
SPREADS = ("--run-sd", "1%", "--step-sd", "0.03")
STEPS = [[1.00, 1.02, 0.99, 1.01], [1.05, 1.04, 1.07, 1.06], [0.98, 0.97, 0.99, 1.00], [1.02, 1.03, 1.01, 1.00]]

Capture = pytest.CaptureFixture[str]


def planned(capsys: Capture, *words: object) -> Any:
    answer = typed(capsys, "plan", *words, "--json")
    assert answer.code == 0, answer.err
    return json.loads(answer.out)


def a_run(
    name: str, steps: Sequence[float], status: str = "completed", metric: str = "step_time", **settings: str
) -> Any:
    return {
        "run": name,
        "status": status,
        **({} if status == "completed" else {"reason": "it crashed"}),
        "settings": {"model": "net", **settings},
        "work": {"steps": len(steps)},
        "measurements": [{"metric": metric, "unit": "s", "values": list(steps)}] if steps else [],
    }


def a_pilot(folder: Path, *runs: Any) -> Path:
    path = folder / "pilot.json"
    path.write_text(json.dumps({"countersign": "measurements/1", "tool": "test", "runs": list(runs)}))
    return path


def of_steps(folder: Path) -> Path:
    return a_pilot(folder, *(a_run(f"r{at}", steps) for at, steps in enumerate(STEPS)))


@pytest.mark.parametrize(
    ("run_sd", "step_sd", "run_cost", "step_cost", "plan", "formula"),
    [
        ("0.01", "0.03", "60", "0.1", (10, 68, 1336), 74),
        ("0.005", "0.05", "30", "0.05", (5, 114, 357), 245),
        ("2%", "2%", "120", "0.1", (33, 30, 8118), 35),
    ],
)
def test_stated_spreads_give_the_cheapest_plan(
    capsys: Capture, run_sd: str, step_sd: str, run_cost: str, step_cost: str, plan: Any, formula: int
) -> None:
    costs = ("--run-cost", run_cost, "--step-cost", step_cost)
    found = planned(capsys, "--run-sd", run_sd, "--step-sd", step_sd, *costs, "--half-width", "1%")

    assert (found["plan"]["runs"], found["plan"]["steps"], round(found["plan"]["cost_s"])) == plan
    assert found["plan"]["half_width"] <= 0.01
    assert found["kalibera_jones_steps"] == formula
    assert (found["pilot"], found["assurance"]) == (None, None)


def test_blocks_take_the_quantile_of_blocks_and_have_no_power(capsys: Capture) -> None:
    found = planned(capsys, *SPREADS, *COSTS, "--half-width", "1%", "--blocks")
    said = typed(capsys, "plan", *SPREADS, *COSTS, "--half-width", "1%", "--blocks")

    assert found["layout"] == "blocked"
    assert found["plan"]["cost_s"] > 1336
    assert found["power"] is None
    assert "Runs for power are computed for independent arms only." in said.out


def test_placements_are_planned_with_the_spread_of_the_effect_between_them(capsys: Capture) -> None:
    words = (*SPREADS, *COSTS, "--half-width", "2%", "--placement-sd", "1%", "--placement-cost", "600")
    noise, cost = Noise(1e-4, 9e-4, 1e-4), Cost(60, 0.1, 600)
    plan = plan_placements(noise, cost, half_width=0.02, confidence=0.95)

    found = planned(capsys, *words)["plan"]

    assert (found["placements"], found["runs"], found["steps"]) == (plan.placements, plan.runs, plan.steps)
    assert plan.placements >= 3
    assert f"on each of {plan.placements} placements" in typed(capsys, "plan", *words).out


def test_runs_for_an_effect_hold_the_usual_powers_and_the_one_asked_for(capsys: Capture) -> None:
    found = planned(capsys, "--run-sd", "2%", "--step-sd", "0", "--effect", "2%", "--power", "0.95")
    rows = found["power"]["rows"]

    assert [(row["power"], row["runs"]) for row in rows[:2]] == [(0.8, 17), (0.9, 23)]
    assert rows[2]["power"] == 0.95
    assert rows[2]["runs"] > 23
    assert found["plan"] is None


def test_steps_make_a_run_quieter(capsys: Capture) -> None:
    def runs(steps: int) -> int:
        found = planned(capsys, *SPREADS, "--effect", "2%", "--power", "80%", "--steps", steps)
        return int(found["power"]["rows"][0]["runs"])

    assert runs(1) > runs(10) > runs(1000)


def test_a_pilot_gives_components_on_logs_and_an_assured_plan(capsys: Capture, tmp_path: Path) -> None:
    logs = [[math.log(step) for step in run] for run in STEPS]
    spread = variance_components(logs)
    tau = math.fsum(integrated_autocorrelation_time(run) for run in logs) / 4
    limit = spread.mean_square * upper_sd(1.0, 3, assurance=0.8) ** 2

    found = planned(capsys, "--pilot", of_steps(tmp_path), *COSTS, "--half-width", "3%")

    assert found["pilot"]["metric"] == "step_time"
    assert (found["pilot"]["runs"], found["pilot"]["steps_per_run"]) == (4, 4)
    assert (found["pilot"]["within"], found["pilot"]["between"]) == (spread.within, spread.between)
    assert found["pilot"]["autocorrelation_time"] == pytest.approx(tau)
    assert found["noise"]["step_sd"] == pytest.approx(math.sqrt(spread.within * tau))
    assert found["assurance"]["noise"]["run_sd"] == pytest.approx(math.sqrt((limit - spread.within) / 4))
    assert found["assurance"]["plan"]["runs"] > found["plan"]["runs"]
    assert all(row["assured"] >= row["runs"] for row in found["power"]["rows"])


def test_the_words_say_plan_width_and_assurance(capsys: Capture, tmp_path: Path) -> None:
    answer = typed(capsys, "plan", "--pilot", of_steps(tmp_path), *COSTS, "--half-width", "3%")

    assert answer.code == 0
    assert "Pilot: step_time, 4 runs of 4.000 steps." in answer.out.replace("\N{NO-BREAK SPACE}", " ")
    for words in ("Plan (independent arms, 95", "half of all repetitions exceed it", "assurance (runs differ by up to"):
        assert words in answer.out


def test_a_warmup_is_cut_from_every_run(capsys: Capture, tmp_path: Path) -> None:
    slow = a_pilot(tmp_path, *(a_run(f"r{at}", [9.0, *steps]) for at, steps in enumerate(STEPS)))
    without = planned(capsys, "--pilot", of_steps_in(tmp_path), "--effect", "5%", "--power", "80%")

    assert planned(capsys, "--pilot", slow, "--warmup", "1", "--effect", "5%", "--power", "80%") == without


def of_steps_in(folder: Path) -> Path:
    (folder / "plain").mkdir()
    return of_steps(folder / "plain")


def test_one_number_per_run_says_nothing_of_steps(capsys: Capture, tmp_path: Path) -> None:
    pilot = a_file(tmp_path, "pilot", [10.0, 10.2, 9.9, 10.1])

    found = planned(capsys, "--pilot", pilot, *COSTS, "--half-width", "2%")
    said = typed(capsys, "plan", "--pilot", pilot, *COSTS, "--half-width", "2%").out

    assert (found["noise"]["step_sd"], found["power"]["steps"]) == (0, 1)
    assert found["kalibera_jones_steps"] is None
    assert "Pilot: wall_time value, 4 runs." in said
    assert "correlate" not in said
    assert "one number per run" in found["pilot"]["notes"][-1]


def test_a_run_that_failed_is_left_out_and_said(capsys: Capture, tmp_path: Path) -> None:
    runs = [a_run(f"r{at}", steps) for at, steps in enumerate(STEPS)]
    pilot = a_pilot(tmp_path, *runs, a_run("r9", [], status="failed"))

    found = planned(capsys, "--pilot", pilot, "--effect", "5%", "--power", "80%")

    assert found["pilot"]["runs"] == 4
    assert "1 run left out" in found["pilot"]["notes"][0]


def test_runs_of_two_configurations_are_said(capsys: Capture, tmp_path: Path) -> None:
    runs = [a_run(f"r{at}", steps, batch_size=str(at % 2)) for at, steps in enumerate(STEPS)]

    found = planned(capsys, "--pilot", a_pilot(tmp_path, *runs), "--effect", "5%", "--power", "80%")

    assert found["pilot"]["notes"] == ["The runs differ in batch_size: their spread holds that too."]


def test_a_variance_between_runs_that_came_out_negative_is_said(capsys: Capture, tmp_path: Path) -> None:
    pilot = a_pilot(tmp_path, a_run("r0", [1.0, 1.1, 1.2]), a_run("r1", [1.2, 1.1, 1.0]))

    found = planned(capsys, "--pilot", pilot, *COSTS, "--half-width", "5%")

    assert found["pilot"]["between_was_negative"] is True
    assert "came out negative" in found["pilot"]["notes"][-1]
    assert found["kalibera_jones_steps"] is None


def test_an_assured_plan_out_of_reach_is_said_beside_the_plan(capsys: Capture, tmp_path: Path) -> None:
    pilot = a_pilot(tmp_path, a_run("r0", [1.0, 1.01, 1.0]), a_run("r1", [1.1, 1.12, 1.1]))

    answer = typed(capsys, "plan", "--pilot", pilot, *COSTS, "--half-width", "0.3%")

    assert answer.code == 0
    assert "no plan of a reasonable size reaches" in answer.out
    assert "out of reach" in answer.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Give a pilot"),
        (("--run-sd", "1%"), "both --run-sd and --step-sd"),
        (("--pilot", "x", *SPREADS), "Give a pilot"),
        (SPREADS, "Ask for a half-width"),
        ((*SPREADS, "--effect", "1%"), "--effect with --power"),
        ((*SPREADS, "--half-width", "1%"), "--run-cost and --step-cost"),
        ((*SPREADS, "--effect", "1%", "--power", "80%"), "Say how many steps"),
        ((*SPREADS, "--effect", "1%", "--power", "80%", "--steps", "0"), "--steps is 1 or more"),
        ((*SPREADS, "--effect", "1%", "--power", "80%", "--steps", "5", "--blocks"), "independent arms"),
        ((*SPREADS, "--half-width", "1%", *COSTS, "--metric", "ttft"), "belong to a --pilot"),
        ((*SPREADS, "--effect", "1%", "--power", "80%", "--placement-sd", "1%"), "Placements are planned"),
        ((*SPREADS, *COSTS, "--half-width", "1%", "--blocks", "--placement-sd", "1%"), "without --blocks"),
        (("--pilot", "nowhere.json", "--effect", "1%", "--power", "80%"), "There is no file nowhere.json."),
    ],
)
def test_words_that_do_not_fit_together_say_how_they_would(capsys: Capture, words: tuple[str, ...], said: str) -> None:
    answer = typed(capsys, "plan", *words)

    assert (answer.code, answer.out) == (64, "")
    assert said in answer.err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((*SPREADS, *COSTS, "--half-width", "0.0001%"), "out_of_reach"),
        ((*SPREADS, *COSTS, "--half-width", "0"), "not_positive"),
        ((*SPREADS, *COSTS, "--half-width", "1%", "--confidence", "1"), "not_a_probability"),
        ((*SPREADS, *COSTS, "--half-width", "wide"), "not_a_number"),
        (("--run-sd=-1%", "--step-sd", "0", *COSTS, "--half-width", "1%"), "not_positive"),
        ((*SPREADS, "--effect", "1%", "--power", "1", "--steps", "5"), "not_a_probability"),
        ((*SPREADS, "--effect", "0.001%", "--power", "80%", "--steps", "5"), "out_of_reach"),
        ((*SPREADS, "--effect", "0", "--power", "80%", "--steps", "5"), "not_positive"),
    ],
)
def test_what_cannot_be_planned_is_refused_with_its_code(capsys: Capture, words: tuple[str, ...], code: str) -> None:
    answer = typed(capsys, "plan", *words)

    assert (answer.code, answer.out) == (4, "")
    assert f"[{code}]" in answer.err


@pytest.mark.parametrize(
    ("runs", "more", "code"),
    [
        ([a_run("r0", [1.0, 1.1])], (), "too_few_runs"),
        ([a_run("r0", [1.0]), a_run("r1", [1.0, 1.1])], ("--warmup", "1"), "too_few_steps"),
        ([a_run("r0", [1.0, 0.0]), a_run("r1", [1.0, 1.1])], (), "not_positive"),
        ([a_run("r0", [1.0])], (), "too_few_runs"),
        ([a_run("r0", [1.0]), a_run("r1", [1.1])], ("--warmup", "1"), "aggregate_only"),
    ],
)
def test_a_pilot_that_says_too_little_is_refused(
    capsys: Capture, tmp_path: Path, runs: list[Any], more: tuple[str, ...], code: str
) -> None:
    answer = typed(capsys, "plan", "--pilot", a_pilot(tmp_path, *runs), "--effect", "1%", "--power", "80%", *more)

    assert (answer.code, answer.out) == (4, "")
    assert f"[{code}]" in answer.err


def test_a_pilot_of_several_metrics_asks_which(capsys: Capture, tmp_path: Path) -> None:
    runs = [a_run(f"r{at}", steps) for at, steps in enumerate(STEPS)]
    for run in runs:
        run["measurements"].append({"metric": "latency", "unit": "ms", "values": [1.0, 2.0]})
    words = ("--pilot", a_pilot(tmp_path, *runs), "--effect", "5%", "--power", "80%")

    answer = typed(capsys, "plan", *words)

    assert answer.code == 64
    assert "The pilot has: latency, step_time. Say with metric" in answer.err
    assert planned(capsys, *words, "--metric", "step_time")["pilot"]["metric"] == "step_time"
    assert typed(capsys, "plan", *words, "--metric", "power").code == 64
    assert "Leave out the stat." in typed(capsys, "plan", *words, "--metric", "step_time", "--stat", "mean").err


def test_a_pilot_of_the_tools_own_numbers_asks_which(capsys: Capture, tmp_path: Path) -> None:
    runs = [a_run(f"r{at}", []) for at in range(3)]
    for at, run in enumerate(runs):
        for stat, value in (("mean", 1.0 + at / 100), ("p99", 2.0 + at)):
            run["measurements"].append({"metric": "latency", "unit": "s", "stat": stat, "value": value, "n": 100})
    words = ("--pilot", a_pilot(tmp_path, *runs), "--effect", "5%", "--power", "80%")

    assert "The pilot has: mean, p99. Say with stat" in typed(capsys, "plan", *words).err
    found = planned(capsys, *words, "--stat", "mean")
    assert found["pilot"]["metric"] == "latency mean"
    assert found["noise"]["run_sd"] == pytest.approx(0.0099, abs=1e-4)


def test_a_number_that_a_run_reports_twice_is_refused(capsys: Capture, tmp_path: Path) -> None:
    runs = [a_run(f"r{at}", []) for at in range(2)]
    for run in runs:
        twice = {"metric": "latency", "unit": "s", "stat": "mean", "value": 1.0, "n": 100}
        run["measurements"] += [twice, {**twice, "value": 1.1}]

    answer = typed(capsys, "plan", "--pilot", a_pilot(tmp_path, *runs), "--effect", "5%", "--power", "80%")

    assert answer.code == 4
    assert "[ambiguous_value]" in answer.err
