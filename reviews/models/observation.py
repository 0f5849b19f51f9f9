"""What is seen after a decision or during a rollout, and what happened in production."""

from django.conf import settings
from django.db import models

from reviews.models.appendonly import AppendOnly
from reviews.models.assessment import Assessment
from reviews.models.constraints import filled, one_of, percent
from reviews.models.decision import Decision
from reviews.models.evidence import EvidenceSet
from reviews.models.memo import Memo
from reviews.models.team import Team
from reviews.vocabulary import ProductionEventKind


class Observation(AppendOnly):
    """Evidence and assessments outside the revision; the gate reads them.

    observed_by: None when a token reported it; observed_by_name then names the token.
    traffic: during a rollout, one JSON object per run: its arm, host and requests tried, None where it does not say.
    share_percent: which share of that traffic the candidate was meant to get, None for that of the stage.
    """

    memo = models.ForeignKey(Memo, on_delete=models.PROTECT, related_name="observations")
    decision = models.ForeignKey(Decision, on_delete=models.PROTECT, related_name="observations", null=True)
    evidence_set = models.ForeignKey(EvidenceSet, on_delete=models.PROTECT, related_name="observations", null=True)
    assessment = models.ForeignKey(Assessment, on_delete=models.PROTECT, related_name="observations", null=True)
    text = models.TextField()
    observed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    observed_by_name = models.CharField(max_length=200)
    observed_at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    traffic = models.JSONField(default=list)
    share_percent = models.DecimalField(max_digits=7, decimal_places=4, null=True)

    class Meta:
        constraints = (*filled("text", "observed_by_name"), percent("share_percent"))

    def __str__(self) -> str:
        return f"observation on {self.memo}"


class ProductionEvent(AppendOnly):
    """What was deployed, advanced or rolled back, when, by whom. memo: None for a deployment without one.

    build: image digest or another name of what runs. scope: hosts or traffic. text: the report in words.
    delivery: who reported and the reporter's own name for the event, so that it is kept once; None without such a name.
    """

    memo = models.ForeignKey(Memo, on_delete=models.PROTECT, related_name="production_events", null=True)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="production_events", null=True)
    kind = models.CharField(max_length=20, choices=ProductionEventKind.choices)
    build = models.CharField(max_length=300)
    scope = models.CharField(max_length=300, blank=True)
    scope_percent = models.DecimalField(max_digits=7, decimal_places=4, null=True)
    text = models.TextField(blank=True)
    reported_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    reported_by_name = models.CharField(max_length=200)
    happened_at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    delivery = models.CharField(max_length=300, null=True, unique=True)

    class Meta:
        constraints = (
            *filled("build", "reported_by_name"),
            one_of("kind", ProductionEventKind),
            percent("scope_percent"),
        )

    def __str__(self) -> str:
        return f"{self.kind}: {self.build}"


class Ratification(AppendOnly):
    """Somebody entitled to it stands by a production event that came first."""

    production_event = models.OneToOneField(ProductionEvent, on_delete=models.PROTECT, related_name="ratification")
    note = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by_name = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = filled("note", "by_name")

    def __str__(self) -> str:
        return f"ratification of {self.production_event}"
