"""Cases: a memo of the team "serving", brought through the services to a state that a test needs.

Each function goes on from the one before it: a_draft, a_planned_draft, a_memo_in_review, a_memo_with_evidence,
a_memo_with_waiver, a_memo_ready_to_roll_out, a_memo_rolling_out. All give the memo as it stands then; two calls give
two memos. Three blocks of made-up runs say that the candidate serves 4 % more; energy is not measured, and waived.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from django.contrib.auth.models import User
from django.utils import timezone

from reviews.authentication import Authentication
from reviews.models import Decision, EvidenceSet, Memo, Plan, Signature, Waiver
from reviews.plan_content import PlanContent, PlannedComparison, PlannedPrediction, PlannedRun
from reviews.sections import Prediction
from reviews.services import assessments, decisions, evidence, memos, parsing, plans, signatures, templates, waivers
from reviews.services.decisions import DecisionWish
from reviews.services.evidence import Labels
from reviews.services.signatures import ConditionWish, SignatureWish
from reviews.services.waivers import WaiverWish
from tests import cast
from tests.kept import kept

TEMPLATE: Final = "batch-size-effects"
OWNERS: Final = {
    "olga": "inference_platform_owner",
    "pat": "capacity_planning_engineer",
    "quin": "sre_performance_owner",
    "tess": "power_thermal_architect",
}
KEEPER: Final = ("rob", "rollback_owner")
ENERGY: Final = "the_symptom_is_complete:energy_per_request.mean"
PROCEDURE: Final = b"# Rollback procedure\n\nSet max_batch to 4 and restart the service, host by host.\n"
CURVES: Final = json.dumps(
    {
        "kind": "batch_policy_curve_pack",
        "version": 1,
        "sources": [{"file": "sweep.json", "sha256": "0" * 64}],
        "points": [
            {
                "max_batch": batch,
                "throughput": {"unit": "1/s", "runs": [f"{rate}.5", f"{rate}.25", f"{rate}.75"]},
                "e2e_latency_p99": {"unit": "ms", "runs": ["41.5", "40.25", "42.75"]},
            }
            for batch, rate in ((4, 1000), (16, 1040))
        ],
    }
).encode()
WATCHED: Final = ConditionWish(text="Watch the queue.", owner="sam", proof="The queue's dashboard of one week.")
BLOCKS: Final = ("b1", "b2", "b3")
BASELINE: Final = ("1000.5", "1011.25", "995.75")
CANDIDATE: Final = ("1041.5", "1050.75", "1037.25")

TEXT: Final = Path(__file__).with_name("cases_memo.txt")


@dataclass(frozen=True, slots=True)
class Runs:
    """Throughput (1/s) and p99 latency (ms) of the runs of each arm, one a block."""

    baseline: Sequence[str] = BASELINE
    candidate: Sequence[str] = CANDIDATE
    baseline_p99: Sequence[str] = ("41.5", "42.25", "40.75")
    candidate_p99: Sequence[str] = ("39.25", "40.5", "38.75")


AS_MEASURED: Final = Runs()


# Building blocks


def set_up() -> None:
    """The team with its people, and the shipped templates."""
    cast.the_team()
    templates.ship()


def person(name: str) -> User:
    """Somebody of the cast, who has an account."""
    return User.objects.get(username=name)


def proof() -> Authentication:
    """The password, given just now."""
    return Authentication(method="password", at=timezone.now())


def base_of(memo: Memo) -> str:
    """The digest of the current revision."""
    revision = again(memo).current_revision
    assert revision is not None
    return revision.digest


def again(memo: Memo) -> Memo:
    """The memo read again."""
    return Memo.objects.select_related("team", "current_revision", "template_version__template", "created_by").get(
        pk=memo.pk
    )


def memo_text(title: str = "Larger batches for chat") -> str:
    """A memo text that lacks nothing, with a rollout that ends in 60 days."""
    stored = evidence.take_in(actor=person("sam"), name="rollback-procedure.md", chunks=[PROCEDURE], provenance={})
    ends = (timezone.now() + timedelta(days=60)).strftime("%Y-%m-%dT00:00:00Z")
    return TEXT.read_text().format(title=title, ends=ends, procedure=stored.sha256)


def runs_file(runs: Runs, start: datetime) -> bytes:
    """A countersign-measurements file with a run for each arm and block, one after the other."""
    rows = []
    for place, block in enumerate(BLOCKS):
        rows.append(_run(f"{block}-baseline", 4, runs.baseline[place], runs.baseline_p99[place], start, 2 * place))
        rows.append(
            _run(f"{block}-candidate", 16, runs.candidate[place], runs.candidate_p99[place], start, 2 * place + 1)
        )
    return json.dumps({"countersign": "measurements/1", "tool": "batchbench 1", "runs": rows}).encode()


def _run(key: str, batch: int, rate: str, p99: str, start: datetime, order: int) -> dict[str, object]:
    return {
        "run": key,
        "status": "completed",
        "started_at": (start + timedelta(minutes=order)).isoformat(),
        "attempted": 1200,
        "failed": 0,
        "settings": {"model": "chat-7b", "dataset": "prompts-1024", "seed": 7, "max_batch": batch},
        "work": {"requests_completed": 1200},
        "identity": {"host": "host-1"},
        "measurements": [
            {"metric": "throughput", "unit": "1/s", "stat": "rate", "value": float(rate), "n": 1200},
            {"metric": "e2e_latency", "unit": "ms", "stat": "p99", "value": float(p99), "n": 1200},
        ],
    }


def plan_content(title: str = "Greatest batch 4 against 16") -> PlanContent:
    """C1 (throughput, primary) and C2 (p99 latency, guardrail), a prediction of each hypothesis, six runs."""
    return PlanContent(
        title=title,
        purpose="Decide whether the greatest batch is raised from 4 to 16.",
        design="blocks",
        varied=("max_batch",),
        hardware_varied=False,
        looks=1,
        comparisons=(
            _planned("C1", "throughput", "rate", role="primary", better="higher", margin="0.98"),
            _planned("C2", "e2e_latency", "p99", role="guardrail", better="lower", margin="1.05"),
        ),
        predictions=(_predicted("H1", "P1", "1.02", "1.08"), _predicted("H2", "P2", "0.9", "1")),
        runs=tuple(
            PlannedRun(run=f"{block}-{arm}", arm=arm, block=block, placement="host-1")
            for block in BLOCKS
            for arm in ("baseline", "candidate")
        ),
    )


def _planned(key: str, metric: str, stat: str, *, role: str, better: str, margin: str) -> PlannedComparison:
    return PlannedComparison(
        key=key, metric=metric, stat=stat, slice="queue full", role=role, better=better, scale="ratio", margin=margin,
        purpose="fix_check", match="same_requests", warmup_steps=0, exclusion_rules=("no run is left out",),
    )  # fmt: skip


def _predicted(hypothesis: str, key: str, low: str, high: str) -> PlannedPrediction:
    prediction = Prediction(key=key, metric="throughput", stat="rate", condition="queue full", low=low, high=high)
    return PlannedPrediction(hypothesis=hypothesis, prediction=prediction)


def attach(row: EvidenceSet, name: str, content: bytes, labels: Iterable[Labels]) -> None:
    """The file in the set, read, once for each of the labels."""
    artifact = evidence.take_in(actor=person("sam"), name=name, chunks=[content], provenance={})
    parsing.parse(artifact, asked="")
    for one in labels:
        evidence.attach(actor=person("sam"), set_id=row.pk, artifact=artifact.sha256, labels=one, token=None)


def labels(kind: str, *, arm: str = "", run: str = "", block: str = "") -> Labels:
    """Labels of a file, confirming where it holds a run."""
    use = "confirming" if arm else "motivating"
    return Labels(kind=kind, arm=arm, run=run, block=block, placement="", placement_source="", use=use, excluded="")


# States, each going on from the one before


@kept
def a_draft(title: str = "Larger batches for chat") -> Memo:
    """Filed by Ann from a whole text; nothing is registered, attached or computed yet."""
    set_up()
    filed = memos.file_text(
        actor=person("ann"), team="serving", text=memo_text(title), template=TEMPLATE, intent="planned_change"
    )
    return again(filed.memo)


def register_plan(memo: Memo) -> Plan:
    """The plan, imported as registered two hours ago: it is not witnessed."""
    at = timezone.now() - timedelta(hours=2)
    return plans.register(
        actor=person("ann"), memo_id=memo.pk, content=plan_content(), nonce=f"plan-of-{memo.number}", registered_at=at
    )


@kept
def a_planned_draft(title: str = "Larger batches for chat") -> Memo:
    """A draft whose plan is registered: its comparisons and predictions stand in it."""
    memo = a_draft(title)
    register_plan(memo)
    return again(memo)


@kept
def a_memo_in_review(title: str = "Larger batches for chat") -> Memo:
    """Submitted with its plan; no evidence yet, nobody has signed."""
    memo = a_planned_draft(title)
    memos.submit(actor=person("ann"), memo_id=memo.pk, base=base_of(memo))
    return again(memo)


def an_open_set(memo: Memo, runs: Runs = AS_MEASURED) -> EvidenceSet:
    """Sam's open set with the six runs (an hour ago), the curve pack and the rollback procedure."""
    row = evidence.open_set(actor=person("sam"), memo_id=memo.pk, title="Three blocks", plan=f"plan-of-{memo.number}")
    content = runs_file(runs, timezone.now() - timedelta(hours=1))
    runs_of = [
        labels("benchmark_run", arm=arm, run=f"{b}-{arm}", block=b) for b in BLOCKS for arm in ("baseline", "candidate")
    ]
    attach(row, f"runs-of-{memo.number}.json", content, runs_of)
    attach(row, "curve-pack.json", CURVES, [labels("batch_policy_curve_pack")])
    attach(row, "rollback-procedure.md", PROCEDURE, [labels("rollback_procedure")])
    return row


