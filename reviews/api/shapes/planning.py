"""Shapes of what to measure next."""

from decimal import Decimal
from typing import Any, Final

from rest_framework import serializers

from analysis.next_measurement import NO_EVIDENCE
from reviews.api.shapes.common import Shape

LONGEST_NUMBER: Final = 40
MOST_HYPOTHESES: Final = 12


def _number(**options: Any) -> serializers.CharField:
    """A number taken exactly as written."""
    return serializers.CharField(max_length=LONGEST_NUMBER, **options)


def _open(**options: Any) -> serializers.CharField:
    """A number that may be left out."""
    return _number(required=False, allow_null=True, **options)


class RivalHypothesis(Shape):
    key = serializers.CharField(max_length=40, help_text='"H1", each once.')
    statement = serializers.CharField(max_length=2000, required=False, allow_blank=True)
    prior = _open(help_text="A share of 1; for all hypotheses or for none, which makes them equally likely.")


class PredictedEnds(Shape):
    hypothesis = serializers.CharField(max_length=40)
    low = _open(help_text="Candidate over baseline; null is an open end.")
    high = _open(help_text="Candidate over baseline; null is an open end.")


class PossibleMeasurementShape(Shape):
    name = serializers.CharField(max_length=200)
    standard_error = _number(help_text="Of the log ratio, as planned: 0.01 is 1 %.")
    minutes = _open(help_text="What it takes. When one is not known, the order is by bits alone.")
    predictions = serializers.ListField(child=PredictedEnds(), max_length=MOST_HYPOTHESES)


class MeasurementsToRank(Shape):
    hypotheses = serializers.ListField(child=RivalHypothesis(), max_length=MOST_HYPOTHESES)
    measurements = serializers.ListField(child=PossibleMeasurementShape(), max_length=30)


class RankedMeasurementShape(serializers.Serializer[Any]):
    name = serializers.CharField()
    bits = serializers.FloatField(help_text="Expected, of which hypothesis holds.")
    bits_per_minute = serializers.FloatField(allow_null=True)
    standard_error = serializers.FloatField()
    minutes = serializers.FloatField(allow_null=True)
    no_prediction = serializers.ListField(
        child=serializers.CharField(), help_text="Hypotheses that predict nothing for it."
    )


class RankingShape(serializers.Serializer[Any]):
    """An order of work to be done; no evidence for any hypothesis."""

    kind = serializers.CharField()
    ranked_by = serializers.ChoiceField(choices=["bits_per_minute", "bits"])
    measurements = RankedMeasurementShape(many=True, help_text="The most telling first.")
    most_bits = serializers.FloatField(help_text="What would tell the hypotheses apart for certain.")
    priors = serializers.DictField(child=serializers.FloatField())
    priors_stated = serializers.BooleanField()
    assumptions = serializers.ListField(child=serializers.CharField())
    sentence = serializers.CharField()


class GuessQuery(Shape):
    guess = serializers.DecimalField(
        max_digits=7,
        decimal_places=4,
        min_value=Decimal("0.0001"),
        max_value=Decimal(100),
        required=False,
        default=None,
        help_text="Percent: the standard error of measurements of which the memo knows none; 1 without it.",
    )


class RankedOfMemoShape(serializers.Serializer[Any]):
    """A measurement for which an open hypothesis of the memo predicts a ratio."""

    metric = serializers.CharField()
    stat = serializers.CharField()
    condition = serializers.CharField(allow_blank=True)
    bits = serializers.FloatField(source="found.bits")
    bits_per_minute = serializers.FloatField(source="found.bits_per_minute", allow_null=True)
    standard_error = serializers.FloatField(source="found.se")
    standard_error_of = serializers.CharField(
        source="known_by", allow_blank=True, help_text='Comparison whose interval it is, "" for the guess.'
    )
    minutes = serializers.FloatField(source="found.minutes", allow_null=True)
    minutes_of = serializers.CharField(
        source="timed_by", allow_blank=True, help_text="Comparison whose runs took them."
    )
    no_prediction = serializers.ListField(source="found.unpredicted", child=serializers.CharField())


class RankingOfMemoShape(serializers.Serializer[Any]):
    """An order of work to be done; no evidence for any hypothesis."""

    hypotheses = serializers.ListField(child=serializers.CharField(), help_text="Those that are open.")
    ranked_by = serializers.ChoiceField(choices=["bits_per_minute", "bits"])
    measurements = RankedOfMemoShape(source="rows", many=True, help_text="The most telling first.")
    left_out = serializers.ListField(child=serializers.CharField(), help_text="What could not be used, in sentences.")
    why_not = serializers.CharField(allow_blank=True, help_text="Why there is no ranking.")
    sentence = serializers.SerializerMethodField()

    def get_sentence(self, _found: object) -> str:
        """What a ranking is not."""
        return NO_EVIDENCE
