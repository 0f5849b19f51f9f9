"""Waivers: a requirement is set aside in the open, with an owner, a reason and an end."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from reviews.models.appendonly import AppendOnly
from reviews.models.constraints import after, filled, one_of
from reviews.models.memo import Memo
from reviews.vocabulary import WaiverState


class Waiver(AppendOnly):
    """A request to waive. requirement: name of a gate rule; subject: which part of it, "" for the whole rule.

    control: the compensating control. It counts from its approval until `expires_at`.
    """

    memo = models.ForeignKey(Memo, on_delete=models.PROTECT, related_name="waivers")
    requirement = models.CharField(max_length=80)
    subject = models.CharField(max_length=200, blank=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="owned_waivers")
    owner_name = models.CharField(max_length=200)
    reason = models.TextField()
    control = models.TextField()
    expires_at = models.DateTimeField()
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    requested_by_name = models.CharField(max_length=200)
    requested_at = models.DateTimeField()

    class Meta:
        constraints = (
            *filled("requirement", "owner_name", "reason", "control", "requested_by_name"),
            after("expires_at", "requested_at"),
        )

    def __str__(self) -> str:
        return f"{self.requirement} of {self.memo}"

    @property
    def state(self) -> WaiverState:
        """What the board said, if anything. Whether it has run out is another question."""
        answer: WaiverApproval | None = getattr(self, "approval", None)
        return WaiverState(answer.state) if answer else WaiverState.REQUESTED


class WaiverApproval(AppendOnly):
    """The board's answer to a request. state: approved or declined."""

    by_services_only: ClassVar[bool] = True

    waiver = models.OneToOneField(Waiver, on_delete=models.PROTECT, related_name="approval")
    state = models.CharField(max_length=20, choices=WaiverState.choices)
    note = models.TextField(blank=True)
    authentication = models.JSONField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by_name = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = (
            *filled("by_name"),
            one_of("state", WaiverState),
            models.CheckConstraint(
                condition=~models.Q(state=WaiverState.REQUESTED), name="waiverapproval_is_an_answer"
            ),
        )

    def __str__(self) -> str:
        return f"{self.state}: {self.waiver}"
