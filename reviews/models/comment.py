"""Comments, anchored to a section or field, threaded."""

from django.conf import settings
from django.db import models

from reviews.models.appendonly import AppendOnly
from reviews.models.constraints import filled, one_of
from reviews.models.memo import Memo, Revision
from reviews.vocabulary import SectionName


class Comment(AppendOnly):
    """A remark on a memo. section, field: what it is anchored to, "" for the whole. parent: what it answers."""

    memo = models.ForeignKey(Memo, on_delete=models.PROTECT, related_name="comments")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="comments")
    parent = models.ForeignKey("self", on_delete=models.PROTECT, related_name="answers", null=True)
    section = models.CharField(max_length=20, choices=SectionName.choices, blank=True)
    field = models.CharField(max_length=200, blank=True)
    text = models.TextField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="comments")
    author_name = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = (
            *filled("text", "author_name"),
            one_of("section", SectionName, or_empty=True),
        )

    def __str__(self) -> str:
        return f"{self.author_name} on {self.memo}"


class CommentResolution(AppendOnly):
    """A comment needs no more answer."""

    comment = models.OneToOneField(Comment, on_delete=models.PROTECT, related_name="resolution")
    note = models.TextField(blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by_name = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = filled("by_name")

    def __str__(self) -> str:
        return f"resolution of {self.comment}"
