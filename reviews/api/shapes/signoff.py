"""Signatures, decisions and waivers."""

from typing import Any

from rest_framework import serializers

from reviews.api.shapes.common import JsonObject, Lines, Shape
from reviews.models import Signature
from reviews.vocabulary import Action, DecisionKind, Position, WaiverState


class ConditionShape(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    id = serializers.IntegerField()
    text = serializers.CharField()
    owner = serializers.CharField(source="owner_name", allow_blank=True)
    proof = serializers.CharField(allow_blank=True, help_text="What will show that it is met.")
    cleared_by = serializers.CharField(source="clearance.by_name", default=None, allow_null=True)
    cleared_at = serializers.DateTimeField(source="clearance.at", default=None, allow_null=True)
    proved = serializers.CharField(source="clearance.note", default=None, allow_null=True)


class SignatureShape(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    signer = serializers.CharField(source="signer_name")
    acting_for = serializers.CharField(source="acting_for_name", allow_blank=True)
    role = serializers.CharField()
    position = serializers.ChoiceField(choices=Position.choices)
    decision_kinds = serializers.ListField(child=serializers.ChoiceField(choices=DecisionKind.choices))
    greatest_scope_percent = serializers.DecimalField(max_digits=7, decimal_places=4, allow_null=True)
    revision = serializers.IntegerField(source="revision.number")
    section_digests = JsonObject()
    text = serializers.CharField(allow_blank=True)
    would_clear_if = serializers.CharField(allow_blank=True)
    conditions = ConditionShape(many=True)
    statement = serializers.SerializerMethodField(help_text="The canonical JSON that was signed, byte for byte.")
    statement_sha256 = serializers.CharField()
    authentication = JsonObject(help_text="How and when it was proved; `passkey` for a statement that one signed.")
    withdrawn_at = serializers.DateTimeField(source="withdrawal.at", default=None, allow_null=True)
    resolved_by = serializers.CharField(source="resolution.by_name", default=None, allow_null=True)
    replaces = serializers.IntegerField(source="replaces_id", allow_null=True)
    signed_at = serializers.DateTimeField()

    def get_statement(self, row: Signature) -> str:
        """As text."""
        return bytes(row.statement).decode()


class WhoMayShape(serializers.Serializer[Any]):
    """An action of the lifecycle, and who may do it now."""

    action = serializers.ChoiceField(choices=Action.choices)
    people = serializers.ListField(child=serializers.CharField())


class AnswerToObjectionShape(serializers.Serializer[Any]):
    """A word of either side."""

    by = serializers.CharField(source="by_name")
    at = serializers.DateTimeField()
    text = serializers.CharField()


class ObjectionShape(serializers.Serializer[Any]):
    """An objection with all that was said since; `overridden_at` is the board's second meeting."""

    id = serializers.IntegerField()
    raised_by = serializers.CharField(source="signer_name")
    acting_for = serializers.CharField(source="acting_for_name", allow_blank=True)
    role = serializers.CharField()
    text = serializers.CharField()
    would_clear_if = serializers.CharField()
    at = serializers.DateTimeField(source="signed_at")
    answers = AnswerToObjectionShape(many=True)
    heard_at = serializers.DateTimeField(source="hearing.held_at", default=None, allow_null=True)
    withdrawn_at = serializers.DateTimeField(source="withdrawal.at", default=None, allow_null=True)
    resolved_by = serializers.CharField(source="resolution.by_name", default=None, allow_null=True)
    resolved_as = serializers.CharField(source="resolution.role", default=None, allow_null=True)
    overridden_at = serializers.DateTimeField(source="resolution.held_at", default=None, allow_null=True)
    reason = serializers.CharField(source="resolution.reason", default=None, allow_null=True)


class SectionsToPreview(Shape):
    sections = JsonObject(help_text="Section name -> its new records; sections left out stay.")


class BecauseShape(serializers.Serializer[Any]):
    section = serializers.CharField()
    record = serializers.CharField()
    before = serializers.CharField(allow_blank=True)
    after = serializers.CharField(allow_blank=True)


class LapseShape(serializers.Serializer[Any]):
    """A signature that would go stale."""

    signer = serializers.CharField()
    acting_for = serializers.CharField(allow_blank=True)
    role = serializers.CharField()
    sections = serializers.ListField(child=serializers.CharField())
    because = BecauseShape(many=True)


class NewAnswer(Shape):
    text = Lines()


class NewDelegation(Shape):
    role = serializers.CharField(max_length=80)
    delegate = serializers.CharField(max_length=150, help_text="User name.")
    starts_at = serializers.DateTimeField(allow_null=True, default=None, help_text="Null for now.")
    ends_at = serializers.DateTimeField(help_text="At most 90 days after it begins.")
    reason = Lines()


class DelegationShape(serializers.Serializer[Any]):
    """memo: null for all memos of the team."""

    id = serializers.IntegerField()
    memo = serializers.CharField(source="memo.number", default=None, allow_null=True)
    role = serializers.CharField()
    holder = serializers.CharField(source="holder_name")
    delegate = serializers.CharField(source="delegate_name")
    reason = serializers.CharField()
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(source="end.at", default=None, allow_null=True)


class DecisionShape(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=DecisionKind.choices)
    scope_percent = serializers.DecimalField(max_digits=7, decimal_places=4, allow_null=True)
    rationale = serializers.CharField()
    emergency = serializers.BooleanField()
    revision = serializers.IntegerField(source="revision.number")
    decider = serializers.CharField(source="decider_name")
    dossier_sha256 = serializers.CharField()
    chain_head = serializers.CharField()
    rules_version = serializers.CharField()
    pdf_sha256 = serializers.CharField(source="pdf.pdf_sha256", default=None, allow_null=True)
    effective_at = serializers.DateTimeField()
    recorded_at = serializers.DateTimeField()


class NewWaiver(Shape):
    requirement = serializers.CharField(max_length=281, help_text="The code of the gap, “rule:subject”.")
    owner = serializers.CharField(max_length=150, help_text="User name.")
    reason = Lines()
    control = Lines(help_text="What compensates for the gap.")
    expires_at = serializers.DateTimeField()


class AnswerShape(serializers.Serializer[Any]):
    """The board's answer."""

    state = serializers.ChoiceField(choices=WaiverState.choices)
    note = serializers.CharField(allow_blank=True)
    by = serializers.CharField(source="by_name")
    at = serializers.DateTimeField()


class WaiverShape(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    requirement = serializers.CharField()
    subject = serializers.CharField(allow_blank=True)
    owner = serializers.CharField(source="owner.username")
    reason = serializers.CharField()
    control = serializers.CharField()
    expires_at = serializers.DateTimeField()
    requested_by = serializers.CharField(source="requested_by_name")
    requested_at = serializers.DateTimeField()
    state = serializers.ChoiceField(choices=WaiverState.choices)
    approval = AnswerShape(default=None, allow_null=True)
