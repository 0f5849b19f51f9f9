"""Requests of programs that carry a key, so that asking twice does once."""

from django.conf import settings
from django.db import models

from reviews.models.constraints import filled, positive, sha256


class KeyedRequest(models.Model):
    """A POST with an Idempotency-Key, and the answer that it got. One row per person and key, kept for a day.

    request_digest: SHA-256 of method, path and body. attempt: counts who took it; only the current one may answer.
    status, body: of the answer, None while nobody has answered. headers: those of the answer that mean something.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    key = models.CharField(max_length=255)
    request_digest = models.CharField(max_length=64)
    attempt = models.PositiveIntegerField()
    taken_at = models.DateTimeField()
    status = models.PositiveIntegerField(null=True)
    headers = models.JSONField(default=dict)
    body = models.JSONField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["person", "key"], name="keyedrequest_is_one_per_person_and_key"),
            *filled("key"),
            positive("attempt"),
            sha256("request_digest"),
        )
        indexes = (models.Index(fields=["person", "created_at"]),)

    def __str__(self) -> str:
        return self.key
