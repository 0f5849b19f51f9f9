"""Shapes of the batch policy of a memo."""

from typing import Any

from rest_framework import serializers

from reviews.api.shapes.common import Shape
from reviews.batch_policy.asking import COMPARE, FIELDS


def _text(said: str) -> serializers.CharField:
    return serializers.CharField(max_length=500, required=False, allow_blank=True, default="", help_text=said)


class BatchPolicyWish(Shape):
    """What is asked of the sweep, in the words that the command line and the page take."""

    limits = _text("Such as p99=50ms,throughput=2000,power=700W.")
    varied = _text(
        "The setting that the sweep goes over, found by the usual names without it; several with commas make a grid."
    )
    throughput = _text("The metric of throughput.")
    latency = _text("The metric of p50, p95 and p99.")
    power = _text("The metric of power.")
    energy = _text("The metric of energy.")
    temperature = _text("The metric of temperature.")
    grid = _text("The points that were meant to be measured, such as 1,2,4,8; those that are missing are named.")
    warmup = _text("Requests cut from the start of every run.")
    offered = _text("The rate of the latency measurement, where throughput was measured apart.")
    devices = _text("How many devices serve together, for tokens per second of a device.")
    arms = serializers.ChoiceField(
        choices=["", COMPARE], required=False, default="", help_text="All runs as one sweep, or candidate and baseline."
    )


class BatchPolicyJobWish(BatchPolicyWish):
    """The same, with what is simulated and where the pack goes."""

    arrivals = _text("Requests per second, such as 200,1000; nothing is simulated without them.")
    traffic = _text("poisson, or mmpp: and four numbers.")
    waits = _text("Greatest waits that are tried, such as 0,5ms.")
    servers = _text("How many serve one queue.")
    idle = _text("Power of an idle server, such as 60W.")
    evidence_set = serializers.IntegerField(
        min_value=0,
        required=False,
        default=0,
        help_text="Number of the open set that the curve pack goes to, 0 for none.",
    )


class BatchPolicyShape(serializers.Serializer[Any]):
    """The document of the curve pack; with candidate and baseline, that of each and what changes."""

    document = serializers.JSONField(help_text="As in docs/formats.md, batch-policy-curve-pack.")


def wish_of(given: dict[str, Any]) -> dict[str, str]:
    """The texts of the wish by field."""
    return {name: str(given.get(name, "")) for name in FIELDS}
