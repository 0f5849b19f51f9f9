"""Shapes that many resources share."""

from collections.abc import Mapping
from typing import Any, Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

DIGEST: Final = r"^[0-9a-f]{64}$"
LONG: Final = 100_000


class Shape(serializers.Serializer[Any]):
    """Base of all shapes. A field that it does not know is refused: nothing is silently dropped."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            unknown = sorted(str(name) for name in data if name not in self.fields)
            if unknown:
                raise serializers.ValidationError(dict.fromkeys(unknown, "There is no such field here."), "unknown")
        return super().to_internal_value(data)


@extend_schema_field({"type": "object", "additionalProperties": True})
class JsonObject(serializers.JSONField):
    """Any JSON object."""

    default_error_messages = {"object": "This is no JSON object."}  # noqa: RUF012 - the framework's way

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, dict):
            self.fail("object")
        return super().to_internal_value(data)


class Lines(serializers.CharField):
    """Text of several lines, kept as it is."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_length": LONG, "trim_whitespace": False, **options})


class MissingShape(serializers.Serializer[Any]):
    code = serializers.CharField()
    sentence = serializers.CharField()
    who = serializers.CharField(allow_blank=True)
    where = serializers.CharField(allow_blank=True, help_text="Relative to the memo's page.")


class FaultShape(serializers.Serializer[Any]):
    pointer = serializers.CharField(allow_blank=True, help_text="JSON pointer into the request.")
    detail = serializers.CharField()
    code = serializers.CharField()


class ChangeShape(serializers.Serializer[Any]):
    section = serializers.CharField()
    record = serializers.CharField()
    before = serializers.CharField(allow_blank=True)
    after = serializers.CharField(allow_blank=True)


class Problem(serializers.Serializer[Any]):
    """RFC 9457 problem details."""

    type = serializers.CharField(help_text="urn:countersign:problem:<code>")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    code = serializers.CharField(help_text="Stable, for programs.")
    where = serializers.CharField(allow_blank=True)
    missing = MissingShape(many=True)
    errors = FaultShape(  # type: ignore[assignment]
        many=True, required=False, help_text="Each fault of a request that does not fit its shape."
    )
    difference = ChangeShape(many=True, required=False, help_text="With 412: what changed meanwhile, by record.")


class Reason(Shape):
    reason = Lines(help_text="In words; it goes into the trail.")
