"""Comparisons that mislead, with the numbers that the real files hold. The reading must bring them out as they are."""

import statistics
from math import ceil
from pathlib import Path

import pytest

from analysis.reading import Reading
from tests.evidence import real

EXP7 = "vllm-bench-serve/llmd_exp7/H100_{arm}_benchmark_2025-05-13_{time}.json"
PREFILL_DECODE = ("04-37-51", "04-43-11", "04-47-20")
REPLICAS = ("04-55-27", "04-59-44", "05-03-46")
LORA = "mlperf-training/v4.1_Dell_llama2_70b_lora/XE9680x8{gpu}/result_{i}.txt"
LMBENCH = "lmbench-request-csv/exp-0/{arm}/qps_1.34.csv"


def work(reading: Reading, run: str = "0") -> dict[str, str]:
    return {s.name: s.value for s in reading.settings_of(run) if s.role == "work"}


def raw(reading: Reading, metric: str) -> list[float]:
    return sorted(m.value for m in reading.measurements if m.metric == metric and m.kind == "raw" and m.value)


def nearest_rank(ordered: list[float], share: float) -> float:
    return ordered[ceil(share * len(ordered)) - 1]


@pytest.mark.parametrize(
    ("arm", "times", "throughputs", "p99"),
    [
        ("llm-d-1p1d", PREFILL_DECODE, [698.50, 698.83, 693.81], [267.2, 507.4, 267.4]),
        ("vllm-2replicas", REPLICAS, [696.60, 700.15, 694.17], [261.7, 527.2, 262.0]),
    ],
)
def test_arms_at_a_fixed_offered_load_have_equal_throughput_and_one_outlier_each(
    real_evidence: Path, arm: str, times: tuple[str, ...], throughputs: list[float], p99: list[float]
) -> None:
    readings = [real.read(real_evidence, EXP7.format(arm=arm, time=time)) for time in times]

    assert [real.value_at(r, "0 output_throughput rate -") for r in readings] == pytest.approx(throughputs, abs=0.005)
    assert [1000 * (real.value_at(r, "0 ttft p99 -") or 0) for r in readings] == pytest.approx(p99, abs=0.05)
    for reading in readings:
        done = work(reading)
        assert (done["requests_completed"], done["output_tokens"], done["input_tokens"]) == ("200", "40000", "1599800")
        assert any("offered at 3.6 requests/s" in notice for notice in reading.notices)


def test_the_second_pair_at_a_fixed_load_says_so_too(real_evidence: Path) -> None:
    arms = {
        "llm-d-2p1d": ("05-00-45", "05-03-34", "05-05-10"),
        "vllm-3replicas": ("05-23-51", "05-25-19", "05-26-45"),
    }
    found = {
        arm: [
            real.value_at(real.read(real_evidence, EXP7.format(arm=arm, time=t)), "0 output_throughput rate -")
            for t in ts
        ]
        for arm, ts in arms.items()
    }

    assert found["llm-d-2p1d"] == pytest.approx([531.87, 536.33, 531.00], abs=0.005)
    assert found["vllm-3replicas"] == pytest.approx([537.65, 530.58, 535.55], abs=0.005)


def test_sampling_that_is_not_pinned_shows_in_the_work(real_evidence: Path) -> None:
    reading = real.read(real_evidence, "vllm-bench-serve/appended_results_2025-05_deployments.json")
    deployments = {s.run: s.value for s in reading.settings if s.name == "deployment"}

    tokens = [work(reading, run)["output_tokens"] for run in ("0", "3", "6")]

    assert [deployments[run] for run in ("0", "3", "6")] == ["no-features", "base", "kvcache"]
    assert tokens == ["80945", "82608", "81393"]


@pytest.mark.parametrize(
    ("arm", "generated", "median", "p99"),  # p99: the nearest rank, and interpolated as most tools do
    [
        ("vllm-70b", "54608", 4.463, (30.546, 30.374)),
        ("baseline-llm-d-70b", "54578", 1.116, (20.846, 20.809)),
        ("lmcache-llm-d-70b", "54406", 0.273, (3.919, 3.825)),
    ],
)
def test_nearly_the_same_work_request_by_request(
    real_evidence: Path, arm: str, generated: str, median: float, p99: tuple[float, float]
) -> None:
    reading = real.read(real_evidence, LMBENCH.format(arm=arm))
    ttft = raw(reading, "ttft")
    settings = {s.name: (s.value, s.source) for s in reading.settings}

    assert work(reading) == {"requests_completed": "252", "input_tokens": "289221", "output_tokens": generated}
    assert len(ttft) == 252
    assert statistics.median(ttft) == pytest.approx(median, abs=0.0005)
    interpolated = statistics.quantiles(ttft, n=100, method="inclusive")[98]
    assert (nearest_rank(ttft, 0.99), interpolated) == pytest.approx(p99, abs=0.0005)
    assert settings["request_rate"] == ("1.34", "file name")
    assert settings["directory"] == (arm, "directory name")


