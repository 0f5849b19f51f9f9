"""Signatures, decisions and waivers."""

from typing import Any

from rest_framework import serializers

from reviews.api.shapes.common import JsonObject, Lines, Shape
from reviews.vocabulary import DecisionKind, Position, WaiverState


class ConditionShape(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    text = serializers.CharField()
    cleared_by = serializers.CharField(source="clearance.by_name", default=None, allow_null=True)


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
    statement_sha256 = serializers.CharField()
    withdrawn_at = serializers.DateTimeField(source="withdrawal.at", default=None, allow_null=True)
    resolved_by = serializers.CharField(source="resolution.by_name", default=None, allow_null=True)
    signed_at = serializers.DateTimeField()


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
