"""Evidence sets: open while files arrive, sealed once; one seal, one look."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from reviews.models.appendonly import AppendOnly
from reviews.models.artifact import Artifact
from reviews.models.constraints import filled, one_of, positive, sha256_or_empty, together
from reviews.models.memo import Memo
from reviews.models.plan import Plan
from reviews.vocabulary import Arm, EvidenceUse, SetState, Source


class EvidenceSet(models.Model):
    """A set of attachments. plan: what it was measured under. digest: of its sealed content, "" while open."""

    memo = models.ForeignKey(Memo, on_delete=models.PROTECT, related_name="evidence_sets")
    number = models.PositiveIntegerField()
    title = models.CharField(max_length=300)
    plan = models.ForeignKey(Plan, on_delete=models.PROTECT, related_name="evidence_sets", null=True)
    state = models.CharField(max_length=20, choices=SetState.choices)
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    opened_at = models.DateTimeField()
    sealed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    sealed_at = models.DateTimeField(null=True, blank=True)
    digest = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["memo", "number"], name="evidenceset_is_one_per_number"),
            *filled("title"),
            one_of("state", SetState),
            positive("number"),
            sha256_or_empty("digest"),
            together("sealed_by", "sealed_at"),
            models.CheckConstraint(
                condition=Q(state=SetState.OPEN, sealed_at__isnull=True, digest="")
                | (Q(state=SetState.SEALED, sealed_at__isnull=False) & ~Q(digest="")),
                name="evidenceset_is_sealed_with_a_time_and_a_digest",
            ),
        )

    def __str__(self) -> str:
        return f"{self.memo} evidence {self.number}"


class Attachment(AppendOnly):
    """An artifact attached to a set, with its labels.

    kind: slug of an artifact kind. run: key in the file, "" for all its runs. arm, block, placement: "" is unknown.
    placement_source: where the placement comes from, "" when there is none.
    excluded: why its runs do not count, by an exclusion rule of the plan; "" when they do.
    clock: zone of its times, or offset to those of the run beside which it stands, as somebody states it; "" for none.
    token_name: of the token that pushed it, "" for a person at a page.
    turn: 1, or one more than that of the same runs in this set, which were taken out before.
    """

    evidence_set = models.ForeignKey(EvidenceSet, on_delete=models.PROTECT, related_name="attachments")
    artifact = models.ForeignKey(Artifact, on_delete=models.PROTECT, related_name="attachments")
    name = models.CharField(max_length=300)
    kind = models.CharField(max_length=80)
    arm = models.CharField(max_length=20, choices=Arm.choices, blank=True)
    run = models.CharField(max_length=300, blank=True)
    block = models.CharField(max_length=200, blank=True)
    placement = models.CharField(max_length=500, blank=True)
    placement_source = models.CharField(max_length=20, choices=Source.choices, blank=True)
    use = models.CharField(max_length=20, choices=EvidenceUse.choices)
    excluded = models.TextField(blank=True)
    clock = models.CharField(max_length=60, blank=True, default="")
    attached_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    attached_by_name = models.CharField(max_length=200)
    token_name = models.CharField(max_length=200, blank=True)
    attached_at = models.DateTimeField()
    turn = models.PositiveIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["evidence_set", "artifact", "run", "turn"], name="attachment_is_one_per_run_and_turn"
            ),
            positive("turn"),
            *filled("name", "kind", "attached_by_name"),
            one_of("arm", Arm, or_empty=True),
            one_of("placement_source", Source, or_empty=True),
            one_of("use", EvidenceUse),
        )

    def __str__(self) -> str:
        return f"{self.name} in {self.evidence_set}"


class Detachment(AppendOnly):
    """An attachment taken out of its set while that was open: it stays visible, and does not count."""

    attachment = models.OneToOneField(Attachment, on_delete=models.PROTECT, related_name="detachment")
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by_name = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = filled("reason", "by_name")

    def __str__(self) -> str:
        return f"{self.attachment}, taken out"
