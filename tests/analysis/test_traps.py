"""Comparisons of public files that are easily misread. The files stand beside the checkout; without them: skipped."""

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from analysis.assess import AssessmentResult, LabelledRun, assess
from analysis.evidence import read
from analysis.evidence.format import Document
from tests.analysis.props import a_plan, a_request, codes

TOKENS = ("requests_completed", "input_tokens", "output_tokens")


def labelled(path: Path, arm: Any, label: str, *, key: str | None = None, placement: str = "host") -> LabelledRun:
    """A run of a real file: its only one, or the one named by its key."""
    reading = read(Document(path.read_bytes(), "/".join(path.parts[-3:])), None)
    [run] = [run for run in reading.runs if key in (None, run.key)]
    return LabelledRun(
        run, reading, f"{path.name}-{label}", label, arm, "", placement, placement_verified=False, excluded=""
    )


def of_files(paths: list[Path], arm: Any, **where: Any) -> list[LabelledRun]:
    return [labelled(path, arm, f"{arm[0]}{i}", **where) for i, path in enumerate(paths)]


def a_throughput(runs: list[LabelledRun], **changes: Any) -> AssessmentResult:
    plan = {
        "metric": "output_throughput", "stat": "rate", "better": "higher", "margin": Fraction("0.98"),
        "required": TOKENS, "varied": ("deployment",), "tolerances": {"output_tokens": Fraction("0.005")},
    }  # fmt: skip
    return assess(a_request(runs, a_plan(**{**plan, **changes})))


def fixed_load(evidence: Path) -> list[LabelledRun]:
    folder = evidence / "vllm-bench-serve" / "llmd_exp7"
    baseline = sorted(folder.glob("*vllm-2replicas*"))
    candidate = sorted(folder.glob("*llm-d-1p1d*"))
    assert len(baseline) == len(candidate) == 3
    return [*of_files(baseline, "baseline"), *of_files(candidate, "candidate")]


def test_equal_throughput_at_a_fixed_offered_load_says_nothing(shared_evidence: Path) -> None:
    result = a_throughput(fixed_load(shared_evidence))

    assert result.estimate is not None
    assert result.estimate.value == pytest.approx(1.0, abs=0.002)
    assert {p.label: round(p.value or 0, 2) for p in result.runs if p.arm == "candidate"} == {
        "c0": 698.50, "c1": 698.83, "c2": 693.81,
    }  # fmt: skip
    assert result.refusal is not None
    assert (result.outcome, result.refusal.code) == ("withheld", "rate_limited")
    assert "rate_limited" not in codes(result.notices)
    assert result.ladder_rung == 0
    assert not [row for row in result.audit if row.blocks]


def test_two_hundred_requests_allow_no_claim_about_p99(shared_evidence: Path) -> None:
    result = a_throughput(
        fixed_load(shared_evidence), metric="ttft", stat="p99", better="lower", margin=Fraction("1.1")
    )

    assert result.refusal is not None
    assert (result.outcome, result.refusal.code) == ("refused", "quantile_not_estimable")


def test_unpinned_sampling_makes_the_work_differ(shared_evidence: Path) -> None:
    path = shared_evidence / "vllm-bench-serve" / "appended_results_2025-05_deployments.json"
    reading = read(Document(path.read_bytes(), path.name), None)
    tokens = {
        run.key: s.value for run in reading.runs for s in reading.settings_of(run.key) if s.name == "output_tokens"
    }
    first, second, third = (next(k for k, v in tokens.items() if v == n) for n in ("80945", "82608", "81393"))
    for other in (second, third):
        result = a_throughput([labelled(path, "baseline", "b", key=first), labelled(path, "candidate", "c", key=other)])
        row = next(row for row in result.audit if row.setting == "output_tokens")
        assert result.refusal is not None
        assert (result.outcome, result.refusal.code, row.blocks) == ("not_comparable", "work_mismatch", True)


def test_one_run_per_arm_of_raw_requests_has_no_interval_and_shows_its_tokens(shared_evidence: Path) -> None:
    folder = shared_evidence / "lmbench-request-csv" / "exp-0"
    runs = [
        *of_files([folder / "vllm-70b" / "qps_1.34.csv"], "baseline"),
        *of_files([folder / "baseline-llm-d-70b" / "qps_1.34.csv"], "candidate"),
    ]
    result = a_throughput(runs, metric="ttft", stat="median", better="lower", margin=Fraction("1.1"))

    # Medians are observed values; halfway between the two middle requests lie 4.463 and 1.116.
    assert [round(p.value or 0, 3) for p in result.runs] == [4.461, 1.069]
    assert result.refusal is not None
    assert (result.outcome, result.refusal.code, result.interval) == ("refused", "too_few_runs", None)
    row = next(row for row in result.audit if row.setting == "output_tokens")
    assert (row.state, row.baseline, row.candidate) == ("differs", ("54608",), ("54578",))
    assert (row.blocks, row.greatest_effect) == (False, Fraction(54608, 54578))


def test_new_hardware_speaks_for_these_two_systems_only(shared_evidence: Path) -> None:
    folder = shared_evidence / "mlperf-training" / "v4.1_Dell_llama2_70b_lora"
    arms = {"baseline": "XE9680x8H100-SXM-80GB", "candidate": "XE9680x8H200-SXM-141GB"}
    runs = [
        run
        for arm, system in arms.items()
        for run in of_files(sorted((folder / system).glob("result_*.txt")), arm, placement=system)
    ]
    varied = (
        "submission_platform", "gradient_accumulation_steps", "opt_learning_rate_training_steps",
        "opt_base_learning_rate", "samples",
    )  # fmt: skip
    plan = {
        "metric": "time_to_train", "stat": "value", "better": "lower", "margin": Fraction("1.02"),
        "required": ("global_batch_size",), "varied": varied, "hardware_varied": True,
    }  # fmt: skip
    result = a_throughput(runs, **plan)
    values = {arm: [p.value or math.nan for p in result.runs if p.arm == arm] for arm in arms}

    means = {arm: math.fsum(v) / len(v) for arm, v in values.items()}
    assert means == {"baseline": pytest.approx(1653.49, abs=0.01), "candidate": pytest.approx(1413.59, abs=0.01)}
    assert result.interval is not None
    assert result.interval.lo < 1413.59 / 1653.49 < result.interval.hi
    assert result.interval.frame.scope == "these two systems only"
    assert "one_system_per_arm" in codes(result.notices)
    assert result.verdict is not None
    assert result.verdict.direction == "improvement_established"
    assert result.ladder_rung == 1
    assert a_throughput(runs, **{**plan, "hardware_varied": False}).refusal.code == "arm_confounded_with_placement"  # type: ignore[union-attr]
