"""Comments: as they are sent, and as they stand."""

from typing import Any

from rest_framework import serializers

from reviews.api.shapes.common import Lines, Shape
from reviews.told_words import Anchored


class NewComment(Shape):
    anchor = serializers.CharField(max_length=221, help_text='A section or field: "symptom", "action.rollback_target".')
    text = Lines()
    answers = serializers.IntegerField(required=False, default=None, allow_null=True, help_text="Id of a comment.")
    quote = Lines(required=False, default="", allow_blank=True, help_text="The very words there that it is about.")


class EditedComment(Shape):
    text = Lines()


class ResolvedComment(Shape):
    note = Lines(required=False, default="", allow_blank=True)


class CommentShape(serializers.Serializer[Any]):
    """A comment as it stands now.

    former: its words before it was reworded. anchored: what became of the text that it is about; was: that text, when
    it is another now. mentions: whom it names of those who see the memo.
    """

    id = serializers.IntegerField(source="comment.pk")
    section = serializers.CharField(source="comment.section", allow_blank=True)
    field = serializers.CharField(source="comment.field", allow_blank=True)
    quote = serializers.CharField(source="comment.quote", allow_blank=True)
    text = serializers.CharField()
    former = serializers.ListField(child=serializers.CharField())
    answers = serializers.IntegerField(source="comment.parent_id", allow_null=True)
    revision = serializers.IntegerField(source="comment.revision.number")
    anchored = serializers.ChoiceField(source="standing.word", choices=Anchored.choices)
    was = serializers.CharField(source="standing.was", allow_blank=True)
    mentions = serializers.ListField(source="names", child=serializers.CharField())
    author = serializers.CharField(source="comment.author_name")
    at = serializers.DateTimeField(source="comment.at")
    edited_at = serializers.DateTimeField(allow_null=True)
    resolved_by = serializers.CharField(source="resolution.by_name", default=None, allow_null=True)
