"""Follow-ups: what an emergency left to be done, met by its owner or the board, in words."""

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
        NotPermitted: the actor neither owns it nor sits on the board.
        WrongState: it is met already. BadInput: it is not said how.
    """
    row = FollowUp.objects.filter(pk=follow_up_id).first()
    if row is None:
        raise NotVisible("There is no such follow-up that you can see.")
    memo = revisions.locked(actor, row.memo_id)
    if row.owner_id != actor.pk and StandingRole.BOARD not in people.roles_on(actor, memo):
        raise NotPermitted("A follow-up is met by its owner or the board.", needs=f"Ask {row.owner_name}.")
    if FollowUpDone.objects.filter(follow_up=row).exists():
        raise WrongState("This follow-up is met already.", code="met_already")
    if not note.strip():
        raise BadInput("Say how it was met.", code="no_note", where="note")
    done = FollowUpDone.objects.create(
        follow_up=row, note=note, by=actor, by_name=events.name_of(actor), at=timezone.now()
    )
    events.append(memo, actor, "meet_follow_up", follow_up=row.pk, requirement=row.requirement, note=note)
    return done
