"""A number, a time or a word that is none never gets into a revision or a plan; the refusal names its path."""

from dataclasses import replace
from typing import Any

import pytest

from reviews.errors import BadInput
from reviews.plan_content import PlanContent, PlannedMetering, PlannedRun
from reviews.sections import (
    AbortThreshold,
    Comparison,
    Comparisons,
    Escalation,
    ExpectedMovement,
    Explanation,
    Header,
    Hypotheses,
    Hypothesis,
    HypothesisResolution,
    MemoContent,
    Prediction,
    ProposedAction,
    Rollout,
    RolloutStage,
    Signoff,
    StatedSetting,
)
from reviews.services import provenance, wellformed
from tests import cases
from tests.services.deeds import refused

HEADER = Header(title="T", team="serving", intent="incident", template="t", template_version=1)
EMPTY = MemoContent(header=HEADER)
C1 = Comparison(
    key="C1", metric="throughput", stat="rate", slice="", role="primary", better="higher", scale="ratio",
    margin="0.98", purpose="fix_check", match="same_requests",
)  # fmt: skip
P1 = Prediction(key="P1", metric="throughput", stat="rate", condition="", low="1.02", high="1.08")
H1 = Hypothesis(key="H1", rank="primary", mechanism="memory", statement="It is so.", predictions=(P1,))
E1 = Explanation(setting="driver", text="It is the same code.", greatest_effect="1.01", by="ann")
S1 = StatedSetting(setting="driver", arm="baseline", value="7", by="ann")
ACTION = ExpectedMovement(metric="throughput", stat="rate", low="1", high="2", said="more")


def with_comparison(**special: Any) -> MemoContent:
    return replace(EMPTY, comparisons=Comparisons(comparisons=(replace(C1, **special),)))


def with_hypothesis(**special: Any) -> MemoContent:
    return replace(EMPTY, hypotheses=Hypotheses(hypotheses=(replace(H1, **special),)))


def with_prediction(**special: Any) -> MemoContent:
    return with_hypothesis(predictions=(replace(P1, **special),))


def with_stage(percent: str, soak: str = "1") -> MemoContent:
    return replace(EMPTY, rollout=Rollout(stages=(RolloutStage(percent=percent, where="x", soak_hours=soak),)))


WHOLE = [
    EMPTY,
    with_comparison(explanations=(E1,), stated=(S1,)),
    with_comparison(explanations=(replace(E1, greatest_effect=""),)),
    with_comparison(role="", better="", scale="", purpose="", match="", margin=""),
    with_prediction(low="", high=""),
    with_hypothesis(resolution=HypothesisResolution(state="open", owner="ann", due="2026-12-01")),
    with_stage("100", ""),
    replace(EMPTY, rollout=Rollout(ends_at="2026-12-01T00:00:00Z")),
    replace(EMPTY, action=ProposedAction(expected=(replace(ACTION, low="", high=""),))),
]

