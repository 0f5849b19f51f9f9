"""Signing: what somebody says about the sections of a revision, in a role, as canonical bytes."""

from dataclasses import dataclass

import rfc8785
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.authentication import Authentication
from reviews.digests import sha256_of
from reviews.errors import BadInput, NotPermitted, NotVisible, StalePage, WrongState
from reviews.models import (
    Condition,
    Memo,
    ObjectionResolution,
    Revision,
    Signature,
    SignatureWithdrawal,
    authority,
)
from reviews.policies import lifecycle, signing
from reviews.policies.facts import GateFacts
from reviews.policies.lifecycle import Part
from reviews.queries import gate, people
from reviews.services import authentications, events, revisions
from reviews.services.percents import decimal_of, percent_of
from reviews.vocabulary import Action, DecisionKind, Position, StandingRole, State


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureWish:
    """What a signer wants to say. scope_percent: decimal text, "" unless a bounded rollout is approved.

    text: the reason; for an objection, what is wrong. conditions: texts, for an approval with conditions.
    """

    role: str
    position: str
    kinds: tuple[str, ...]
    scope_percent: str
    text: str
    would_clear_if: str
    conditions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Signed:
    """A signature, and what the signer has to be told about it."""

    signature: Signature
    notices: tuple[str, ...]


@transaction.atomic
def sign(*, actor: User, memo_id: int, base: str, wish: SignatureWish, authentication: Authentication) -> Signed:
    """The signature of `actor` on the sections that the role covers.

    Args:
        base: digest of the revision that the page showed. Sections that the role does not cover may have changed.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py and policies/signing.py.
        StalePage: a covered section changed since the page was made.
        NotSignedIn: the proof of identity is too old.
        BadInput, Incomplete: the wish does not fit together.
    """
    authentications.require_fresh(authentication)
    memo = revisions.locked(actor, memo_id)
    revisions.asked(actor, memo, Action.SIGN)
    facts = gate.gate_facts(memo.pk, decider=None, requested_percent=None)
    wanted = _wanted(actor, wish)
    signing.check_seen(_seen(memo, base, facts, wanted.role), facts)
    notices = signing.check(facts, wanted)
    signature = _insert(actor, memo, facts, wanted, wish.text, authentication)
    for number, text in enumerate(wanted.conditions, start=1):
        Condition.objects.create(signature=signature, number=number, text=text)
    events.append(
        memo,
        actor,
        Action.SIGN,
        role=wanted.role,
        position=wanted.position.value,
        kinds=sorted(wanted.kinds),
        scope_percent=wish.scope_percent,
        statement_sha256=signature.statement_sha256,
    )
    return Signed(signature, notices)


@transaction.atomic
def withdraw_signature(*, actor: User, signature_id: int, reason: str) -> SignatureWithdrawal:
    """The signature taken back by its signer.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; NotPermitted also for another's signature.
        BadInput: no reason.
    """
    signature, memo = _signature(actor, signature_id)
    revisions.asked(actor, memo, Action.WITHDRAW_SIGNATURE)
    if signature.signer_id != actor.pk:
        raise NotPermitted("A signature is withdrawn by its signer.", needs=f"Ask {signature.signer_name}.")
    if SignatureWithdrawal.objects.filter(signature=signature).exists():
        raise WrongState("This signature is withdrawn already.", code="withdrawn_already")
    _refuse_silence(reason, "Say why you withdraw it.")
    row = SignatureWithdrawal.objects.create(
        signature=signature, reason=reason, by=actor, by_name=events.name_of(actor), at=timezone.now()
    )
    events.append(memo, actor, Action.WITHDRAW_SIGNATURE, role=signature.role, reason=reason)
    return row


