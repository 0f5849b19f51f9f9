"""Shapes of deterministic bounds: ratios of stated bounds, and quantiles of histograms."""

from typing import Any

from rest_framework import serializers

from analysis.exact import MOST_DIGITS
from reviews.api.shapes.common import Shape


def _number(**options: Any) -> serializers.CharField:
    """A number taken exactly as written."""
    return serializers.CharField(max_length=40, **options)


class Range(Shape):
    low = _number()
    high = _number()


class Printed(Shape):
    """How the ends are printed, and in which unit they are given."""

    unit = serializers.CharField(max_length=20, required=False, default="ms")
    digits = serializers.IntegerField(
        min_value=0, max_value=MOST_DIGITS, required=False, default=8, help_text="Decimals, rounded outward."
    )


class RatioQuestion(Printed):
    """Bounds of what each arm took, in one unit of time or energy."""

    baseline = Range()
    candidate = Range()
    baseline_work = Range(required=False, default=None, allow_null=True, help_text="Valid work, when the works differ.")
    candidate_work = Range(required=False, default=None, allow_null=True)
    shared_scale = serializers.BooleanField(
        required=False, default=False, help_text="Both works carry one unknown factor, which drops out."
    )


class HistogramQuestion(Printed):
    """A histogram, and which of its quantiles is asked for."""

    edges = serializers.ListField(
        child=_number(), max_length=1000, help_text='Rising, in the unit; the last may be "inf".'
    )
    counts = serializers.ListField(
        child=serializers.IntegerField(), max_length=1000, help_text="Values in each bucket, not cumulative."
    )
    p = _number(help_text="Which quantile: 0.99.")


class BoundsShape(serializers.Serializer[Any]):
    """What must hold if the stated bounds do. It carries no confidence level."""

    kind = serializers.CharField()
    lower = serializers.CharField(help_text="Rounded down.")
    upper = serializers.CharField(help_text="Rounded up.")
    exact = serializers.ListField(child=serializers.CharField(), help_text="Both ends as rationals.")
    unit = serializers.CharField()
    assumptions = serializers.ListField(child=serializers.CharField())
    sentence = serializers.CharField()


class RatioBoundsShape(BoundsShape):
    """Candidate over baseline, of throughputs."""

    percent_lower = serializers.CharField()
    percent_upper = serializers.CharField()
    direction = serializers.ChoiceField(choices=["below_one", "above_one", "not_established"])
    touches_one = serializers.BooleanField()


class QuantileBoundsShape(BoundsShape):
    """The edges, in the base unit, of the bucket that holds the quantile."""

    name = serializers.CharField()
    values = serializers.IntegerField(help_text="In all buckets.")
    scope = serializers.CharField()
