"""Signing: what somebody says about the sections of a revision, in a role, as canonical bytes."""

from dataclasses import dataclass
from datetime import datetime

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
    Revision,
    Signature,
    SignatureWithdrawal,
    authority,
)
from reviews.policies import signing
from reviews.policies.facts import Condition as ConditionFacts
from reviews.policies.facts import GateFacts
from reviews.queries import gate, people
from reviews.services import authentications, events, passkeys, revisions
from reviews.services.percents import decimal_of, percent_of
from reviews.vocabulary import Action, DecisionKind, Position


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionWish:
    """What an approval waits for. owner: the user name of who sees to it; proof: what will show it."""

    text: str
    owner: str
    proof: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureWish:
    """What a signer wants to say. scope_percent: decimal text, "" unless a bounded rollout is approved.

    text: the reason; for an objection, what is wrong. conditions: for an approval with conditions.
    acting_for: the user name of the holder in whose place a delegate signs, "" in one's own name.
    """

    role: str
    position: str
    kinds: tuple[str, ...]
    scope_percent: str
    text: str
    would_clear_if: str
    conditions: tuple[ConditionWish, ...]
    acting_for: str = ""


@dataclass(frozen=True, slots=True)
class Signed:
    """A signature, and what the signer has to be told about it."""

    signature: Signature
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stated:
    """A statement that waits for a passkey, and the time that stands in it."""

    statement: bytes
    at: datetime


