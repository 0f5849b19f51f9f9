"""Filing, revising and moving memos."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.errors import BadInput, Incomplete, NotPermitted, NotVisible, StalePage
from reviews.memo_text.findings import Note
from reviews.memo_text.parse import Parsed, parse
from reviews.models import Memo, MemoTemplate, Revision, Team, TemplateVersion
from reviews.policies import completeness
from reviews.queries import people
from reviews.sections import MemoContent, content_to_json
from reviews.services import carrying, events, revisions, wellformed
from reviews.services.numbers import next_memo_number
from reviews.template_content import TemplateContent, template_from_json
from reviews.vocabulary import Action, Intent, StandingRole, State


@dataclass(frozen=True, slots=True)
class Filed:
    """A memo made or revised from text. notes: what the author should know, by line."""

    memo: Memo
    revision: Revision
    notes: tuple[Note, ...]


@transaction.atomic
def file_text(*, actor: User, team: str, text: str, template: str, intent: str) -> Filed:
    """A draft from a pasted text, pinned to the newest version of `template` (slug).

    Raises:
        NotVisible: no such team or template.
        NotPermitted: the actor is no author of the team.
        BadInput, TooLarge: the text cannot be read; or an unknown intent.
    """
    owner = _team_of_author(actor, team)
    version = newest(template)
    parsed = parse(text, template_from_json(version.content), team=owner.slug, intent=_intent(intent))
    content = carrying.edited(MemoContent(header=parsed.content.header), parsed.content, by=actor.get_username())
    memo = _file(actor, owner, version, content)
    return Filed(memo, revisions.current(memo), parsed.notes)


@transaction.atomic
def file_records(*, actor: User, sections: Mapping[str, Any]) -> Memo:
    """A draft from records, {section name: JSON}; the header names team, template and intent.

    Raises:
        BadInput: records that do not fit, or evidence that no sealed set holds.
        NotVisible, NotPermitted: as `file_text`.
    """
    content = revisions.sections_from(sections)
    owner = _team_of_author(actor, content.header.team)
    version = TemplateVersion.objects.filter(
        template__slug=content.header.template, version=content.header.template_version
    ).first()
    if version is None:
        raise NotVisible(f"There is no version {content.header.template_version} of {content.header.template}.")
    _intent(content.header.intent)
    blank = MemoContent(header=content.header)
    return _file(actor, owner, version, carrying.edited(blank, content, by=actor.get_username()))


@transaction.atomic
def revise(*, actor: User, memo_id: int, base: str, sections: Mapping[str, Any], said: str) -> Revision:
    """A revision in which the given sections are replaced.

    Args:
        base: digest of the revision that the editor saw.
        sections: {section name: JSON}, those that change.
        said: what changed, in words.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py.
        StalePage: another revision came in between; says what it changed.
        BadInput: records that do not fit, nothing changed, or a field that stays for ever.
    """
    memo = revisions.locked(actor, memo_id)
    move = revisions.asked(actor, memo, Action.EDIT)
    revisions.refuse_stale(memo, base)
    now = revisions.current(memo)
    old = revisions.content_of(now)
    asked_for = revisions.sections_from({**content_to_json(old), **sections})
    new = carrying.edited(old, asked_for, by=actor.get_username())
    _intent(new.header.intent)
    revisions.refuse_foreign_sections(move, revisions.changed_sections(now, new))
    return revisions.add(actor, memo, new, said, action=Action.EDIT)


@transaction.atomic
def revise_text(*, actor: User, memo_id: int, base: str, text: str, said: str) -> Filed:
    """A revision from a pasted text; evidence, assessments and resolutions, which no text can say, stay.

    The base that the text itself carries, when it was exported, counts before `base`.

    Raises: as `revise`.
    """
    memo = revisions.locked(actor, memo_id)
    move = revisions.asked(actor, memo, Action.EDIT)
    parsed = preview_text(memo, text)
    if parsed.base and base and parsed.base != base:
        raise StalePage(
            "The text was exported from another revision than this page was made from.",
            needs="Export it again and carry your changes over.",
            where="base",
        )
    revisions.refuse_stale(memo, parsed.base or base)
    now = revisions.current(memo)
    new = carrying.pasted(revisions.content_of(now), parsed.content, by=actor.get_username())
    revisions.refuse_foreign_sections(move, revisions.changed_sections(now, new))
    revision = revisions.add(actor, memo, new, said, action=Action.EDIT)
    return Filed(memo, revision, parsed.notes)


@transaction.atomic
def submit(*, actor: User, memo_id: int, base: str) -> Memo:
    """The memo in review.

    Raises:
        NotVisible, NotPermitted, WrongState, StalePage: as `revise`.
        Incomplete: the text leaves out what `missing` lists.
    """
    memo = revisions.locked(actor, memo_id)
    move = revisions.asked(actor, memo, Action.SUBMIT)
    revisions.refuse_stale(memo, base)
    content = revisions.content_of(revisions.current(memo))
    if missing := completeness.missing(content, actor.get_username()):
        raise Incomplete(
            f"The memo cannot be submitted yet: {len(missing)} thing(s) are missing.",
            needs="Fill them in, then submit.",
            missing=missing,
        )
    memo.submitted_at = timezone.now()
    return move_to(actor, memo, move.leads_to(State(memo.state)), Action.SUBMIT, "")


@transaction.atomic
def return_to_author(*, actor: User, memo_id: int, reason: str) -> Memo:
    """The memo back in draft. Raises NotVisible, NotPermitted, WrongState; BadInput without a reason."""
    memo = revisions.locked(actor, memo_id)
    move = revisions.asked(actor, memo, Action.RETURN)
    if not reason.strip():
        raise BadInput("Say why the memo goes back.", code="no_reason", where="reason")
    return move_to(actor, memo, move.leads_to(State(memo.state)), Action.RETURN, reason)


@transaction.atomic
def withdraw(*, actor: User, memo_id: int, reason: str) -> Memo:
    """The memo withdrawn. Raises NotVisible, NotPermitted, WrongState."""
    memo = revisions.locked(actor, memo_id)
    move = revisions.asked(actor, memo, Action.WITHDRAW)
    return move_to(actor, memo, move.leads_to(State(memo.state)), Action.WITHDRAW, reason)


def move_to(actor: User, memo: Memo, state: State, action: Action, reason: str) -> Memo:
    """The memo in its new state, with the event. The caller holds the lock and has asked the lifecycle."""
    before = memo.state
    memo.state = state
    memo.save(update_fields=["state", "submitted_at", "decided_at"])
    events.append(memo, actor, action, before=before, after=state.value, reason=reason)
    return memo


def newest(template: str) -> TemplateVersion:
    """The newest version of a template by slug. Raises NotVisible."""
    version = TemplateVersion.objects.filter(template__slug=template).order_by("-version").first()
    if version is None:
        known = ", ".join(MemoTemplate.objects.order_by("slug").values_list("slug", flat=True)) or "none is set up"
        raise NotVisible(f"There is no template {template}.", needs=f"Choose one of: {known}.")
    return version


def preview_text(memo: Memo, text: str) -> Parsed:
    """What a text would say in this memo, under the template version that the memo is pinned to."""
    return parse(text, template_of(memo), team=memo.team.slug, intent=memo.intent)


def template_of(memo: Memo) -> TemplateContent:
    """The template version that the memo is pinned to."""
    return template_from_json(memo.template_version.content)


def _file(actor: User, team: Team, version: TemplateVersion, content: MemoContent) -> Memo:
    wellformed.require_content(content)
    now = timezone.now()
    memo = Memo.objects.create(
        number=next_memo_number(now.year),
        title=content.header.title,
        team=team,
        template_version=version,
        intent=content.header.intent,
        state=State.DRAFT,
        created_by=actor,
        created_at=now,
    )
    events.append(memo, actor, "file", number=memo.number, template=f"{version.template.slug} {version.version}")
    revisions.add(actor, memo, content, "Filed.", action="revise")
    return memo


def _team_of_author(actor: User, slug: str) -> Team:
    team = Team.objects.filter(slug=slug).first()
    held = people.roles_held(actor, team) if team else frozenset()
    if team is None or not held:
        raise NotVisible(f"There is no team {slug} in which you hold a role.", needs="Ask its administrators.")
    if StandingRole.AUTHOR.value not in held:
        raise NotPermitted(
            f"Memos of {team.name} are filed by its authors.", needs="Ask an administrator for the role."
        )
    return team


def _intent(value: str) -> str:
    if value not in Intent.values:
        raise BadInput(
            f"{value or 'Nothing'} is no intent.",
            needs=f"Choose one of: {', '.join(Intent.values)}.",
            code="unknown_intent",
            where="intent",
        )
    return value