BAD = [
    (replace(EMPTY, header=replace(HEADER, title=" ")), "header.title", "no_title"),
    (replace(EMPTY, header=replace(HEADER, title="x" * 301)), "header.title", "too_long"),
    (replace(EMPTY, header=replace(HEADER, title="a\0b")), "header.title", "bad_character"),
    (with_comparison(slice="half a \ud800 character"), "comparisons.comparisons[0].slice", "bad_character"),
    (with_comparison(key=""), "comparisons..key", "no_key"),
    (with_comparison(key="C" * 21), f"comparisons.{'C' * 21}.key", "too_long"),
    (with_comparison(role="main"), "comparisons.C1.role", "bad_word"),
    (with_comparison(better="bigger"), "comparisons.C1.better", "bad_word"),
    (with_comparison(margin="2 %"), "comparisons.C1.margin", "bad_number"),
    (with_comparison(margin="nan"), "comparisons.C1.margin", "bad_number"),
    (with_comparison(margin="1e-3"), "comparisons.C1.margin", "bad_number"),
    (with_comparison(margin="1/2"), "comparisons.C1.margin", "bad_number"),
    (
        with_comparison(explanations=(replace(E1, greatest_effect="0.99"),)),
        "comparisons.C1.explanations.driver.greatest_effect",
        "bad_effect",
    ),
    (
        with_comparison(explanations=(replace(E1, greatest_effect="a bit"),)),
        "comparisons.C1.explanations.driver.greatest_effect",
        "bad_number",
    ),
    (with_comparison(explanations=(replace(E1, text=""),)), "comparisons.C1.explanations.driver.text", "no_text"),
    (with_comparison(explanations=(E1, E1)), "comparisons.C1.explanations", "key_twice"),
    (with_comparison(stated=(S1, S1)), "comparisons.C1.stated", "key_twice"),
    (with_comparison(stated=(replace(S1, arm="left"),)), "comparisons.C1.stated.driver.arm", "bad_word"),
    (with_prediction(low="more"), "hypotheses.H1.predictions.P1.low", "bad_number"),
    (with_prediction(high="inf"), "hypotheses.H1.predictions.P1.high", "bad_number"),
    (with_prediction(low="2", high="1"), "hypotheses.H1.predictions.P1", "ends_crossed"),
    (with_hypothesis(predictions=(P1, P1)), "hypotheses.H1.predictions", "key_twice"),
    (replace(EMPTY, hypotheses=Hypotheses(hypotheses=(H1, H1))), "hypotheses", "key_twice"),
    (
        with_hypothesis(resolution=HypothesisResolution(state="perhaps")),
        "hypotheses.H1.resolution.state",
        "bad_word",
    ),
    (with_hypothesis(resolution=HypothesisResolution(due="soon")), "hypotheses.H1.resolution.due", "bad_time"),
    (
        replace(EMPTY, action=ProposedAction(expected=(replace(ACTION, high="x"),))),
        "action.expected.throughput.rate.high",
        "bad_number",
    ),
    (with_stage("ten"), "rollout.stages[0].percent", "bad_number"),
    (with_stage("0"), "rollout.stages[0].percent", "bad_percent"),
    (with_stage("100.5"), "rollout.stages[0].percent", "bad_percent"),
    (with_stage("5", "a day"), "rollout.stages[0].soak_hours", "bad_number"),
    (
        replace(
            EMPTY,
            rollout=Rollout(
                abort_thresholds=(AbortThreshold(comparison="C1", metric="m", stat="s", limit="a lot"),),
            ),
        ),
        "rollout.abort_thresholds[0].limit",
        "bad_number",
    ),
    (replace(EMPTY, rollout=Rollout(ends_at="next week")), "rollout.ends_at", "bad_time"),
    (replace(EMPTY, signoff=Signoff(escalation=Escalation(by="tomorrow"))), "signoff.escalation.by", "bad_time"),
]


@pytest.mark.parametrize("content", WHOLE)
def test_what_is_well_formed_or_not_filled_yet_passes(content: MemoContent) -> None:
    wellformed.require_content(content)


@pytest.mark.parametrize(("content", "where", "code"), BAD, ids=[f"{where}-{code}" for _, where, code in BAD])
def test_what_is_not_well_formed_is_refused_by_path(content: MemoContent, where: str, code: str) -> None:
    with refused(BadInput, code, where):
        wellformed.require_content(content)


PLAN = cases.plan_content()
(ROW, *REST) = PLAN.comparisons


def with_metering(**fields: Any) -> PlanContent:
    """The plan, with a first comparison whose power is sampled as `fields` say."""
    return replace(PLAN, comparisons=(replace(ROW, metering=PlannedMetering(**{"source": "samples", **fields})), *REST))


