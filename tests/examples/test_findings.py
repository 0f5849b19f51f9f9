"""What the analysis makes of the kept evidence: the numbers that the example's README states."""

import csv
import functools
import hashlib
import json
from datetime import datetime
from fractions import Fraction
from typing import Any

from analysis.assess import AssessmentRequest, AssessmentResult, ComparisonPlan, LabelledRun, Predicted, assess
from analysis.evidence import read
from analysis.evidence.format import Document
from examples.batch_policy import record
from reviews.memo_text.shipped import templates
from reviews.plan_content import PlanContent, PlannedComparison, plan_from_json

EVIDENCE = record.HERE / "evidence"


def plan() -> PlanContent:
    return plan_from_json(json.loads((record.HERE / "plan.json").read_text(encoding="utf-8")))


def required() -> tuple[str, ...]:
    template = next(t for t in templates() if t.slug == "batch-size-effects")
    return tuple(work.name for work in template.work_settings)


def labelled(row: dict[str, Any]) -> LabelledRun:
    content = (EVIDENCE / row["file"]).read_bytes()
    reading = read(Document(content, row["file"]), None)
    [run] = reading.runs
    return LabelledRun(
        run=run,
        reading=reading,
        artifact=hashlib.sha256(content).hexdigest(),
        label=run.key,
        arm=row["arm"],
        block=row["block"],
        placement=row["placement"],
        placement_verified=True,
        excluded="",
    )


@functools.cache
def runs() -> tuple[LabelledRun, ...]:
    with (EVIDENCE / "manifest.csv").open(encoding="utf-8", newline="") as file:
        return tuple(labelled(row) for row in csv.DictReader(file) if row["arm"])


def predictions() -> tuple[Predicted, ...]:
    return tuple(
        Predicted(
            key=planned.prediction.key,
            hypothesis=planned.hypothesis,
            metric=planned.prediction.metric,
            stat=planned.prediction.stat,
            low=Fraction(planned.prediction.low),
            high=Fraction(planned.prediction.high),
            registered_ns=int(datetime.fromisoformat(planned.prediction.registered_at).timestamp()) * 10**9,
        )
        for planned in plan().predictions
    )


def comparison_plan(planned: PlannedComparison) -> ComparisonPlan:
    return ComparisonPlan(
        metric=planned.metric,
        stat=planned.stat,
        better="higher" if planned.better == "higher" else "lower",
        scale="ratio",
        margin=Fraction(planned.margin),
        role=planned.role,
        varied=plan().varied,
        required=required(),
        tolerances={},
        warmup_steps=planned.warmup_steps,
        minimum_requests=1000 if planned.stat == "p99" else 0,
        hardware_varied=False,
        slo=None,
        match=planned.match,
        confidence=0.95,
        looks=plan().looks,
        look=1,
    )


def judged(key: str) -> AssessmentResult:
    [planned] = [comparison for comparison in plan().comparisons if comparison.key == key]
    return assess(AssessmentRequest(comparison_plan(planned), runs(), (), (), predictions()))


def interval(result: AssessmentResult) -> tuple[float, float, float]:
    found = result.interval
    assert found is not None
    return round(found.estimate, 3), round(found.lo, 3), round(found.hi, 3)


def judgements(result: AssessmentResult) -> dict[str, str]:
    return {j.key: j.outcome for j in result.judgements}


def test_throughput_is_better_than_the_margin_and_only_the_primary_hypothesis_is_supported() -> None:
    result = judged("C1")

    assert result.outcome == "verdict", result.refusal
    assert interval(result) == (2.813, 2.719, 2.911)
    assert judgements(result)["P1"] == "supported"
    assert result.verdict is not None
    assert (result.verdict.direction, result.verdict.materiality) == (
        "improvement_established",
        "better_than_margin",
    )
    assert {judgements(result)["P3"], judgements(result)["P4"]} == {"refuted"}


def test_p99_latency_is_not_worse_and_as_predicted() -> None:
    result = judged("C2")

    assert result.outcome == "verdict", result.refusal
    assert interval(result) == (0.639, 0.534, 0.765)
    assert judgements(result)["P2"] == "supported"


def test_the_findings_speak_for_one_placement_only_and_are_not_confounded_with_time() -> None:
    result = judged("C1")

    assert {run.placement for run in runs()} == {plan().runs[0].placement}
    assert result.overlap is not None
    assert result.overlap > 0.5


def test_the_greatest_batch_is_the_only_difference_that_the_audit_finds() -> None:
    states = {row.setting: row.state for row in judged("C1").audit}

    assert states.pop("max_batch") == "differs_as_declared"
    assert set(states.values()) == {"same"}
