"""Memo templates: a version is drafted, replayed over the past, and activated by somebody else; it never changes.

The shipped ones are made to exist at set-up. Where an installation has a version already, a newer shipped one waits
as a draft.
"""

from typing import Any, Final

import msgspec
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.errors import BadInput, NotPermitted, NotVisible, StalePage, WrongState
from reviews.memo_text import shipped
from reviews.models import MemoTemplate, TemplateActivation, TemplateDraft, TemplateVersion, authority
from reviews.queries import rules_page
from reviews.sections import digest_of
from reviews.services import events, teams, wellformed
from reviews.services.template_checks import refuse_hollow
from reviews.template_content import TemplateContent, template_from_json, template_to_json
from reviews.template_words import changes

PRODUCT: Final = "the product"
SHIPPED_WHY: Final = "It comes with this version of the product."
TITLE: Final = 200


@transaction.atomic
def draft(*, actor: User, slug: str, content: dict[str, Any], reason: str) -> TemplateDraft:
    """The next version of a template, or the first of a new one, as a draft. The known one for a known content.

    content: its JSON values; `slug` and `version` are filled in here.

    Raises:
        NotPermitted: the actor administers neither a team nor this installation.
        BadInput: it is no template ("bad_template"), asks for too little to be a gate ("hollow_template"), lowers a
            rule ("rule_not_raised"), says nothing new ("nothing_changed"), or has no reason.
    """
    if not rules_page.may_draft(actor):
        raise NotPermitted(
            "Templates are drafted by administrators of a team and by operators.", needs="Ask one of them."
        )
    wellformed.require_text(reason, "reason", longest=2000, code="no_reason")
    teams.refuse_bad_slug(slug, "slug")
    active = rules_page.active_of(slug)
    number = active.version + 1 if active else 1
    found = _read({**content, "slug": slug, "version": number})
    if active and not changes(active.content, template_to_json(found)):
        raise BadInput(
            "This draft says what the active version says.", needs="Change something.", code="nothing_changed"
        )
    return _save(actor, found, active, reason)


@transaction.atomic
def activate(*, actor: User, draft_id: int, replay: str, reason: str) -> TemplateVersion:
    """The draft becomes the active version; the one before it is retired, and judges the memos that it was filed for.

    replay: the digest of the replay that the actor has seen.

    Raises:
        NotVisible: no such draft.
        NotPermitted: the actor is no operator of this installation, or wrote the draft.
        WrongState: it is active already ("draft_activated"), or another version became active since it was drafted
            ("draft_outdated").
        StalePage: the replay that was seen is not that of this draft over what is decided now ("replay_not_seen").
        BadInput: no reason.
    """
    row = TemplateDraft.objects.select_related("template", "base").filter(pk=draft_id).first()
    if row is None:
        raise NotVisible(f"There is no draft {draft_id}.")
    template = MemoTemplate.objects.select_for_update().get(pk=row.template_id)
    _require_another(actor, row)
    wellformed.require_text(reason, "reason", longest=2000, code="no_reason")
    _require_current(row)
    seen = rules_page.replay_of(row)
    if replay != seen.digest:
        raise StalePage(
            "The replay that you saw is not that of this draft over what is decided now.",
            needs="Look at the replay again, then activate.",
            code="replay_not_seen",
            where="replay",
        )
    version = _make(template, template_from_json(row.content), actor)
    with authority.writing(TemplateActivation):
        TemplateActivation.objects.create(
            draft=row, version=version, author=row.author, approver=actor, approver_name=events.name_of(actor),
            reason=reason, replay=seen.document, replay_digest=seen.digest, at=timezone.now(),
        )  # fmt: skip
    events.append(
        template, actor, "activate_template", version=version.version, digest=version.digest, replay=seen.digest,
        author=row.author_name, reason=reason,
    )  # fmt: skip
    return version


@transaction.atomic
def ship() -> tuple[TemplateVersion, ...]:
    """The active versions of the templates that come with the product, made to exist. Done twice, it changes nothing.

    Where an installation has a version already, a newer shipped one becomes a draft, for somebody to replay.
    """
    return tuple(_shipped(content) for content in shipped.templates())


def _shipped(content: TemplateContent) -> TemplateVersion:
    refuse_hollow(content)
    active = rules_page.active_of(content.slug)
    if active is None:
        return _make(_template(content), content, None)
    if active.version < content.version:
        _save(None, content, active, SHIPPED_WHY)
    return active


def _read(content: dict[str, Any]) -> TemplateContent:
    try:
        found = template_from_json(content)
    except msgspec.ValidationError as error:
        said = str(error)
        raise BadInput(
            f"This is no template: {said}.",
            needs="Start from the active version, and keep the names of its fields.",
            code="bad_template",
            where=said.partition("`$.")[2].rstrip("`") or "content",
        ) from error
    if lost := changes(template_to_json(found), content):
        field = lost[0].field[:120]
        raise BadInput(
            f"A template has no such field: {field}.", needs="Leave it out.", code="bad_template", where=field
        )
    wellformed.require_text(found.title, "title", longest=TITLE, code="bad_template")
    refuse_hollow(found)
    return found


def _save(actor: User | None, content: TemplateContent, base: TemplateVersion | None, reason: str) -> TemplateDraft:
    template = _template(content)
    stored = template_to_json(content)
    digest = digest_of(stored)
    known = template.drafts.filter(digest=digest).first()
    if known is not None:
        return known
    row = TemplateDraft.objects.create(
        template=template, version=content.version, base=base, content=stored, digest=digest,
        rules_version=content.rules_version, reason=reason, author=actor,
        author_name=events.name_of(actor) if actor else PRODUCT, saved_at=timezone.now(),
    )  # fmt: skip
    events.append(template, actor, "draft_template", version=row.version, digest=digest, draft=row.pk, reason=reason)
    return row


def _require_another(actor: User, row: TemplateDraft) -> None:
    if not actor.is_superuser:
        raise NotPermitted("Only an operator of this installation activates a draft.", needs="Ask one of them.")
    if row.author_id == actor.pk:
        raise NotPermitted("Who wrote a draft does not activate it.", needs="Ask another operator.", code="own_draft")


def _require_current(row: TemplateDraft) -> None:
    if hasattr(row, "activation"):
        raise WrongState(f"Version {row.version} is active already.", code="draft_activated")
    active = rules_page.active_of(row.template.slug)
    if (active.pk if active else None) != row.base_id:
        raise WrongState(
            "Another version became active since this was drafted.",
            needs="Draft it again from the active version.",
            code="draft_outdated",
        )


def _template(content: TemplateContent) -> MemoTemplate:
    row, _ = MemoTemplate.objects.get_or_create(
        slug=content.slug, defaults={"title": content.title, "created_at": timezone.now()}
    )
    return row


def _make(template: MemoTemplate, content: TemplateContent, actor: User | None) -> TemplateVersion:
    stored = template_to_json(content)
    version = TemplateVersion.objects.create(
        template=template, version=content.version, content=stored, digest=digest_of(stored),
        rules_version=content.rules_version, published_by=actor, published_at=timezone.now(),
    )  # fmt: skip
    events.append(template, actor, "publish_template", version=content.version, digest=version.digest)
    return version
