"""AIPerf, genai-perf, perf_analyzer and Model Analyzer: what each says, and what it does not."""

import json

import pytest

from analysis.errors import MalformedEvidence
from tests.evidence import make
from tests.evidence.make import Fields

LATENCY = {"unit": "ms", "avg": 1500.0, "p99": 1900.0}


def aiperf(**fields: object) -> Fields:
    ordinary = {
        "request_latency": LATENCY,
        "benchmark_duration": {"unit": "sec", "avg": 8.0},
        "input_config": {"cli_command": "aiperf profile"},
    }
    return {key: value for key, value in (ordinary | fields).items() if value is not ...}


def gpu(uuid: str, **metrics: object) -> Fields:
    return {"gpus": {"gpu_0": {"gpu_uuid": uuid, "metrics": metrics}}}


def telemetry(**endpoints: object) -> Fields:
    return aiperf(telemetry_data={"endpoints": endpoints})


def lines(*records: object) -> str:
    return "\n".join(json.dumps(record) for record in records)


def request(metadata: Fields | None = None, metrics: Fields | None = None, **fields: object) -> Fields:
    ordinary = {"request_start_ns": 1_000_000_000, "request_end_ns": 2_000_000_000}
    latency = {"request_latency": {"value": 12.5, "unit": "ms"}}
    return {
        "metadata": {"x_request_id": "a"} | ordinary | (metadata or {}),
        "metrics": latency if metrics is None else metrics,
        "error": None,
    } | fields


def sample(**fields: object) -> Fields:
    return {
        "timestamp_ns": 1,
        "dcgm_url": "http://a",
        "gpu_uuid": "GPU-1",
        "telemetry_data": {"gpu_power_usage": 100.5},
    } | fields


POWER = {"unit": "W", "avg": 100.0}
ENERGY = {"unit": "MJ", "min": 1.0, "max": 1.0008}


def test_power_and_energy_that_agree_are_given_without_a_warning() -> None:
    reading = make.read(telemetry(a=gpu("GPU-1", gpu_power_usage=POWER, energy_consumption=ENERGY)))

    assert [(m.metric, m.value) for m in reading.measurements if m.unit in "WJ"] == [
        ("power", 100.0),
        ("energy", 800.0),
    ]
    assert not any("differ" in notice for notice in reading.notices)


def test_energy_is_given_where_power_is_not_known() -> None:
    reading = make.read(telemetry(a=gpu("GPU-1", energy_consumption=ENERGY)))

    assert [(m.metric, m.value) for m in reading.measurements if m.unit in "WJ"] == [("energy", 800.0)]


def test_gpus_are_added_but_a_part_is_not_the_whole() -> None:
    both = telemetry(
        a=gpu("GPU-1", gpu_power_usage=POWER, energy_consumption=ENERGY), b=gpu("GPU-2", gpu_power_usage=POWER)
    )

    reading = make.read(both)

    assert [(m.metric, m.value) for m in reading.measurements if m.unit in "WJ"] == [("power", 200.0)]


def test_gpus_without_ids_under_two_endpoints_are_not_added() -> None:
    reading = make.read(
        telemetry(a=gpu("GPU-0000-00", gpu_power_usage=POWER), b=gpu("GPU-0000-00", gpu_power_usage=POWER))
    )

    assert not [m for m in reading.measurements if m.unit in "WJ"]
    assert any("no ids of their own" in notice for notice in reading.notices)


def test_a_gpu_without_id_under_one_endpoint_is_one() -> None:
    reading = make.read(telemetry(a=gpu("GPU-0000", gpu_power_usage=POWER, energy_consumption=ENERGY | {"max": 1.0})))

    assert [(m.metric, m.value) for m in reading.measurements if m.unit in "WJ"] == [("power", 100.0)]