@kept
def a_memo_with_evidence(title: str = "Larger batches for chat", runs: Runs = AS_MEASURED) -> Memo:
    """In review; the set is sealed, C1 and C2 are computed. Energy is not compared, and nobody has signed."""
    memo = a_memo_in_review(title)
    evidence.seal(actor=person("sam"), set_id=an_open_set(memo, runs).pk)
    for key in ("C1", "C2"):
        assessments.compute(actor=person("sam"), memo_id=memo.pk, comparison=key)
    return again(memo)


def ask_for_waiver(memo: Memo) -> Waiver:
    """Ann asks to leave energy out for 60 days; Tess owns it."""
    wish = WaiverWish(
        requirement=ENERGY,
        owner="tess",
        reason="The machine shows no power counter.",
        control="Rack power is watched during the rollout.",
        expires_at=timezone.now() + timedelta(days=60),
    )
    return waivers.request(actor=person("ann"), memo_id=memo.pk, wish=wish)


@kept
def a_memo_with_waiver(title: str = "Larger batches for chat") -> Memo:
    """With evidence, and Ben has approved the waiver: only signatures are missing for a bounded rollout."""
    memo = a_memo_with_evidence(title)
    waivers.approve(actor=person("ben"), waiver_id=ask_for_waiver(memo).pk, note="", authentication=proof())
    return again(memo)


