"""Memos with comparisons of every role, brought through the services: claims, screenings, a replay and a fix check."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.utils import timezone

from reviews.models import Memo
from reviews.plan_content import PlanContent, PlannedComparison
from reviews.services import assessments, evidence, memos, plans
from tests import cases
from tests.cases import Runs

SLOWER = Runs(candidate=("950.5", "960.75", "945.25"))


def planned(key: str, role: str, metric: str = "throughput", **changes: Any) -> PlannedComparison:
    """A comparison of the plan, on a slice of its own."""
    known = {row.metric: row for row in cases.plan_content().comparisons}
    return replace(known[metric], **{"key": key, "role": role, "slice": f"segment {key}", **changes})


CLAIMED = (
    planned("C4", "claim"),
    planned("C5", "claim", "e2e_latency", margin="1.02"),
    planned("C6", "screening"),
    planned("C7", "screening", "e2e_latency", margin="1.02"),
)


def a_planned_memo(*more: PlannedComparison, title: str = "Larger batches for chat") -> Memo:
    """In review, with those comparisons beside the usual C1 (primary), C2 (guardrail) and C3 (energy, absent)."""
    memo = cases.a_draft(title)
    usual = cases.plan_content()
    register(memo, replace(usual, comparisons=(*usual.comparisons, *more)), f"plan-of-{memo.number}")
    memos.submit(actor=cases.person("ann"), memo_id=memo.pk, base=cases.base_of(memo))
    return cases.again(memo)


def register(memo: Memo, content: PlanContent, nonce: str) -> None:
    """The plan, imported as registered two hours ago."""
    at = timezone.now() - timedelta(hours=2)
    plans.register(actor=cases.person("ann"), memo_id=memo.pk, content=content, nonce=nonce, registered_at=at)


def measure(memo: Memo, *keys: str, runs: Runs = cases.AS_MEASURED) -> None:
    """The usual set with those runs, sealed, and the comparisons computed."""
    evidence.seal(actor=cases.person("sam"), set_id=cases.an_open_set(memo, runs).pk)
    for key in keys:
        assessments.compute(actor=cases.person("sam"), memo_id=memo.pk, comparison=key)


def a_memo_with_claims(*, computed: tuple[str, ...] = ("C4", "C5", "C6", "C7"), runs: Runs = cases.AS_MEASURED) -> Memo:
    """C1 and C2 are computed, and of two claims (C4, C5) and two screenings (C6, C7) those that are named."""
    memo = a_planned_memo(*CLAIMED)
    measure(memo, "C1", "C2", *computed, runs=runs)
    return cases.again(memo)


SYMPTOM = (
    planned("C4", "primary", purpose="symptom", slice="all"),
    planned("C5", "guardrail", purpose="symptom", slice="all"),
)
ALIKE = Runs(candidate=("1001.5", "1010.25", "996.5"))


def a_memo_that_climbs() -> Memo:
    """A symptom (C4) with its quality (C5), a replay (C6) and a fix check (C7), each a plan and a set of its own."""
    memo = cases.a_draft("Slower since the new engine")
    usual = cases.plan_content()
    quality = replace(SYMPTOM[1], metric="answer_accuracy", stat="mean")
    parts = {
        "symptom": ((SYMPTOM[0], quality), (), cases.AS_MEASURED),
        "replay": ((planned("C6", "claim", purpose="replay", slice="all"),), usual.predictions, cases.AS_MEASURED),
        "fix": ((planned("C7", "guardrail", purpose="fix_check", slice="all"),), (), ALIKE),
    }
    for name, (rows, predictions, _) in parts.items():
        register(memo, replace(usual, comparisons=rows, predictions=predictions), f"{name}-{memo.number}")
    for at, (name, (rows, _, runs)) in enumerate(parts.items()):
        _measured(memo, f"{name}-{memo.number}", runs, at)
        for row in rows:
            assessments.compute(actor=cases.person("sam"), memo_id=memo.pk, comparison=row.key)
    return cases.again(memo)


def _measured(memo: Memo, plan: str, runs: Runs, at: int) -> None:
    """A sealed set under the plan, with answer accuracy beside the usual metrics."""
    document = json.loads(cases.runs_file(runs, timezone.now() - timedelta(hours=1, minutes=-7 * at)))
    for number, run in enumerate(document["runs"]):
        accuracy = {"metric": "answer_accuracy", "unit": "1", "stat": "mean", "value": 0.9 + 0.0003 * (number % 3)}
        run["measurements"].append(accuracy)
    row = evidence.open_set(actor=cases.person("sam"), memo_id=memo.pk, title=plan, plan=plan)
    labels = [
        cases.labels("benchmark_run", arm=arm, run=f"{block}-{arm}", block=block)
        for block in cases.BLOCKS
        for arm in ("baseline", "candidate")
    ]
    cases.attach(row, f"{plan}.json", json.dumps(document).encode(), labels)
    evidence.seal(actor=cases.person("sam"), set_id=row.pk)
