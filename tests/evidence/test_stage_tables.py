"""Files of several formats as tables of the times of stages."""

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from analysis import evidence
from analysis.errors import UnknownFormat
from analysis.evidence import stage_tables, traces
from analysis.evidence.format import Document
from analysis.evidence.stage_tables import RunTable
from tests.evidence import make

ROCPROF = """"Name","Calls","TotalDurationNs","AverageNs","Percentage","MinNs","MaxNs","StdDev"
"gemm<float>(float*)",4,4000000,1000000.0,80.0,900000,1100000,1000.0
"rcclAllReduce",2,600000,300000.0,12.0,300000,300000,0.0
"hipLaunchKernel",6,300000,50000.0,6.0,50000,50000,0.0
"hipStreamSynchronize",1,100000,100000.0,2.0,100000,100000,0.0
"""
NSYS = """Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),{0}
75.0,3000,3,1000.0,1000.0,1000,1000,0.0,one
25.0,1000,1,1000.0,1000.0,1000,1000,0.0,[CUDA memcpy HtoD]
"""


def tables(content: str, name: str = "x") -> list[RunTable]:
    found = traces.runs_in(io.BytesIO(content.encode()), name)
    return [one for one in found if isinstance(one, RunTable)]


def measured(rows: Sequence[Mapping[str, Any]], **run: Any) -> str:
    return json.dumps(
        {"countersign": "measurements/1", "runs": [{"run": "r1", "measurements": list(rows)} | run]}
    )  # fmt: skip


def row(stage: str, values: Sequence[float], metric: str = "step_time", **more: Any) -> dict[str, Any]:
    return {"metric": metric, "unit": "ms", "stage": stage, "values": list(values)} | more


def seconds(found: RunTable) -> dict[str, list[float]]:
    return {name: times.tolist() for name, times in found.content.stages.items()}


def test_measurements_of_stages_are_a_table_in_their_order() -> None:
    [found] = tables(measured([row("load", [1, 2]), row("forward", [3, 4]), row("", [5, 7])]))

    assert (found.key, found.rank, found.leniences) == ("r1", "", ())
    assert seconds(found) == {"load": [0.001, 0.002], "forward": [0.003, 0.004]}
    assert list(found.content.stages) == ["load", "forward"]
    assert found.content.whole.tolist() == [0.005, 0.007]
    assert not found.content.marked


def test_warmup_is_left_out_and_known_to_be_marked() -> None:
    [found] = tables(measured([row("load", [9], phase="warmup"), row("load", [1, 2])]))

    assert seconds(found) == {"load": [0.001, 0.002]}
    assert found.content.marked


def test_a_mean_of_the_tool_stands_where_there_are_no_repetitions() -> None:
    mean = {"metric": "step_time", "unit": "s", "stage": "load", "stat": "mean", "value": 2}

    [found] = tables(measured([mean, row("forward", [3])]))

    assert seconds(found) == {"load": [2.0], "forward": [0.003]}


@pytest.mark.parametrize(
    ("metrics", "taken"), [(("layer_time", "step_time"), "step_time"), (("z_time", "a_time"), "a_time")]
)
def test_of_several_metrics_with_stages_one_is_taken(metrics: tuple[str, str], taken: str) -> None:
    [found] = tables(measured([row(metric, [1], metric) for metric in metrics]))

    assert list(found.content.stages) == [taken]


@pytest.mark.parametrize(
    "rows",
    [
        [row("", [1])],
        [row("rank 0", [1]), row("gpu1", [1])],
        [{"metric": "power", "unit": "W", "stage": "load", "value": 5}],
        [{"metric": "step_time", "unit": "s", "stage": "load", "stat": "p99", "value": 5}],
        [{"metric": "kernel_time", "unit": "s", "stat": "total", "value": 5}],
    ],
)
def test_times_of_no_stage_are_no_table(rows: list[dict[str, Any]]) -> None:
    with pytest.raises(UnknownFormat, match="tables of the times of stages"):
        tables(measured(rows))


def test_a_format_without_stages_has_no_table() -> None:
    reading = evidence.read(Document(json.dumps(make.hyperfine()).encode(), "x.json"))

    assert stage_tables.tables_in(reading) == ()


def test_a_run_that_failed_has_no_table() -> None:
    with pytest.raises(UnknownFormat):
        tables(measured([row("load", [1])], status="failed", reason="It crashed."))


def test_statistics_of_rocprof_are_a_table_by_name_with_the_stages_of_the_path() -> None:
    [found] = tables(ROCPROF)

    assert {name: times[0] for name, times in found.content.stages.items()} == pytest.approx(
        {"host launch": 3e-4, "compute": 4e-3, "communication": 6e-4, "synchronisation": 1e-4}
    )
    assert list(found.content.stages) == ["host launch", "compute", "communication", "synchronisation"]
    assert list(found.content.calls["gemm<float>(float*)"]) == pytest.approx([4, 4e-3])


@pytest.mark.parametrize(
    ("column", "stages"),
    [
        ("Name", {"compute": 3e-6, "memory": 1e-6}),
        ("Range", {"host operators": 4e-6}),
        ("Operation", {"memory": 4e-6}),
    ],
)
def test_summaries_of_nsys_are_tables_by_name(column: str, stages: dict[str, float]) -> None:
    [found] = tables(NSYS.format(column))

    assert {name: times[0] for name, times in found.content.stages.items()} == pytest.approx(stages)


def test_counters_are_no_table() -> None:
    with pytest.raises(UnknownFormat):
        tables("Kernel_Name,Counter_Name,Counter_Value\ngemm,SQ_WAVES,5\n")


def test_the_tables_of_a_training_log_name_its_stages() -> None:
    log = "[2023-06-21 07:39:09,443] [INFO] [logging.py:96:log_dist] [Rank 0] rank=0 time (ms) | {}\n"
    [found] = tables("".join(log.format(f"forward: {n}.5 | backward: 2.25") for n in range(1, 4)))

    assert seconds(found) == {"forward": [0.0015, 0.0025, 0.0035], "backward": [0.00225] * 3}
    assert set(traces.TABLES) == {*stage_tables.STAGES_OF, *stage_tables.NAMES_OF}
