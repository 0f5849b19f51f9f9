"""What the golden cases of the newer parsers do not show: refusals by their place, and what is no such file."""

import pytest

from analysis.errors import AnalysisError, MalformedEvidence, UnknownFormat
from tests.evidence import make

RANKED = "{}:\n duration: {} sec\n algo throughput: 1.0000 bps, 1.0000 Gbps\n busbw: 64.0000  Gbps\n"
CASES = "output_throughput,mean_ttft,mean_tpot,benchmark_duration\n{},{},125 ms,96 s\n"
LAYER = '{"a": {"forward_ms": %s, "backward_ms": 9.5, "max_regression_ratio": 1.02}}'
BATCHES = "Format,Caffe\n ,Throughput,Latency(Mean)\n"


def refused(content: object, form: str | None = None) -> tuple[str, str]:
    try:
        make.read(content, form, "x")
    except (MalformedEvidence, UnknownFormat) as refusal:
        return refusal.code, refusal.where
    return "", ""


@pytest.mark.parametrize("time", ["fast", "1e999", "-1", "0"])
def test_a_time_of_an_all_reduce_that_is_none_is_named_by_its_line(time: str) -> None:
    assert refused(RANKED.format(0, 0.5) + RANKED.format(1, time))[1] == "x:6"


def test_a_time_of_no_rank_is_refused() -> None:
    assert refused(RANKED.format(0, 0.5) + " duration: 0.5 sec\n") == ("missing", "x:5")


def test_an_all_reduce_without_a_trial_is_refused() -> None:
    assert refused("0 data size: 4.0 GB\n", "all-reduce-bench") == ("no_runs", "x")


def test_a_bandwidth_of_no_rank_is_passed_over() -> None:
    reading = make.read(RANKED.format(0, 0.5) + " busbw: 32.0000  Gbps\n", None, "x")

    assert [m.metric for m in reading.measurements] == ["latency", "busbw"]
    assert not any(setting.name == "payload" for setting in reading.settings)


@pytest.mark.parametrize(
    ("cell", "code"), [("463", "unknown_unit"), ("463 furlongs", "unknown_unit"), ("fast tokens / s", "not_a_number")]
)
def test_a_cell_of_a_serving_case_needs_its_number_and_its_unit(cell: str, code: str) -> None:
    assert refused(CASES.format(cell, "61911 ms")) == (code, "x:2.output_throughput")


def test_a_serving_case_that_measured_nothing_has_no_number() -> None:
    reading = make.read(CASES.format("4 tokens / s", "nan ms"), None, "x")

    assert [(m.metric, m.value) for m in reading.measurements][1] == ("ttft", None)


@pytest.mark.parametrize(("time", "code"), [("0", "not_positive"), ('"7"', "not_a_number"), ("1e999", "not_finite")])
def test_a_time_of_a_layer_is_named_by_its_case(time: str, code: str) -> None:
    assert refused(LAYER % time) == (code, "x:a.forward_ms")


def test_a_layer_without_a_time_is_refused() -> None:
    content = '{"a": {"backward_ms": 9.5, "max_regression_ratio": 1.02}}'

    assert refused(content) == ("missing", "x:a.forward_ms")


def test_a_table_of_batches_without_a_row_is_refused() -> None:
    assert refused(BATCHES) == ("no_runs", "x")


def test_a_batch_that_is_no_number_is_named_by_its_cell() -> None:
    assert refused(BATCHES + "Batch: 1,many qps,3.1 ms\n") == ("not_a_number", "x:3.Throughput")


@pytest.mark.parametrize(
    ("content", "code", "where"),
    [
        (
            '{"byCategory": {"name": "a", "metrics": {"time": -1}, "children": []}}',
            "negative",
            "byCategory.metrics.time",
        ),
        ('{"byCategory": {"name": "a", "children": [3]}}', "not_an_object", "byCategory.children[0]"),
        ('{"podStatsSequence": {"podStatsMap": 3}}', "not_a_list", "podStatsSequence.podStatsMap"),
    ],
)
def test_a_profile_that_is_none_is_named_by_its_place(content: str, code: str, where: str) -> None:
    assert refused(content) == (code, f"x:{where}")


@pytest.mark.parametrize(
    "content", ['{"byCategory": {"name": "a", "children": []}}', '{"podStatsSequence": {"podStatsMap": []}}']
)
def test_a_profile_without_a_time_is_refused(content: str) -> None:
    assert refused(content) == ("no_runs", "x")


def test_a_row_of_a_trainer_without_a_number_is_refused() -> None:
    assert refused("{'loss': 'high', 'epoch': 1.0}\n") == ("no_runs", "x")


@pytest.mark.parametrize(
    ("row", "code"), [("'eval_runtime': -1.5", "negative"), ("'train_runtime': 1e999", "not_finite")]
)
def test_a_time_of_a_trainer_that_is_none_is_named_by_its_line(row: str, code: str) -> None:
    name = row.split("'")[1]

    assert refused(f"{{'loss': 2.5, 'epoch': 0.5}}\n{{{row}, 'epoch': 1.0}}\n") == (code, f"x:2.{name}")


def test_a_row_of_a_trainer_whose_quotes_do_not_match_is_named_as_not_read() -> None:
    reading = make.read("{'loss': 2.5, 'epoch': 0.5}\n{'loss': 2.5', 'epoch': 1.0}\n", None, "x")

    assert len(reading.measurements) == 1
    assert reading.notices[-1] == "Not read: rows whose quotes do not match."


def test_an_epoch_that_is_no_number_is_named_by_its_line() -> None:
    assert refused("{'loss': 2.5, 'epoch': 1.2.3}\n") == ("not_a_number", "x:1.epoch")


@pytest.mark.parametrize(
    "more",
    [
        "[Rank 0] rank=0 time (ms) | forward: 27.41 | backward: 73.44 | step: 72.82\n",
        " iteration 1/ 9 | elapsed time per iteration (ms): 1000.5 |\n",
        ':::MLLOG {"key": "run_start", "time_ms": 1, "value": null}\n',
    ],
)
def test_rows_of_a_trainer_in_the_log_of_another_tool_are_left_to_its_format(more: str) -> None:
    try:
        form = make.read("{'loss': 2.5, 'epoch': 0.5}\n" + more, None, "x").format
    except AnalysisError as refusal:
        form = refusal.code

    assert form not in ("trainer-log", "ambiguous_format")


@pytest.mark.parametrize(
    "content", ["dtype: auto\n", "dtype: auto\nname: a\n", "max-num-seqs: 8\ndtype: auto\n- a\n", "\n"]
)
def test_a_yaml_file_that_holds_more_than_options_of_vllm_is_unknown(content: str) -> None:
    with pytest.raises(UnknownFormat):
        make.read(content, None, "x")


def test_a_log_of_trtexec_whose_command_is_lost_keeps_the_place_of_its_version() -> None:
    log = make.text("trtexec/explicit.log")
    [first, *rest] = log.split("\n")
    reading = make.read("\n".join([first.split(" # ")[0] + " #", *rest]), None, "x")

    assert all(setting.where for setting in reading.settings)
