"""The rows behind people's part of the gate's facts: two of its five queries."""

from collections.abc import Mapping
from datetime import datetime

from django.db.models import F, Q

from reviews.models import (
    Assignment,
    Attachment,
    Condition,
    Delegation,
    Memo,
    ObjectionAnswer,
    Revision,
    Signature,
    in_force,
)
from reviews.queries.rows import Row, part, union
from reviews.vocabulary import StandingRole

Rows = Mapping[str, list[Row]]


def people(memo: Memo, at: datetime) -> Rows:
    """Who holds what at `at`, who ever sat on the board or was a delegate, and who wrote."""
    team = Assignment.objects.filter(team=memo.team)
    return union(
        part(
            "assignment", team.filter(in_force(at), person__is_active=True), role=F("role"), name=F("person__username")
        ),
        part(
            "board",
            team.filter(role=StandingRole.BOARD),
            name=F("person__username"),
            since=F("starts_at"),
            until=F("ends_at"),
            ended=F("end__at"),
        ),
        part(
            "delegation",
            Delegation.objects.filter(Q(memo__isnull=True) | Q(memo=memo), team=memo.team),
            role=F("role"),
            holder=F("holder__username"),
            delegate=F("delegate__username"),
            since=F("starts_at"),
            until=F("ends_at"),
            ended=F("end__at"),
        ),
        part(
            "revision",
            Revision.objects.filter(memo=memo),
            name=F("contributor__username"),
            number=F("number"),
        ),
        part(
            "attachment",
            Attachment.objects.filter(evidence_set__memo=memo),
            name=F("attached_by__username"),
        ),
    )


def signed(memo: Memo) -> Rows:
    """The signatures with what became of them."""
    return union(
        part(
            "signature",
            Signature.objects.filter(memo=memo),
            signer=F("signer__username"),
            acting_for=F("acting_for__username"),
            role=F("role"),
            position=F("position"),
            kinds=F("decision_kinds"),
            scope_percent=F("greatest_scope_percent"),
            covered=F("section_digests"),
            rollout_digest=F("rollout_digest"),
            text=F("text"),
            would_clear_if=F("would_clear_if"),
            resolved_by=F("resolution__by__username"),
            resolved_as=F("resolution__role"),
            heard_by=F("hearing__by__username"),
            heard_at=F("hearing__held_at"),
            withdrawn=F("withdrawal__at"),
            at=F("signed_at"),
        ),
        part(
            "condition",
            Condition.objects.filter(signature__memo=memo),
            signature=F("signature"),
            text=F("text"),
            cleared_by=F("clearance__by__username"),
            owner=F("owner__username"),
            proof=F("proof"),
        ),
        part("answer", ObjectionAnswer.objects.filter(signature__memo=memo), signature=F("signature"), at=F("at")),
    )
