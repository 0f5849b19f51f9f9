"""Decisions with their frozen dossier, what followed from them, and what came of them."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from reviews.models.appendonly import AppendOnly
from reviews.models.constraints import filled, one_of, percent, positive, sha256
from reviews.models.memo import Memo, Revision
from reviews.vocabulary import DecisionKind


class Decision(AppendOnly):
    """What the board recorded. number: counts the decisions of the memo from 1.

    dossier: canonical JSON text, from which the PDF is rendered; dossier_sha256: of its UTF-8 bytes.
    gate: the answers of every rule at that moment. scope_percent: of the rollout, None where there is none.
    chain_head: hash of the memo's last event before the decision. emergency: recorded without the gate.
    """

    by_services_only: ClassVar[bool] = True

    memo = models.ForeignKey(Memo, on_delete=models.PROTECT, related_name="decisions")
    number = models.PositiveIntegerField()
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="decisions")
    kind = models.CharField(max_length=20, choices=DecisionKind.choices)
    scope_percent = models.DecimalField(max_digits=7, decimal_places=4, null=True)
    rationale = models.TextField()
    emergency = models.BooleanField()
    dossier = models.TextField()
    dossier_sha256 = models.CharField(max_length=64)
    gate = models.JSONField()
    rules_version = models.CharField(max_length=40)
    chain_head = models.CharField(max_length=64)
    decider = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="decisions")
    decider_name = models.CharField(max_length=200)
    authentication = models.JSONField()
    effective_at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    supersedes = models.OneToOneField("self", on_delete=models.PROTECT, related_name="superseded_by", null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["memo", "number"], name="decision_is_one_per_number"),
            *filled("rationale", "dossier", "rules_version", "decider_name"),
            one_of("kind", DecisionKind),
            positive("number"),
            percent("scope_percent"),
            sha256("dossier_sha256"),
            sha256("chain_head"),
        )

    def __str__(self) -> str:
        return f"{self.memo}: {self.kind}"


class DecisionPdf(AppendOnly):
    """The PDF of a decision; its bytes stand in the store. size: in bytes."""

    decision = models.OneToOneField(Decision, on_delete=models.PROTECT, related_name="pdf")
    pdf_sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    rendered_at = models.DateTimeField()

    class Meta:
        constraints = (sha256("pdf_sha256"),)

    def __str__(self) -> str:
        return f"PDF of {self.decision}"


class FollowUp(AppendOnly):
    """What still has to be done after a decision. requirement: the gate rule it makes good, "" for another task."""

    memo = models.ForeignKey(Memo, on_delete=models.PROTECT, related_name="follow_ups")
    decision = models.ForeignKey(Decision, on_delete=models.PROTECT, related_name="follow_ups")
    requirement = models.CharField(max_length=80, blank=True)
    text = models.TextField()
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="follow_ups")
    owner_name = models.CharField(max_length=200)
    due_at = models.DateTimeField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = filled("text", "owner_name")

    def __str__(self) -> str:
        return self.text


class FollowUpDone(AppendOnly):
    """A follow-up is met, says somebody, and how."""

    follow_up = models.OneToOneField(FollowUp, on_delete=models.PROTECT, related_name="done")
    note = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by_name = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "follow-ups done"
        constraints = filled("note", "by_name")

    def __str__(self) -> str:
        return f"done: {self.follow_up}"


class Outcome(AppendOnly):
    """What was seen in ordinary execution. movements: predicted against observed, one JSON object per metric.

    assessments: digests of the rechecks that it stands on.
    """

    by_services_only: ClassVar[bool] = True

    memo = models.ForeignKey(Memo, on_delete=models.PROTECT, related_name="outcomes")
    decision = models.ForeignKey(Decision, on_delete=models.PROTECT, related_name="outcomes")
    text = models.TextField()
    assessments = models.JSONField()
    movements = models.JSONField()
    recorded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    recorded_by_name = models.CharField(max_length=200)
    recorded_at = models.DateTimeField()

    class Meta:
        constraints = filled("text", "recorded_by_name")

    def __str__(self) -> str:
        return f"outcome of {self.decision}"
