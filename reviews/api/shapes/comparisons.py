"""Comparisons, assessments, hypotheses and the gate."""

from typing import Any

from rest_framework import serializers

from reviews.api.shapes.common import JsonObject, Lines, Shape
from reviews.vocabulary import Arm, DecisionKind, RequirementState, Resolution


class AssessmentShape(serializers.Serializer[Any]):
    """A frozen result. result: as docs/api.md names its members; numbers are decimal strings."""

    comparison = serializers.CharField()
    look = serializers.IntegerField()
    evidence_set = serializers.IntegerField(source="evidence_set.number")
    analysis_version = serializers.CharField()
    inputs_digest = serializers.CharField()
    outcome = serializers.CharField()
    digest = serializers.CharField()
    assessed_at = serializers.DateTimeField()
    result = JsonObject()


class ComparisonShape(serializers.Serializer[Any]):
    """comparison: the row of the section; sentence: what its assessment says, or that there is none."""

    key = serializers.CharField(source="row.key")
    sentence = serializers.CharField()
    comparison = JsonObject()
    assessment = AssessmentShape(allow_null=True)


class Explain(Shape):
    setting = serializers.CharField(max_length=300)
    text = Lines(help_text="Why the difference does not matter.")
    greatest_effect = serializers.CharField(max_length=40, help_text='The largest ratio it can cause, as "1.01".')


class Accept(Shape):
    setting = serializers.CharField(max_length=300)


class StateSetting(Shape):
    setting = serializers.CharField(max_length=300)
    arm = serializers.ChoiceField(choices=Arm.choices)
    value = serializers.CharField(max_length=1000)


class JudgementShape(serializers.Serializer[Any]):
    comparison = serializers.CharField()
    hypothesis = serializers.CharField()
    prediction = serializers.CharField()
    judgement = serializers.CharField()
    post_hoc = serializers.BooleanField()


class HypothesesShape(serializers.Serializer[Any]):
    """hypotheses, missing_evidence: as in the section; judgements: what the assessments say of the predictions."""

    hypotheses = serializers.ListField(child=JsonObject())
    missing_evidence = serializers.ListField(child=JsonObject())
    judgements = JudgementShape(many=True)


class NewResolution(Shape):
    """Supported or refuted, for a reason; or open, with an owner and a date."""

    state = serializers.ChoiceField(choices=Resolution.choices)
    reason = Lines(required=False, default="", allow_blank=True)
    owner = serializers.CharField(required=False, default="", allow_blank=True, max_length=150, help_text="User name.")
    due = serializers.DateField(required=False, default=None, allow_null=True)


class RequirementShape(serializers.Serializer[Any]):
    rule = serializers.CharField()
    code = serializers.CharField(help_text="What a waiver names.")
    state = serializers.ChoiceField(choices=RequirementState.choices)
    sentence = serializers.CharField()
    who = serializers.CharField(allow_blank=True)
    where = serializers.CharField(allow_blank=True)
    required = serializers.BooleanField()  # type: ignore[assignment]
    waivable = serializers.BooleanField()
    rules_version = serializers.CharField()


class OutlookShape(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=DecisionKind.choices)
    allowed = serializers.BooleanField(help_text="Nothing is missing, and it leads on from where the memo stands.")
    why_not_here = serializers.CharField(allow_blank=True, help_text="Why it cannot be recorded in the memo's state.")
    evidence_supports = serializers.BooleanField()
    requirements = RequirementShape(many=True)
    blockers = RequirementShape(many=True)


class PreviewShape(serializers.Serializer[Any]):
    """What the gate says to all four decisions; the least restrictive first."""

    least_restrictive = serializers.ChoiceField(choices=DecisionKind.choices, allow_null=True)
    supported = serializers.ChoiceField(choices=DecisionKind.choices, allow_null=True)
    outlooks = OutlookShape(many=True)