@pytest.mark.parametrize(
    ("metrics", "code"),
    [
        ({"gpu_power_usage": {"unit": "J", "avg": 100.0}}, "unit_mismatch"),
        ({"gpu_power_usage": {"unit": "W", "avg": -1.0}}, "negative"),
        ({"gpu_power_usage": {"avg": 1.0}}, "missing"),
    ],
)
def test_a_bad_value_of_a_gpu_is_refused(metrics: Fields, code: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(telemetry(a=gpu("GPU-1", **metrics)))

    assert refusal.value.code == code


def test_a_run_without_a_completed_request_is_failed_and_has_no_numbers() -> None:
    count = {"unit": "requests", "avg": 0.0}
    reading = make.read(
        aiperf(request_count=count, was_cancelled=True, error_summary=[{"error_details": {"type": "X"}}])
    )

    assert [(run.status, run.reason) for run in reading.runs] == [("failed", "no request was completed")]
    assert {m.value for m in reading.measurements} == {None}
    assert "Ended with an error, null times: X" in reading.notices


def test_the_requests_are_not_counted_where_the_file_does_not_count_them() -> None:
    reading = make.read(aiperf(error_request_count={"unit": "requests", "avg": 3.0}))

    assert (reading.runs[0].attempted, reading.runs[0].failed) == (None, 3)


@pytest.mark.parametrize(("done", "behind"), [(9.9, False), (9.0, True)])
def test_a_load_that_was_not_met_is_named(done: float, behind: bool) -> None:
    rate: Fields = {"request_throughput": {"unit": "requests/sec", "avg": done}}
    reading = make.read(aiperf(input_config={"loadgen": {"request_rate": 10}}, **rate))

    assert any("fell behind" in notice for notice in reading.notices) is behind


def test_two_exports_in_one_file_are_refused() -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(lines(aiperf(), aiperf()))

    assert refusal.value.code == "several_files"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"request_latency": LATENCY | {"avg": -1}}, "negative"),
        ({"request_latency": LATENCY | {"avg": "fast"}}, "not_a_number"),
        ({"min_request_timestamp": {"unit": "ns", "avg": 1e30}}, "not_a_time"),
        ({"request_latency": LATENCY | {"count": 1.5}}, "not_a_count"),
        ({"video_memory": {"unit": "GB", "avg": -1.0}}, "negative"),
        ({"power": {"unit": "MW", "avg": 1e308}}, "not_finite"),
    ],
)
def test_a_bad_statistic_is_refused(fields: Fields, code: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(aiperf(**fields))

    assert refusal.value.code == code


def test_a_table_without_a_metric_is_refused() -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read("Metric,avg,min,max,p1\n", name="x.csv")

    assert refusal.value.code == "no_runs"


def test_a_request_that_was_cancelled_without_an_error_is_failed() -> None:
    reading = make.read(lines(request({"was_cancelled": True})))

    assert [(run.status, run.failed) for run in reading.runs] == [("failed", 1)]
    assert [m.reason for m in reading.measurements] == ["the request was cancelled"]


@pytest.mark.parametrize("error", ["timeout", {"type": "timeout"}])
def test_the_reason_of_a_failed_request_is_its_error(error: object) -> None:
    reading = make.read(lines(request(), request(error=error)))

    assert [m.reason for m in reading.measurements if m.value is None] == ["the request failed: timeout"]


@pytest.mark.parametrize("metadata", [{"request_end_ns": None}, {"request_end_ns": 1_000_000_000}])
def test_no_rate_is_computed_where_the_end_is_not_known(metadata: Fields) -> None:
    reading = make.read(lines(request(metadata)))

    assert [m.metric for m in reading.measurements] == ["e2e_latency"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (request({"benchmark_phase": "cooldown"}), "unknown_phase"),
        (request({"benchmark_phase": 3}), "unknown_phase"),
        (request({"request_start_ns": -1}), "negative"),
        (request(metrics={"request_latency": {"unit": "ms"}}), "missing"),
        (request(metrics={"output_sequence_length": {"value": 1.5, "unit": "tokens"}}), "not_a_count"),
        (request(metrics={"request_latency": 12}), "not_an_object"),
    ],
)
def test_a_bad_request_is_refused(line: Fields, code: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(lines(line))

    assert refusal.value.code == code


def test_a_metric_without_a_unit_is_named_and_not_read() -> None:
    reading = make.read(lines(request(metrics={"speed": {"value": 1}, "request_latency": {"value": 1, "unit": "ms"}})))

    assert "Not read: speed." in reading.notices


def test_a_gpu_alone_has_no_stage() -> None:
    reading = make.read(lines(sample(), sample(timestamp_ns=2)))

    assert [(m.metric, m.stage, m.started_ns) for m in reading.measurements] == [("power", "", 1), ("power", "", 2)]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"telemetry_data": {"energy_consumption": -1}}, "negative"),
        ({"telemetry_data": {"energy_consumption": 1e308}}, "not_finite"),
        ({"gpu_uuid": None}, "not_text"),
        ({"telemetry_data": 7}, "not_an_object"),
    ],
)
def test_a_bad_sample_is_refused(fields: Fields, code: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(lines(sample(**fields)))

    assert refusal.value.code == code


def experiments(*requests: Fields) -> Fields:
    return {"experiments": [{"requests": list(requests)}]}


def test_a_response_before_its_request_is_refused() -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(experiments({"timestamp": 5, "response_timestamps": [5]}))

    assert refusal.value.code == "not_positive"


def test_a_raw_export_without_an_experiment_is_refused() -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read({"experiments": []}, "genai-perf")

    assert refusal.value.code == "no_runs"


def test_two_exports_of_genai_perf_in_one_file_are_refused() -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(lines(experiments({"timestamp": 5, "response_timestamps": [6]}), {}), "genai-perf")

    assert refusal.value.code == "several_files"


def test_a_table_that_is_cut_off_keeps_its_whole_rows() -> None:
    table = "Metric,avg,min,max,p99\nRequest Latency (ms),5,4,6,5.9\nTime To First Token (ms),8,7"

    reading = make.read(table, name="x.csv")

    assert {m.metric for m in reading.measurements} == {"e2e_latency"}
    assert [run.status for run in reading.runs] == ["partial"]


@pytest.mark.parametrize(
    ("table", "code"),
    [
        ("Metric,avg,min,max,p99\nRequest Latency (ms),5,4\nRequest Count,3,3,3,3\n", "ragged_row"),
        ('Metric,avg,min,max,p99\nRequest Latency (ms),"5"4,3,3,3\n', "malformed_csv"),
    ],
)
def test_a_broken_table_is_refused(table: str, code: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(table, "genai-perf", "x.csv")

    assert refusal.value.code == code


def test_no_table_at_all_is_refused() -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read("a,b\n1,2\n", "genai-perf", "x.csv")

    assert refusal.value.code == "no_header"


def test_a_column_that_stands_twice_is_numbered() -> None:
    reading = make.read("Metric;avg;min;max;p99;p99\nRequest Latency (ms);5,5;4;6;5;5\n", name="x.csv")

    assert next(m.value for m in reading.measurements) == 0.0055
    assert any("stands twice" in lenience for lenience in reading.leniences)


def test_blank_lines_between_and_after_the_tables_are_nothing() -> None:
    table = "Metric,avg,min,max,p99\nImages (images),5,4,6,5.9\n\n\nMetric,Value\nRequest Count,3\n\n"

    reading = make.read(table, name="x.csv")

    assert {(m.metric, m.stat) for m in reading.measurements} == {
        ("images", "mean"), ("images", "min"), ("images", "max"), ("images", "p99")
    }  # fmt: skip
    assert reading.notices == ()


def test_a_config_that_is_none_gives_no_settings() -> None:
    reading = make.read(aiperf(input_config=None), "aiperf")

    assert [setting.name for setting in reading.settings] == ["duration"]


def test_a_raw_export_needs_no_name_of_its_endpoint() -> None:
    reading = make.read(experiments({"timestamp": 5, "response_timestamps": [6]}))

    assert [setting.name for setting in reading.settings] == ["requests_completed"]


PERF = "Concurrency,Inferences/Second,Client Send,p50 latency\n"


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("x,1,1,1", "not_a_number"),
        ("1,0,1,1", "not_positive"),
        ("1,1,-1,1", "negative"),
        ("1,1,1,nan", "not_a_number"),
    ],
)
def test_a_bad_row_of_perf_analyzer_is_refused(row: str, code: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(f"{PERF}{row}\n", name="x.csv")

    assert refusal.value.code == code


def test_rows_in_the_order_of_the_load_need_no_word_about_it() -> None:
    reading = make.read(f"{PERF}1,5,1,1\n2,6,,\n", name="x.csv")

    assert [run.key for run in reading.runs] == ["2", "3"]
    assert [notice for notice in reading.notices if "sorted" in notice] == []


def test_a_table_of_model_analyzer_without_rows_is_refused() -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read("Model,Model Config Path,Satisfies Constraints,Throughput (infer/sec)\n", name="x.csv")

    assert refusal.value.code == "no_rows"


def test_a_bad_number_of_model_analyzer_is_named_by_its_place() -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read("Model,Model Config Path,Satisfies Constraints,GPU Memory Usage (MB)\na,b,Yes,-1\n", name="x.csv")

    assert refusal.value.where == "x.csv:2.GPU Memory Usage (MB)"


def over_runs(**metrics: object) -> Fields:
    return {"metadata": {"aggregation_type": "confidence", "num_profile_runs": 2}, "metrics": metrics}


def test_statistics_over_runs_that_list_none_of_them_are_refused() -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(over_runs(ttft_p99_ms={"mean": 152.5, "ci_low": 140.5, "ci_high": 165.5, "unit": "ms"}))

    assert refusal.value.code == "only_summaries"


def test_metrics_that_disagree_on_the_number_of_runs_are_refused() -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(over_runs(a={"per_run": [1], "unit": "ms"}, b={"per_run": [1, 2], "unit": "ms"}))

    assert refusal.value.code == "lengths_differ"
