"""Plans, files and evidence sets."""

import json
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from analysis.ways_out import WAYS_OUT
from reviews.api.shapes.common import DIGEST, JsonObject, Lines, Shape
from reviews.models import Attachment, Parse, Redaction
from reviews.redaction_words import RedactionKind
from reviews.vocabulary import Arm, EvidenceUse, ParseState, SetState, Source


class NewPlan(Shape):
    plan = JsonObject(help_text="What will be compared, predicted and run: docs/api.md names the fields.")
    nonce = serializers.CharField(
        required=False, default="", max_length=64, help_text="Only for a plan that was registered elsewhere before."
    )
    registered_at = serializers.DateTimeField(
        required=False, default=None, allow_null=True, help_text="When that was; it is kept as stated, not witnessed."
    )


class PlanShape(serializers.Serializer[Any]):
    nonce = serializers.CharField(help_text="Goes into the metadata of the runs.")
    title = serializers.CharField()
    digest = serializers.CharField()
    witnessed = serializers.BooleanField()
    registered_by = serializers.CharField(source="registered_by_name")
    registered_at = serializers.DateTimeField()
    recorded_at = serializers.DateTimeField()
    content = JsonObject()


class NewRunAccount(Shape):
    run = serializers.CharField(max_length=300)
    reason = Lines(help_text="What became of it.")


class RunAccountShape(serializers.Serializer[Any]):
    run = serializers.CharField()
    reason = serializers.CharField()
    by = serializers.CharField(source="by_name")
    at = serializers.DateTimeField()


class ProvenanceField(serializers.CharField):
    """JSON in a form field: {"tool" | "version" | "host" | …: {"value": text, "source": file, capture or typed}}."""

    default_error_messages = {  # noqa: RUF012 - the framework's way
        "provenance": "This is no provenance: it is JSON, each name with its value and source, all texts."
    }

    def to_internal_value(self, data: Any) -> Any:
        try:
            value = json.loads(super().to_internal_value(data))
        except (ValueError, RecursionError):
            self.fail("provenance")
        if not isinstance(value, dict) or not all(_is_stated(one) for one in value.values()):
            self.fail("provenance")
        return value


def _is_stated(one: Any) -> bool:
    if not isinstance(one, dict) or set(one) != {"value", "source"} or one["source"] not in Source.values:
        return False
    return isinstance(one["value"], str) and "\0" not in one["value"]


class NewArtifact(Shape):
    """multipart/form-data. The digest may come as `sha256` or as the header Content-Digest; both are checked."""

    file = serializers.FileField(allow_empty_file=True, max_length=300)
    name = serializers.CharField(required=False, max_length=300, help_text="Instead of the file's own name.")
    sha256 = serializers.RegexField(DIGEST, required=False, default="")
    provenance = ProvenanceField(required=False)
    drop_texts = serializers.BooleanField(
        required=False, default=False, help_text="Take prompts and generated texts out before it is stored."
    )
    kept_because = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=500,
        help_text="Why secrets or texts that are found are kept; recorded with your name.",
    )


class ParseShape(serializers.Serializer[Any]):
    """What became of reading a file; `message` says why it was recognised, or why it was refused, and `where`.

    Of a redacted file `message`, `where`, `notices` and `leniences` are empty: they may quote what was redacted.
    """

    state = serializers.ChoiceField(choices=ParseState.choices)
    format = serializers.CharField(allow_blank=True)
    asked_format = serializers.CharField(allow_blank=True)
    parser_version = serializers.IntegerField()
    code = serializers.CharField(allow_blank=True)
    message = serializers.CharField(allow_blank=True)
    where = serializers.CharField(allow_blank=True)
    needs = serializers.SerializerMethodField(help_text="What to do about a refusal; blank when there is none.")
    notices = serializers.ListField(child=serializers.CharField())
    leniences = serializers.ListField(child=serializers.CharField())
    parsed_at = serializers.DateTimeField()

    def get_needs(self, parse: Parse) -> str:
        return WAYS_OUT.get(parse.code, "")

    def to_representation(self, instance: Parse) -> dict[str, Any]:
        found: dict[str, Any] = super().to_representation(instance)
        if not hasattr(instance.artifact, "redaction"):
            return found
        return found | {"message": "", "where": "", "notices": [], "leniences": []}


class SaidShape(serializers.Serializer[Any]):
    value = serializers.CharField()
    source = serializers.ChoiceField(choices=Source.choices)  # type: ignore[assignment]  # a name like any other


class OriginShape(serializers.Serializer[Any]):
    """One part of where a file comes from. conflict: its sources disagree."""

    name = serializers.CharField()
    said = SaidShape(many=True)
    conflict = serializers.BooleanField()


