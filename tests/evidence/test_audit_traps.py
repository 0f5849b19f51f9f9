"""Pairs of real files that mislead, compared as somebody would on the command line: what the audit makes of them."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from analysis.assess import AssessmentResult, LabelledRun, assess
from analysis.work import AuditRow
from tests.analysis.props import a_plan, a_request
from tests.evidence import real

TOKENS = {"output_tokens": Fraction("0.005")}
TITAN = "training-step-log/torchtitan_qwen3-14b_b200"


def runs_of(folder: Path, arm: Any, *paths: str, keys: tuple[str, ...] = ()) -> list[LabelledRun]:
    """The runs of these files, all of one arm; only those of the keys, when keys are given."""
    found = []
    for path in paths:
        reading = real.read(folder, path)
        for run in reading.runs:
            label = f"{arm[0]} {path} {run.key}"
            if not keys or run.key in keys:
                found.append(
                    LabelledRun(run, reading, path, label, arm, "", "host", placement_verified=False, excluded="")
                )
    return found


def both(folder: Path, baseline: str, candidate: str) -> tuple[list[LabelledRun], list[LabelledRun]]:
    """The runs of a file for each arm."""
    return runs_of(folder, "baseline", baseline), runs_of(folder, "candidate", candidate)


def compared(baseline: list[LabelledRun], candidate: list[LabelledRun], **changes: Any) -> AssessmentResult:
    plan = {
        "metric": "output_throughput", "stat": "rate", "better": "higher", "margin": Fraction("0.98"), "varied": (),
        "required": (), "tolerances": TOKENS,
    }  # fmt: skip
    return assess(a_request([*baseline, *candidate], a_plan(**{**plan, **changes})))


def rows(result: AssessmentResult) -> dict[str, AuditRow]:
    return {row.setting: row for row in result.audit}


def refusal(result: AssessmentResult) -> tuple[str, str]:
    assert result.refusal is not None
    return result.outcome, result.refusal.code


@pytest.mark.parametrize(
    ("baseline", "candidate"), [("vllm-2replicas", "llm-d-1p1d"), ("vllm-3replicas", "llm-d-2p1d")]
)
def test_trap_1_equal_work_at_a_fixed_load_is_the_same_and_says_nothing(
    real_evidence: Path, baseline: str, candidate: str
) -> None:
    folder = real_evidence / "vllm-bench-serve" / "llmd_exp7"
    arms = [
        runs_of(real_evidence, arm, *sorted(str(p.relative_to(real_evidence)) for p in folder.glob(f"*_{name}_*")))
        for arm, name in (("baseline", baseline), ("candidate", candidate))
    ]

    result = compared(*arms)

    assert refusal(result) == ("withheld", "rate_limited")
    assert {row.setting for row in result.audit if row.role == "work" and row.state == "same"} == {
        "input_tokens", "output_tokens", "requests_completed",
    }  # fmt: skip
    assert rows(result)["request_rate"].state == "same"
    assert not [row for row in result.audit if row.blocks]
    assert refusal(compared(*arms, metric="ttft", stat="p99", better="lower", margin=Fraction("1.1"))) == (
        "refused", "quantile_not_estimable",
    )  # fmt: skip


def test_trap_3_half_the_requests_are_other_work_and_the_way_out_is_as_much(real_evidence: Path) -> None:
    path = "vllm-bench-throughput/attn_backend_2026-05/{}/Qwen_Qwen3.5-9B_tp2.json"
    arms = both(real_evidence, path.format("triton"), path.format("aiter"))

    result = compared(*arms, metric="total_token_throughput")

    assert refusal(result) == ("not_comparable", "work_mismatch")
    assert (rows(result)["requests_completed"].baseline, rows(result)["requests_completed"].candidate) == (
        ("500",),
        ("1000",),
    )
    assert (rows(result)["tokens"].baseline, rows(result)["tokens"].candidate) == (("367735",), ("749165",))
    assert result.refusal is not None
    assert result.refusal.needs.endswith("is per unit of work already, so run both arms with the same amount of it.")


def test_trap_3_the_same_thousand_requests_are_the_same_work_of_one_run(real_evidence: Path) -> None:
    path = "vllm-bench-throughput/attn_backend_2026-05/{}/Qwen_Qwen3.5-9B_tp1.json"
    arms = both(real_evidence, path.format("triton"), path.format("rocm"))

    result = compared(*arms, metric="total_token_throughput")

    assert refusal(result) == ("refused", "too_few_runs")
    assert rows(result)["requests_completed"].baseline == ("1000",)


def test_trap_4_two_reports_at_one_rate_served_other_work(real_evidence: Path) -> None:
    path = "vllm-bench-serve-text/{}/meta-llama_Meta-Llama-3.1-8B-Instruct_tp1_qps4.0_latency.json"
    arms = both(real_evidence, path.format("amd-r9700-rocm_atten"), path.format("amd-r9700"))

    result = compared(*arms)

    assert refusal(result) == ("not_comparable", "work_mismatch")
    tokens = rows(result)["output_tokens"]
    assert (tokens.baseline, tokens.candidate, tokens.blocks) == (("152105",), ("150640",), True)


@pytest.mark.parametrize(
    ("other", "moved", "total"),
    [("baseline-llm-d-70b", "0.1429 %", "0.05497 %"), ("lmcache-llm-d-70b", "0.4044 %", "0.3713 %")],
)
def test_trap_5_the_same_prompts_and_nearly_the_same_answers(
    real_evidence: Path, other: str, moved: str, total: str
) -> None:
    path = "lmbench-request-csv/exp-0/{}/qps_1.34.csv"
    arms = both(real_evidence, path.format("vllm-70b"), path.format(other))

    result = compared(*arms, metric="ttft", stat="median", better="lower", margin=Fraction("1.1"))

    assert refusal(result) == ("refused", "too_few_runs")
    assert rows(result)["input_tokens_per_request"].state == "same"
    assert f"differs by {total} between the extremes" in rows(result)["output_tokens"].sentence
    lengths = rows(result)["output_tokens_per_request"]
    assert (lengths.state, lengths.blocks) == ("differs", False)
    assert f"differs by {moved} of the tokens" in lengths.sentence


def test_trap_9_the_changed_batch_is_other_work(real_evidence: Path) -> None:
    names = sorted(str(p.relative_to(real_evidence)) for p in (real_evidence / TITAN).iterdir())
    arms = both(real_evidence, *(next(name for name in names if mark in name) for mark in ("run214", "run218")))

    result = compared(*arms, metric="token_throughput_per_device", stat="median")

    assert result.outcome == "not_comparable"
    batch = rows(result)["local_batch_size"]
    assert (batch.candidate, batch.blocks) == (("161",), True)


def test_trap_13_two_things_were_changed(real_evidence: Path) -> None:
    path = "llama-bench/kyuz0_2026-08/{}/Qwen3.6-35B-A3B-UD-Q4_K_XL__curve-generation__ub{}.jsonl"
    arms = [
        runs_of(real_evidence, arm, path.format(name, ub), keys=("0",))
        for arm, name, ub in (("baseline", "rocm-7.2.4", 2048), ("candidate", "vulkan-radv", 1024))
    ]

    result = compared(*arms, metric="tg128", stat="mean", varied=("backends",))

    assert refusal(result) == ("not_comparable", "setting_differs")
    assert {"build_commit", "n_ubatch"} <= {row.setting for row in result.audit if row.blocks}
    assert rows(result)["backends"].state == "differs_as_declared"


def test_a_batch_sweep_says_where_more_images_a_batch_are_fewer_a_second(real_evidence: Path) -> None:
    path = "trtexec/jetson/ResNet50_N2/raw.txt"
    keys = [run.key for run in real.read(real_evidence, path).runs]
    arms = (
        runs_of(real_evidence, "baseline", path, keys=(keys[5],)),
        runs_of(real_evidence, "candidate", path, keys=(keys[6],)),
    )

    result = compared(*arms, metric="throughput", stat="rate", varied=("batch_size",))

    assert rows(result)["batch_size"].state == "differs_as_declared"
    assert "throughput_falls_with_batch" in {notice.code for notice in result.notices}


def test_two_tools_are_not_compared(real_evidence: Path) -> None:
    arms = (
        runs_of(real_evidence, "baseline", "vllm-bench-serve/bench_serve_v0.25.1.json"),
        runs_of(real_evidence, "candidate", "sglang-bench-serving/h200_llama_405b_online_output.jsonl", keys=("0",)),
    )

    row = rows(compared(*arms))["measured_by"]
    assert (row.baseline, row.candidate, row.blocks) == (("vllm-bench-serve",), ("sglang-bench-serving",), True)


def test_trap_7_two_points_of_a_sweep_are_no_pair(real_evidence: Path) -> None:
    path = "vllm-bench-serve/inferencex_gptoss120b/conc_{}.json"

    result = compared(*both(real_evidence, path.format(4), path.format(8)), varied=("max_concurrency",))

    assert refusal(result) == ("not_comparable", "work_mismatch")
    assert [round(point.value or 0, 1) for point in result.runs] == [459.2, 929.0]
    assert rows(result)["requests_completed"].blocks


def test_trap_12_another_target_load_is_no_like_for_like(real_evidence: Path) -> None:
    path = "mlperf-loadgen/v4.1_NVIDIA/H200-SXM-141GBx8_{}/llama2-70b-99_Server/mlperf_log_summary.txt"

    for other in ("TRT_MaxQ", "TRT_Triton"):
        result = compared(*both(real_evidence, path.format("TRT"), path.format(other)), metric="output_throughput")
        assert refusal(result) == ("not_comparable", "setting_differs")
        assert rows(result)["target_qps"].blocks


def test_trap_14_bandwidths_of_two_sizes_are_not_compared(real_evidence: Path) -> None:
    path = "nccl-tests/pairwise/nccl_N2_G1_cnode2-001_cnode2-002.log"
    first, second = [run.key for run in real.read(real_evidence, path).runs][:3:2]
    arms = [runs_of(real_evidence, arm, path, keys=(key,)) for arm, key in (("baseline", first), ("candidate", second))]

    result = compared(*arms, metric="busbw")

    assert refusal(result) == ("not_comparable", "work_mismatch")
    assert rows(result)["bytes"].blocks
