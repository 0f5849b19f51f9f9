"""Trainings that mislead, with the numbers that the real files hold. The reading must bring them out as they are."""

from pathlib import Path
from statistics import median

import pytest

from analysis.reading import Reading
from tests.evidence import real

TITAN = "training-step-log/torchtitan_qwen3-14b_b200"
MEGATRON = "training-step-log/bigscience_megatron/meg_ds_3d_gpt2_perf_n16-ds-{}.out"
LOSSES = "step-loss-text/torchtitan_{}.txt"


def series(reading: Reading, metric: str) -> list[float]:
    return [m.value for m in reading.measurements if m.metric == metric and m.value is not None]


def test_reruns_of_one_configuration_differ_from_the_first_step_on(real_evidence: Path) -> None:
    paths = sorted(p for p in (real_evidence / TITAN).iterdir() if "rerun" in p.name or "run214" in p.name)
    readings = [real.read(real_evidence, str(p.relative_to(real_evidence))) for p in paths]

    rates = [median(series(reading, "token_throughput_per_device")) for reading in readings]
    assert min(rates) > 9900
    assert max(rates) < 10320
    assert len({series(reading, "loss")[0] for reading in readings}) == len(readings) == 10


def test_a_changed_batch_is_seen_in_the_settings(real_evidence: Path) -> None:
    [path] = (p for p in (real_evidence / TITAN).iterdir() if p.name.startswith("run218"))
    reading = real.read(real_evidence, str(path.relative_to(real_evidence)))

    assert {s.name: s.value for s in reading.settings}["local_batch_size"] == "161"


def test_the_first_divergence_is_at_the_third_iteration(real_evidence: Path) -> None:
    off, on = (real.read(real_evidence, MEGATRON.format(word)) for word in ("off", "on"))

    assert series(off, "loss")[:3] == [12.44238, 12.44502, 44.24266]
    assert series(on, "loss")[:3] == [12.44238, 12.44502, 41.03157]


def test_losses_of_two_machines_are_close_and_of_two_starts_are_not(real_evidence: Path) -> None:
    cuda, rocm = (
        series(real.read(real_evidence, LOSSES.format(name)), "loss") for name in ("llama3_cuda", "llama3_rocm_mi350x")
    )
    other, started = (
        series(real.read(real_evidence, LOSSES.format(name)), "loss")
        for name in ("qwen3_moe_cuda", "qwen3_moe_rocm_mi350x")
    )

    assert max(abs(a / b - 1) for a, b in zip(cuda[:10], rocm[:10], strict=True)) < 8e-4
    assert started[0] / other[0] - 1 == pytest.approx(0.057, abs=0.001)


def test_a_checkpoint_is_the_beginning_of_the_final_state(real_evidence: Path) -> None:
    whole = real.read(real_evidence, "trainer-state/whisper_ja_trainer_state.json")
    checkpoint = real.read(real_evidence, "trainer-state/whisper_ja_last-checkpoint_trainer_state.json")

    assert series(checkpoint, "loss") == series(whole, "loss")
    assert (series(checkpoint, "train_runtime"), series(whole, "train_runtime")) == ([], [77350.9963])


def test_gaps_in_a_power_log_are_said(real_evidence: Path) -> None:
    reading = real.read(real_evidence, "nvidia-smi/rtx4090_gpu_log.csv")

    assert any("the longest of 7.311 s" in notice for notice in reading.notices)


def test_two_scrapes_tell_what_was_done_between_them(real_evidence: Path) -> None:
    idle, loaded = (real.read(real_evidence, f"prometheus/vllm_0.25.1_{word}.txt") for word in ("idle", "loaded"))
    tokens = "0 vllm_generation_tokens_total total -"

    assert (real.value_at(idle, tokens), real.value_at(loaded, tokens)) == (0.0, 165293.0)
    assert real.value_at(loaded, "0 e2e_latency mean -") == pytest.approx(1.6654, abs=5e-5)
