"""Shapes of the sampling lab."""

from typing import Any

from rest_framework import serializers

from reviews.api.shapes.common import Shape


class SamplingQuery(Shape):
    p = serializers.CharField(max_length=40, help_text="Probability of success, 0 to 1, taken exactly as written.")
    n = serializers.IntegerField(help_text="Trials, 1 to 100.")


class BarShape(serializers.Serializer[Any]):
    k = serializers.IntegerField(help_text="Successes.")
    exact = serializers.FloatField()
    normal = serializers.FloatField(allow_null=True, help_text="Between k - 1/2 and k + 1/2; null when p is 0 or 1.")


class NormalShape(serializers.Serializer[Any]):
    bound = serializers.FloatField(help_text="Berry-Esseen, on the greatest error of the distribution function.")
    bound_printed = serializers.CharField(help_text="The same, rounded up to four decimals.")
    greatest_error = serializers.FloatField()
    covered = serializers.FloatField(help_text="The sum of the normal bars.")


class SamplingLabShape(serializers.Serializer[Any]):
    models = serializers.CharField(help_text="What the lab models.")
    p = serializers.FloatField()
    n = serializers.IntegerField()
    mean_proportion = serializers.FloatField()
    mean_variance = serializers.FloatField(help_text="Of the mean of the trials.")
    bars = BarShape(many=True)
    normal = NormalShape(allow_null=True, help_text="Null when p is 0 or 1.")
