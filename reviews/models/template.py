"""Memo templates and their versions. A memo pins one version; a stored version never changes."""

from django.conf import settings
from django.db import models

from reviews.models.appendonly import AppendOnly
from reviews.models.constraints import filled, positive, sha256


class MemoTemplate(models.Model):
    """A kind of memo, whose content stands in its versions."""

    slug = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=200)
    created_at = models.DateTimeField()

    class Meta:
        constraints = filled("slug", "title")

    def __str__(self) -> str:
        return self.title


class TemplateVersion(AppendOnly):
    """One version of a template. content: JSON of `template_content.TemplateContent`; digest: of that JSON.

    published_by: None when it came with the product.
    """

    template = models.ForeignKey(MemoTemplate, on_delete=models.PROTECT, related_name="versions")
    version = models.PositiveIntegerField()
    content = models.JSONField()
    digest = models.CharField(max_length=64)
    rules_version = models.CharField(max_length=40)
    published_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    published_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["template", "version"], name="templateversion_is_one_per_number"),
            *filled("rules_version"),
            positive("version"),
            sha256("digest"),
        )

    def __str__(self) -> str:
        return f"{self.template} {self.version}"
