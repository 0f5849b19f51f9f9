"""Traps 3, 7, 9, 10, 12 and 14 with every number that the design states and that the files at hand hold."""

import re
import statistics
from pathlib import Path

import pytest

from analysis.reading import Reading
from tests.evidence import real
from tests.evidence.test_audit_traps import TITAN, both, compared, refusal, rows, runs_of

CONC = "vllm-bench-serve/inferencex_gptoss120b/conc_{}.json"
SWEEP = {
    4: (459.2, 988), 8: (929.0, 312), 16: (1725.6, 688), 32: (2985.6, 1554), 64: (5002.6, 685), 128: (8368.3, 1515),
    256: (13975.9, 1579), 512: (22534.2, 2245),
}  # fmt: skip
"""Concurrency -> output tokens a second, p99 of the time to the first token in ms."""
RERUNS = ("214", "215", "216", "217", "221", "223", "229", "231", "234", "242", "243", "245")
"""Runs of one config, by their number."""
SUMMARY = "mlperf-loadgen/v4.1_NVIDIA/H200-SXM-141GBx8_{}/llama2-70b-99_Server/mlperf_log_summary.txt"
PAIRS = ("001_cnode2-002", "001_cnode2-003", "002_cnode2-008", "003_cnode2-008")


def stated(reading: Reading, name: str) -> str:
    [value] = [s.value for s in reading.settings_of("0") if s.name == name]
    return value


def rate(folder: Path, path: str, metric: str) -> float:
    return real.value_at(real.read(folder, path), f"0 {metric} rate -") or 0


@pytest.mark.parametrize("concurrency", SWEEP)
def test_trap_7_every_point_of_the_sweep_has_its_throughput_its_tail_and_its_own_work(
    real_evidence: Path, concurrency: int
) -> None:
    reading = real.read(real_evidence, CONC.format(concurrency))
    tokens, tail = SWEEP[concurrency]

    assert real.value_at(reading, "0 output_throughput rate -") == pytest.approx(tokens, abs=0.05)
    assert 1000 * (real.value_at(reading, "0 ttft p99 -") or 0) == pytest.approx(tail, abs=0.5)
    assert stated(reading, "num_prompts") == stated(reading, "requests_completed") == str(10 * concurrency)
    assert stated(reading, "max_concurrency") == str(concurrency)


def test_trap_7_the_tail_is_not_monotone_and_no_two_points_are_a_pair(real_evidence: Path) -> None:
    tails = [tail for _, tail in SWEEP.values()]
    assert tails != sorted(tails)

    for one, other in zip(list(SWEEP), list(SWEEP)[1:], strict=False):
        result = compared(*both(real_evidence, CONC.format(one), CONC.format(other)), varied=("max_concurrency",))
        assert refusal(result) == ("not_comparable", "work_mismatch")
        assert [round(point.value or 0, 1) for point in result.runs] == [SWEEP[one][0], SWEEP[other][0]]
        assert (rows(result)["requests_completed"].baseline, rows(result)["requests_completed"].candidate) == (
            (str(10 * one),), (str(10 * other),),
        )  # fmt: skip


def titan(folder: Path, number: str) -> str:
    [found] = [p for p in (folder / TITAN).iterdir() if p.name.startswith(f"run{number}-")]
    return f"{TITAN}/{found.name}"


def test_trap_9_reruns_of_one_config_differ_by_themselves(real_evidence: Path) -> None:
    medians, losses = {}, {}
    for number in RERUNS:
        reading = real.read(real_evidence, titan(real_evidence, number))
        per_device = reading.measurements.only(metric="token_throughput_per_device", kind="raw").measured()
        medians[number] = statistics.median(per_device.values.tolist())
        losses[number] = reading.measurements.only(metric="loss").values[0]
        assert stated(reading, "local_batch_size") == "160"

    assert (min(medians.values()), max(medians.values())) == (9922.5, 10319)
    assert [round(losses[number], 4) for number in ("214", "215", "221")] == [12.5453, 12.4205, 12.3824]
    assert len(set(losses.values())) == len(RERUNS)


def test_trap_9_the_noise_of_the_baseline_itself_is_judged_and_its_loss_laid_to_nothing(real_evidence: Path) -> None:
    halves = [
        runs_of(real_evidence, arm, *(titan(real_evidence, number) for number in numbers))
        for arm, numbers in (("baseline", RERUNS[::2]), ("candidate", RERUNS[1::2]))
    ]

    result = compared(*halves, metric="token_throughput_per_device", stat="median", tolerances={})

    assert not [row.setting for row in result.audit if row.blocks and row.role == "work"]
    [said] = [notice.sentence for notice in result.notices if notice.code == "losses_differ"]
    assert re.search(r"The losses of b .* differ at step 1: ", said)
    assert "The baseline's own runs" in said
    assert "They start apart: nothing later can be laid to the change alone." in said


@pytest.mark.parametrize(
    ("number", "setting", "values"),
    [
        ("218", "local_batch_size", ("160", "161")),
        ("230", "global_batch_size", ("1280", "640")),
        ("230", "parallelism", ("dp_shard=8, cp=1, tp=1", "dp_shard=4, cp=1, tp=2")),
    ],
)
def test_trap_9_another_batch_and_another_parallelism_are_no_reruns(
    real_evidence: Path, number: str, setting: str, values: tuple[str, str]
) -> None:
    arms = both(real_evidence, titan(real_evidence, "214"), titan(real_evidence, number))

    result = compared(*arms, metric="token_throughput_per_device", stat="median")

    assert result.outcome == "not_comparable"
    row = rows(result)[setting]
    assert row.blocks
    assert values[0] in row.baseline[0]
    assert values[1] in row.candidate[0]


