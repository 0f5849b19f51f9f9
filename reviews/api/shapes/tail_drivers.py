"""Shapes of queue waits, the impact of a batch policy, and tail-latency drivers."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from analysis import canonical
from reviews.api.shapes.common import JsonObject, Shape
from reviews.services.tail_drivers import Looked


def _text(said: str, longest: int) -> serializers.CharField:
    return serializers.CharField(max_length=longest, required=False, allow_blank=True, default="", help_text=said)


class TailDriversQuery(Shape):
    slowest = _text("Percent of the requests of each run that are its tail; 5 without it.", 12)
    set = _text("Number of the evidence set; all sets without it.", 9)
    warmup = _text("Requests cut from the start of every run.", 9)
    varied = _text("Settings that are the policy, with commas.", 300)


class StepsShape(serializers.Serializer[Any]):
    """From the newest comparison of the traces of a set."""

    set = serializers.IntegerField()
    current = serializers.BooleanField(help_text="Whether it is of the traces as they are now.")
    effects = JsonObject(allow_null=True, help_text="Launches, gaps and memory per step; kernels gone, new.")
    drivers = JsonObject(allow_null=True)
    no_drivers = JsonObject(allow_null=True)


class TailDriversShape(serializers.Serializer[Any]):
    """Queue waits at each offered load, and what the slowest spend beside all, with 95 % intervals over runs; no cause.

    Where a part is null, its refusal says why: code, message, needs.
    """

    kind = serializers.CharField()
    queue = JsonObject(allow_null=True)
    no_queue = JsonObject(allow_null=True)
    drivers = JsonObject(allow_null=True)
    no_drivers = JsonObject(allow_null=True)
    steps = StepsShape(allow_null=True)


def shape_of(found: Looked) -> Mapping[str, Any]:
    """All of it as JSON values."""
    one, steps = found.requests, found.steps
    parts = {"queue": one.queue, "no_queue": one.no_queue, "drivers": one.drivers, "no_drivers": one.no_drivers}
    told = None
    if steps is not None:
        of_traces = steps.found
        inside = {"effects": of_traces.effects, "drivers": of_traces.drivers, "no_drivers": of_traces.no_drivers}
        told = {
            "set": steps.set_number,
            "current": steps.current,
            **{name: canonical.as_json(value) for name, value in inside.items()},
        }
    return {
        "kind": "tail_drivers",
        **{name: canonical.as_json(value) for name, value in parts.items()},
        "steps": told,
    }
