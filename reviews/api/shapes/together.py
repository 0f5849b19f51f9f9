"""All comparisons of a memo together. Numbers are decimal strings."""

from typing import Any

from rest_framework import serializers


class SimultaneousShape(serializers.Serializer[Any]):
    """An interval as it is printed: its ends, its level as a fraction, its method, and what stands behind it."""

    estimate = serializers.CharField()
    low = serializers.CharField()
    high = serializers.CharField()
    level = serializers.CharField()
    method = serializers.CharField()
    replicates = serializers.CharField()
    scope = serializers.CharField()


class GuardrailShape(serializers.Serializer[Any]):
    """sentence: the verdict, or why there is none; a guardrail without one does not pass."""

    key = serializers.CharField()
    name = serializers.CharField()
    passes = serializers.BooleanField()
    sentence = serializers.CharField()


class ClaimShape(serializers.Serializer[Any]):
    """direction: as Holm judges the claim in its family; materiality: of the simultaneous interval."""

    key = serializers.CharField()
    name = serializers.CharField()
    direction = serializers.CharField()
    materiality = serializers.CharField()
    p_value = serializers.CharField(help_text="1 for a claim without a verdict, which stays in the family.")
    adjusted_p = serializers.CharField()
    interval = SimultaneousShape(allow_null=True)
    sentence = serializers.CharField()


class SliceShape(serializers.Serializer[Any]):
    """noted: worth a new run set; no decision rests on it."""

    key = serializers.CharField()
    name = serializers.CharField()
    noted = serializers.BooleanField()
    p_value = serializers.CharField()
    adjusted_p = serializers.CharField()
    sentence = serializers.CharField()


class FactShape(serializers.Serializer[Any]):
    """what: effect, design, quality, replay or fix check; said: as it is recorded, or that it is not."""

    what = serializers.CharField()
    said = serializers.CharField()


class AttributionShape(serializers.Serializer[Any]):
    """rung: 0 to 4 of docs/statistics.md; lifts: what would lead to the next one."""

    comparison = serializers.CharField(allow_blank=True, help_text="Whose effect it is; empty for none.")
    rung = serializers.IntegerField(min_value=0, max_value=4)
    sentence = serializers.CharField()
    facts = FactShape(many=True)
    cautions = serializers.ListField(child=serializers.CharField())
    lifts = serializers.ListField(child=serializers.CharField())


class TogetherShape(serializers.Serializer[Any]):
    """ships: whether every guardrail passes, null without any; ship, family, screening: what stands over the lists."""

    ships = serializers.BooleanField(allow_null=True)
    ship = serializers.CharField()
    notices = serializers.ListField(child=serializers.CharField())
    guardrails = GuardrailShape(many=True)
    family = serializers.CharField()
    claims = ClaimShape(many=True)
    screening = serializers.CharField()
    screened = SliceShape(many=True)
    set_aside = serializers.ListField(child=serializers.CharField(), help_text="Why comparisons take no part.")
    attribution = AttributionShape()
