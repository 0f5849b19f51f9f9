"""Recalling a file: it must not be trusted any more, and every memo that cites it is told so in its trail.

What follows is computed: the memo is flagged, a gate that stood open closes, `permit` answers no, and signers and
rollback owners find it in their queue.
"""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.errors import BadInput, NotPermitted, WrongState
from reviews.models import Recall
from reviews.queries import readings
from reviews.queries.recalled import may_recall, memos_that_cite
from reviews.services import events
from reviews.vocabulary import Action


@transaction.atomic
def recall(*, actor: User, sha256: str, reason: str) -> Recall:
    """The file recalled, for good.

    Raises:
        NotVisible: no such file that the actor sees.
        NotPermitted: the actor is neither author, contributor nor board of a memo that cites it, and did not send it.
        WrongState: it is recalled already. BadInput: no reason.
    """
    artifact = readings.artifact_for(actor, sha256).artifact
    memos = memos_that_cite(sha256)
    if not may_recall(actor, artifact):
        raise NotPermitted(
            "A file is recalled by who sent it, or by the author, a contributor or the board of a memo that cites it.",
            needs="Ask one of them.",
        )
    if not reason.strip():
        raise BadInput("Say why the file must not be trusted.", code="no_reason", where="reason")
    if known := Recall.objects.filter(artifact=artifact).first():
        raise WrongState(f"{known.by_name} has recalled this file already.", code="recalled_already")
    row = Recall.objects.create(
        artifact=artifact, reason=reason, by=actor, by_name=events.name_of(actor), at=timezone.now()
    )
    events.append(artifact, actor, Action.RECALL, reason=reason, memos=[memo.number for memo in memos])
    for memo in memos:
        events.append(memo, actor, Action.RECALL, artifact=sha256, name=artifact.name, reason=reason)
    return row
