"""Objections: answered in words, heard by the board, and ended by whom the policy lets end them."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.errors import BadInput, NotVisible, WrongState
from reviews.models import (
    Memo,
    ObjectionAnswer,
    ObjectionHearing,
    ObjectionResolution,
    Signature,
    SignatureWithdrawal,
    authority,
)
from reviews.policies import lifecycle, objections
from reviews.policies.facts import GateFacts, SignatureFacts
from reviews.policies.lifecycle import Part, Role
from reviews.queries import gate, people
from reviews.services import events, revisions
from reviews.vocabulary import Action, Position, StandingRole, State


@transaction.atomic
def answer(*, actor: User, signature_id: int, text: str) -> ObjectionAnswer:
    """A word on an objection; its clock begins anew.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; WrongState also for what is no open objection.
        BadInput: no text.
    """
    signature, memo, _ = _asked(actor, signature_id, Action.ANSWER_OBJECTION)
    _refuse_silence(text, "An answer says something.", code="no_text", where="text")
    row = ObjectionAnswer.objects.create(
        signature=signature, text=text, by=actor, by_name=events.name_of(actor), at=timezone.now()
    )
    events.append(memo, actor, Action.ANSWER_OBJECTION, raiser=signature.signer_name, objection=signature.pk, text=text)
    return row


@transaction.atomic
def hear(*, actor: User, signature_id: int, held_at: datetime, note: str) -> ObjectionHearing:
    """The board's first meeting on an objection, recorded by a member.

    Raises:
        NotVisible, NotPermitted, WrongState, BadInput: see policies/objections.py; WrongState also for what is no open
            objection, NotPermitted for somebody beside the board, BadInput without a note.
    """
    signature, memo, roles = _asked(actor, signature_id, Action.RESOLVE_OBJECTION)
    lifecycle.move(Action.RESOLVE_OBJECTION, State(memo.state), roles & {StandingRole.BOARD})
    _refuse_silence(note, "Say what the meeting said.", code="no_text", where="note")
    facts, said = _facts_of(memo, signature)
    objections.check_hearing(facts, said, actor.get_username(), held_at)
    with authority.writing(ObjectionHearing):
        row = ObjectionHearing.objects.create(
            signature=signature, held_at=held_at, note=note, by=actor, by_name=events.name_of(actor), at=timezone.now()
        )
    events.append(
        memo,
        actor,
        "hear_objection",
        raiser=signature.signer_name,
        objection=signature.pk,
        held_at=held_at.isoformat(),
        note=note,
    )
    return row


@transaction.atomic
def resolve(*, actor: User, signature_id: int, reason: str, held_at: datetime | None = None) -> ObjectionResolution:
    """The objection ended by its raiser, the escalation owner or the board; both names stay on record, and the reason.

    Args:
        held_at: when the board's second meeting was; only an override has one.

    Raises:
        NotVisible, NotPermitted, WrongState, BadInput: see policies/lifecycle.py and policies/objections.py; WrongState
            also for what is no open objection, BadInput without a reason.
    """
    signature, memo, roles = _asked(actor, signature_id, Action.RESOLVE_OBJECTION)
    _refuse_silence(reason, "Say what resolves the objection.", code="no_reason", where="reason")
    facts, said = _facts_of(memo, signature)
    role = objections.capacity(facts, said, actor.get_username(), roles, held_at)
    overrides = role == StandingRole.BOARD and Part.RAISER not in roles
    with authority.writing(ObjectionResolution):
        row = ObjectionResolution.objects.create(
            signature=signature,
            reason=reason,
            role=role,
            held_at=held_at if overrides else None,
            by=actor,
            by_name=events.name_of(actor),
            at=timezone.now(),
        )
    events.append(
        memo,
        actor,
        Action.RESOLVE_OBJECTION,
        raiser=signature.signer_name,
        objection=signature.pk,
        role=row.role,
        held_at=row.held_at.isoformat() if row.held_at else "",
        reason=reason,
    )
    return row


def _asked(actor: User, signature_id: int, action: Action) -> tuple[Signature, Memo, frozenset[Role]]:
    """The open objection with its memo, locked, and what the actor is to it."""
    signature = Signature.objects.select_related("memo").filter(pk=signature_id).first()
    if signature is None:
        raise NotVisible("There is no such signature that you can see.")
    memo = revisions.locked(actor, signature.memo_id)
    roles = people.roles_on(actor, memo)
    if actor.pk in (signature.signer_id, signature.acting_for_id):
        roles |= {Part.RAISER}
    lifecycle.move(action, State(memo.state), roles)
    if signature.position != Position.OBJECT:
        raise WrongState("This signature is no objection.", code="no_objection")
    if SignatureWithdrawal.objects.filter(signature=signature).exists():
        raise WrongState("This objection was withdrawn by its signer.", code="withdrawn_already")
    if ObjectionResolution.objects.filter(signature=signature).exists():
        raise WrongState("This objection is resolved already.", code="resolved_already")
    return signature, memo, roles


def _facts_of(memo: Memo, signature: Signature) -> tuple[GateFacts, SignatureFacts]:
    """The facts, and the objection among them: they list the signatures in the order of their keys."""
    facts = gate.gate_facts(memo.pk, decider=None, requested_percent=None)
    place = memo.signatures.filter(pk__lt=signature.pk).count()
    return facts, facts.signatures[place]


def _refuse_silence(text: str, message: str, *, code: str, where: str) -> None:
    if not text.strip():
        raise BadInput(message, code=code, where=where)
