"""Drafts of templates with what they change and their replay, and reference builds."""

from typing import Any

from rest_framework import serializers

from reviews.api.shapes.common import JsonObject, Lines, Shape
from reviews.policies.replay import OUTCOMES
from reviews.vocabulary import DecisionKind


class DraftSummary(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    template = serializers.CharField(source="template.slug")
    version = serializers.IntegerField()
    digest = serializers.CharField()
    rules_version = serializers.CharField()
    reason = serializers.CharField()
    author = serializers.CharField(source="author_name")
    saved_at = serializers.DateTimeField()
    activated_at = serializers.DateTimeField(source="activation.at", default=None, allow_null=True)


class FieldChangeShape(serializers.Serializer[Any]):
    field = serializers.CharField()
    before = serializers.CharField(allow_blank=True)
    after = serializers.CharField(allow_blank=True)
    sentence = serializers.CharField()


class LackingShape(serializers.Serializer[Any]):
    code = serializers.CharField()
    sentence = serializers.CharField()


class ReplayedShape(serializers.Serializer[Any]):
    """What the draft says of one decision; `later` is what became of it."""

    memo = serializers.CharField()
    decision = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=DecisionKind.choices)
    decided_on = serializers.DateField()
    outcome = serializers.ChoiceField(choices=OUTCOMES)
    missing = LackingShape(many=True)
    why_not = serializers.CharField(allow_blank=True)
    later = serializers.ListField(child=serializers.CharField())


class CountsShape(serializers.Serializer[Any]):
    decided = serializers.IntegerField()
    blocked = serializers.IntegerField()
    overturned = serializers.IntegerField(help_text="Of those blocked: later rolled back, or their evidence recalled.")
    open = serializers.IntegerField()
    not_evaluable = serializers.IntegerField(help_text="Counted with neither.")
    sentence = serializers.CharField()


class DraftShape(serializers.Serializer[Any]):
    """A draft with its replay; `replay_digest` is what an activation has to name."""

    draft = DraftSummary()
    standing = serializers.CharField(help_text="draft, outdated draft, active or retired.")
    content = JsonObject(source="draft.content")
    changes = FieldChangeShape(many=True)
    replay_digest = serializers.CharField(source="replay.digest")
    counts = CountsShape(source="replay.counts")
    decisions = ReplayedShape(source="shown", many=True)
    hidden = serializers.IntegerField(help_text="Decisions on memos that you do not see: counted, and not listed.")
    why_not = serializers.CharField(allow_blank=True, help_text="Why you do not activate it; empty when you may.")


class NewDraft(Shape):
    content = JsonObject(help_text="The template as JSON; slug and version are filled in.")
    reason = Lines()


class NewActivation(Shape):
    replay = serializers.CharField(max_length=64, help_text="The digest of the replay that you have seen.")
    reason = Lines()


class ReferenceBuildShape(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    build = serializers.CharField()
    reason = serializers.CharField()
    by = serializers.CharField(source="by_name")
    at = serializers.DateTimeField()


class NewReferenceBuild(Shape):
    build = serializers.CharField(max_length=200)
    reason = Lines()
