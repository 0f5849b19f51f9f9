"""Frozen analysis results, and the requests that led to them."""

from django.conf import settings
from django.db import models

from reviews.models.appendonly import AppendOnly
from reviews.models.constraints import filled, positive, sha256
from reviews.models.evidence import EvidenceSet
from reviews.models.job import Job
from reviews.models.memo import Memo
from reviews.models.plan import Plan


class Assessment(AppendOnly):
    """A frozen analysis result. comparison: key of the comparison ("C1") in the section `comparisons`.

    inputs: all that went in (artifacts, parser versions, run labels, plan, explanations, look, analysis version, seed).
    digest: of the result's canonical JSON. outcome: verdict, withheld, refused, not_comparable or failed_to_serve.
    """

    memo = models.ForeignKey(Memo, on_delete=models.PROTECT, related_name="assessments")
    comparison = models.CharField(max_length=20)
    evidence_set = models.ForeignKey(EvidenceSet, on_delete=models.PROTECT, related_name="assessments")
    plan = models.ForeignKey(Plan, on_delete=models.PROTECT, related_name="assessments", null=True)
    look = models.PositiveIntegerField()
    analysis_version = models.CharField(max_length=40)
    inputs = models.JSONField()
    inputs_digest = models.CharField(max_length=64)
    outcome = models.CharField(max_length=20)
    result = models.JSONField()
    digest = models.CharField(max_length=64)
    assessed_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["memo", "comparison", "inputs_digest"], name="assessment_is_one_per_inputs_of_a_comparison"
            ),
            *filled("comparison", "analysis_version", "outcome"),
            positive("look"),
            sha256("inputs_digest"),
            sha256("digest"),
        )
        indexes = (models.Index(fields=["digest"]),)

    def __str__(self) -> str:
        return f"{self.memo} {self.comparison} look {self.look}"


class AssessmentRequest(models.Model):
    """Somebody asked for a comparison to be computed. assessment: what came of it, None while the job has not ended."""

    memo = models.ForeignKey(Memo, on_delete=models.PROTECT, related_name="assessment_requests")
    comparison = models.CharField(max_length=20)
    evidence_set = models.ForeignKey(EvidenceSet, on_delete=models.PROTECT, related_name="assessment_requests")
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    requested_at = models.DateTimeField()
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="assessment_request", null=True)
    assessment = models.ForeignKey(Assessment, on_delete=models.PROTECT, related_name="requests", null=True)

    class Meta:
        constraints = filled("comparison")

    def __str__(self) -> str:
        return f"{self.memo} {self.comparison} asked"
