"""API tokens: hashed, scoped, expiring. They attach and report; none of them signs or decides."""

from django.conf import settings
from django.db import models

from reviews.models.constraints import after, filled, sha256


class ApiToken(models.Model):
    """A token acts as its owner within its scopes. digest: SHA-256 of the secret, which is shown once and not kept.

    start: the first characters of the secret, to tell tokens apart. scopes: a list of words.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="api_tokens")
    name = models.CharField(max_length=200)
    start = models.CharField(max_length=12)
    digest = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField()
    issued_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    issued_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            *filled("name", "start"),
            sha256("digest"),
            after("expires_at", "issued_at"),
        )

    def __str__(self) -> str:
        return self.name
