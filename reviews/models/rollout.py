"""How far a rollout has come, and who reports by webhook what happens in production."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from reviews.models.appendonly import AppendOnly
from reviews.models.constraints import filled, percent, positive
from reviews.models.decision import Decision
from reviews.models.team import Team


class StageAdvance(AppendOnly):
    """A rollout has come to its next stage. stage: its number in the signed contract; the first begins by decision.

    judged: what each abort threshold said when it was asked for this advance, and on how many hosts.
    """

    by_services_only: ClassVar[bool] = True

    decision = models.ForeignKey(Decision, on_delete=models.PROTECT, related_name="advances")
    stage = models.PositiveIntegerField()
    scope_percent = models.DecimalField(max_digits=7, decimal_places=4)
    note = models.TextField(blank=True)
    judged = models.JSONField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by_name = models.CharField(max_length=200)
    authentication = models.JSONField()
    at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["decision", "stage"], name="stageadvance_is_one_per_stage"),
            *filled("by_name"),
            percent("scope_percent"),
            positive("stage"),
        )

    def __str__(self) -> str:
        return f"{self.decision}: stage {self.stage}"


class EventSource(models.Model):
    """A deployer that reports by webhook. It acts as its owner, for one team.

    key: names it in its address. nonce: from it and the installation's secret key the signing secret is derived, so
        that no secret is stored.
    """

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="event_sources")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="event_sources")
    name = models.CharField(max_length=200)
    key = models.CharField(max_length=40, unique=True)
    nonce = models.CharField(max_length=64)
    made_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = filled("name", "key", "nonce")

    def __str__(self) -> str:
        return self.name
