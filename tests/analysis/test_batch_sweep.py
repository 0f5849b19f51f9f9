"""Sweeps over batch sizes and concurrency, from files of our own and from public ones."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from analysis.batch_front import pareto_front
from analysis.batch_region import Limit, feasible_region
from analysis.batch_sweep import BatchSweep, read_sweep
from analysis.errors import Refused
from analysis.evidence import read
from analysis.evidence.format import Document
from analysis.inputs import LabelledRun
from analysis.sweep_numbers import SweepPlan
from tests.analysis.batches import THREE, a_sweep, measured, row, runs_of

F = Fraction


def codes(sweep: BatchSweep) -> list[str]:
    return [notice.code for notice in sweep.notices]


def code_of(ask: Callable[[], object]) -> str:
    with pytest.raises(Refused) as refused:
        ask()
    assert refused.value.needs
    return refused.value.code


def test_every_run_stands_at_its_size_with_its_numbers() -> None:
    sweep = a_sweep(THREE)

    assert (sweep.varied, sweep.in_flight, codes(sweep)) == ("max_batch", False, [])
    assert [(point.at, point.label, len(point.runs)) for point in sweep.points] == [
        (1, "1", 3),
        (2, "2", 3),
        (4, "4", 3),
    ]
    assert sweep.points[1].values("throughput") == pytest.approx((200, 202, 204))
    assert sweep.points[1].values("p99") == pytest.approx((0.029, 0.0295, 0.030))
    assert [(q.name, q.metric, q.unit) for q in sweep.quantities] == [
        ("throughput", "throughput", "1/s"), ("p99", "e2e_latency", "s"),
    ]  # fmt: skip
    assert code_of(lambda: sweep.quantity("power")) == "not_measured"


def test_a_quantile_of_raw_requests_is_at_the_conservative_rank_after_the_warmup() -> None:
    rows = [
        {"metric": "latency", "value": value, "unit": "ms"}
        for value in [9000.0] * 50 + [float(n) for n in range(1, 1001)]
    ]
    sizes = {size: [[*measured(100.0), *rows]] for size in (1, 2)}
    point = a_sweep(sizes, warmup=50).points[0]

    assert point.values("p99") == (0.991,)
    assert point.values("p50") == (0.501,)
    assert point.values("throughput") == (100.0,)


def test_a_tail_of_too_few_requests_is_shown_and_nothing_is_concluded_from_it() -> None:
    few = row("latency", 0.1, "p99", "s") | {"n": 400}
    point = a_sweep({1: [[few]], 2: [[few]]}).points[0]

    assert (point.shown("p99"), point.values("p99")) == ((0.1,), ())
    problem = point.problem("p99")
    assert problem is not None
    assert problem.code == "tail_too_small"


def test_energy_follows_from_the_power_and_throughput_of_the_same_run() -> None:
    sweep = a_sweep({1: [measured(100.0, power=300.0)], 2: [measured(150.0, power=300.0), measured(150.0)]})

    assert sweep.quantity("energy").metric == "mean power over throughput"
    assert [point.shown("energy") for point in sweep.points] == [(3.0,), (2.0,)]
    problem = sweep.points[1].problem("energy")
    assert problem is not None
    assert problem.code == "not_measured"


def test_a_recorded_energy_and_temperature_are_taken_as_they_are() -> None:
    rows = [
        row("energy_per_request", 5.0, "mean", "J"), row("gpu_temperature", 71, "max", "1"),
        row("socket_power", 250, "mean", "W"), row("power_limit", 700, "mean", "W"), *measured(100.0),
    ]  # fmt: skip
    sweep = a_sweep({1: [rows], 2: [rows]})

    assert [(q.name, q.metric) for q in sweep.quantities] == [
        ("throughput", "throughput"), ("power", "socket_power"), ("energy", "energy_per_request"),
        ("temperature", "gpu_temperature"),
    ]  # fmt: skip


def test_the_plan_names_metrics_and_settings_that_tools_call_otherwise() -> None:
    rows = [row("frames", 9.0, "rate", "1/s"), row("render", 0.1, "p99", "s")]
    sweep = read_sweep(
        runs_of({1: [rows], 2: [rows]}, varied="tile"), SweepPlan(varied="tile", throughput="frames", latency="render")
    )

    assert (sweep.varied, sweep.in_flight) == ("tile", True)
    assert sweep.points[0].shown("throughput") == (9.0,)
    assert sweep.points[0].shown("p99") == (0.1,)


def test_metrics_in_two_units_are_refused() -> None:
    one, other = row("frames", 9.0, "rate", "1/s"), row("frames", 9.0, "rate", "1")

    assert code_of(lambda: a_sweep({1: [[one]], 2: [[other]]}, throughput="frames")) == "mixed_units"


def test_failed_runs_stay_at_their_point_and_cut_off_and_excluded_ones_do_not() -> None:
    whole = runs_of(THREE)
    failed = runs_of({4: [measured(1.0)]}, status="failed", reason="out of memory")
    cut = runs_of({4: [measured(2.0)]}, status="partial", reason="killed")
    excluded = runs_of({4: [measured(3.0)]}, excluded="throttled")
    sweep = read_sweep([*whole, *whole, *failed, *cut, *excluded], SweepPlan())

    assert [run.failed for run in sweep.points[2].runs] == ["", "out of memory", "", ""]
    assert sweep.points[2].values("throughput") == pytest.approx((400, 404, 408))
    assert sweep.points[2].problem("throughput") is None
    assert codes(sweep) == ["runs_left_out"]
    assert "11 run(s)" in sweep.notices[0].sentence


@pytest.mark.parametrize(
    ("runs", "plan", "code"),
    [
        (runs_of({1: [measured(1.0)]}), SweepPlan(), "no_sweep"),
        (runs_of({1: [measured(1.0)]}), SweepPlan(varied="max_batch"), "no_sweep"),
        (runs_of({"inf": [measured(1.0)], "auto": [measured(1.0)]}), SweepPlan(), "no_sweep"),
        (
            [*runs_of({1: [measured(1.0)]}, settings={"request_rate": 5}),
             *runs_of({2: [measured(1.0)]}, settings={"request_rate": 5}),
             *runs_of({2: [measured(1.0)]}, settings={"request_rate": 9})],
            SweepPlan(), "ambiguous_sweep",
        ),
    ],
)  # fmt: skip
def test_what_is_no_curve_is_refused(runs: list[LabelledRun], plan: SweepPlan, code: str) -> None:
    assert code_of(lambda: read_sweep(runs, plan)) == code


def test_a_setting_under_two_names_is_one() -> None:
    runs = [run for b in (1, 2) for run in runs_of({b: [measured(1.0)]}, settings={"batch": b, "tag": f"run{b}"})]
    sweep = read_sweep(runs, SweepPlan())

    assert sweep.varied == "max_batch"
    assert codes(sweep) == ["too_few_runs", "settings_vary"]
    assert sweep.notices[-1].sentence.endswith("over the sweep: tag.")


def test_missing_points_and_wide_gaps_are_named() -> None:
    one = [measured(1.0)] * 3
    sizes = {1: one, 2: one, 4: one, 32: one}

    assert "Between 4 and 32 nothing" in a_sweep(sizes).notices[0].sentence
    declared = a_sweep(sizes, grid=(F(1), F(2), F(4), F(8), F(16), F(32)))
    assert codes(declared) == ["points_missing"]
    assert [n.sentence for n in declared.notices] == ["Not measured, though it was meant to be: max_batch 8, 16."]
    assert codes(a_sweep({0: one, 2: one, 400: one})) == []


def test_rounds_that_lack_a_size_and_runs_without_one_are_named() -> None:
    rounds = [*runs_of(THREE, block="a"), *runs_of({1: [measured(1.0)], 2: [measured(1.0)]}, block="b")]
    apart = runs_of({"": [measured(5.0)]}, varied="other")
    sweep = read_sweep([*rounds, *apart], SweepPlan())

    assert codes(sweep) == ["rounds_incomplete", "not_in_sweep"]
    assert "lacks max_batch 4" in sweep.notices[0].sentence


def test_different_work_is_noticed_between_points_and_at_one_point() -> None:
    def at(size: int, tokens: object) -> list[LabelledRun]:
        return runs_of({size: [measured(1.0)]}, work={"output_tokens": tokens})

    grows = read_sweep([*at(1, 100), *at(2, 200)], SweepPlan())
    wobbles = read_sweep([*at(1, 100), *at(1, 120), *at(2, 100)], SweepPlan())
    alike = read_sweep([*at(1, 1000), *at(2, 1001)], SweepPlan())

    [odd] = at(1, 100)
    stated = replace(odd.reading.settings[-1], value="many")
    odd = replace(odd, reading=replace(odd.reading, settings=(*odd.reading.settings[:-1], stated)))

    assert codes(read_sweep([odd, *at(2, 100)], SweepPlan())) == ["too_few_runs"]
    assert codes(grows) == ["too_few_runs", "work_differs_by_point"]
    assert codes(wobbles) == ["too_few_runs", "work_differs_at_point"]
    assert codes(alike) == ["too_few_runs"]


def test_settings_that_differ_at_a_point_are_named() -> None:
    runs = [*runs_of(THREE, settings={"gpu": "A"}), *runs_of({4: [measured(9.0)]}, settings={"gpu": "B"})]

    assert codes(read_sweep(runs, SweepPlan())) == ["settings_differ_at_point"]


# Public files


def of(paths: list[Path], **plan: Any) -> BatchSweep:
    found = []
    for path in paths:
        reading = read(Document(path.read_bytes(), str(path)), None)
        found += [
            LabelledRun(run, reading, str(path), f"{path.name}#{run.key}", "baseline", "", "", False, "")  # noqa: FBT003
            for run in reading.runs
        ]
    return read_sweep(found, SweepPlan(**plan))


def shown(sweep: BatchSweep, quantity: str) -> list[float]:
    return [value for point in sweep.points for value in point.shown(quantity)]


def never_feasible(sweep: BatchSweep) -> bool:
    """Single runs are refused, whatever the limit: even one that each of them keeps by far."""
    region = feasible_region(sweep, [Limit("throughput", 1e-6)])
    return all(
        (point.state, point.answers[0].refusal and point.answers[0].refusal.code) == ("undetermined", "too_few_runs")
        for point in region.points
    )


def test_a_public_sweep_over_concurrency(shared_evidence: Path) -> None:
    sweep = of(sorted((shared_evidence / "vllm-bench-serve" / "inferencex_gptoss120b").glob("*.json")), latency="ttft")

    assert (sweep.varied, sweep.in_flight) == ("max_concurrency", True)
    assert [point.at for point in sweep.points] == [4, 8, 16, 32, 64, 128, 256, 512]
    assert shown(sweep, "throughput") == pytest.approx(
        [459.2, 929.0, 1725.6, 2985.6, 5002.6, 8368.3, 13975.9, 22534.2], abs=0.05
    )
    assert shown(sweep, "p99") == pytest.approx([0.988, 0.312, 0.688, 1.554, 0.685, 1.515, 1.579, 2.245], abs=0.0006)
    assert {"too_few_runs", "work_differs_by_point", "settings_vary"} == set(codes(sweep))
    assert never_feasible(sweep)
    assert {point.standing for point in pareto_front(sweep).points} == {"front", "not_separated"}


def test_a_public_sweep_over_batch_sizes_in_one_log(shared_evidence: Path) -> None:
    sweep = of([shared_evidence / "trtexec" / "jetson" / "ResNet50_N2" / "raw.txt"])

    assert (sweep.varied, sweep.in_flight) == ("batch_size", False)
    assert shown(sweep, "throughput") == pytest.approx([318.8, 595.3, 700.4, 717.7, 775.9, 848.2, 508.7], abs=0.06)
    assert codes(sweep) == ["wide_gap", "too_few_runs"]
    assert never_feasible(sweep)


def test_a_public_sweep_in_folders(shared_evidence: Path) -> None:
    folder = shared_evidence / "optimum-benchmark" / "fast-mteb"
    sweep = of(sorted((folder / "baseline").rglob("*.csv")))

    assert [point.at for point in sweep.points] == [1, 8, 64, 512]
    assert shown(sweep, "throughput") == [154, 265, 314, 324]
    assert never_feasible(sweep)


def test_a_public_sweep_with_power_beside_files_that_state_no_concurrency(shared_evidence: Path) -> None:
    sweep = of(sorted((shared_evidence / "aiperf" / "llama_2025-11").iterdir()))

    assert [point.at for point in sweep.points] == [1, 4]
    assert shown(sweep, "throughput") == pytest.approx([48.94, 187.80], abs=0.01)
    assert shown(sweep, "energy") == pytest.approx([6.061, 1.580], abs=0.001)
    assert "not_in_sweep" in codes(sweep)
    assert never_feasible(sweep)
