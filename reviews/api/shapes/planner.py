"""Shapes of the planner."""

from typing import Any

from rest_framework import serializers

from reviews.api.shapes.common import Shape


def _text(said: str) -> serializers.CharField:
    return serializers.CharField(max_length=80, required=False, allow_blank=True, default="", help_text=said)


class PlannerQuery(Shape):
    """What is asked, as on the page: shares are "1%" or "0.01", and on logs."""

    memo = _text("Number of a memo whose evidence holds a pilot.")
    set = _text("Number of the evidence set; all sets without it.")
    arm = _text("baseline (without it) or candidate: whose runs are the pilot.")
    metric = _text("What is planned for, where the pilot has several metrics.")
    stat = _text("The tool's own number, where the pilot has several and no steps.")
    warmup = _text("Steps cut from the start of every run.")
    run_sd = _text("Without a pilot: how runs differ beyond their steps.")
    step_sd = _text("Without a pilot: how independent steps of a run differ.")
    half_width = _text("Half the expected interval.")
    run_cost = _text("Seconds that a run takes before its steps.")
    step_cost = _text("Seconds that a step takes.")
    effect = _text("The true effect that the runs are to establish.")
    power = _text("The chance of establishing it.")
    steps = _text("Steps of a run, where only an effect is asked for.")
    layout = _text("independent (without it) or blocked.")
    placement_sd = _text("To plan over placements: how the effect differs between them.")
    placement_cost = _text("Seconds that one more placement takes.")
    confidence = _text("Level of the interval, 0.95 without it.")


class PlanSizeShape(serializers.Serializer[Any]):
    placements = serializers.IntegerField(help_text="1 for a plan on one placement.")
    runs = serializers.IntegerField(help_text="Per arm, on each placement.")
    steps = serializers.IntegerField(help_text="Per run.")
    cost_s = serializers.FloatField()
    half_width = serializers.FloatField(help_text="Expected; half of all repetitions exceed it.")


class PlannedNoiseShape(serializers.Serializer[Any]):
    run_sd = serializers.FloatField()
    step_sd = serializers.FloatField(help_text="Times the root of the autocorrelation time.")


class PilotShape(serializers.Serializer[Any]):
    metric = serializers.CharField()
    runs = serializers.IntegerField()
    steps_per_run = serializers.FloatField()
    within = serializers.FloatField()
    between = serializers.FloatField()
    mean_square = serializers.FloatField()
    between_was_negative = serializers.BooleanField()
    autocorrelation_time = serializers.FloatField()
    notes = serializers.ListField(child=serializers.CharField())


class AssuranceShape(serializers.Serializer[Any]):
    share = serializers.FloatField(help_text="Of pilots whose true spread stays below that of the noise here.")
    noise = PlannedNoiseShape()
    plan = PlanSizeShape(allow_null=True, help_text="Null when out of reach, or without a half-width.")


class PowerRowShape(serializers.Serializer[Any]):
    effect = serializers.FloatField()
    power = serializers.FloatField()
    runs = serializers.IntegerField(allow_null=True, help_text="Per arm; null when out of reach.")
    assured = serializers.IntegerField(allow_null=True, help_text="With assurance; null without a pilot as well.")


class PowerShape(serializers.Serializer[Any]):
    steps = serializers.IntegerField()
    run_value_sd = serializers.FloatField()
    rows = PowerRowShape(many=True)


class GuardrailPowerShape(serializers.Serializer[Any]):
    guardrail = serializers.CharField()
    run_value_sd = serializers.FloatField(help_text="In the pilot, on logs.")
    power = serializers.FloatField(help_text="The chance that an equal candidate passes.")
    assured_power = serializers.FloatField()
    underpowered = serializers.BooleanField()


class GuardrailsTogetherShape(serializers.Serializer[Any]):
    power = serializers.FloatField(help_text="That an equal candidate passes all, if they vary independently.")
    assured_power = serializers.FloatField()
    underpowered = serializers.BooleanField()
    runs_needed = serializers.IntegerField(allow_null=True, help_text="Per arm, for a chance of 80 %.")
    assured_runs_needed = serializers.IntegerField(allow_null=True)


class UnknownGuardrailShape(serializers.Serializer[Any]):
    guardrail = serializers.CharField()
    reason = serializers.CharField()


class PlannedGuardrailsShape(serializers.Serializer[Any]):
    declared = serializers.BooleanField(help_text="By the memo; else they are metrics of its template.")
    runs = serializers.IntegerField(allow_null=True, help_text="Per arm of the plan.")
    each = GuardrailPowerShape(many=True)
    together = GuardrailsTogetherShape(allow_null=True)
    unknown = UnknownGuardrailShape(many=True)


class PlannedSizesShape(serializers.Serializer[Any]):
    """A plan, on logs, where 0.01 is about 1 %."""

    scale = serializers.CharField()
    confidence = serializers.FloatField()
    layout = serializers.ChoiceField(choices=["independent", "blocked"])
    placement_sd = serializers.FloatField(allow_null=True, help_text="Null for a plan on one placement.")
    pilot = PilotShape(allow_null=True, help_text="Null when spreads are stated.")
    noise = PlannedNoiseShape()
    half_width = serializers.FloatField(allow_null=True)
    plan = PlanSizeShape(allow_null=True, help_text="Null without a half-width.")
    kalibera_jones_steps = serializers.IntegerField(allow_null=True)
    assurance = AssuranceShape(allow_null=True)
    power = PowerShape(allow_null=True, help_text="Null in blocks.")
    guardrails = PlannedGuardrailsShape(allow_null=True, help_text="Null without a pilot, or without guardrails in it.")
