"""Hypotheses: what became of each, and which evidence bears on it."""

from dataclasses import replace
from datetime import date

from django.contrib.auth.models import User
from django.db import transaction

from reviews.errors import BadInput, NotVisible
from reviews.models import Memo, Revision
from reviews.sections import EvidenceNote, Hypothesis, HypothesisResolution, MemoContent
from reviews.services import revisions
from reviews.vocabulary import Action, Bearing, Resolution, SectionName


@transaction.atomic
def resolve(*, actor: User, memo_id: int, hypothesis: str, resolution: HypothesisResolution) -> Revision:
    """The hypothesis ("H1") resolved as supported or refuted for a reason, or left open with an owner and a date.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; NotVisible also for an unknown hypothesis.
        BadInput: no such resolution, or one without what it needs.
    """
    _check(resolution)
    memo, content, row = _hypothesis(actor, memo_id, hypothesis)
    said = f"Resolved {row.key} as {Resolution(resolution.state).label}."
    return _replace(actor, memo, content, replace(row, resolution=resolution), said)


@transaction.atomic
def note_evidence(*, actor: User, memo_id: int, hypothesis: str, note: EvidenceNote) -> Revision:
    """How an artifact (SHA-256) or a comparison ("C1") of the memo bears on the hypothesis.

    Raises:
        NotVisible, NotPermitted, WrongState: as `resolve`.
        BadInput: no such bearing, or evidence that the memo does not hold.
    """
    memo, content, row = _hypothesis(actor, memo_id, hypothesis)
    if note.bearing not in Bearing.values:
        raise BadInput(
            f"{note.bearing!r} is no bearing.", needs=f"Choose: {', '.join(Bearing.values)}.", where="bearing"
        )
    if note.refers_to not in _evidence(content):
        raise BadInput(
            f"The memo holds no evidence {note.refers_to[:12]}.",
            needs="Name a comparison, or the digest of an attached file.",
            where="refers_to",
        )
    kept = tuple(known for known in row.evidence if known.refers_to != note.refers_to)
    said = f"{note.refers_to[:12]} is {note.bearing} {row.key}."
    return _replace(actor, memo, content, replace(row, evidence=(*kept, note)), said)


def _check(resolution: HypothesisResolution) -> None:
    if resolution.state not in Resolution.values:
        known = ", ".join(Resolution.values)
        raise BadInput(f"{resolution.state!r} is no resolution.", needs=f"Choose one of: {known}.", where="state")
    if resolution.state == Resolution.OPEN and not (resolution.owner.strip() and _is_date(resolution.due)):
        raise BadInput(
            "A hypothesis that stays open has an owner and a date.", needs="Write the date as 2026-12-31.", where="due"
        )
    if resolution.state != Resolution.OPEN and not resolution.reason.strip():
        raise BadInput("Say what supports or refutes it.", code="no_reason", where="reason")


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _evidence(content: MemoContent) -> frozenset[str]:
    """Everything that a note can refer to."""
    files = {part.artifact for sealed in content.evidence.sets for part in sealed.attachments}
    return frozenset(files | {row.key for row in content.comparisons.comparisons})


def _hypothesis(actor: User, memo_id: int, key: str) -> tuple[Memo, MemoContent, Hypothesis]:
    memo = revisions.locked(actor, memo_id)
    move = revisions.asked(actor, memo, Action.EDIT)
    revisions.refuse_foreign_sections(move, (SectionName.HYPOTHESES,))
    content = revisions.content_of(revisions.current(memo))
    for row in content.hypotheses.hypotheses:
        if row.key == key:
            return memo, content, row
    known = ", ".join(row.key for row in content.hypotheses.hypotheses) or "none"
    raise NotVisible(f"The memo states no hypothesis {key}.", needs=f"It states: {known}.", where="hypothesis")


def _replace(actor: User, memo: Memo, content: MemoContent, row: Hypothesis, said: str) -> Revision:
    rows = tuple(row if known.key == row.key else known for known in content.hypotheses.hypotheses)
    new = replace(content, hypotheses=replace(content.hypotheses, hypotheses=rows))
    return revisions.add(actor, memo, new, said, action=Action.EDIT)
