"""The public bug reports of the specification of formats that concern reading, by number, and what tests each."""

import importlib

import pytest

from tests.evidence import make

BLOCK = (
    "============ Serving Benchmark Result ============\nSuccessful requests: 8\nMean TPOT (ms): {}\n"
    "Mean ITL (ms): {}\n==================================================\n"
)
REPORTS = {
    "2 a peak throughput below the mean": "public_reports:a_peak_below_the_mean_is_said",
    "4 gaps shorter than the time per token": "public_reports:chunks_that_hold_several_tokens_are_said",
    "5 fewer tokens than asked for": "serving:lists_of_requests_that_differ_in_length_are_refused",
    "9 requests that failed among the details": "serving:a_failed_request_without_gaps_is_reported_once",
    "10 a deviation that older versions lack": "serving_formats:a_deviation_of_one_iteration_is_no_spread",
    "12 tokens counted twice": "traps:sampling_that_is_not_pinned_shows_in_the_work",
    "15 nanoseconds and thousands separators": "awkward:an_awkward_file_is_read_for_what_it_is",
    "17 a p99 of eight requests": "serving_formats:a_p99_says_no_more_than_the_maximum_below_a_hundred_samples",
    "18 rows in the order of throughput": "triton_family:rows_in_the_order_of_the_load_need_no_word_about_it",
    "19 batches or images": "engine_benches:queries_are_samples_or_batches",
    "20 what a latency of benchmark_app is": "engine_benches:a_percentile_on_the_console_of_benchmark_app_is_read",
    "21 mean and median": "logs_and_timers:the_mean_in_the_file_is_not_read",
    "22 the breakdown of DeepSpeed": "training_logs:a_step_that_takes_no_time_is_named_by_its_line",
    "23 -nan and a sentinel": "awkward:a03_numbers_of_c_that_are_none_are_read_as_that_and_memtier_is_unknown",
    "24 a share without quotes": "awkward:an_awkward_file_that_cannot_be_read_is_refused_by_its_place",
    "25 lines that are no JSON, and paths": "llama_bench:what_stands_beside_the_json_may_say_that_it_broke",
    "26 traces that are no JSON": "traces:a_bad_trace_is_refused_by_its_place",
    "27 times as texts, and durations that overflow": "traces:leniences_are_named",
    "28 kernels that were never stamped": "awkward:an_awkward_file_is_read_for_what_it_is",
    "29 energy and power that disagree": "triton_family:power_and_energy_that_agree_are_given_without_a_warning",
    "30 power and its window": "mlperf_inference:the_power_in_the_window_of_the_work_is_not_that_of_the_whole_file",
    "31 an infinite summary": "awkward:a27_a_summary_that_is_invalid_is_no_evidence",
    "32 encodings of shells": "recognition:a_case_that_a_shell_has_encoded_anew_reads_the_same",
    "33 a loss that is no number": "public_reports:a_loss_that_is_no_number_stays_visible",
}  # fmt: skip


@pytest.mark.parametrize("report", REPORTS)
def test_a_report_has_its_test(report: str) -> None:
    module, _, name = REPORTS[report].partition(":")

    assert callable(getattr(importlib.import_module(f"tests.evidence.test_{module}"), f"test_{name}"))


def test_a_peak_below_the_mean_is_said() -> None:
    usual, odd = make.read(make.vllm()), make.read(make.vllm(max_output_tokens_per_s=1.0))

    assert [sum("peak" in notice for notice in reading.notices) for reading in (usual, odd)] == [0, 1]


@pytest.mark.parametrize(("gap", "bundled"), [("40.0", False), ("12.5", True)])
def test_chunks_that_hold_several_tokens_are_said(gap: str, bundled: bool) -> None:
    reading = make.read(BLOCK.format("50.0", gap), None, "x")

    assert any("several tokens come in one chunk" in notice for notice in reading.notices) is bundled


def test_a_loss_that_is_no_number_stays_visible() -> None:
    state = {"log_history": [{"step": 1, "loss": 2.5}, {"step": 2, "loss": float("nan")}]}
    [first, second] = make.read(state).measurements.only(metric="loss")

    assert (first.value, second.value, second.reason) == (2.5, None, "the file says NaN")
