"""Comparisons of traces."""

from typing import Any

from rest_framework import serializers

from reviews.api.shapes.after import JobShape
from reviews.api.shapes.common import JsonObject, Shape
from reviews.services.trace_comparisons import MARGIN


class AskTraces(Shape):
    set = serializers.IntegerField(min_value=1, max_value=10**9, help_text="Number of the evidence set.")
    margin = serializers.CharField(
        max_length=20, default=MARGIN, help_text="Within how many percent a stage is excluded."
    )


class TraceComparisonShape(serializers.Serializer[Any]):
    """A frozen comparison. current: it is of the traces as they are now. result: as docs/api.md names its members."""

    version = serializers.CharField(source="row.version")
    inputs = JsonObject(source="row.inputs")
    inputs_digest = serializers.CharField(source="row.inputs_digest")
    divergence = serializers.CharField(source="row.divergence")
    digest = serializers.CharField(source="row.digest")
    compared_at = serializers.DateTimeField(source="row.compared_at")
    current = serializers.BooleanField()
    result = JsonObject(source="row.result")


class TracesShape(serializers.Serializer[Any]):
    """The traces of an evidence set. missing: why they cannot be compared. job: the latest that compares them."""

    set = serializers.IntegerField()
    title = serializers.CharField()
    baseline = serializers.IntegerField(help_text="How many traces the baseline has.")
    candidate = serializers.IntegerField(help_text="How many traces the candidate has.")
    missing = serializers.CharField(allow_blank=True)
    job = JobShape(allow_null=True)
    comparison = TraceComparisonShape(allow_null=True)


class SetWithTraces(serializers.Serializer[Any]):
    """An evidence set with traces. divergence: what the newest comparison of them found, "" without one."""

    set = serializers.IntegerField()
    title = serializers.CharField()
    baseline = serializers.IntegerField(help_text="How many traces the baseline has.")
    candidate = serializers.IntegerField(help_text="How many traces the candidate has.")
    missing = serializers.CharField(allow_blank=True)
    divergence = serializers.CharField(allow_blank=True)
