"""vLLM and SGLang result files: what the golden cases do not show."""

import json

import pytest

from analysis.errors import MalformedEvidence
from analysis.measurements import Measurement
from analysis.reading import Reading
from tests.evidence import make

HEADER = "prompt_tokens,generation_tokens,ttft,generation_time,launch_time,finish_time"


def found(reading: Reading, metric: str, stat: str = "value") -> list[Measurement]:
    return [m for m in reading.measurements if (m.metric, m.stat) == (metric, stat)]


def test_a_run_that_lost_requests_in_silence_says_how_many() -> None:
    reading = make.read(make.vllm(completed=3, failed=..., num_prompts=4))

    assert (reading.runs[0].attempted, reading.runs[0].failed) == (4, 1)
    assert any("3 of 4 requests" in notice for notice in reading.notices)


def settings(reading: Reading) -> dict[str, str]:
    return {setting.name: setting.value for setting in reading.settings}


def test_the_model_is_the_setting_that_templates_ask_for() -> None:
    assert settings(make.read(make.vllm(model_id="acme/tiny")))["model"] == "acme/tiny"


def test_a_model_id_beside_a_field_model_keeps_its_own_name() -> None:
    stated = settings(make.read(make.vllm(model_id="acme/tiny", model="tiny-v2")))

    assert (stated["model_id"], stated["model"]) == ("acme/tiny", "tiny-v2")


def test_more_completed_than_asked_for_leaves_the_failures_unknown() -> None:
    assert make.read(make.vllm(completed=5, failed=..., num_prompts=4)).runs[0].failed is None


@pytest.mark.parametrize("rate", ["inf", None, "trace"])
def test_a_load_without_a_rate_is_not_called_limited(rate: object) -> None:
    assert not any("offered" in notice for notice in make.read(make.vllm(request_rate=rate)).notices)


def test_a_rate_within_a_millionth_of_work_over_duration_is_no_notice() -> None:
    reading = make.read(make.vllm(output_throughput=16.0 * (1 + 5e-7)))

    assert not any("work / duration" in notice for notice in reading.notices)


def test_a_rate_two_millionths_off_is_a_notice_by_its_place() -> None:
    reading = make.read(make.vllm(output_throughput=16.0 * (1 + 2e-6)))

    assert [n for n in reading.notices if n.startswith("x.json:output_throughput")]


def test_a_rate_of_work_that_the_file_does_not_tell_is_taken_as_it_is() -> None:
    reading = make.read(make.vllm(total_input_tokens=..., total_output_tokens=None))

    assert [m.value for m in found(reading, "output_throughput", "rate")] == [16.0]
    assert [m.n for m in found(reading, "total_token_throughput", "rate")] == [None]


def test_a_zero_where_nothing_was_measured_is_no_number() -> None:
    [tpot] = found(make.read(make.vllm(mean_tpot_ms=0.0)), "tpot", "mean")

    assert (tpot.value, tpot.reason, tpot.original) == (
        None,
        "the tool writes 0 or null when nothing was measured",
        "0.0",
    )


def test_no_goodput_is_told_from_a_goodput_of_zero() -> None:
    reasons = [
        found(make.read(make.vllm(request_goodput=value)), "request_goodput", "rate")[0].reason for value in (None, 0)
    ]

    assert reasons == ["no goodput objective was given", "no request met the goodput objective"]


def test_lists_of_requests_that_differ_in_length_are_refused() -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(make.detailed(ttfts=[0.5]))

    assert refusal.value.code == "lengths_differ"


def test_the_latency_of_the_tool_is_preferred_to_a_sum_of_gaps() -> None:
    reading = make.read(make.detailed(latencies=[1.25, 0.25, 0.0, 0.0]))

    assert [(m.value, m.original) for m in found(reading, "e2e_latency")] == [
        (1.25, "1.25"), (0.25, "0.25"), (None, "0.0"), (None, "null"),
    ]  # fmt: skip
    assert [m.value for m in found(reading, "tpot")] == [0.25, None, None]


def test_without_an_error_list_a_request_without_times_is_no_number() -> None:
    reading = make.read(make.detailed(errors=..., start_times=..., queue_times=...))

    assert [m.value for m in found(reading, "e2e_latency")] == [1.0, 0.25, 0.875, None]
    assert [m.started_ns for m in found(reading, "ttft")] == [None] * 4


def test_a_response_in_one_piece_has_no_time_per_token() -> None:
    reading = make.read(make.detailed(itls=[[], [], [], []]))

    first = found(reading, "tpot")[0]
    assert (first.value, first.reason) == (None, "the tool writes 0 or null when nothing was measured")


def test_lists_without_times_give_what_they_have() -> None:
    reading = make.read(make.detailed(itls=..., ttfts=..., output_lens=..., errors=[None, None, None, None]))

    assert len(found(reading, "input_tokens")) == 4
    assert found(reading, "e2e_latency") == found(reading, "tpot") == found(reading, "ttft") == []


