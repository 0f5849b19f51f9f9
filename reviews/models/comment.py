"""Comments, anchored to a section or field, threaded."""

from django.conf import settings
from django.db import models

from reviews.models.appendonly import AppendOnly
from reviews.models.constraints import filled, one_of
from reviews.models.memo import Memo, Revision
from reviews.vocabulary import SectionName


class Comment(AppendOnly):
    """A remark on a memo, as it was first written; later wordings are CommentVersions.

    section, field: what it is anchored to, field "" for the whole section. quote: the very words there, "" for all.
    revision: the one that it was written on. parent: what it answers.
    """

    memo = models.ForeignKey(Memo, on_delete=models.PROTECT, related_name="comments")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="comments")
    parent = models.ForeignKey("self", on_delete=models.PROTECT, related_name="answers", null=True)
    section = models.CharField(max_length=20, choices=SectionName.choices, blank=True)
    field = models.CharField(max_length=200, blank=True)
    quote = models.TextField(blank=True, default="")
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


class CommentVersion(AppendOnly):
    """A comment in other words, by its author. number: counts from 2, the first wording is the comment's own."""

    comment = models.ForeignKey(Comment, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    text = models.TextField()
    at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["comment", "number"], name="commentversion_is_one_per_number"),
            *filled("text"),
            models.CheckConstraint(condition=models.Q(number__gte=2), name="commentversion_counts_from_two"),
        )

    def __str__(self) -> str:
        return f"version {self.number} of {self.comment}"


class CommentResolution(AppendOnly):
    """A comment needs no more answer, until somebody reopens it."""

    comment = models.ForeignKey(Comment, on_delete=models.PROTECT, related_name="resolutions")
    note = models.TextField(blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by_name = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = filled("by_name")

    def __str__(self) -> str:
        return f"resolution of {self.comment}"


class CommentReopening(AppendOnly):
    """A resolved comment is open again, with the reason."""

    resolution = models.OneToOneField(CommentResolution, on_delete=models.PROTECT, related_name="reopening")
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by_name = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = filled("reason", "by_name")

    def __str__(self) -> str:
        return f"reopening of {self.resolution.comment}"
