"""Redacting a file: its bytes must not be kept. They go for good; digest, size, record and every chain stay.

What was read from them goes too: its table may hold the very thing. What was computed stays, since it is history, and
can be computed again from nothing. What follows is computed: gates that rest on the file close, memos are flagged.
"""

from functools import partial

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.errors import BadInput, NotPermitted, WrongState
from reviews.models import Artifact, Redaction
from reviews.queries import readings
from reviews.queries.redacted import may_redact, memos_that_hold, tables_of
from reviews.redaction_words import RedactionKind
from reviews.services import events, remembered, store, wellformed
from reviews.vocabulary import Action


@transaction.atomic
def redact(*, actor: User, sha256: str, kind: str, reason: str) -> Redaction:
    """The bytes taken away once this is committed. reason: without what was redacted; it stays for ever.

    Raises:
        NotVisible: no such file that the actor sees.
        NotPermitted: the actor administers no team of a memo that holds it, or, where none does, did not send it.
        WrongState: it is redacted already. BadInput: no kind, no reason.
    """
    seen = readings.artifact_for(actor, sha256).artifact
    if not may_redact(actor, seen):
        raise NotPermitted(
            "A file is redacted by an administrator of the team of a memo that holds it; if none does, by who sent it.",
            needs="Ask an administrator of the team.",
        )
    if kind not in RedactionKind.values:
        raise BadInput(
            "Say what stood in the bytes.", needs=f"One of: {', '.join(RedactionKind.values)}.", code="no_kind",
            where="kind",
        )  # fmt: skip
    wellformed.require_text(reason, "reason", longest=500, code="no_reason")
    artifact = Artifact.objects.select_for_update(of=("self",), no_key=True).get(pk=seen.pk)
    if known := Redaction.objects.filter(artifact=artifact).first():
        raise WrongState(f"The bytes were {known.said}.", code="redacted_already")
    return _recorded(actor, artifact, kind, reason)


def _recorded(actor: User, artifact: Artifact, kind: str, reason: str) -> Redaction:
    memos = memos_that_hold(artifact.sha256)
    row = Redaction.objects.create(
        artifact=artifact, old_digest=artifact.sha256, kind=kind, reason=reason.strip(), by=actor,
        by_name=events.name_of(actor), at=timezone.now(),
    )  # fmt: skip
    said: dict[str, events.Detail] = {"kind": kind, "reason": row.reason, "size": artifact.size}
    events.append(artifact, actor, Action.REDACT, **said, memos=[memo.number for memo in memos])
    for memo in memos:
        events.append(memo, actor, Action.REDACT, artifact=artifact.sha256, name=artifact.name, **said)
    transaction.on_commit(partial(_discard, row))
    return row


def sweep() -> tuple[str, ...]:
    """The names of redacted files whose bytes stood still, because a process ended between commit and discarding."""
    found = []
    for row in Redaction.objects.select_related("artifact").order_by("pk"):
        if any(store.holds(digest) for digest in (row.old_digest, *tables_of(row.artifact))):
            _discard(row)
            found.append(row.artifact.name)
    return tuple(found)


def _discard(row: Redaction) -> None:
    for digest in (row.old_digest, *tables_of(row.artifact)):
        store.discard(digest)
    remembered.forget()
