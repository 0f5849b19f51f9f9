"""Memos and their revisions."""

from django.conf import settings
from django.db import models

from reviews.models.appendonly import AppendOnly
from reviews.models.constraints import filled, one_of, positive, sha256
from reviews.models.team import Team
from reviews.models.template import TemplateVersion
from reviews.vocabulary import Intent, State


class NumberSeries(models.Model):
    """How far the memo numbers of a year have come; its row is locked while the next one is taken."""

    year = models.PositiveIntegerField(primary_key=True)
    last = models.PositiveIntegerField()

    class Meta:
        verbose_name_plural = "number series"

    def __str__(self) -> str:
        return f"{self.year}: {self.last}"


class Memo(models.Model):
    """A case under review. number: "ARM-2026-0042". title: copied from the current revision, for lists.

    current_revision: None only between the insert of a memo and that of its first revision.
    decided_at: when the latest decision took effect, None while there is none.
    supersedes: the decided memo that this one replaces.
    """

    number = models.CharField(max_length=20, unique=True)
    title = models.CharField(max_length=300)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="memos")
    template_version = models.ForeignKey(TemplateVersion, on_delete=models.PROTECT, related_name="memos")
    intent = models.CharField(max_length=20, choices=Intent.choices)
    state = models.CharField(max_length=20, choices=State.choices)
    current_revision = models.ForeignKey("Revision", on_delete=models.PROTECT, related_name="+", null=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memos")
    created_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    supersedes = models.ForeignKey("self", on_delete=models.PROTECT, related_name="superseded_by", null=True)

    class Meta:
        constraints = (
            *filled("number", "title"),
            one_of("intent", Intent),
            one_of("state", State),
        )
        indexes = (
            models.Index(fields=["state", "-created_at"]),
            models.Index(fields=["team", "state"]),
            models.Index(fields=["-created_at"]),
        )

    def __str__(self) -> str:
        return self.number


class Revision(AppendOnly):
    """One fixed content of a memo. sections: canonical JSON by section name; section_digests: SHA-256 of each.

    digest: of the sorted (name, digest) list. said: what changed, in words. base: the revision it was made from.
    """

    memo = models.ForeignKey(Memo, on_delete=models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField()
    sections = models.JSONField()
    section_digests = models.JSONField()
    digest = models.CharField(max_length=64)
    contributor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="revisions")
    contributor_name = models.CharField(max_length=200)
    said = models.TextField()
    base = models.ForeignKey("self", on_delete=models.PROTECT, related_name="+", null=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["memo", "number"], name="revision_is_one_per_number"),
            *filled("said", "contributor_name"),
            positive("number"),
            sha256("digest"),
        )

    def __str__(self) -> str:
        return f"{self.memo} revision {self.number}"
