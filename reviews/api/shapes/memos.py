"""Memos, their revisions and their texts."""

from typing import Any

from rest_framework import serializers

from reviews.api.shapes.common import JsonObject, Lines, MissingShape, Shape
from reviews.vocabulary import Action, Intent, State


class MemoQuery(Shape):
    state = serializers.ChoiceField(choices=State.choices, required=False, default="")
    team = serializers.CharField(required=False, default="", max_length=80)
    template = serializers.CharField(required=False, default="", max_length=80)
    intent = serializers.ChoiceField(choices=Intent.choices, required=False, default="")
    q = serializers.CharField(required=False, default="", max_length=200, help_text="Words of the number and title.")
    cursor = serializers.CharField(required=False, help_text="From the links next and previous.")
    page_size = serializers.IntegerField(required=False, min_value=1, max_value=200)


class HeadlineShape(serializers.Serializer[Any]):
    comparison = serializers.CharField(allow_blank=True)
    sentence = serializers.CharField()
    outcome = serializers.CharField(allow_blank=True)


class TemplatePin(serializers.Serializer[Any]):
    slug = serializers.CharField(source="template.slug")
    version = serializers.IntegerField()


class RevisionPin(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    digest = serializers.CharField()


class MemoSummary(serializers.Serializer[Any]):
    """A memo in a list; `headline` is put in by the view."""

    number = serializers.CharField()
    title = serializers.CharField()
    team = serializers.CharField(source="team.slug")
    template = TemplatePin(source="template_version")
    intent = serializers.ChoiceField(choices=Intent.choices)
    state = serializers.ChoiceField(choices=State.choices)
    author = serializers.CharField(source="created_by.username")
    created_at = serializers.DateTimeField()
    submitted_at = serializers.DateTimeField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)
    revision = RevisionPin(source="current_revision")
    headline = HeadlineShape()


class MemoShape(MemoSummary):
    """The whole memo; its ETag is the digest of the revision."""

    sections = JsonObject(source="current_revision.sections")
    section_digests = JsonObject(source="current_revision.section_digests", help_text="SHA-256 by section.")
    allowed_actions = serializers.ListField(
        child=serializers.ChoiceField(choices=Action.choices), help_text="What you may do to it in this state."
    )


class NewMemo(Shape):
    """From a text (`text`, `team`, `template`, `intent`), or from records (`sections`)."""

    text = Lines(required=False)
    team = serializers.CharField(required=False, max_length=80)
    template = serializers.CharField(required=False, max_length=80)
    intent = serializers.ChoiceField(choices=Intent.choices, required=False)
    sections = JsonObject(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Either whole."""
        of_text = {"text", "team", "template", "intent"}
        if set(attrs) not in (of_text, {"sections"}):
            raise serializers.ValidationError("Give text, team, template and intent, or sections alone.")
        return attrs


class SectionChange(Shape):
    sections = JsonObject(help_text="Section name -> its new records; sections left out stay.")
    said = Lines(max_length=1000, help_text="What changed, in words.")


class TextChange(Shape):
    text = Lines()
    said = Lines(max_length=1000, help_text="What changed, in words.")


class NoteShape(serializers.Serializer[Any]):
    line = serializers.IntegerField(help_text="0 is the text as a whole.")
    sentence = serializers.CharField()


class FiledShape(serializers.Serializer[Any]):
    """A memo made or revised, with notes on its text by line."""

    memo = MemoShape()
    notes = NoteShape(many=True)


class TextToCheck(Shape):
    template = serializers.CharField(max_length=80)
    text = Lines()
    intent = serializers.ChoiceField(choices=Intent.choices, required=False, default=Intent.PLANNED_CHANGE.value)


class UnfilledShape(serializers.Serializer[Any]):
    field = serializers.CharField()
    wanted = serializers.CharField()


class CheckedText(serializers.Serializer[Any]):
    """What a text would say, without storing it."""

    sections = JsonObject()
    notes = NoteShape(many=True)
    unfilled = UnfilledShape(many=True)
    missing = MissingShape(many=True, help_text="What submitting would still ask for.")
    base = serializers.CharField(allow_blank=True, help_text="Digest of the revision that the text was exported from.")


class RevisionSummary(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    digest = serializers.CharField()
    section_digests = JsonObject()
    contributor = serializers.CharField(source="contributor_name")
    said = serializers.CharField()
    base = serializers.IntegerField(source="base.number", default=None, allow_null=True)
    created_at = serializers.DateTimeField()


class RevisionShape(RevisionSummary):
    sections = JsonObject()


class DifferenceQuery(Shape):
    old = serializers.IntegerField(min_value=1)
    new = serializers.IntegerField(min_value=1)


class VersionPin(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    digest = serializers.CharField()


class TemplateSummary(serializers.Serializer[Any]):
    slug = serializers.CharField()
    title = serializers.CharField()
    versions = VersionPin(many=True)


class TemplateShape(serializers.Serializer[Any]):
    slug = serializers.CharField(source="template.slug")
    version = serializers.IntegerField()
    digest = serializers.CharField()
    rules_version = serializers.CharField()
    published_at = serializers.DateTimeField()
    content = JsonObject()
