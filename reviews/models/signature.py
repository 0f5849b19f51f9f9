"""Signatures, and the rows that withdraw them and clear their conditions."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from reviews.models.appendonly import AppendOnly
from reviews.models.constraints import filled, one_of, percent, positive, sha256, sha256_or_empty
from reviews.models.memo import Memo, Revision
from reviews.vocabulary import Position


class Signature(AppendOnly):
    """What a person said about a revision in a role.

    decision_kinds: those approved, a list; greatest_scope_percent: of a rollout that it reaches, None for no approval.
    section_digests: {section name: digest} that it covers; rollout_digest: of the rollout contract, "" when not signed.
    statement: the canonical JSON that was signed, bytes; statement_sha256: of them.
    authentication: {"method": …, …}, proved at `authenticated_at`.
    text: the reason; of an objection, what is wrong, and `would_clear_if` what would lift it.
    replaces: the signer's former signature in the role, when this signs again.
    """

    by_services_only: ClassVar[bool] = True

    memo = models.ForeignKey(Memo, on_delete=models.PROTECT, related_name="signatures")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="signatures")
    signer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="signatures")
    signer_name = models.CharField(max_length=200)
    acting_for = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    acting_for_name = models.CharField(max_length=200, blank=True)
    role = models.CharField(max_length=80)
    position = models.CharField(max_length=30, choices=Position.choices)
    decision_kinds = models.JSONField()
    greatest_scope_percent = models.DecimalField(max_digits=7, decimal_places=4, null=True)
    section_digests = models.JSONField()
    rollout_digest = models.CharField(max_length=64, blank=True)
    text = models.TextField(blank=True)
    would_clear_if = models.TextField(blank=True)
    rules_version = models.CharField(max_length=40)
    statement = models.BinaryField()
    statement_sha256 = models.CharField(max_length=64)
    authentication = models.JSONField()
    authenticated_at = models.DateTimeField()
    replaces = models.ForeignKey("self", on_delete=models.PROTECT, related_name="replaced_by", null=True)
    signed_at = models.DateTimeField()

    class Meta:
        constraints = (
            *filled("signer_name", "role", "rules_version"),
            one_of("position", Position),
            percent("greatest_scope_percent"),
            sha256("statement_sha256"),
            sha256_or_empty("rollout_digest"),
            models.CheckConstraint(
                condition=~Q(position=Position.OBJECT) | ~(Q(text="") | Q(would_clear_if="")),
                name="signature_objects_with_a_reason_and_a_way_out",
            ),
            models.CheckConstraint(
                condition=Q(acting_for__isnull=True, acting_for_name="")
                | (Q(acting_for__isnull=False) & ~Q(acting_for_name="")),
                name="signature_names_whom_it_acts_for",
            ),
        )
        indexes = (models.Index(fields=["memo", "role"]),)

    def __str__(self) -> str:
        return f"{self.signer_name} as {self.role} on {self.memo}"


class SignatureWithdrawal(AppendOnly):
    """The signer takes the signature back."""

    signature = models.OneToOneField(Signature, on_delete=models.PROTECT, related_name="withdrawal")
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by_name = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = filled("reason", "by_name")

    def __str__(self) -> str:
        return f"withdrawal of {self.signature}"


class Condition(AppendOnly):
    """What must happen before an approval with conditions counts. owner: who sees to it; proof: what will show it.

    Rows from before conditions had owners have none, and no proof.
    """

    signature = models.ForeignKey(Signature, on_delete=models.PROTECT, related_name="conditions")
    number = models.PositiveIntegerField()
    text = models.TextField()
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="owned_conditions", null=True
    )
    owner_name = models.CharField(max_length=200, blank=True, default="")
    proof = models.TextField(blank=True, default="")

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["signature", "number"], name="condition_is_one_per_number"),
            *filled("text"),
            positive("number"),
            models.CheckConstraint(
                condition=Q(owner__isnull=True) | ~(Q(owner_name="") | Q(proof="")),
                name="condition_has_an_owner_and_a_proof",
            ),
        )

    def __str__(self) -> str:
        return self.text


class ConditionClearance(AppendOnly):
    """A condition is fulfilled, says its signer or the board. note: the proof; role: as which of them, "" long ago."""

    by_services_only: ClassVar[bool] = True

    condition = models.OneToOneField(Condition, on_delete=models.PROTECT, related_name="clearance")
    note = models.TextField()
    role = models.CharField(max_length=80, blank=True, default="")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by_name = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = filled("note", "by_name")

    def __str__(self) -> str:
        return f"clearance of {self.condition}"
