"""What is said of where an artifact comes from after it was taken in: kept beside what was said first."""

from django.conf import settings
from django.db import models

from reviews.models.appendonly import AppendOnly
from reviews.models.artifact import Artifact
from reviews.models.constraints import filled, one_of
from reviews.vocabulary import Source


class ProvenanceStatement(AppendOnly):
    """One part of a provenance as somebody sent it with the same bytes again; nothing that stood is replaced by it."""

    artifact = models.ForeignKey(Artifact, on_delete=models.PROTECT, related_name="statements")
    name = models.CharField(max_length=80)
    value = models.TextField()
    source = models.CharField(max_length=20, choices=Source.choices)
    said_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    said_by_name = models.CharField(max_length=200)
    said_at = models.DateTimeField()

    class Meta:
        constraints = (*filled("name", "value", "said_by_name"), one_of("source", Source))

    def __str__(self) -> str:
        return f"{self.name} of {self.artifact}"
