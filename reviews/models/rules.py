"""Drafts of template versions, their activation, and the build that a team measures small changes against.

A version of a template carries its rules: its rule set, the marks that it raises, and its limits. It begins as a
draft, becomes active by an activation, and is retired when a newer one is active. All three are written once.
"""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from reviews.models.appendonly import AppendOnly
from reviews.models.constraints import filled, positive, sha256
from reviews.models.team import Team
from reviews.models.template import MemoTemplate, TemplateVersion


class TemplateDraft(AppendOnly):
    """What somebody proposes as the next version. content, digest, rules_version: as in `TemplateVersion`.

    base: the version that was active then, None for the first of a template. author: None when it came with the
    product.
    """

    template = models.ForeignKey(MemoTemplate, on_delete=models.PROTECT, related_name="drafts")
    version = models.PositiveIntegerField()
    base = models.ForeignKey(TemplateVersion, on_delete=models.PROTECT, related_name="+", null=True)
    content = models.JSONField()
    digest = models.CharField(max_length=64)
    rules_version = models.CharField(max_length=40)
    reason = models.TextField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    author_name = models.CharField(max_length=200)
    saved_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["template", "digest"], name="templatedraft_is_one_per_content"),
            *filled("rules_version", "reason", "author_name"),
            positive("version"),
            sha256("digest"),
        )

    def __str__(self) -> str:
        return f"draft {self.version} of {self.template}"


class TemplateActivation(AppendOnly):
    """A draft that became a version. replay: what it would have said of the memos decided before; replay_digest: of it.

    author: that of the draft, who is never the approver.
    """

    by_services_only: ClassVar[bool] = True

    draft = models.OneToOneField(TemplateDraft, on_delete=models.PROTECT, related_name="activation")
    version = models.OneToOneField(TemplateVersion, on_delete=models.PROTECT, related_name="activation")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    approver = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approver_name = models.CharField(max_length=200)
    reason = models.TextField()
    replay = models.JSONField()
    replay_digest = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(author__isnull=True) | ~Q(approver=F("author")), name="activation_is_by_another"
            ),
            *filled("approver_name", "reason"),
            sha256("replay_digest"),
        )

    def __str__(self) -> str:
        return f"activation of {self.version}"


class ReferenceBuild(AppendOnly):
    """The build against which a team adds up its changes; the last one pinned is in force."""

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="reference_builds")
    build = models.CharField(max_length=200)
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by_name = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = filled("build", "reason", "by_name")

    def __str__(self) -> str:
        return f"{self.build} of {self.team}"
