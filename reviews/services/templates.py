"""Memo templates: a published version never changes; the shipped ones are made to exist at set-up."""

from typing import Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.errors import BadInput, NotPermitted
from reviews.memo_text import shipped
from reviews.models import MemoTemplate, TemplateVersion
from reviews.policies import gate
from reviews.sections import digest_of
from reviews.services import events, wellformed
from reviews.template_content import TemplateContent, template_to_json
from reviews.vocabulary import DecisionKind

LEAST_QUORUM: Final = 2


@transaction.atomic
def publish(*, actor: User, content: TemplateContent) -> TemplateVersion:
    """A new version of a template, or the first of a new one.

    Raises:
        NotPermitted: the actor is no operator of this installation.
        BadInput: this version exists with another content ("version_exists"), or it asks for too little to be a gate.
    """
    if not actor.is_superuser:
        raise NotPermitted("Only an operator of this installation publishes templates.", needs="Ask one of them.")
    return _publish(actor, content)


@transaction.atomic
def ship() -> tuple[TemplateVersion, ...]:
    """The versions that come with the product, made to exist. Done twice, it changes nothing."""
    return tuple(_publish(None, content) for content in shipped.templates())


def _publish(actor: User | None, content: TemplateContent) -> TemplateVersion:
    _refuse_hollow(content)
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


def _refuse_hollow(content: TemplateContent) -> None:
    """Raises BadInput when a decision would need nobody or nothing, or a rollback more than a ship."""
    for kind in DecisionKind.values:
        asked = content.decisions.get(kind)
        if asked is None or not asked.artifacts or not asked.roles:
            raise _bad(f"The decision {kind} needs at least one artifact and one owner.", f"decisions.{kind}")
    ship, rollback = (content.decisions[kind] for kind in (DecisionKind.SHIP, DecisionKind.ROLLBACK))
    if len(rollback.artifacts) > len(ship.artifacts) or len(rollback.roles) > len(ship.roles):
        raise _bad("A rollback never needs more than a ship.", f"decisions.{DecisionKind.ROLLBACK}")
    if content.quorum < LEAST_QUORUM:
        raise _bad(f"At least {LEAST_QUORUM} people approve.", "quorum")
    if content.waiver_cap_days < 1:
        raise _bad("A waiver ends: its cap is at least one day.", "waiver_cap_days")
    if content.deadlock_days < 1:
        raise _bad("An objection is answered within a day at the earliest.", "deadlock_days")
    if content.rules_version not in gate.RULE_SETS:
        raise _bad(f"There is no rule set {content.rules_version}.", "rules_version")
    texts = [("rollout_cap_percent", content.rollout_cap_percent)]
    texts += [(f"metrics.{row.metric}.{row.stat}.margin", row.margin) for row in content.metrics]
    texts += [(f"metrics.{row.metric}.{row.stat}.slo", row.slo) for row in content.metrics if row.slo]
    texts += [(f"work_settings.{row.name}.tolerance", row.tolerance) for row in content.work_settings if row.tolerance]
    for where, text in texts:
        wellformed.require_number(text, where)


def _bad(message: str, where: str) -> BadInput:
    return BadInput(message, code="hollow_template", where=where)
