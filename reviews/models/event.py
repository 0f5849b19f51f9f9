"""Who did what when, hash-chained per aggregate. Rows are made by `services.events.append` alone."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from reviews.models.appendonly import AppendOnly
from reviews.models.constraints import filled, one_of, positive, sha256


class AggregateKind(models.TextChoices):
    """What has a chain of its own."""

    MEMO = "memo", "memo"
    TEAM = "team", "team"
    TEMPLATE = "template", "template"
    ARTIFACT = "artifact", "artifact"
    PERSON = "person", "person"


class Event(AppendOnly):
    """One link. sequence: counts from 1 in its chain. actor: None for the clock or a token; actor_name says which.

    previous_hash: of the link before, 64 zeros for the first. hash: SHA-256 over the RFC 8785 JSON of all fields.
    """

    aggregate_kind = models.CharField(max_length=20, choices=AggregateKind.choices)
    aggregate_id = models.PositiveBigIntegerField()
    sequence = models.PositiveBigIntegerField()
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    actor_name = models.CharField(max_length=200)
    action = models.CharField(max_length=80)
    at = models.DateTimeField()
    detail = models.JSONField()
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64, unique=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["aggregate_kind", "aggregate_id", "sequence"], name="event_is_one_per_place_in_its_chain"
            ),
            *filled("actor_name", "action"),
            one_of("aggregate_kind", AggregateKind),
            positive("sequence"),
            sha256("previous_hash"),
            sha256("hash"),
            models.CheckConstraint(
                condition=Q(sequence=1, previous_hash="0" * 64) | (Q(sequence__gt=1) & ~Q(previous_hash="0" * 64)),
                name="event_begins_its_chain_only_once",
            ),
        )
        indexes = (models.Index(fields=["at"]),)

    def __str__(self) -> str:
        return f"{self.aggregate_kind} {self.aggregate_id} #{self.sequence} {self.action}"
