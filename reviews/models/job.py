"""Jobs: the row is the truth, the message only a nudge."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from reviews.models.constraints import filled, one_of
from reviews.vocabulary import JobState


class Job(models.Model):
    """Work asked for. kind: name of the task; subject_kind, subject_id: what it is about, for example a decision.

    attempt: counts the times that a worker took it; a result is written only by the current attempt.
    lease_until: when the worker that has it is given up, unless its heartbeat moves it on.
    published_at: when a message was last sent for it. cancel_requested: the task looks at it and stops.
    progress_done of progress_total: in steps of the task's own; progress_text says which.
    reason: why it failed or was cancelled. result: small JSON of the task, null while it has not ended.
    """

    kind = models.CharField(max_length=80)
    subject_kind = models.CharField(max_length=40)
    subject_id = models.PositiveBigIntegerField()
    arguments = models.JSONField(default=dict)
    state = models.CharField(max_length=20, choices=JobState.choices)
    attempt = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    cancel_requested = models.BooleanField(default=False)
    progress_done = models.PositiveIntegerField(default=0)
    progress_total = models.PositiveIntegerField(default=0)
    progress_text = models.CharField(max_length=200, blank=True)
    reason = models.TextField(blank=True)
    result = models.JSONField(null=True, blank=True)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    requested_at = models.DateTimeField()
    published_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["kind", "subject_kind", "subject_id"],
                condition=Q(state__in=[JobState.WAITING, JobState.RUNNING]),
                name="job_is_one_at_a_time_per_subject",
            ),
            *filled("kind", "subject_kind"),
            one_of("state", JobState),
            models.CheckConstraint(
                condition=~Q(state=JobState.RUNNING) | Q(lease_until__isnull=False), name="job_runs_under_a_lease"
            ),
            models.CheckConstraint(condition=~Q(state=JobState.FAILED) | ~Q(reason=""), name="job_fails_with_a_reason"),
        )
        indexes = (
            models.Index(fields=["state", "lease_until"]),
            models.Index(fields=["subject_kind", "subject_id"]),
        )

    def __str__(self) -> str:
        return f"{self.kind} for {self.subject_kind} {self.subject_id}"
