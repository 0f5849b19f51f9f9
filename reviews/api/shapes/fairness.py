"""Shapes of fairness across streams."""

from typing import Any

from rest_framework import serializers

from reviews.api.shapes.common import JsonObject, Shape


def _text(said: str) -> serializers.CharField:
    return serializers.CharField(max_length=80, required=False, allow_blank=True, default="", help_text=said)


class FairnessQuery(Shape):
    metric = _text("Its stages are the streams; without it, the only metric that has several.")
    stat = _text("Of each stream in a run, mean without it.")
    better = _text("higher (without it) or lower: which end is the worst stream.")
    set = _text("Number of the evidence set; all sets without it.")
    warmup = _text("Steps cut from the start of every stream.")


class FairnessShape(serializers.Serializer[Any]):
    """Jain's index and the worst stream over the mean of the streams, with 95 % intervals over runs; no verdict."""

    kind = serializers.CharField()
    metric = serializers.CharField()
    stat = serializers.CharField()
    confidence = serializers.FloatField()
    baseline = serializers.JSONField(help_text="Streams, runs, index, spread, worst stream; or the only arm.")
    candidate = JsonObject(allow_null=True)
    change = JsonObject(allow_null=True, help_text="Difference of the spread, ratio of the worst streams.")