def test_latencies_without_tokens_give_no_time_per_token() -> None:
    reading = make.read(make.detailed(output_lens=...))

    assert len(found(reading, "e2e_latency")) == 4
    assert found(reading, "tpot") == []


def test_gaps_without_a_first_token_give_no_end_to_end_time() -> None:
    assert found(make.read(make.detailed(ttfts=..., errors=...)), "e2e_latency") == []


def test_a_failed_request_without_gaps_is_reported_once() -> None:
    reading = make.read(make.detailed(itls=..., ttfts=..., latencies=[1, 1, 1, 0]))

    assert [m.reason for m in found(reading, "e2e_latency")][3] == "the request failed: connection reset"


def test_runs_with_the_same_date_but_no_number_are_all_counted() -> None:
    assert len(make.read([make.vllm(), make.vllm()]).runs) == 2


def test_an_empty_list_is_no_result() -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read([], "vllm-bench-serve")

    assert refusal.value.code == "no_runs"


def test_a_result_that_is_no_object_is_refused_by_its_place() -> None:
    with pytest.raises(MalformedEvidence, match=r"^x\.json:\[1\]: ") as refusal:
        make.read([make.vllm(), 3], "vllm-bench-serve")

    assert refusal.value.code == "not_an_object"


def test_a_run_without_any_rate_is_refused() -> None:
    rates = dict.fromkeys(("request_throughput", "output_throughput", "total_token_throughput"), ...)

    with pytest.raises(MalformedEvidence) as refusal:
        make.read(make.vllm(**rates), "vllm-bench-serve")

    assert (refusal.value.code, refusal.value.where) == ("missing", "x.json:request_throughput")


def test_a_run_that_does_not_say_how_long_it_took_is_read_and_not_checked() -> None:
    reading = make.read(make.vllm(duration=..., completed=..., output_throughput=21.0))

    assert [m.value for m in found(reading, "output_throughput", "rate")] == [21.0]
    assert [m.n for m in found(reading, "ttft", "p99")] == [None]
    assert "The file does not say how long the run took: its rates cannot be checked." in reading.notices
    assert not any("work / duration" in notice for notice in reading.notices)


def test_a_start_in_epoch_seconds_is_the_start_of_the_run_and_identity() -> None:
    moments = {"benchmark_start_time_unix": 1700000000.25, "benchmark_end_time_unix": 1700000002.5}
    reading = make.read(make.vllm(**moments))

    assert (reading.runs[0].started_ns, reading.runs[0].ended_ns) == (
        1_700_000_000_250_000_000,
        1_700_000_002_500_000_000,
    )
    assert {s.role for s in reading.settings if s.name in moments} == {"identity"}


def test_a_start_that_no_clock_shows_is_refused() -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(make.vllm(benchmark_start_time_unix=1e18))

    assert refusal.value.code == "not_a_time"


def test_a_run_without_requests_still_has_its_settings() -> None:
    reading = make.read(make.vllm(completed=0, failed=..., num_prompts=..., request_rate=2))

    assert (reading.runs[0].status, reading.runs[0].attempted) == ("failed", None)
    assert {m.value for m in reading.measurements if m.metric in ("ttft", "request_throughput")} == {None}


@pytest.mark.parametrize(
    ("name", "tried"),
    [
        ("sglang_0415_9_random.jsonl", 9),
        ("sglang_0415_3_random.jsonl", None),
        ("a_4.0_1_9.jsonl", 9),
        ("a_5.0_1_9.jsonl", None),
        ("results.jsonl", None),
    ],
)
def test_the_number_of_requests_is_taken_from_a_name_that_fits(name: str, tried: int | None) -> None:
    assert make.read(make.sglang(), name=f"runs/{name}").runs[0].attempted == tried


def test_a_name_tells_nothing_when_the_rate_is_no_number() -> None:
    assert make.read(make.sglang(request_rate="trace"), name="a_4.0_1_9.jsonl").runs[0].attempted is None


def test_plain_server_information_is_kept_as_it_is() -> None:
    settings = {s.name: s.value for s in make.read(make.sglang(server_info="unavailable")).settings}

    assert settings["server_info"] == "unavailable"


def test_an_sglang_run_that_was_cut_off_is_left_out() -> None:
    text = json.dumps(make.sglang()) + "\n" + json.dumps(make.sglang())[:300]

    reading = make.read(text)

    assert (len(reading.runs), reading.leniences) == (1, ("the file is cut off: its last value was left out",))


def test_a_request_table_outside_of_folders_has_no_directory() -> None:
    reading = make.read(f"{HEADER}\n1,1,0.5,1,10,12\n", name="LMBench_sharegpt_output_0.5.csv")

    assert {s.name: s.value for s in reading.settings if s.role != "work"} == {"request_rate": "0.5", "duration": "2.0"}