class ArtifactShape(serializers.Serializer[Any]):
    """A file by its digest. parse: null while it is unread; job: of the reading that is still to come."""

    sha256 = serializers.CharField(source="artifact.sha256")
    name = serializers.CharField(source="artifact.name")
    size = serializers.IntegerField(source="artifact.size", help_text="In bytes.")
    provenance = JsonObject(source="artifact.provenance", help_text="As it was said first.")
    origins = OriginShape(many=True, help_text="The same with every source, in the order of the names.")
    taken_in_by = serializers.CharField(source="artifact.taken_in_by_name")
    taken_in_at = serializers.DateTimeField(source="artifact.taken_in_at")
    parse = ParseShape(allow_null=True)
    job = serializers.IntegerField(source="job.pk", default=None, allow_null=True)


class EffectShape(serializers.Serializer[Any]):
    memo = serializers.CharField(source="memo.number")
    comparisons = serializers.ListField(
        child=serializers.CharField(), help_text="Keys of those that cannot be computed again."
    )
    undecided = serializers.BooleanField(
        help_text="Its gate waits for a file without it, or for a waiver; otherwise it is flagged."
    )


class RecallShape(serializers.Serializer[Any]):
    reason = serializers.CharField()
    by = serializers.CharField(source="by_name")
    at = serializers.DateTimeField()


class NewRedaction(Shape):
    kind = serializers.ChoiceField(choices=RedactionKind.choices, help_text="What stood in the bytes.")
    reason = serializers.CharField(max_length=500, help_text="Without what must not be kept: it stays for ever.")


class RedactionShape(serializers.Serializer[Any]):
    """The bytes are gone; the digest and the size are those that they had."""

    sha256 = serializers.CharField(source="old_digest")
    size = serializers.IntegerField(source="artifact.size", help_text="In bytes.")
    kind = serializers.ChoiceField(choices=RedactionKind.choices)
    reason = serializers.CharField()
    by = serializers.CharField(source="by_name")
    at = serializers.DateTimeField()
    effects = serializers.SerializerMethodField(help_text="What it takes from each memo that you see.")

    @extend_schema_field(EffectShape(many=True))
    def get_effects(self, _row: Redaction) -> Any:
        return EffectShape(self.context["effects"], many=True).data


class FormatChoice(Shape):
    format = serializers.CharField(max_length=80)


class NewSet(Shape):
    title = serializers.CharField(max_length=300)
    plan = serializers.CharField(required=False, default="", allow_blank=True, max_length=64, help_text="Its nonce.")


class NewAttachment(Shape):
    """A file that was sent before, with its labels; "" is unknown, or does not apply."""

    artifact = serializers.RegexField(DIGEST)
    kind = serializers.CharField(max_length=80, help_text="Slug of an artifact kind of the template.")
    arm = serializers.ChoiceField(choices=Arm.choices, allow_blank=True, default="")
    run = serializers.CharField(max_length=300, allow_blank=True, default="", help_text="Key in the file; blank: all.")
    block = serializers.CharField(max_length=200, allow_blank=True, default="")
    placement = serializers.CharField(max_length=500, allow_blank=True, default="")
    placement_source = serializers.ChoiceField(
        choices=[(s.value, s.label) for s in (Source.TYPED, Source.CAPTURE)], allow_blank=True, default=Source.TYPED
    )
    use = serializers.ChoiceField(choices=EvidenceUse.choices)
    excluded = Lines(allow_blank=True, default="", help_text="The exclusion rule of the plan that applies.")
    clock = serializers.CharField(
        max_length=60,
        allow_blank=True,
        default="",
        help_text="Zone of the times of the file (UTC+01:00), or seconds to add to a log (+3600).",
    )


class AttachmentShape(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    artifact = serializers.CharField(source="artifact.sha256")
    name = serializers.CharField()
    kind = serializers.CharField()
    arm = serializers.CharField(allow_blank=True)
    run = serializers.CharField(allow_blank=True)
    block = serializers.CharField(allow_blank=True)
    placement = serializers.CharField(allow_blank=True)
    placement_source = serializers.CharField(allow_blank=True)
    use = serializers.ChoiceField(choices=EvidenceUse.choices)
    excluded = serializers.CharField(allow_blank=True)
    clock = serializers.CharField(allow_blank=True)
    attached_by = serializers.CharField(source="attached_by_name")
    token = serializers.CharField(source="token_name", allow_blank=True)
    attached_at = serializers.DateTimeField()
    taken_out_by = serializers.SerializerMethodField(help_text="Blank: it counts.")
    taken_out_because = serializers.SerializerMethodField(help_text="Blank: it counts.")

    def get_taken_out_by(self, row: Attachment) -> str:
        return row.detachment.by_name if hasattr(row, "detachment") else ""

    def get_taken_out_because(self, row: Attachment) -> str:
        return row.detachment.reason if hasattr(row, "detachment") else ""


class SetShape(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    title = serializers.CharField()
    plan = serializers.CharField(source="plan.nonce", default="", allow_blank=True)
    state = serializers.ChoiceField(choices=SetState.choices)
    opened_by = serializers.CharField(source="opened_by.username")
    opened_at = serializers.DateTimeField()
    sealed_by = serializers.CharField(source="sealed_by.username", default=None, allow_null=True)
    sealed_at = serializers.DateTimeField(allow_null=True)
    digest = serializers.CharField(allow_blank=True)
    attachments = AttachmentShape(many=True)
