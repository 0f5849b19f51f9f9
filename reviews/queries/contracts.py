"""Running and past rollouts of memos with everything that their contract is judged on, for one memo or for many."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from typing import Any, Final

from analysis.hosts import HostRun
from reviews.models import Decision, Observation, StageAdvance
from reviews.policies import consent
from reviews.policies.contract import AdvanceFacts, Contract
from reviews.policies.facts import GateFacts, ProductionEventFacts
from reviews.queries.production import production_events
from reviews.queries.thresholds import Judged, SeenFacts, TrafficFacts, judged
from reviews.sections import from_json
from reviews.vocabulary import DecisionKind, SectionName, StandingRole

VALUED: Final = frozenset({"used", "dropped_with_block"})
"""Runs with a value that counts here: pairing by block is not asked for where the host is the unit."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The decisions of a memo, the first first; its latest bounded rollout, with what it is judged by; production."""

    decisions: tuple[Decision, ...]
    contract: Contract | None
    thresholds: tuple[Judged, ...]
    events: tuple[ProductionEventFacts, ...]


NOTHING: Final = Standing((), None, (), ())


def standings(memos: Collection[int], now: datetime) -> Mapping[int, Standing]:
    """Memo -> where its decisions stand; four queries, however many memos there are."""
    decided: dict[int, list[Decision]] = defaultdict(list)
    rows = Decision.objects.filter(memo__in=memos).select_related("revision").defer("dossier", "gate")
    for row in rows.order_by("number"):
        decided[row.memo_id].append(row)
    latest = {memo: bounded for memo, of in decided.items() if (bounded := _bounded(of))}
    keys = [row.pk for row in latest.values()]
    advances, seen, happened = _advances(keys), _seen(keys), production_events(memos)
    found = {}
    for memo in {*decided, *happened}:
        contract: Contract | None = None
        thresholds: tuple[Judged, ...] = ()
        if memo in latest:
            row = latest[memo]
            contract, thresholds = _judged(row, advances[row.pk], seen[row.pk], decided[memo][-1].number, now)
        found[memo] = Standing(tuple(decided[memo]), contract, thresholds, tuple(happened[memo]))
    return found


def standing(memo_id: int, now: datetime) -> Standing:
    """Where the decisions of one memo stand."""
    return standings([memo_id], now).get(memo_id, NOTHING)


def with_people(contract: Contract, facts: GateFacts) -> Contract:
    """The contract with what the people behind it say now. facts: of its memo."""
    keepers = facts.role_holders.get(StandingRole.ROLLBACK_OWNER.value, ())
    return replace(
        contract, refused_by=consent.refused_by(facts.signatures, keepers, contract.rollout, contract.digest)
    )


def _bounded(rows: Iterable[Decision]) -> Decision | None:
    return next((row for row in reversed(list(rows)) if row.kind == DecisionKind.BOUNDED), None)


def _judged(
    row: Decision, advances: list[AdvanceFacts], seen: list[SeenFacts], last: int, now: datetime
) -> tuple[Contract, tuple[Judged, ...]]:
    """The contract of the decision with its thresholds asked. last: the number of the memo's latest decision."""
    sections = row.revision.sections
    comparisons = from_json(SectionName.COMPARISONS, sections[SectionName.COMPARISONS])
    contract = Contract(
        decision=row.number,
        digest=row.revision.section_digests[SectionName.ROLLOUT],
        rollout=from_json(SectionName.ROLLOUT, sections[SectionName.ROLLOUT]),
        scope_percent=Fraction(row.scope_percent or 0),
        began_at=row.effective_at,
        advances=tuple(advances),
        thresholds=(),
        refused_by=(),
        superseded=last > row.number,
        now=now,
    )
    found = judged(contract, {one.key: one.better for one in comparisons.comparisons}, seen)
    return replace(contract, thresholds=tuple(one.facts for one in found)), found


def _advances(decisions: Collection[int]) -> defaultdict[int, list[AdvanceFacts]]:
    found: defaultdict[int, list[AdvanceFacts]] = defaultdict(list)
    for row in StageAdvance.objects.filter(decision__in=decisions).order_by("stage"):
        found[row.decision_id].append(AdvanceFacts(stage=row.stage, by=row.by_name, at=row.at))
    return found


def _seen(decisions: Collection[int]) -> defaultdict[int, list[SeenFacts]]:
    found: defaultdict[int, list[SeenFacts]] = defaultdict(list)
    rows = Observation.objects.filter(decision__in=decisions, evidence_set__isnull=False, assessment__isnull=False)
    for row in rows.select_related("assessment").defer("assessment__inputs").order_by("pk"):
        if row.decision_id is not None:
            found[row.decision_id].append(_facts(row))
    return found


def _facts(row: Observation) -> SeenFacts:
    assessment = row.assessment
    assert assessment is not None  # noqa: S101 (the query asks for it)
    refusal = assessment.result.get("refusal") or {}
    return SeenFacts(
        comparison=assessment.comparison,
        outcome=assessment.outcome,
        refusal_code=refusal.get("code", ""),
        refusal=" ".join(part for part in (refusal.get("message", ""), refusal.get("needs", "")) if part),
        runs=tuple(_runs(assessment.result)),
        traffic=tuple(TrafficFacts(**one) for one in row.traffic),
        share_percent=None if row.share_percent is None else Fraction(row.share_percent),
        at=row.observed_at,
    )


def _runs(result: Mapping[str, Any]) -> Iterable[HostRun]:
    for run in result["runs"]:
        if run["status"] in VALUED and run["value"] is not None:
            yield HostRun(run["arm"], run["placement"], float(run["value"]))
