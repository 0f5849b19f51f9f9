"""Shapes of a comparison of summaries of runs."""

from typing import Any

from rest_framework import serializers

from reviews.api.shapes.common import Shape


class ArmSummaryQuestion(Shape):
    mean = serializers.CharField(max_length=40, help_text="Taken exactly as written; both arms in one unit.")
    deviation = serializers.CharField(max_length=40, help_text="Standard deviation of the values.")
    count = serializers.IntegerField(min_value=0)


class SummariesQuestion(Shape):
    baseline = ArmSummaryQuestion()
    candidate = ArmSummaryQuestion()
    of = serializers.ChoiceField(
        choices=["runs", "steps", "requests"],
        required=False,
        default="runs",
        help_text="What was counted; steps and requests are refused, because they say nothing of another run.",
    )
    better = serializers.ChoiceField(choices=["higher", "lower"])
    margin = serializers.CharField(
        max_length=40, required=False, default="2%", help_text='What is still acceptable: "2%", or a ratio "0.98".'
    )


class ArmSummaryShape(serializers.Serializer[Any]):
    mean = serializers.CharField()
    deviation = serializers.CharField()
    count = serializers.IntegerField()
    of = serializers.CharField()


class IntervalShape(serializers.Serializer[Any]):
    """A confidence interval; numbers are decimal text. centre, se and df are on logs."""

    kind = serializers.CharField()
    scale = serializers.CharField()
    unit = serializers.CharField()
    scope = serializers.CharField()
    estimand = serializers.CharField()
    counted = serializers.CharField()
    estimate = serializers.CharField()
    lo = serializers.CharField()
    hi = serializers.CharField()
    centre = serializers.CharField()
    se = serializers.CharField()
    df = serializers.CharField()
    p_value = serializers.CharField()
    confidence = serializers.CharField()
    method = serializers.CharField()
    units = serializers.IntegerField()
    assumptions = serializers.ListField(child=serializers.CharField())


class VerdictOfSummaries(serializers.Serializer[Any]):
    direction = serializers.CharField()
    materiality = serializers.CharField()
    headline = serializers.CharField()
    basis = serializers.CharField()


class RefusalOfVerdict(serializers.Serializer[Any]):
    code = serializers.CharField()
    message = serializers.CharField()
    needs = serializers.CharField()


class NoticeShape(serializers.Serializer[Any]):
    code = serializers.CharField()
    sentence = serializers.CharField()


class ComparisonOfSummariesShape(serializers.Serializer[Any]):
    kind = serializers.CharField()
    outcome = serializers.ChoiceField(choices=["verdict", "withheld"])
    refusal = RefusalOfVerdict(allow_null=True, help_text="Why the verdict is withheld.")
    baseline = ArmSummaryShape()
    candidate = ArmSummaryShape()
    better = serializers.CharField()
    margin = serializers.CharField(help_text="Worst acceptable ratio, candidate over baseline.")
    interval = IntervalShape()
    verdict = VerdictOfSummaries(allow_null=True)
    notices = NoticeShape(many=True)
    ladder_rung = serializers.IntegerField()
    attribution = serializers.CharField()
