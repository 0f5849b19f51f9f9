"""Conditions of an approval: cleared with their proof, by the signer or the board."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.errors import BadInput, NotPermitted, NotVisible, WrongState
from reviews.models import Condition, ConditionClearance, Memo, Signature, SignatureWithdrawal, authority
from reviews.queries import people
from reviews.services import events, revisions
from reviews.vocabulary import Action, StandingRole


@transaction.atomic
def clear(*, actor: User, condition_id: int, proof: str) -> ConditionClearance:
    """The condition cleared by who made it, or by a board member who wrote nothing of the memo; with the proof.

    A condition belongs to its signature: clearing it makes a signature count that is not stale, and no other.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; NotPermitted also for somebody else than the
            signer, whom they acted for, and the board; WrongState for a condition that is cleared or withdrawn.
        BadInput: no proof.
    """
    condition = Condition.objects.select_related("signature").filter(pk=condition_id).first()
    if condition is None:
        raise NotVisible("There is no such condition that you can see.")
    signature = condition.signature
    memo = revisions.locked(actor, signature.memo_id)
    revisions.asked(actor, memo, Action.CLEAR_CONDITION)
    role = _capacity(actor, memo, signature)
    if SignatureWithdrawal.objects.filter(signature=signature).exists():
        raise WrongState("The approval that waits for this condition was withdrawn.", code="withdrawn_already")
    if ConditionClearance.objects.filter(condition=condition).exists():
        raise WrongState("This condition is cleared already.", code="cleared_already")
    if not proof.strip():
        raise BadInput("Say what shows that the condition is met.", code="no_proof", where="proof")
    with authority.writing(ConditionClearance):
        row = ConditionClearance.objects.create(
            condition=condition, note=proof, role=role, by=actor, by_name=events.name_of(actor), at=timezone.now()
        )
    events.append(
        memo,
        actor,
        Action.CLEAR_CONDITION,
        signer=signature.signer_name,
        signature=signature.pk,
        condition=condition.number,
        text=condition.text,
        role=role,
        proof=proof,
    )
    return row


def _capacity(actor: User, memo: Memo, signature: Signature) -> str:
    """As what the person clears it: as its signer, or for the board."""
    if actor.pk in (signature.signer_id, signature.acting_for_id):
        return signature.role
    if StandingRole.BOARD not in people.roles_on(actor, memo):
        raise NotPermitted(
            "A condition is cleared by who made it, or by the review board.",
            needs=f"Show the proof to {signature.signer_name}, or to a board member.",
            code="not_its_signer",
        )
    if actor.get_username() in people.contributors(memo):
        raise NotPermitted(
            "Who wrote content of a memo clears no condition on it.",
            needs="Ask another member of the board.",
            code="own_work",
        )
    return StandingRole.BOARD.value
