"""What is said about an objection after it was raised: answers, the meeting that heard it, and what ended it."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from reviews.models.appendonly import AppendOnly
from reviews.models.constraints import filled
from reviews.models.signature import Signature


class ObjectionAnswer(AppendOnly):
    """A word of either side on an objection. Each begins its clock anew; none resolves it."""

    signature = models.ForeignKey(Signature, on_delete=models.PROTECT, related_name="answers")
    text = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by_name = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = filled("text", "by_name")

    def __str__(self) -> str:
        return f"answer to {self.signature}"


class ObjectionHearing(AppendOnly):
    """The board's first meeting on an objection. held_at: when it met; note: what was said there."""

    by_services_only: ClassVar[bool] = True

    signature = models.OneToOneField(Signature, on_delete=models.PROTECT, related_name="hearing")
    held_at = models.DateTimeField()
    note = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by_name = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = filled("note", "by_name")

    def __str__(self) -> str:
        return f"first meeting on {self.signature}"


class ObjectionResolution(AppendOnly):
    """The end of an objection. role: the raiser's, or the office that ended it.

    held_at: when the board's second meeting overrode it; None where it was not overridden.
    """

    by_services_only: ClassVar[bool] = True

    signature = models.OneToOneField(Signature, on_delete=models.PROTECT, related_name="resolution")
    reason = models.TextField()
    role = models.CharField(max_length=80)
    held_at = models.DateTimeField(null=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by_name = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = filled("reason", "role", "by_name")

    def __str__(self) -> str:
        return f"resolution of {self.signature}"
