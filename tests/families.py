"""Memos with comparisons of every role, brought through the services: claims, screenings, a replay and a fix check."""

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
