"""The facts that the gate is asked about, in five queries: the memo, its people, signatures, evidence, decisions."""

from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, F, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.utils import timezone

from reviews.models import (
    Artifact,
    Assessment,
    Decision,
    EvidenceSet,
    FollowUp,
    Memo,
    Observation,
    Parse,
    Plan,
    ProductionEvent,
    Recall,
    Redaction,
    RunAccount,
    Waiver,
)
from reviews.policies import preview as outlook
from reviews.policies.facts import Decider, GateFacts
from reviews.policies.strata import strata_of
from reviews.queries import expiry, facts_of_evidence, facts_of_people, gate_people, reference
from reviews.queries.people import RELATIONS
from reviews.queries.rows import Row, part, union
from reviews.sections import MemoContent, content_from_json
from reviews.template_content import template_from_json
from reviews.vocabulary import DecisionKind, SetState, StandingRole

Rows = Mapping[str, list[Row]]


def gate_facts(
    memo_id: int,
    *,
    decider: User | None,
    requested_percent: Fraction | None,
    now: datetime | None = None,
) -> GateFacts:
    """Everything that the rules may know of the memo at `now`. decider, requested_percent: None in a preview."""
    at = now or timezone.now()
    memo = Memo.objects.select_related(*RELATIONS).get(pk=memo_id)
    revision = memo.current_revision
    if revision is None:
        raise RuntimeError(f"memo {memo.number} has no revision")
    content = content_from_json(revision.sections)
    people, signed = gate_people.people(memo, at), gate_people.signed(memo)
    seen, decided = _seen(memo, content), _decided(memo)
    holders = facts_of_people.holders(people["assignment"])
    assessments = facts_of_evidence.assessments(content, seen["assessment"])
    return GateFacts(
        number=memo.number,
        state=expiry.state_by_the_clock(memo.state, decided["rollout"], at),
        author=memo.created_by.get_username(),
        team=memo.team.slug,
        content=content,
        template=template_from_json(memo.template_version.content),
        now=at,
        section_digests=revision.section_digests,
        role_holders=holders,
        contributions=facts_of_people.contributions(people["revision"], people["attachment"]),
        signatures=facts_of_people.signatures(signed, people["delegation"]),
        waivers=facts_of_people.waivers(decided["waiver"], people["board"]),
        assessments={facts.digest: facts for facts in assessments.values()},
        observations=facts_of_evidence.observations(content, decided["observation"]),
        open_sets=facts_of_evidence.open_sets(seen["open_set"]),
        artifacts=facts_of_evidence.artifacts(content, seen["artifact"], seen["parse"], seen),
        plans=facts_of_evidence.plans(content, seen["plan"], seen["account"], seen["artifact"]),
        strata=strata_of(content.change.scope, assessments.values()),
        production_events=facts_of_evidence.production_events(decided["production_event"]),
        expired_rollouts=expiry.expired(decided["rollout"], at),
        follow_ups=facts_of_people.follow_ups(decided["follow_up"]),
        reference=reference.facts(memo, content, decided, assessments),
        scope_hosts=(),
        requested_percent=requested_percent,
        decider=_decider(decider, holders),
    )


def preview(memo_id: int) -> outlook.Preview:
    """What the gate says to all four decisions now."""
    return outlook.preview(gate_facts(memo_id, decider=None, requested_percent=None))


def _decider(person: User | None, holders: Mapping[str, tuple[str, ...]]) -> Decider | None:
    if person is None:
        return None
    name = person.get_username()
    return Decider(name=name, on_board=name in holders.get(StandingRole.BOARD, ()))


def _seen(memo: Memo, content: MemoContent) -> Rows:
    digests = [row.assessment for row in content.comparisons.comparisons if row.assessment]
    return union(
        part(
            "assessment",
            Assessment.objects.filter(memo=memo, digest__in=digests),
            digest=F("digest"),
            comparison=F("comparison"),
            result=F("result"),
            inputs=F("inputs"),
        ),
        part(
            "open_set",
            EvidenceSet.objects.filter(memo=memo, state=SetState.OPEN),
            number=F("number"),
            title=F("title"),
            files=Count("attachments", filter=Q(attachments__detachment__isnull=True)),
        ),
        *_files(facts_of_evidence.files_named(content)),
        *_plans(memo),
    )


def _files(named: frozenset[str]) -> tuple[QuerySet[Any], ...]:
    """The parts on the files of those digests."""
    return (
        part(
            "artifact",
            Artifact.objects.filter(sha256__in=named),
            sha256=F("sha256"),
            name=F("name"),
            provenance=F("provenance"),
            taken_in_at=F("taken_in_at"),
        ),
        part(
            "parse",
            Parse.objects.filter(artifact__sha256__in=named),
            sha256=F("artifact__sha256"),
            asked=F("asked_format"),
            **{name: F(name) for name in ("format", "state", "message", "notices")},
        ),
        part(
            "recall",
            Recall.objects.filter(artifact__sha256__in=named),
            sha256=F("artifact__sha256"),
            by=F("by__username"),
            reason=F("reason"),
        ),
        part(
            "redaction",
            Redaction.objects.filter(artifact__sha256__in=named),
            sha256=F("artifact__sha256"),
            by=F("by_name"),
            **{name: F(name) for name in ("kind", "reason", "at")},
        ),
    )


def _plans(memo: Memo) -> tuple[QuerySet[Any], ...]:
    """The parts on the plans and on what became of their runs."""
    return (
        part(
            "plan",
            Plan.objects.filter(memo=memo),
            nonce=F("nonce"),
            title=F("title"),
            content=F("content"),
            registered_at=F("registered_at"),
        ),
        part(
            "account",
            RunAccount.objects.filter(plan__memo=memo),
            nonce=F("plan__nonce"),
            run=F("run"),
            reason=F("reason"),
        ),
    )


def _decided(memo: Memo) -> Rows:
    return union(
        part(
            "waiver",
            Waiver.objects.filter(memo=memo),
            requirement=F("requirement"),
            subject=F("subject"),
            owner=F("owner__username"),
            reason=F("reason"),
            control=F("control"),
            requested_by=F("requested_by__username"),
            expires_at=F("expires_at"),
            state=F("approval__state"),
            approved_by=F("approval__by__username"),
            approved_at=F("approval__at"),
        ),
        part(
            "observation",
            Observation.objects.filter(memo=memo, assessment__isnull=False),
            comparison=F("assessment__comparison"),
            digest=F("assessment__digest"),
            result=F("assessment__result"),
            at=F("observed_at"),
        ),
        part(
            "production_event",
            ProductionEvent.objects.filter(memo=memo),
            kind=F("kind"),
            what=F("build"),
            by=F("reported_by_name"),
            ratified_by=F("ratification__by__username"),
            at=F("happened_at"),
        ),
        part(
            "rollout",
            Decision.objects.filter(memo=memo, kind=DecisionKind.BOUNDED),
            digest=KeyTextTransform("rollout", "revision__section_digests"),
            ends_at=KeyTextTransform("ends_at", KeyTextTransform("rollout", "revision__sections")),
        ),
        part(
            "follow_up",
            FollowUp.objects.filter(memo__team=memo.team),
            memo=F("memo__number"),
            what=F("text"),
            owner=F("owner__username"),
            due=F("due_at"),
            met=F("done__at"),
        ),
        *reference.parts(memo),
    )