def test_trap_10_the_losses_part_at_the_third_step(real_evidence: Path) -> None:
    path = "training-step-log/bigscience_megatron/meg_ds_3d_gpt2_perf_n16-ds-{}.out"

    result = compared(*both(real_evidence, path.format("off"), path.format("on")), metric="step_time", stat="mean")

    [said] = [notice.sentence for notice in result.notices if notice.code == "losses_differ"]
    assert "are equal in the first 2 steps, and differ at step 3: 44.24266 and 41.03157" in said


@pytest.mark.parametrize(("model", "step", "apart"), [("llama3", 1, (1e-5, 8e-4)), ("qwen3_moe", 1, (0.056, 0.058))])
def test_trap_10_two_devices_start_apart_by_a_little_or_by_much(
    real_evidence: Path, model: str, step: int, apart: tuple[float, float]
) -> None:
    arms = both(real_evidence, *(f"step-loss-text/torchtitan_{model}_{on}.txt" for on in ("cuda", "rocm_mi350x")))

    [said] = [n.sentence for n in compared(*arms, metric="loss", stat="mean").notices if n.code == "losses_differ"]

    [found] = re.findall(r"differ at step (\d+): .*, (\S+) apart", said)
    assert int(found[0]) == step
    assert apart[0] <= float(found[1]) <= apart[1]


def test_trap_12_the_scheduled_load_and_the_tokens_follow_the_target(real_evidence: Path) -> None:
    found = {
        arm: [rate(real_evidence, SUMMARY.format(arm), metric) for metric in ("offered_rate", "output_throughput")]
        for arm in ("TRT", "TRT_MaxQ", "TRT_Triton")
    }
    targets = {arm: stated(real.read(real_evidence, SUMMARY.format(arm)), "target_qps") for arm in found}

    assert found["TRT"] == pytest.approx([101.25, 29228], abs=0.5)
    assert found["TRT_MaxQ"] == pytest.approx([80.10, 23113], abs=0.5)
    assert found["TRT_Triton"] == pytest.approx([104.11, 30128], abs=0.5)
    assert {arm: round(float(target)) for arm, target in targets.items()} == {
        "TRT": 101, "TRT_MaxQ": 80, "TRT_Triton": 104,
    }  # fmt: skip


def test_trap_12_with_another_target_nothing_is_judged(real_evidence: Path) -> None:
    for other, targets in (("TRT_MaxQ", ("101", "80")), ("TRT_Triton", ("101", "103.9"))):
        arms = both(real_evidence, SUMMARY.format("TRT"), SUMMARY.format(other))
        result = compared(*arms, metric="output_throughput")
        row = rows(result)["target_qps"]

        assert refusal(result) == ("not_comparable", "setting_differs")
        assert (*row.baseline, *row.candidate) == targets
        assert result.interval is None


@pytest.mark.parametrize("pair", PAIRS)
def test_trap_14_the_average_over_all_sizes_is_no_number_of_a_run_and_each_size_is_one(
    real_evidence: Path, pair: str
) -> None:
    path = f"nccl-tests/pairwise/nccl_N2_G1_cnode2-{pair}.log"
    reading = real.read(real_evidence, path)
    text = (real_evidence / path).read_text()
    averages = {float(value) for value in re.findall(r"Avg bus bandwidth\s*:\s*([\d.]+)", text)}

    sizes = {s.run: s.value for s in reading.settings if s.name == "bytes"}
    speeds = reading.measurements.only(metric="busbw").measured().values

    assert averages
    assert not averages & {round(float(value) / 1e9, 4) for value in speeds}
    assert len(sizes) == len(reading.runs) > 1


def test_trap_14_one_size_of_two_logs_is_compared_and_two_sizes_are_not(real_evidence: Path) -> None:
    logs = [f"nccl-tests/pairwise/nccl_N2_G1_cnode2-{pair}.log" for pair in PAIRS[:2]]
    first, second = [run.key for run in real.read(real_evidence, logs[0]).runs][:3:2]

    same, other = (
        compared(
            runs_of(real_evidence, "baseline", logs[0], keys=(first,)),
            runs_of(real_evidence, "candidate", logs[1], keys=(key,)),
            metric="busbw",
        )
        for key in (first, second)
    )

    assert refusal(same) == ("refused", "too_few_runs")
    assert refusal(other) == ("not_comparable", "work_mismatch")
    assert rows(other)["bytes"].blocks


@pytest.mark.parametrize(
    ("arm", "parallel", "requests", "tokens", "throughput"),
    [
        ("triton", 2, "500", "367735", 2178),
        ("aiter", 2, "1000", "749165", 2075),
        ("rocm", 2, "1000", "749165", 2060),
        ("aiter", 1, "1000", "749165", 1225),
        ("rocm", 1, "1000", "749165", 1223),
        ("triton", 1, "1000", "749165", 1335),
    ],
)
def test_trap_3_every_arm_has_its_work_and_its_throughput(
    real_evidence: Path, arm: str, parallel: int, requests: str, tokens: str, throughput: int
) -> None:
    path = f"vllm-bench-throughput/attn_backend_2026-05/{arm}/Qwen_Qwen3.5-9B_tp{parallel}.json"
    reading = real.read(real_evidence, path)

    assert (stated(reading, "requests_completed"), stated(reading, "tokens")) == (requests, tokens)
    assert rate(real_evidence, path, "total_token_throughput") == pytest.approx(throughput, abs=0.5)