def sign(memo: Memo, name: str, role: str, position: str = "approve", *, text: str = "") -> Signature:
    """Signed on the current revision: an approval is for a bounded rollout to 10 % and a rollback."""
    approves = position.startswith("approve")
    wish = SignatureWish(
        role=role,
        position=position,
        kinds=("bounded", "rollback") if approves else (),
        scope_percent="10" if approves else "",
        text=text,
        would_clear_if="The runs are repeated." if position == "object" else "",
        conditions=(WATCHED,) if position == "approve_with_conditions" else (),
    )
    return signatures.sign(
        actor=person(name), memo_id=memo.pk, base=base_of(memo), wish=wish, authentication=proof()
    ).signature


@kept
def a_memo_ready_to_roll_out(title: str = "Larger batches for chat") -> Memo:
    """Everybody has signed: the board may record a bounded rollout to 10 %; ship is closed, one host was measured."""
    memo = a_memo_with_waiver(title)
    for name, role in (*OWNERS.items(), KEEPER):
        sign(memo, name, role)
    return again(memo)


def decide(memo: Memo, kind: str = "bounded") -> Decision:
    """Bea's decision."""
    wish = DecisionWish(kind=kind, scope_percent="10" if kind == "bounded" else "", rationale="One host was measured.")
    return decisions.decide(actor=person("bea"), memo_id=memo.pk, base=base_of(memo), wish=wish, authentication=proof())


@kept
def a_memo_rolling_out(title: str = "Larger batches for chat") -> Memo:
    """Bea has recorded the bounded rollout to 10 %."""
    memo = a_memo_ready_to_roll_out(title)
    decide(memo)
    return again(memo)
