"""Comparisons of traces: what was found in the traces of an evidence set, frozen."""

from django.db import models

from reviews.models.appendonly import AppendOnly
from reviews.models.constraints import filled, sha256
from reviews.models.evidence import EvidenceSet


class TraceComparison(AppendOnly):
    """What the traces of a set say. inputs: version, margin, and of each arm the files by SHA-256, runs and labels.

    inputs_digest: of its canonical JSON; the same inputs are compared once. result: analysis.trace_answer.to_json of
    the answer; digest: of its canonical JSON.
    """

    evidence_set = models.ForeignKey(EvidenceSet, on_delete=models.PROTECT, related_name="trace_comparisons")
    version = models.CharField(max_length=40)
    inputs = models.JSONField()
    inputs_digest = models.CharField(max_length=64)
    divergence = models.CharField(max_length=20)
    result = models.JSONField()
    digest = models.CharField(max_length=64)
    compared_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["evidence_set", "inputs_digest"], name="tracecomparison_is_one_per_inputs_of_a_set"
            ),
            *filled("version", "divergence"),
            sha256("inputs_digest"),
            sha256("digest"),
        )

    def __str__(self) -> str:
        return f"traces of {self.evidence_set}"