BAD_PLANS = [
    (replace(PLAN, title=" "), "plan.title", "bad_plan"),
    (replace(PLAN, title="x" * 301), "plan.title", "too_long"),
    (replace(PLAN, purpose="\0"), "plan.purpose", "bad_character"),
    (replace(PLAN, looks=0), "plan.looks", "bad_plan"),
    (replace(PLAN, comparisons=(ROW, ROW)), "plan.comparisons", "key_twice"),
    (replace(PLAN, predictions=PLAN.predictions * 2), "plan.predictions", "key_twice"),
    (replace(PLAN, runs=PLAN.runs * 2), "plan.runs", "key_twice"),
    (replace(PLAN, comparisons=(replace(ROW, key=""),)), "comparisons..key", "bad_plan"),
    (replace(PLAN, comparisons=(replace(ROW, match="luck"),)), "comparisons.C1.match", "bad_plan"),
    (replace(PLAN, comparisons=(replace(ROW, margin=""),)), "comparisons.C1.margin", "bad_plan"),
    (replace(PLAN, comparisons=(replace(ROW, margin="x"),)), "comparisons.C1.margin", "bad_number"),
    (replace(PLAN, comparisons=(replace(ROW, warmup_steps=-1),)), "comparisons.C1.margin", "bad_plan"),
    (with_metering(source="luck"), "comparisons.C1.metering.source", "bad_metering"),
    (with_metering(between="much"), "comparisons.C1.metering.between", "bad_metering"),
    (with_metering(cap="much"), "comparisons.C1.metering.cap", "bad_number"),
    (with_metering(cap="400"), "comparisons.C1.metering", "bad_envelope"),
    (with_metering(between="range", floor="50", cap="400", relative="1"), "comparisons.C1.metering", "bad_accuracy"),
    (with_metering(relative="0.01"), "comparisons.C1.metering", "bad_metering"),
    (with_metering(load_period="\0"), "plan.comparisons[0].metering.load_period", "bad_character"),
    (replace(PLAN, comparisons=(replace(ROW, minimum_steps=-1),)), "comparisons.C1.minimum_steps", "bad_plan"),
    (replace(PLAN, comparisons=(replace(ROW, warmup_seconds="soon"),)), "comparisons.C1.warmup_seconds", "bad_number"),
    (replace(PLAN, comparisons=(replace(ROW, warmup_seconds="0"),)), "comparisons.C1.warmup_seconds", "bad_plan"),
    (
        replace(PLAN, comparisons=(replace(ROW, warmup_seconds="10", warmup_steps=5),)),
        "comparisons.C1.warmup_seconds",
        "two_warmups",
    ),
    (replace(PLAN, comparisons=(replace(ROW, stages="nested"),)), "comparisons.C1.stages", "bad_plan"),
    (replace(PLAN, comparisons=(replace(ROW, unit_of_work="x" * 301),)), "comparisons.C1.unit_of_work", "too_long"),
    (replace(PLAN, comparisons=(replace(ROW, counter_margin=""),)), "comparisons.C1.counter_margin", "bad_plan"),
    (replace(PLAN, comparisons=(replace(ROW, counter_margin="1"),)), "comparisons.C1.counter_margin", "bad_plan"),
    (replace(PLAN, comparisons=(replace(ROW, counter_margin="3%"),)), "comparisons.C1.counter_margin", "bad_number"),
    (
        replace(
            PLAN,
            predictions=(replace(PLAN.predictions[0], prediction=replace(PLAN.predictions[0].prediction, low="x")),),
        ),
        "predictions.P1.low",
        "bad_number",
    ),
    (
        replace(PLAN, runs=(PlannedRun(run="r1", arm="left", block="", placement=""),)),
        "runs.r1.arm",
        "bad_plan",
    ),
]


@pytest.mark.parametrize(("plan", "where", "code"), BAD_PLANS, ids=[f"{where}-{code}" for _, where, code in BAD_PLANS])
def test_a_plan_that_is_not_well_formed_is_refused_by_path(plan: Any, where: str, code: str) -> None:
    wellformed.require_plan(PLAN, "n" * 64)
    with refused(BadInput, code, where):
        wellformed.require_plan(plan, "")


def test_a_metering_that_fits_together_passes() -> None:
    wellformed.require_plan(with_metering(between="slew", floor="50", cap="400", slew="150", relative="0.05"), "")


def test_a_warmup_in_seconds_alone_is_well_formed() -> None:
    wellformed.require_plan(replace(PLAN, comparisons=(replace(ROW, warmup_seconds="10", minimum_steps=50),)), "")


def test_a_nonce_that_no_row_can_hold_is_refused() -> None:
    with refused(BadInput, "bad_plan", "nonce"):
        wellformed.require_plan(PLAN, "n" * 65)


@pytest.mark.parametrize("field", ["metric", "stat", "margin", "role", "better", "scale", "purpose", "match"])
def test_a_comparison_without_a_word_or_number_cannot_be_computed(field: str) -> None:
    wellformed.require_whole(C1)
    with refused(BadInput, "comparison_is_not_whole", f"comparisons.C1.{field}"):
        wellformed.require_whole(replace(C1, **{field: ""}))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "0.5", "-1"])
def test_a_greatest_effect_is_a_ratio_of_at_least_one(text: str) -> None:
    wellformed.require_effect("1", "here")
    with refused(BadInput, "bad_effect", "here"):
        wellformed.require_effect(text, "here")


def test_a_number_that_has_to_be_there_is_missed() -> None:
    wellformed.require_number("-0.5", "here")
    with refused(BadInput, "bad_number", "here"):
        wellformed.require_number("", "here")


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        ("weather", {"value": "fine", "source": "typed"}),
        ("tool", {"value": "bench"}),
        ("tool", {"value": "bench", "source": "hearsay"}),
        ("started_at", {"value": "yesterday", "source": "typed"}),
    ],
)
def test_a_provenance_that_the_gate_could_not_read_is_refused(name: str, stated: dict[str, str]) -> None:
    provenance.require({"tool": {"value": "bench", "source": "file"}})
    provenance.require({"ended_at": {"value": "2026-11-30T00:00:00Z", "source": "capture"}})
    with refused(BadInput, where=f"provenance.{name}"):
        provenance.require({name: stated})