@dataclass(frozen=True, slots=True)
class _Asked:
    """A wish that may be fulfilled: in whose place, after which former word, and what the signer has to be told."""

    facts: GateFacts
    wanted: signing.Wanted
    holder: User | None
    former: Signature | None
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
        BadInput, Incomplete: the wish does not fit together; BadInput also for a passkey that did not sign it.
    """
    authentications.require_fresh(authentication)
    memo = revisions.locked(actor, memo_id)
    asked = _asked(actor, memo, base, wish)
    wanted = asked.wanted
    signature = _insert(actor, memo, asked, authentication, wish.text)
    _wait_for(signature, wanted)
    events.append(
        memo,
        actor,
        Action.SIGN,
        role=wanted.role,
        acting_for=wanted.acting_for,
        position=wanted.position.value,
        kinds=sorted(wanted.kinds),
        scope_percent=wish.scope_percent,
        statement_sha256=signature.statement_sha256,
        replaces=wanted.replaces,
    )
    return Signed(signature, asked.notices)


@transaction.atomic
def statement_for(*, actor: User, memo_id: int, base: str, wish: SignatureWish) -> Stated:
    """What `sign` would record now, for a passkey to sign it. Nothing is recorded; raises what `sign` raises."""
    memo = revisions.locked(actor, memo_id)
    asked = _asked(actor, memo, base, wish)
    return Stated(_statement(memo, asked, asked.facts.now), asked.facts.now)


@transaction.atomic
def withdraw_signature(*, actor: User, signature_id: int, reason: str) -> SignatureWithdrawal:
    """The signature taken back by its signer, or by the holder in whose place it was given.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; NotPermitted also for another's signature.
        BadInput: no reason.
    """
    signature, memo = _signature(actor, signature_id)
    revisions.asked(actor, memo, Action.WITHDRAW_SIGNATURE)
    if actor.pk not in (signature.signer_id, signature.acting_for_id):
        raise NotPermitted("A signature is withdrawn by its signer.", needs=f"Ask {signature.signer_name}.")
    if SignatureWithdrawal.objects.filter(signature=signature).exists():
        raise WrongState("This signature is withdrawn already.", code="withdrawn_already")
    _refuse_silence(reason, "Say why you withdraw it.")
    row = SignatureWithdrawal.objects.create(
        signature=signature, reason=reason, by=actor, by_name=events.name_of(actor), at=timezone.now()
    )
    events.append(
        memo, actor, Action.WITHDRAW_SIGNATURE, role=signature.role, signer=signature.signer_name, reason=reason
    )
    return row


def _asked(actor: User, memo: Memo, base: str, wish: SignatureWish) -> _Asked:
    """Everything that is checked before somebody signs."""
    revisions.asked(actor, memo, Action.SIGN)
    facts = gate.gate_facts(memo.pk, decider=None, requested_percent=None)
    holder = _holder(wish.acting_for)
    former = memo.signatures.filter(signer=actor, role=wish.role, acting_for=holder).order_by("-pk").first()
    lent = holder is not None and people.delegated_by(holder, actor, memo, wish.role, facts.now)
    wanted = _wanted(actor, wish, former, delegation_in_force=lent)
    signing.check_seen(_seen(memo, base, facts, wanted.role), facts)
    notices = signing.check(facts, wanted)
    _refuse_unknown_owners(wanted)
    return _Asked(facts, wanted, holder, former, notices)


def _holder(name: str) -> User | None:
    """In whose place it is signed. Raises NotVisible for nobody."""
    if not name:
        return None
    found = User.objects.filter(username=name, is_active=True).first()
    if found is None:
        raise NotVisible(f"There is no active account {name}.", where="acting_for")
    return found


def _refuse_unknown_owners(wanted: signing.Wanted) -> None:
    names = {one.owner for one in wanted.conditions}
    known = set(User.objects.filter(username__in=names, is_active=True).values_list("username", flat=True))
    if unknown := sorted(names - known):
        raise BadInput(
            f"There is no active account {unknown[0]}, who would see to a condition.",
            needs="Name the owner by user name.",
            code="unknown_owner",
            where="conditions",
        )


def _wait_for(signature: Signature, wanted: signing.Wanted) -> None:
    """The rows of the conditions."""
    owners = {one.get_username(): one for one in User.objects.filter(username__in=[c.owner for c in wanted.conditions])}
    for number, one in enumerate(wanted.conditions, start=1):
        owner = owners[one.owner]
        Condition.objects.create(
            signature=signature,
            number=number,
            text=one.text,
            owner=owner,
            owner_name=events.name_of(owner),
            proof=one.proof,
        )


def _wanted(actor: User, wish: SignatureWish, former: Signature | None, *, delegation_in_force: bool) -> signing.Wanted:
    if wish.position not in Position.values:
        raise BadInput(f"{wish.position!r} is no position.", needs=f"Choose one of: {', '.join(Position.values)}.")
    for kind in wish.kinds:
        if kind not in DecisionKind.values:
            raise BadInput(f"{kind!r} is no decision.", needs=f"Choose of: {', '.join(DecisionKind.values)}.")
    objects = wish.position == Position.OBJECT
    return signing.Wanted(
        signer=actor.get_username(),
        acting_for=wish.acting_for,
        delegation_in_force=delegation_in_force,
        role=wish.role,
        position=Position(wish.position),
        kinds=tuple(DecisionKind(kind) for kind in wish.kinds),
        scope_percent=percent_of(wish.scope_percent),
        conditions=tuple(
            ConditionFacts(text=one.text, cleared_by="", owner=one.owner.strip(), proof=one.proof)
            for one in wish.conditions
            if one.text.strip()
        ),
        objection=wish.text if objects else "",
        would_clear_if=wish.would_clear_if,
        replaces=former.statement_sha256 if former else "",
    )


def _seen(memo: Memo, base: str, facts: GateFacts, role: str) -> dict[str, str]:
    """The digests of the covered sections as the page showed them. Raises StalePage for a base of another memo."""
    revision: Revision | None = memo.revisions.filter(digest=base).order_by("-number").first()
    if revision is None:
        raise StalePage("This page was not made from a revision of this memo.", needs="Load it again.", where="base")
    return {name: revision.section_digests[name] for name in signing.sections_covered(facts, role)}


def _statement(memo: Memo, asked: _Asked, at: datetime) -> bytes:
    """The canonical bytes that are signed."""
    revision = revisions.current(memo)
    said = signing.statement(
        asked.facts, asked.wanted, revision=revision.number, revision_digest=revision.digest, at=at
    )
    return rfc8785.dumps(said)  # type: ignore[arg-type]


def _insert(actor: User, memo: Memo, asked: _Asked, proof: Authentication, text: str) -> Signature:
    facts, wanted, holder = asked.facts, asked.wanted, asked.holder
    at = proof.passkey.stated_at if proof.passkey else facts.now  # facts.now: when the delegation was looked up
    statement = _statement(memo, asked, at)
    kept = passkeys.proof_of(actor, statement, proof.passkey) if proof.passkey else None
    with authority.writing(Signature):
        return Signature.objects.create(
            memo=memo,
            revision=revisions.current(memo),
            signer=actor,
            signer_name=events.name_of(actor),
            acting_for=holder,
            acting_for_name=events.name_of(holder) if holder else "",
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
            authentication=authentications.as_json(proof) | ({"passkey": kept} if kept else {}),
            authenticated_at=proof.at,
            replaces=asked.former,
            signed_at=at,
        )


def _signature(actor: User, signature_id: int) -> tuple[Signature, Memo]:
    signature = Signature.objects.select_related("memo").filter(pk=signature_id).first()
    if signature is None:
        raise NotVisible("There is no such signature that you can see.")
    return signature, revisions.locked(actor, signature.memo_id)


def _refuse_silence(reason: str, message: str) -> None:
    if not reason.strip():
        raise BadInput(message, code="no_reason", where="reason")
