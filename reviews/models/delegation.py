"""Delegations: dated, scoped, one step deep."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from reviews.models.appendonly import AppendOnly
from reviews.models.constraints import after, filled
from reviews.models.memo import Memo
from reviews.models.team import Team


class Delegation(AppendOnly):
    """A role holder lets another person act for the role. memo: the one that it is for, None for all of the team."""

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="delegations")
    memo = models.ForeignKey(Memo, on_delete=models.PROTECT, related_name="delegations", null=True)
    role = models.CharField(max_length=80)
    holder = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="given_delegations")
    holder_name = models.CharField(max_length=200)
    delegate = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="held_delegations")
    delegate_name = models.CharField(max_length=200)
    reason = models.TextField()
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    delegated_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    delegated_at = models.DateTimeField()

    class Meta:
        constraints = (
            *filled("role", "holder_name", "delegate_name", "reason"),
            after("ends_at", "starts_at"),
            models.CheckConstraint(condition=~Q(holder=F("delegate")), name="delegation_is_to_somebody_else"),
        )

    def __str__(self) -> str:
        return f"{self.delegate_name} for {self.holder_name} as {self.role}"


class DelegationEnd(AppendOnly):
    """A delegation stops before its time."""

    delegation = models.OneToOneField(Delegation, on_delete=models.PROTECT, related_name="end")
    at = models.DateTimeField()
    reason = models.TextField(blank=True)
    ended_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"end of {self.delegation}"
