"""The one way to a new revision: under the memo's lock, from the revision that the editor saw."""

from collections.abc import Collection, Mapping
from typing import Any

import msgspec
from django.contrib.auth.models import User
from django.utils import timezone

from reviews.errors import BadInput, NotPermitted, NotVisible, StalePage
from reviews.memo_text.difference import difference
from reviews.models import ApiToken, Memo, Revision
from reviews.policies import lifecycle
from reviews.policies.numbers import listed
from reviews.queries import people
from reviews.queries.who_may import who_may
from reviews.sections import (
    MemoContent,
    content_from_json,
    content_to_json,
    revision_digest,
    section_digests,
)
from reviews.services import events, expiry, wellformed
from reviews.vocabulary import Action, SectionName, State

LONGEST_DIFFERENCE = 20
MOST_NAMES = 5


def locked(actor: User, memo_id: int) -> Memo:
    """The memo, read again under its lock, if the actor sees it; an end of its rollout is noted. Raises NotVisible."""
    if not people.memos_visible_to(actor).filter(pk=memo_id).exists():
        raise NotVisible("There is no such memo that you can see.", needs="Ask its team for a role.")
    expiry.note(Memo.objects.select_for_update(no_key=True).get(pk=memo_id))
    return Memo.objects.select_related(*people.RELATIONS).get(pk=memo_id)


def asked(actor: User, memo: Memo, action: Action) -> lifecycle.Move:
    """The lifecycle's row for this action of this person. Raises WrongState; NotPermitted, which names who may."""
    try:
        return lifecycle.move(action, State(memo.state), people.roles_on(actor, memo))
    except NotPermitted as refusal:
        if names := who_may(memo, action):
            refusal.needs = f"Ask {listed(names[:MOST_NAMES], last='or')}, or ask an administrator for the role."
        raise


def current(memo: Memo) -> Revision:
    """The current revision; every memo that a transaction shows has one."""
    revision = memo.current_revision
    if revision is None:
        raise RuntimeError(f"memo {memo.number} has no revision")
    return revision


def content_of(revision: Revision) -> MemoContent:
    """The records of a revision."""
    return content_from_json(revision.sections)


def refuse_stale(memo: Memo, base: str) -> None:
    """Raises StalePage when `base` is not the digest of the current revision, saying what changed since."""
    now = current(memo)
    if base == now.digest:
        return
    seen = memo.revisions.filter(digest=base).order_by("-number").first()
    if seen is None:
        raise StalePage(
            "This page was not made from a revision of this memo.",
            needs="Load it again.",
            code="unknown_base",
            where="base",
        )
    changes = difference(content_of(seen), content_of(now))
    said = "; ".join(str(change) for change in changes[:LONGEST_DIFFERENCE])
    more = f"; and {len(changes) - LONGEST_DIFFERENCE} more" if len(changes) > LONGEST_DIFFERENCE else ""
    raise StalePage(
        f"Revision {now.number} by {now.contributor_name} came after the revision {seen.number} that you saw. "
        f"Changed: {said}{more}.",
        needs="Look at it, then do it again.",
        where="base",
    )


def sections_from(value: Mapping[str, Any]) -> MemoContent:
    """Records from JSON. Raises BadInput naming the path of what does not fit."""
    try:
        return content_from_json(value)
    except KeyError as error:
        known = ", ".join(SectionName.values)
        raise BadInput(
            f"{error} is no section.", needs=f"There are: {known}.", code="bad_records", where="sections"
        ) from error
    except (msgspec.ValidationError, TypeError) as error:
        raise BadInput(f"The records do not fit: {error}.", code="bad_records", where="sections") from error


def add(actor: User, memo: Memo, content: MemoContent, said: str, *, action: str) -> Revision:
    """A revision of `content` on top of the current one, with its event. The caller holds the memo's lock.

    Raises:
        BadInput: nothing changed ("nothing_changed"), it is not said what ("nothing_said"), or a number, a time or a
            word that is none; see `wellformed`.
    """
    wellformed.require_content(content)
    if not said.strip():
        raise BadInput("Say in a few words what you changed.", code="nothing_said", where="said")
    base = memo.current_revision
    sections = content_to_json(content)
    digests = section_digests(sections)
    if base is not None and digests == base.section_digests:
        raise BadInput("Nothing changed.", needs="Change something, or leave it.", code="nothing_changed")
    revision = Revision.objects.create(
        memo=memo,
        number=base.number + 1 if base else 1,
        sections=sections,
        section_digests=digests,
        digest=revision_digest(digests),
        contributor=actor,
        contributor_name=events.name_of(actor),
        said=said,
        base=base,
        created_at=timezone.now(),
    )
    memo.current_revision = revision
    memo.title = content.header.title
    memo.intent = content.header.intent
    memo.save(update_fields=["current_revision", "title", "intent"])
    events.append(memo, actor, action, revision=revision.number, digest=revision.digest, said=said)
    return revision


def refuse_foreign_sections(move: lifecycle.Move, changed: Collection[str]) -> None:
    """Raises NotPermitted when the move does not reach every changed section."""
    foreign = [name for name in SectionName.values if name in changed and name not in move.sections]
    if foreign:
        reach = ", ".join(name for name in SectionName.values if name in move.sections)
        raise NotPermitted(
            f"Only the author changes {', '.join(foreign)}; you may change {reach}.",
            needs="Ask the author, or leave a comment.",
        )


def changed_sections(revision: Revision, content: MemoContent) -> tuple[str, ...]:
    """The names of the sections of `content` that differ from the revision's, in the order of the page."""
    digests = section_digests(content_to_json(content))
    return tuple(name for name in SectionName.values if digests[name] != revision.section_digests[name])


def token_name(token: ApiToken | None) -> str:
    """How rows name the token that acted, "" for a person at a page."""
    return token.name if token else ""
