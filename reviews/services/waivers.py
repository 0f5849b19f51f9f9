"""Waivers: a named gap set aside in the open, by the board, with an owner, a reason, a control and an end."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.authentication import Authentication
from reviews.errors import BadInput, NotPermitted, NotVisible, WrongState
from reviews.models import Memo, Waiver, WaiverApproval, authority
from reviews.policies import gate
from reviews.queries import people
from reviews.services import authentications, events, memos, revisions, wellformed
from reviews.vocabulary import Action, StandingRole, WaiverState


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiverWish:
    """What somebody asks to have waived. requirement: the code of the gap, "<rule>:<subject>"; owner: user name."""

    requirement: str
    owner: str
    reason: str
    control: str
    expires_at: datetime


@transaction.atomic
def request(*, actor: User, memo_id: int, wish: WaiverWish) -> Waiver:
    """A waiver asked for; it counts once somebody else on the board approves it.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; NotVisible also for an unknown owner.
        BadInput: a gap that cannot be waived, no reason or control, or an end beyond the template's cap.
    """
    memo = revisions.locked(actor, memo_id)
    revisions.asked(actor, memo, Action.WAIVE)
    _check(memo, wish)
    owner = User.objects.filter(username=wish.owner, is_active=True).first()
    if owner is None:
        raise NotVisible(f"There is no active account {wish.owner}.", needs="Name the owner by user name.")
    wellformed.require_fits(wish.requirement, "requirement", longest=200)
    rule, _, subject = wish.requirement.partition(":")
    waiver = Waiver.objects.create(
        memo=memo,
        requirement=rule,
        subject=subject,
        owner=owner,
        owner_name=events.name_of(owner),
        reason=wish.reason,
        control=wish.control,
        expires_at=wish.expires_at,
        requested_by=actor,
        requested_by_name=events.name_of(actor),
        requested_at=timezone.now(),
    )
    events.append(
        memo,
        actor,
        Action.WAIVE,
        requirement=wish.requirement,
        owner=wish.owner,
        reason=wish.reason,
        control=wish.control,
        expires_at=wish.expires_at.isoformat(),
    )
    return waiver


@transaction.atomic
def approve(*, actor: User, waiver_id: int, note: str, authentication: Authentication) -> WaiverApproval:
    """The waiver approved by a board member who did not ask for it.

    Raises:
        NotVisible, NotPermitted: no such waiver, not on the board, or own request.
        WrongState: it was answered already, or has expired.
        NotSignedIn: the proof of identity is too old.
    """
    authentications.require_fresh(authentication)
    return _answer(actor, waiver_id, WaiverState.APPROVED, note, authentications.as_json(authentication))


@transaction.atomic
def decline(*, actor: User, waiver_id: int, reason: str) -> WaiverApproval:
    """The waiver declined by the board. Raises as `approve`, and BadInput without a reason."""
    if not reason.strip():
        raise BadInput("Say why the waiver is declined.", code="no_reason", where="reason")
    return _answer(actor, waiver_id, WaiverState.DECLINED, reason, {})


def _answer(
    actor: User, waiver_id: int, state: WaiverState, note: str, authentication: dict[str, str]
) -> WaiverApproval:
    waiver = Waiver.objects.filter(pk=waiver_id).first()
    if waiver is None:
        raise NotVisible("There is no such waiver that you can see.")
    memo = revisions.locked(actor, waiver.memo_id)
    revisions.asked(actor, memo, Action.WAIVE)
    if StandingRole.BOARD not in people.roles_on(actor, memo):
        raise NotPermitted("A waiver is answered by the review board.", needs="Ask a board member.")
    if waiver.requested_by_id == actor.pk:
        raise NotPermitted("A waiver is approved by somebody else than who asked for it.", needs="Ask another member.")
    if WaiverApproval.objects.filter(waiver=waiver).exists():
        raise WrongState("This waiver was answered already.", needs="Ask for a new one.", code="answered_already")
    if state is WaiverState.APPROVED and waiver.expires_at <= timezone.now():
        raise WrongState("This waiver has expired.", needs="Ask for a new one.", code="waiver_expired")
    with authority.writing(WaiverApproval):
        row = WaiverApproval.objects.create(
            waiver=waiver,
            state=state,
            note=note,
            authentication=authentication,
            by=actor,
            by_name=events.name_of(actor),
            at=timezone.now(),
        )
    code = f"{waiver.requirement}:{waiver.subject}"
    events.append(memo, actor, f"waiver_{state.value}", requirement=code, note=note)
    return row


def _check(memo: Memo, wish: WaiverWish) -> None:
    if not gate.can_be_waived(wish.requirement, memos.template_of(memo)):
        raise BadInput(
            f"{wish.requirement or 'Nothing'} cannot be waived.",
            needs="Only a named gap of a rule marked ◇ can: its code is “rule:subject”.",
            code="not_waivable",
            where="requirement",
        )
    if not wish.reason.strip() or not wish.control.strip():
        raise BadInput("A waiver has a reason and a compensating control.", code="no_reason", where="reason")
    now = timezone.now()
    cap = memos.template_of(memo).waiver_cap_days
    if not now < wish.expires_at <= now + timedelta(days=cap):
        raise BadInput(
            f"A waiver on this memo ends within {cap} days from now.",
            needs="Choose an earlier end; it can be asked for again.",
            code="waiver_too_long",
            where="expires_at",
        )