@transaction.atomic
def resolve_objection(*, actor: User, signature_id: int, reason: str) -> ObjectionResolution:
    """The objection resolved by its raiser, the escalation owner or the board; both names stay on record.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; WrongState also for what is no open objection.
        BadInput: no reason.
    """
    signature, memo = _signature(actor, signature_id)
    roles = people.roles_on(actor, memo)
    if signature.signer_id == actor.pk:
        roles |= {Part.RAISER}
    lifecycle.move(Action.RESOLVE_OBJECTION, State(memo.state), roles)
    if signature.position != Position.OBJECT:
        raise WrongState("This signature is no objection.", code="no_objection")
    if SignatureWithdrawal.objects.filter(signature=signature).exists():
        raise WrongState("This objection was withdrawn by its signer.", code="withdrawn_already")
    if ObjectionResolution.objects.filter(signature=signature).exists():
        raise WrongState("This objection is resolved already.", code="resolved_already")
    _refuse_silence(reason, "Say what resolves the objection.")
    with authority.writing(ObjectionResolution):
        row = ObjectionResolution.objects.create(
            signature=signature,
            reason=reason,
            role=_capacity(actor, signature, roles),
            by=actor,
            by_name=events.name_of(actor),
            at=timezone.now(),
        )
    events.append(memo, actor, Action.RESOLVE_OBJECTION, raiser=signature.signer_name, role=row.role, reason=reason)
    return row


def _capacity(actor: User, signature: Signature, roles: frozenset[lifecycle.Role]) -> str:
    """As what the person resolves an objection: a raiser first, then the office."""
    if signature.signer_id == actor.pk:
        return signature.role
    offices = (StandingRole.ESCALATION_OWNER, StandingRole.BOARD)
    return next(office.value for office in offices if office in roles)


def _wanted(actor: User, wish: SignatureWish) -> signing.Wanted:
    if wish.position not in Position.values:
        raise BadInput(f"{wish.position!r} is no position.", needs=f"Choose one of: {', '.join(Position.values)}.")
    for kind in wish.kinds:
        if kind not in DecisionKind.values:
            raise BadInput(f"{kind!r} is no decision.", needs=f"Choose of: {', '.join(DecisionKind.values)}.")
    objects = wish.position == Position.OBJECT
    return signing.Wanted(
        signer=actor.get_username(),
        acting_for="",
        delegation_in_force=False,
        role=wish.role,
        position=Position(wish.position),
        kinds=tuple(DecisionKind(kind) for kind in wish.kinds),
        scope_percent=percent_of(wish.scope_percent),
        conditions=tuple(text for text in wish.conditions if text.strip()),
        objection=wish.text if objects else "",
        would_clear_if=wish.would_clear_if,
    )


def _seen(memo: Memo, base: str, facts: GateFacts, role: str) -> dict[str, str]:
    """The digests of the covered sections as the page showed them. Raises StalePage for a base of another memo."""
    revision: Revision | None = memo.revisions.filter(digest=base).order_by("-number").first()
    if revision is None:
        raise StalePage("This page was not made from a revision of this memo.", needs="Load it again.", where="base")
    return {name: revision.section_digests[name] for name in signing.sections_covered(facts, role)}


def _insert(
    actor: User,
    memo: Memo,
    facts: GateFacts,
    wanted: signing.Wanted,
    text: str,
    authentication: Authentication,
) -> Signature:
    now = timezone.now()
    revision = revisions.current(memo)
    said = signing.statement(facts, wanted, revision=revision.number, revision_digest=revision.digest, at=now)
    statement = rfc8785.dumps(said)  # type: ignore[arg-type]
    former = memo.signatures.filter(signer=actor, role=wanted.role).order_by("-pk").first()
    with authority.writing(Signature):
        return Signature.objects.create(
            memo=memo,
            revision=revision,
            signer=actor,
            signer_name=events.name_of(actor),
            role=wanted.role,
            position=wanted.position,
            decision_kinds=sorted(kind.value for kind in wanted.kinds),
            greatest_scope_percent=None if wanted.scope_percent is None else decimal_of(wanted.scope_percent),
            section_digests=signing.covered(facts, wanted.role),
            rollout_digest=signing.rollout_digest(facts, wanted),
            text=text,
            would_clear_if=wanted.would_clear_if,
            rules_version=facts.template.rules_version,
            statement=statement,
            statement_sha256=sha256_of(statement),
            authentication=authentications.as_json(authentication),
            authenticated_at=authentication.at,
            replaces=former,
            signed_at=now,
        )


def _signature(actor: User, signature_id: int) -> tuple[Signature, Memo]:
    signature = Signature.objects.select_related("memo").filter(pk=signature_id).first()
    if signature is None:
        raise NotVisible("There is no such signature that you can see.")
    return signature, revisions.locked(actor, signature.memo_id)


def _refuse_silence(reason: str, message: str) -> None:
    if not reason.strip():
        raise BadInput(message, code="no_reason", where="reason")