@pytest.mark.parametrize(
    ("gpu", "mean", "sd", "modes"),
    [("H100-SXM-80GB", 1653.49, 90.90, (1609, 1826)), ("H200-SXM-141GB", 1413.59, 86.73, (1360, 1540))],
)
def test_ten_replicates_have_two_modes(
    real_evidence: Path, gpu: str, mean: float, sd: float, modes: tuple[int, int]
) -> None:
    readings = [real.read(real_evidence, LORA.format(gpu=gpu, i=i)) for i in range(10)]
    times = [real.value_at(reading, "0 time_to_train value -") or 0 for reading in readings]
    seeds = {s.value for reading in readings for s in reading.settings if s.name == "seed"}

    assert statistics.mean(times) == pytest.approx(mean, abs=0.01)
    assert statistics.stdev(times) == pytest.approx(sd, abs=0.01)
    assert {min(modes, key=lambda mode: abs(mode - time)) for time in times} == set(modes)
    assert all(min(abs(mode - time) for mode in modes) < 15 for time in times)
    assert len(seeds) == 10


def test_all_requests_failed_is_no_excellent_latency(real_evidence: Path) -> None:
    reading = real.read(real_evidence, "awkward/vllm_all_requests_failed_v0.25.1.json")

    assert (reading.runs[0].status, reading.runs[0].attempted, reading.runs[0].failed) == ("failed", 8, 8)
    assert {m.value for m in reading.measurements} == {None}


def test_requests_that_were_lost_in_silence_are_counted(real_evidence: Path) -> None:
    path = "sglang-bench-serving/dlora_maf1/static/sglang_sglang_trace_azure_v1_8.0_1_800.jsonl"

    run = real.read(real_evidence, path).runs[0]

    assert (run.attempted, run.failed) == (800, 3)


def stated(reading: Reading, name: str) -> list[str]:
    return [s.value for s in reading.settings if s.name == name]


def test_half_the_requests_show_in_the_work_beside_a_like_throughput(real_evidence: Path) -> None:
    path = "vllm-bench-throughput/attn_backend_2026-05/{arm}/Qwen_Qwen3.5-9B_tp2.json"
    found = {arm: real.read(real_evidence, path.format(arm=arm)) for arm in ("triton", "aiter", "rocm")}

    assert {arm: work(reading)["requests_completed"] for arm, reading in found.items()} == {
        "triton": "500",
        "aiter": "1000",
        "rocm": "1000",
    }
    assert {arm: work(reading)["tokens"] for arm, reading in found.items()}["triton"] == "367735"
    rates = [real.value_at(reading, "0 total_token_throughput rate -") for reading in found.values()]
    assert rates == pytest.approx([2178, 2075, 2060], abs=0.5)


def test_two_console_reports_at_one_rate_served_different_work(real_evidence: Path) -> None:
    path = "vllm-bench-serve-text/{arm}/meta-llama_Meta-Llama-3.1-8B-Instruct_tp1_qps4.0_latency.json"
    found = [work(real.read(real_evidence, path.format(arm=arm))) for arm in ("amd-r9700-rocm_atten", "amd-r9700")]

    assert [(w["requests_completed"], w["output_tokens"]) for w in found] == [("720", "152105"), ("719", "150640")]


def test_a_batch_sweep_of_trtexec_is_in_images_per_second(real_evidence: Path) -> None:
    reading = real.read(real_evidence, "trtexec/jetson/ResNet50_N2/raw.txt")
    rates = [m.value for m in reading.measurements if m.metric == "throughput"]

    assert stated(reading, "batch_size") == ["1", "4", "8", "16", "32", "64", "128"]
    assert rates == pytest.approx([318.8, 595.3, 700.4, 717.7, 775.9, 848.2, 508.7], abs=0.06)


def test_another_backend_came_with_another_build_and_another_batch(real_evidence: Path) -> None:
    path = "llama-bench/kyuz0_2026-08/{arm}/Qwen3.6-35B-A3B-UD-Q4_K_XL__curve-generation__ub{ub}.jsonl"
    found = [
        real.read(real_evidence, path.format(arm=a, ub=ub)) for a, ub in (("rocm-7.2.4", 2048), ("vulkan-radv", 1024))
    ]

    assert [real.value_at(reading, "0 tg128 mean -") for reading in found] == pytest.approx([53.36, 62.76], abs=0.005)
    assert [stated(reading, "build_commit") for reading in found] == [["ddd4ec142"], ["1c3c9674d"]]
    assert [stated(reading, "n_ubatch") for reading in found] == [["2048"], ["1024"]]


def test_zero_queries_are_no_latency_though_the_log_says_passed(real_evidence: Path) -> None:
    reading = real.read(real_evidence, "trtexec/superbench/tensorrt_inference.1.log")

    assert (reading.runs[0].status, reading.runs[0].reason) == ("failed", "the timing trace has 0 queries")
    assert not reading.measurements
