"""Real results and the real logs of power beside them: the numbers that their submitters and we arrive at."""

from fractions import Fraction
from pathlib import Path

import pytest

from analysis import evidence
from analysis.companions import Companion
from analysis.evidence.format import Document
from analysis.metering import Metering
from analysis.reading import Reading
from analysis.run_energy import RunEnergy
from tests.analysis.joined import beside, of_ours
from tests.analysis.run_energies import of, why

SAMPLES = Metering("samples")
RANGE = Metering("samples", between="range", floor=Fraction(10), cap=Fraction(700))
RESULTS = "mlperf-loadgen/v4.1_NVIDIA/H200-SXM-141GBx8_TRT_MaxQ"
POWER = "mlperf-power/v4.1_NVIDIA_MaxQ"


def read(path: Path) -> Reading:
    return evidence.read(Document(path.read_bytes(), path.name), None)


def log(path: Path, clock: str = "") -> Companion:
    return Companion(path.name, f"sha-{path.name}", read(path), "", clock)


def of_submission(folder: Path, name: str, metric: str, result: str = "mlperf_log_detail.txt") -> RunEnergy:
    run = beside(read(folder / RESULTS / name / result), log(folder / POWER / name / "spl.txt"))
    return of(run, SAMPLES, metric)


def test_resnet_offline_takes_its_energy_of_the_window_and_not_of_the_whole_log(real_evidence: Path) -> None:
    found = of_submission(real_evidence, "resnet50_Offline", "energy_per_sample")

    assert (found.samples, found.window_s) == (653, 652.603)
    assert round(found.devices[0].mean_watts or 0, 2) == 4954.03
    assert round(found.joules or 0) == 3233016
    assert found.value == pytest.approx(8.906e-3, abs=5e-7)


def test_llama2_server_takes_its_energy_of_its_completed_samples_and_tokens(real_evidence: Path) -> None:
    each = of_submission(real_evidence, "llama2-70b-99_Server", "energy_per_sample")
    token = of_submission(real_evidence, "llama2-70b-99_Server", "energy_per_output_token")

    assert round(each.devices[0].mean_watts or 0, 2) == 6280.21
    assert each.window_s == pytest.approx(2500.05, abs=0.005)
    assert each.value == pytest.approx(79.14, abs=0.005)
    assert token.value == pytest.approx(0.2717, abs=5e-5)


def test_a_summary_does_not_say_when_power_was_measured(real_evidence: Path) -> None:
    found = of_submission(real_evidence, "resnet50_Offline", "energy_per_sample", "mlperf_log_summary.txt")

    assert why(found) == "no_window"


def test_the_log_of_another_run_does_not_cover_the_window(real_evidence: Path) -> None:
    run = beside(
        read(real_evidence / RESULTS / "resnet50_Offline/mlperf_log_detail.txt"),
        log(real_evidence / POWER / "llama2-70b-99_Server/spl.txt"),
    )
    found = of(run, SAMPLES, "energy")

    assert why(found) == "window_not_covered"
    assert found.problem is not None
    assert "652.603 of its 652.603 s are not covered" in found.problem.message


def test_the_gaps_of_a_real_log_of_nvidia_smi_are_counted_with_the_longest(real_evidence: Path) -> None:
    power = log(real_evidence / "nvidia-smi/rtx4090_gpu_log.csv", clock="UTC")
    run = of_ours(power, started_at="2026-01-03T15:36:54Z", ended_at="2026-01-03T16:24:53Z")
    found, bounded = of(run, SAMPLES, "energy"), of(run, RANGE, "energy")

    assert why(found) == "power_gaps"
    assert found.problem is not None
    assert "gaps between samples (84, the longest of 7.311 s)" in found.problem.message
    assert [(one.gaps, one.longest_gap_s) for one in bounded.devices] == [(84, 7.311)]
