"""The passkeys that people enrolled, and the rows that take them away: a signature names the key that stood then."""

from django.conf import settings
from django.db import models

from reviews.models.appendonly import AppendOnly
from reviews.models.constraints import filled


class Passkey(AppendOnly):
    """A key that a person may sign with, as long as no removal speaks of it.

    credential_id: base64url. public_key: the COSE key, bytes. rp_id: the site that it is bound to.
    enrolment: {"attestation_object": …, "client_data_json": …}, what the authenticator said then, base64url.
    authentication: how the person had proved who they are, as signatures keep it.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="passkeys")
    person_name = models.CharField(max_length=200)
    name = models.CharField(max_length=100)
    credential_id = models.CharField(max_length=1400, unique=True)
    public_key = models.BinaryField()
    rp_id = models.CharField(max_length=253)
    enrolment = models.JSONField()
    authentication = models.JSONField()
    enrolled_at = models.DateTimeField()

    class Meta:
        constraints = filled("person_name", "name", "credential_id", "rp_id")

    def __str__(self) -> str:
        return f"{self.name} of {self.person_name}"


class PasskeyRemoval(AppendOnly):
    """The person gave the passkey up; what it signed stays signed."""

    passkey = models.OneToOneField(Passkey, on_delete=models.PROTECT, related_name="removal")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by_name = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = filled("by_name")

    def __str__(self) -> str:
        return f"removal of {self.passkey}"
