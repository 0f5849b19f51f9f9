"""Follow-ups: what an emergency left to be done. The board says when one is met: nobody certifies their own."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.errors import BadInput, NotPermitted, NotVisible, WrongState
from reviews.models import FollowUp, FollowUpDone
from reviews.queries import people
from reviews.services import events, revisions
from reviews.vocabulary import StandingRole


@transaction.atomic
def meet(*, actor: User, follow_up_id: int, note: str) -> FollowUpDone:
    """The follow-up met, and how.

    Raises:
        NotVisible: no such follow-up on a memo that the actor sees.
        NotPermitted: the actor does not sit on the board, or owns the follow-up.
        WrongState: it is met already. BadInput: it is not said how.
    """
    row = FollowUp.objects.filter(pk=follow_up_id).first()
    if row is None:
        raise NotVisible("There is no such follow-up that you can see.")
    memo = revisions.locked(actor, row.memo_id)
    if row.owner_id == actor.pk or StandingRole.BOARD not in people.roles_on(actor, memo):
        raise NotPermitted(
            "Whether a follow-up is met is said by the board, and not by who owes it.", needs="Ask a board member."
        )
    if FollowUpDone.objects.filter(follow_up=row).exists():
        raise WrongState("This follow-up is met already.", code="met_already")
    if not note.strip():
        raise BadInput("Say how it was met.", code="no_note", where="note")
    done = FollowUpDone.objects.create(
        follow_up=row, note=note, by=actor, by_name=events.name_of(actor), at=timezone.now()
    )
    events.append(memo, actor, "meet_follow_up", follow_up=row.pk, requirement=row.requirement, note=note)
    return done
