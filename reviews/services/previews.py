"""What a pasted text would make, before anything is written: records, notes, changes, and stale signatures."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from reviews.memo_text import Parsed, RecordChange, blank, parse, render
from reviews.memo_text.difference import difference
from reviews.memo_text.line_by_line import ReadLine, line_by_line
from reviews.models import Memo, Revision
from reviews.policies.staleness import would_go_stale
from reviews.queries import changes
from reviews.queries.gate import gate_facts
from reviews.sections import Header, MemoContent, content_to_json, section_digests
from reviews.services import carrying, memos, revisions
from reviews.template_content import TemplateContent
from reviews.vocabulary import Action


@dataclass(frozen=True, slots=True)
class Lapse:
    """A signature that saving would make stale. because: what changes in the sections that it covers."""

    signer: str
    acting_for: str
    role: str
    sections: tuple[str, ...]
    because: tuple[RecordChange, ...]


@dataclass(frozen=True, slots=True)
class TextPreview:
    """A text as it would be read. records: what it says, or in a revision what it changes; by record.

    lapses: the signatures that saving it would make stale.
    """

    parsed: Parsed
    lines: tuple[ReadLine, ...]
    records: tuple[RecordChange, ...]
    lapses: tuple[Lapse, ...]


def of_new(text: str, template: TemplateContent, *, team: str, intent: str) -> TextPreview:
    """The preview of a memo that is about to be filed. Raises BadInput, TooLarge."""
    parsed = parse(text, template, team=team, intent=intent)
    header = parsed.content.header
    nothing = Header(
        title="", team=team, intent=intent, template=header.template, template_version=header.template_version
    )
    stated = replace(parsed.content, header=replace(header, unfilled=(), kept=()))
    records = difference(MemoContent(header=nothing), stated)
    return TextPreview(parsed, line_by_line(text, parsed), records, ())


def of_revision(*, actor: User, memo: Memo, text: str) -> TextPreview:
    """The preview of a revision of a memo that the actor sees.

    Raises:
        NotPermitted, WrongState: the actor may not edit the memo now.
        BadInput, TooLarge: the text cannot be read, or two of its rows have one key.
    """
    revisions.asked(actor, memo, Action.EDIT)
    parsed = memos.preview_text(memo, text)
    now = revisions.current(memo)
    old = revisions.content_of(now)
    new = carrying.pasted(old, parsed.content, by=actor.get_username())
    records = changes.between(memo, old, new)
    return TextPreview(parsed, line_by_line(text, parsed), records, _lapses(memo, now, new, records))


def of_sections(*, actor: User, memo: Memo, sections: Mapping[str, Any]) -> tuple[Lapse, ...]:
    """The signatures that a revision with the given sections would make stale; nothing is saved.

    Raises:
        NotPermitted, WrongState: the actor may not edit the memo now.
        BadInput: records that do not fit.
    """
    move = revisions.asked(actor, memo, Action.EDIT)
    now = revisions.current(memo)
    old = revisions.content_of(now)
    wanted = revisions.sections_from({**content_to_json(old), **sections})
    new = carrying.edited(old, wanted, by=actor.get_username())
    revisions.refuse_foreign_sections(move, revisions.changed_sections(now, new))
    return _lapses(memo, now, new, changes.between(memo, old, new))


def of_deed(*, memo: Memo, deed: Callable[[], object]) -> tuple[Lapse, ...]:
    """The signatures that a deed would make stale: it is done, looked at and taken back. Raises as the deed does."""
    now = revisions.current(memo)
    with transaction.atomic():
        before = transaction.savepoint()
        deed()
        new = revisions.content_of(revisions.current(Memo.objects.get(pk=memo.pk)))
        found = _lapses(memo, now, new, changes.between(memo, revisions.content_of(now), new))
        transaction.savepoint_rollback(before)
    return found


def is_signed(memo: Memo) -> bool:
    """Whether anybody's signature stands on the memo, so that it can go stale."""
    return memo.signatures.filter(withdrawal__isnull=True).exists()


def _lapses(memo: Memo, now: Revision, new: MemoContent, records: tuple[RecordChange, ...]) -> tuple[Lapse, ...]:
    """Those that hold now and would not then, each with its reasons."""
    facts = gate_facts(memo.pk, decider=None, requested_percent=None)
    found = would_go_stale(facts.signatures, now.section_digests, section_digests(content_to_json(new)))
    return tuple(
        Lapse(
            one.signer, one.acting_for, one.role, one.sections, tuple(r for r in records if r.section in one.sections)
        )
        for one in found
    )


def text_of(memo: Memo) -> str:
    """The exchange text of the current revision, which says from which revision it was exported."""
    now = revisions.current(memo)
    return render(revisions.content_of(now), memos.template_of(memo), base=now.digest)


def text_to_start_from(template: TemplateContent, *, team: str, intent: str) -> str:
    """The template's own text, with its placeholders."""
    return render(blank(template, team=team, intent=intent), template)
