"""Facts for which all four decisions are open, so that a test can break one thing.

Ann writes, Sam attaches, Olga and Pat own roles, Kim owns the rollback, Bea and Ben sit on the board.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

from reviews.policies.evidence_facts import (
    ArmFacts,
    ArtifactFacts,
    AssessmentFacts,
    AuditFacts,
    FileFacts,
    IntervalFacts,
    JudgementFacts,
    PlacementFacts,
    PlanFacts,
    RunFacts,
)
from reviews.policies.facts import (
    BudgetFacts,
    Contribution,
    FollowUp,
    GateFacts,
    ProductionEventFacts,
    ReferenceFacts,
    SignatureFacts,
    WaiverFacts,
)
from reviews.sections import (
    AbortThreshold,
    AttachmentRow,
    BuildTags,
    Change,
    ChangeRow,
    Comparison,
    Comparisons,
    Escalation,
    Evidence,
    ExpectedMovement,
    FailingMetric,
    Header,
    Hypotheses,
    Hypothesis,
    HypothesisResolution,
    MemoContent,
    Prediction,
    ProposedAction,
    RequiredOwner,
    Risk,
    Rollout,
    RolloutStage,
    SealedSet,
    Signoff,
    Symptom,
)
from reviews.template_content import ArtifactRule, DecisionRules, Figure, RoleRule, TemplateContent, TemplateMetric
from reviews.vocabulary import DecisionKind, RiskKind, SectionName

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
DAY = timedelta(days=1)
CURVES, PROCEDURE, RUNS = "c" * 64, "d" * 64, "a" * 64
DIGESTS = {name: f"digest of {name}" for name in SectionName.values}

ARTIFACTS = (ArtifactRule(kind="curve_pack", title="Curve pack", covers="the feasible region", format="curve-pack"),)
ROLES = (
    RoleRule(role="platform", title="platform owner", signs=("symptom", "comparisons", "rollout"), required_when=""),
    RoleRule(role="sre", title="SRE owner", signs=(), required_when="metric:throughput"),
)
FIGURE = Figure(title="", lines=())

TEMPLATE = TemplateContent(
    slug="batch-size-effects",
    version=1,
    title="Batch Size Effects",
    area="",
    topic="",
    failing_metric="",
    metrics=(
        TemplateMetric(
            metric="throughput",
            stat="rate",
            title="Throughput",
            unit="1/s",
            scale="ratio",
            better="higher",
            margin="0.98",
            slo="",
            minimum_requests=1,
            said=("throughput",),
        ),
        TemplateMetric(
            metric="latency",
            stat="p99",
            title="P99 latency",
            unit="s",
            scale="ratio",
            better="lower",
            margin="1.05",
            slo="",
            minimum_requests=1000,
            said=("p99 latency",),
        ),
    ),
    mechanism="",
    competing_placeholder="",
    decisions={kind.value: DecisionRules(artifacts=ARTIFACTS, roles=ROLES) for kind in DecisionKind},
    work_settings=(),
    rollout_cap_percent="25",
    waiver_cap_days=30,
    quorum=2,
    required_artifact="",
    playbook_intro="",
    playbook=(),
    metrics_to_collect=(),
    debug_branches=(),
    pitfalls=(),
    takeaways=(),
    deep_dive="",
    concept_diagram=FIGURE,
    metric_graph=FIGURE,
    case_study="",
    senior_question="",
    addendum=(),
    rules_version="2",
    minimum_runs=2,
)


def a_prediction(key: str, low: str, high: str) -> Prediction:
    return Prediction(key=key, metric="throughput", stat="rate", condition="", low=low, high=high, plan="n1")


def a_comparison(key: str, metric: str, stat: str, **fields: Any) -> Comparison:
    usual = {
        "slice": "chat",
        "role": "guardrail",
        "better": "higher",
        "scale": "ratio",
        "margin": "0.98",
        "purpose": "replay",
        "match": "same_requests",
        "plan": "n1",
        "evidence_set": 1,
        "assessment": f"assessment of {key}",
    }
    return Comparison(key=key, metric=metric, stat=stat, **{**usual, **fields})


def an_attachment(**fields: str) -> AttachmentRow:
    usual = {
        "artifact": CURVES,
        "name": "curves.json",
        "kind": "curve_pack",
        "arm": "",
        "run": "",
        "block": "",
        "placement": "",
        "placement_source": "typed",
        "use": "confirming",
        "attached_by": "sam",
    }
    return AttachmentRow(**{**usual, **fields})


MEASURED = an_attachment(artifact=RUNS, name="runs.json", kind="benchmark", arm="candidate", run="r1", use="confirming")

HYPOTHESES = (
    Hypothesis(
        key="H1",
        rank="primary",
        mechanism="scheduling",
        statement="Larger batches amortise launches.",
        predictions=(a_prediction("P1", "1.05", "1.2"),),
        resolution=HypothesisResolution(state="supported", reason="P1"),
    ),
    Hypothesis(
        key="H2",
        rank="competing",
        mechanism="thermal",
        statement="The clock was higher.",
        predictions=(a_prediction("P2", "0.9", "1"),),
        resolution=HypothesisResolution(state="refuted", reason="P2"),
    ),
)

CONTENT = MemoContent(
    header=Header(
        title="Batch 32", team="inference", intent="regression", template="batch-size-effects", template_version=1
    ),
    symptom=Symptom(
        failing_metric="throughput",
        failing_metrics=(FailingMetric(said="throughput", metric="throughput", stat="rate", condition=""),),
        workload_slice="chat",
        first_failing_layer="schedule",
        build_tags=BuildTags(runtime="r1"),
    ),
    change=Change(rows=(ChangeRow(name="batch_size", baseline="8", candidate="32", on_purpose=True, source="file"),)),
    hypotheses=Hypotheses(hypotheses=HYPOTHESES),
    evidence=Evidence(
        sets=(
            SealedSet(
                number=1,
                title="replay",
                plan="n1",
                sealed_at="",
                sealed_by="sam",
                attachments=(an_attachment(), MEASURED),
            ),
        )
    ),
    comparisons=Comparisons(
        comparisons=(
            a_comparison("C1", "throughput", "rate", role="primary"),
            a_comparison("C2", "latency", "p99", better="lower", margin="1.05"),
        )
    ),
    action=ProposedAction(
        smallest_reversible_change="raise the limit to 32",
        expected_movement="throughput up",
        expected=(ExpectedMovement(metric="throughput", stat="rate", low="1.05", high="1.2", said="+5..20 %"),),
        rollback_target="the limit of 8",
        rollback_boundary="when p99 passes 45 ms",
        rollback_owner="kim",
        risks=tuple(Risk(kind=kind.value, checked="replay", result="none seen") for kind in RiskKind),
    ),
    rollout=Rollout(
        stages=(
            RolloutStage(percent="5", where="pool a", soak_hours="12"),
            RolloutStage(percent="20", where="pools a, b", soak_hours="24"),
        ),
        abort_thresholds=(AbortThreshold(comparison="C2", metric="latency", stat="p99", limit="1.05"),),
        ends_at="2026-06-01T00:00:00Z",
        procedure=PROCEDURE,
        owner="kim",
    ),
    signoff=Signoff(
        required_owners=(RequiredOwner(role="platform", title="platform owner", from_template=True),),
        escalation=Escalation(to="the fleet council", by="2026-05-20", question="May the pool run hotter?"),
    ),
)


def an_interval(**fields: Any) -> IntervalFacts:
    usual = {
        "low": "1.06",
        "high": "1.12",
        "kind": "confidence",
        "confidence": "0.95",
        "method": "placement_log",
        "n": 3,
        "scope": "placements like these",
        "widened": False,
    }
    return IntervalFacts(**{**usual, **fields})


def an_assessment(**fields: Any) -> AssessmentFacts:
    usual = {
        "digest": "a",
        "outcome": "verdict",
        "refusal": None,
        "direction": "improvement_established",
        "materiality": "better_than_margin",
        "headline": "Improvement established",
        "interval": an_interval(),
        "audit": (AuditFacts(setting="model", state="same", blocks=False, sentence="model is the same"),),
        "judgements": (
            JudgementFacts(hypothesis="H1", prediction="P1", judgement="supported", post_hoc=False),
            JudgementFacts(hypothesis="H2", prediction="P2", judgement="refuted", post_hoc=False),
        ),
        "placements": tuple(PlacementFacts(label=h, host=h, verified=True) for h in ("h1", "h2", "h3")),
        "order_confounded": False,
        "failed": 0,
        "started": 6,
        "look": 1,
        "looks": 1,
        "arms": tuple(ArmFacts(arm=arm, runs=3, fewest=1200) for arm in ("baseline", "candidate")),
        "files": (FileFacts(artifact=RUNS, started_at=NOW - 5 * DAY),),
    }
    return AssessmentFacts(**{**usual, **fields})


def an_artifact(**fields: Any) -> ArtifactFacts:
    usual = {
        "kind": "curve_pack",
        "name": "curves.json",
        "format": "curve-pack",
        "parse_state": "parsed",
        "parse_message": "",
        "recalled": False,
        "recalled_by": "",
        "recall_reason": "",
        "redacted": "",
        "created_at": NOW - 10 * DAY,
    }
    return ArtifactFacts(**{**usual, **fields})


def a_signature(signer: str, role: str, *sections: str, **fields: Any) -> SignatureFacts:
    names = sections or tuple(name for name in SectionName.values if name != "signoff")
    usual = {
        "acting_for": "",
        "delegation_in_force": False,
        "position": "approve",
        "kinds": ("ship", "bounded", "rollback"),
        "scope_percent": Fraction(20),
        "covered": {name: DIGESTS[name] for name in names},
        "rollout_digest": DIGESTS["rollout"],
        "conditions": (),
        "objection": "",
        "would_clear_if": "",
        "resolved_by": "",
        "resolved_as": "",
        "heard_by": "",
        "heard_at": None,
        "withdrawn": False,
        "at": NOW - 2 * DAY,
    }
    said = {**usual, **fields}
    return SignatureFacts(signer=signer, role=role, **{"spoken_at": said["at"], **said})


OLGA = a_signature("olga", "platform")
PAT = a_signature("pat", "sre")
KIM = a_signature("kim", "rollback_owner", "rollout")


def a_waiver(requirement: str, **fields: Any) -> WaiverFacts:
    usual = {
        "owner": "olga",
        "reason": "The host has no power counter.",
        "compensating_control": "watch the rack",
        "requested_by": "ann",
        "state": "approved",
        "approved_by": "bea",
        "approver_on_board": True,
        "approved_at": NOW - DAY,
        "expires_at": NOW + 20 * DAY,
    }
    return WaiverFacts(requirement=requirement, **{**usual, **fields})


OPEN = GateFacts(
    number="ARM-2026-0042",
    state="in_review",
    author="ann",
    team="inference",
    content=CONTENT,
    template=TEMPLATE,
    now=NOW,
    section_digests=DIGESTS,
    role_holders={
        "platform": ("olga",),
        "sre": ("pat", "quin"),
        "rollback_owner": ("kim",),
        "escalation_owner": ("esther",),
        "contributor": ("sam",),
        "board": ("bea", "ben"),
    },
    contributions=(Contribution(name="ann", revision=1), Contribution(name="sam", revision=2)),
    signatures=(OLGA, PAT, KIM),
    waivers=(),
    assessments={
        "assessment of C1": an_assessment(),
        "assessment of C2": an_assessment(direction="not_established", materiality="within_margin", judgements=()),
    },
    observations=(),
    open_sets=(),
    artifacts={
        CURVES: an_artifact(),
        PROCEDURE: an_artifact(kind="rollback_procedure", name="back.md"),
        RUNS: an_artifact(kind="benchmark", name="runs.json"),
    },
    plans=(
        PlanFacts(
            nonce="n1",
            title="replay",
            registered_at=NOW - 20 * DAY,
            runs=(
                RunFacts(run="r1", attached=True, accounted=""),
                RunFacts(run="r2", attached=False, accounted="lost"),
            ),
        ),
    ),
    strata=(),
    production_events=(
        ProductionEventFacts(
            kind="rolled_back", what="pool a went back to 8", by="kim", ratified_by="bea", at=NOW - 5 * DAY
        ),
    ),
    expired_rollouts=(),
    follow_ups=(FollowUp(memo="ARM-2026-0007", what="recheck pool b", owner="kim", due=NOW - DAY, met=True),),
    reference=ReferenceFacts(
        build="2026.1", budgets=(BudgetFacts(metric="throughput", stat="rate", within=True, sentence="0.99 of 0.97"),)
    ),
    scope_hosts=(),
    requested_percent=None,
    decider=None,
)


def with_section(facts: GateFacts, name: str, **fields: Any) -> GateFacts:
    """The facts with some fields of a section replaced."""
    section = replace(getattr(facts.content, name), **fields)
    return replace(facts, content=replace(facts.content, **{name: section}))


def with_comparisons(facts: GateFacts, *comparisons: Comparison) -> GateFacts:
    return with_section(facts, "comparisons", comparisons=comparisons)


def with_assessment(facts: GateFacts, key: str, **fields: Any) -> GateFacts:
    """The facts with some fields of the assessment of comparison `key` replaced."""
    digest = f"assessment of {key}"
    return replace(facts, assessments={**facts.assessments, digest: replace(facts.assessments[digest], **fields)})


def with_template(facts: GateFacts, **fields: Any) -> GateFacts:
    return replace(facts, template=replace(facts.template, **fields))


def with_rules(facts: GateFacts, **fields: Any) -> GateFacts:
    """The facts with the template asking the same of every decision."""
    asked = replace(DecisionRules(artifacts=ARTIFACTS, roles=ROLES), **fields)
    return with_template(facts, decisions={kind.value: asked for kind in DecisionKind})
