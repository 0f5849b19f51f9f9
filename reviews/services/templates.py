"""Memo templates: a published version never changes; the shipped ones are made to exist at set-up."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.errors import BadInput, NotPermitted
from reviews.memo_text import shipped
from reviews.models import MemoTemplate, TemplateVersion
from reviews.sections import digest_of
from reviews.services import events
from reviews.template_content import TemplateContent, template_to_json


@transaction.atomic
def publish(*, actor: User, content: TemplateContent) -> TemplateVersion:
    """A new version of a template, or the first of a new one.

    Raises:
        NotPermitted: the actor is no operator of this installation.
        BadInput: this version exists with another content ("version_exists").
    """
    if not actor.is_superuser:
        raise NotPermitted("Only an operator of this installation publishes templates.", needs="Ask one of them.")
    return _publish(actor, content)


@transaction.atomic
def ship() -> tuple[TemplateVersion, ...]:
    """The versions that come with the product, made to exist. Done twice, it changes nothing."""
    return tuple(_publish(None, content) for content in shipped.templates())


def _publish(actor: User | None, content: TemplateContent) -> TemplateVersion:
    now = timezone.now()
    template, _ = MemoTemplate.objects.get_or_create(
        slug=content.slug, defaults={"title": content.title, "created_at": now}
    )
    stored = template_to_json(content)
    digest = digest_of(stored)
    known = template.versions.filter(version=content.version).first()
    if known is not None and known.digest != digest:
        raise BadInput(
            f"Version {content.version} of {content.slug} exists with another content.",
            needs="Raise the version: a published one never changes.",
            code="version_exists",
            where="version",
        )
    if known is not None:
        return known
    version = TemplateVersion.objects.create(
        template=template,
        version=content.version,
        content=stored,
        digest=digest,
        rules_version=content.rules_version,
        published_by=actor,
        published_at=now,
    )
    events.append(template, actor, "publish_template", version=content.version, digest=digest)
    return version
