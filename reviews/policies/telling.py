"""Who is told of a deed, and why: the permissions asked the other way round.

Whoever can, or has to, do something because of it; whoever it was done for; and the author, whose memo it is. Never who
did it. Who does not see the memo is left out by who asks, since that needs the database.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from reviews.policies import wanted
from reviews.policies.facts import GateFacts, SignatureFacts
from reviews.policies.lifecycle import REVIEW
from reviews.policies.numbers import listed
from reviews.policies.objections import raisers, stands
from reviews.policies.standing import APPROVING
from reviews.told_words import Reason, gap
from reviews.vocabulary import Action, Position, ProductionEventKind, StandingRole


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """What the trail says was done. actor: user name, "" for the clock; name: as history writes it."""

    action: str
    actor: str
    name: str
    detail: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Circle:
    """Who is what to the memo after the deed.

    facts: of people alone. before: the section digests that an edit began from, {} for another deed.
    addressees: whom the memo's escalation names. Of a deed on one of them: waiver: its owner and who asked for it;
    comment: its writer, its thread, and whom it names now and did not before.
    """

    facts: GateFacts
    before: Mapping[str, str]
    addressees: tuple[str, ...]
    waiver: tuple[str, ...] = ()
    writer: str = ""
    thread: tuple[str, ...] = ()
    mentioned: tuple[str, ...] = ()

    @property
    def signers(self) -> tuple[str, ...]:
        """Whose signature stands, and in whose place it was given."""
        standing = [s for s in self.facts.signatures if not s.withdrawn]
        return tuple(name for s in standing for name in (s.signer, s.acting_for) if name)

    @property
    def writers(self) -> tuple[str, ...]:
        """The author, and everybody who wrote content."""
        return (self.facts.author, *(one.name for one in self.facts.contributions))

    def holders(self, *roles: StandingRole) -> tuple[str, ...]:
        """Who holds one of the roles."""
        return tuple(name for role in roles for name in self.facts.role_holders.get(role.value, ()))


@dataclass(frozen=True, slots=True)
class Told:
    """Somebody is told. place: where they act: the name of a page, or an anchor on the memo's page."""

    person: str
    reason: Reason
    sentence: str
    place: str


Rule = Callable[[Deed, Circle], Iterator[Told]]
B, E, R = StandingRole.BOARD, StandingRole.ESCALATION_OWNER, StandingRole.ROLLBACK_OWNER


def told(deed: Deed, circle: Circle) -> tuple[Told, ...]:
    """Whom the deed is told, each once, for the first reason that applies."""
    found: dict[str, Told] = {}
    rules = (*TOLD.get(deed.action, ()), *((_signed_sections_changed,) if circle.before else ()))
    for rule in rules:
        for one in rule(deed, circle):
            if one.person and one.person != deed.actor:
                found.setdefault(one.person, one)
    return tuple(found.values())


def _to(people: Iterable[str], reason: Reason, sentence: str, place: str) -> Iterator[Told]:
    return (Told(person, reason, sentence, place) for person in people)


# Review and signatures


def _signatures_asked(deed: Deed, circle: Circle) -> Iterator[Told]:
    for rule, holders in wanted.asked(circle.facts):
        said = f"{deed.name} submitted it for review: the signature as {rule.title} is asked for."
        yield from _to(holders, Reason.SIGNATURE_WANTED, said, "sign")


def _moved(deed: Deed, circle: Circle) -> Iterator[Told]:
    """Submitted, returned or withdrawn."""
    words = {Action.SUBMIT.value: "submitted it for review", Action.RETURN.value: "returned it to its author"}
    said = f"{deed.name} {words.get(deed.action, 'withdrew it')}."
    reason = str(deed.detail.get("reason", "")).strip()
    said = f"{said} Reason: {reason}" if reason else said
    yield from _to((*circle.writers, *circle.signers, *circle.holders(B)), Reason.DECISION, said, "memo")


def _signed_sections_changed(deed: Deed, circle: Circle) -> Iterator[Told]:
    if circle.facts.state not in REVIEW:
        return
    now = circle.facts.section_digests
    for signature in circle.facts.signatures:
        if signature.withdrawn or signature.position not in APPROVING:
            continue
        whole = [n for n, digest in signature.covered.items() if circle.before.get(n) == digest != now.get(n)]
        if whole:
            role = signature.role.replace("_", " ")
            said = f"{deed.name} changed what {signature.signer} signed as {role}: {listed(whole)}."
            yield from _to((signature.signer, signature.acting_for), Reason.SIGNATURE_STALE, said, "sign")


def _signed(deed: Deed, circle: Circle) -> Iterator[Told]:
    last = circle.facts.signatures[-1] if circle.facts.signatures else None
    if last is not None and last.position == Position.OBJECT:
        said = f"{deed.name} objects: {last.objection}"
        yield from _to((*circle.writers, *circle.holders(B, E)), Reason.OBJECTION, said, "sign")
    for condition in last.conditions if last is not None else ():
        said = f"{deed.name} approves on a condition that {condition.owner} sees to: {condition.text}"
        yield from _to((condition.owner,), Reason.CONDITION, said, "sign")
    said = f"{deed.name} signed as {_words(deed, 'role')}: {_words(deed, 'position')}."
    yield from _to((str(deed.detail.get("acting_for", "")), circle.facts.author), Reason.SIGNED, said, "sign")


def _signature_withdrawn(deed: Deed, circle: Circle) -> Iterator[Told]:
    said = f"{deed.name} took the signature as {_words(deed, 'role')} back. Reason: {deed.detail.get('reason', '')}"
    yield from _to((circle.facts.author, *circle.holders(B)), Reason.SIGNED, said, "sign")


def _objection_moved(deed: Deed, circle: Circle) -> Iterator[Told]:
    """Answered, heard or resolved: whoever raised one, and the author."""
    objections = [s for s in circle.facts.signatures if s.position == Position.OBJECT]
    ended = deed.action == Action.RESOLVE_OBJECTION
    theirs = [name for s in objections if ended or stands(s) for name in sorted(raisers(s))]
    words = {Action.ANSWER_OBJECTION.value: "answered", "hear_objection": "recorded the board's first meeting on"}
    rest = deed.detail.get("text") or deed.detail.get("note") or deed.detail.get("reason") or ""
    said = f"{deed.name} {words.get(deed.action, 'ended')} the objection of {deed.detail.get('raiser', '')}: {rest}"
    yield from _to((*theirs, circle.facts.author, *circle.holders(B)), Reason.OBJECTION, said, "sign")


def _condition_cleared(deed: Deed, circle: Circle) -> Iterator[Told]:
    text = deed.detail.get("text")
    of_it: list[SignatureFacts] = [s for s in circle.facts.signatures if any(c.text == text for c in s.conditions)]
    said = f"{deed.name} cleared the condition “{text}”. Proof: {deed.detail.get('proof', '')}"
    people = [name for s in of_it for name in (s.signer, s.acting_for, *(c.owner for c in s.conditions))]
    yield from _to((*people, circle.facts.author), Reason.CONDITION, said, "sign")


def _delegated(deed: Deed, circle: Circle) -> Iterator[Told]:
    del circle
    yield from delegated(deed)


def delegated(deed: Deed) -> Iterator[Told]:
    """The delegate of a role, on a memo or for all of a team."""
    begun = deed.action == Action.DELEGATE
    said = f"{deed.name} {'delegated' if begun else 'ended the delegation of'} the role {_words(deed, 'role')}"
    said += f" to {_words(deed, 'delegate')}"
    said += f" until {str(deed.detail.get('ends_at', ''))[:10]}." if begun else "."
    yield from _to((str(deed.detail.get("delegate", "")),), Reason.DELEGATION, said, "memo")


# Decisions and what follows


def _escalated(deed: Deed, circle: Circle) -> Iterator[Told]:
    asked = circle.facts.content.signoff.escalation
    said = f"{deed.name} escalated it to {asked.to}: {asked.question}"
    yield from _to((*circle.addressees, *circle.holders(E, B)), Reason.ESCALATION, said, "#signoff")


def _decided(deed: Deed, circle: Circle) -> Iterator[Told]:
    rationale = deed.detail.get("rationale") or deed.detail.get("reason") or ""
    said = f"{deed.name} recorded: {deed.action.replace('_', ' ')}. {rationale}".strip()
    people = (*circle.writers, *circle.signers, circle.facts.content.rollout.owner, *circle.holders(B, R))
    yield from _to(people, Reason.DECISION, said, "memo")


def _rollout_moved(deed: Deed, circle: Circle) -> Iterator[Told]:
    words = (
        "The rollout expired" if deed.action == Action.EXPIRE else f"{deed.name} began stage {_words(deed, 'stage')}"
    )
    people = (circle.facts.author, circle.facts.content.rollout.owner, *circle.holders(B))
    yield from _to(people, Reason.ROLLOUT, f"{words}.", "rollout")


def _rolled_back_in_production(deed: Deed, circle: Circle) -> Iterator[Told]:
    if deed.detail.get("kind") == ProductionEventKind.ROLLED_BACK:
        said = f"{deed.name} reported that {deed.detail.get('build', '')} was rolled back in production."
        people = (*circle.holders(B, R), circle.facts.content.rollout.owner, circle.facts.author)
        yield from _to(people, Reason.ROLLOUT, said, "decide")


def _recalled(deed: Deed, circle: Circle) -> Iterator[Told]:
    word = "recalled" if deed.action == Action.RECALL else "redacted"
    said = f"{deed.name} {word} {deed.detail.get('name', '')}: {deed.detail.get('reason', '')}"
    people = (*circle.signers, circle.facts.content.rollout.owner, *circle.holders(R, B), *circle.writers)
    yield from _to(people, Reason.RECALL, said, "evidence")


def _waiver_asked(deed: Deed, circle: Circle) -> Iterator[Told]:
    said = f"{deed.name} asks to waive {_gap(deed)}: {deed.detail.get('reason', '')}"
    yield from _to((*circle.holders(B), *circle.waiver), Reason.WAIVER, said, "waivers")


def _waiver_answered(deed: Deed, circle: Circle) -> Iterator[Told]:
    word = deed.action.removeprefix("waiver_")
    said = f"{deed.name} {word} the waiver of {_gap(deed)}."
    yield from _to((*circle.waiver, circle.facts.author), Reason.WAIVER, said, "waivers")


def _gap(deed: Deed) -> str:
    rule, _, subject = str(deed.detail.get("requirement", "")).partition(":")
    return gap(rule, subject)


# Talk


def _mentioned(deed: Deed, circle: Circle) -> Iterator[Told]:
    said = f"{deed.name} names {listed(circle.mentioned)} in a comment."
    yield from _to(circle.mentioned, Reason.MENTION, said, _at_comment(deed))


def _commented(deed: Deed, circle: Circle) -> Iterator[Told]:
    words = {"resolve_comment": "resolved a comment", "reopen_comment": "reopened a comment"}
    said = f"{deed.name} {words.get(deed.action) or 'commented on ' + _words(deed, 'anchor')}."
    people = (circle.writer, *circle.thread, circle.facts.author)
    yield from _to(people, Reason.COMMENT, said, _at_comment(deed))


def _at_comment(deed: Deed) -> str:
    return f"#comment-{deed.detail.get('comment', '')}"


def _words(deed: Deed, name: str) -> str:
    """A detail of the deed as people write it."""
    return str(deed.detail.get(name, "")).replace("_", " ")


TOLD: Final[Mapping[str, tuple[Rule, ...]]] = {
    Action.SUBMIT.value: (_signatures_asked, _moved),
    Action.RETURN.value: (_moved,),
    Action.WITHDRAW.value: (_moved,),
    Action.SIGN.value: (_signed,),
    Action.WITHDRAW_SIGNATURE.value: (_signature_withdrawn,),
    Action.ANSWER_OBJECTION.value: (_objection_moved,),
    "hear_objection": (_objection_moved,),
    Action.RESOLVE_OBJECTION.value: (_objection_moved,),
    Action.CLEAR_CONDITION.value: (_condition_cleared,),
    Action.DELEGATE.value: (_delegated,),
    "end_delegation": (_delegated,),
    Action.ESCALATE.value: (_escalated, _decided),
    Action.SHIP.value: (_decided,),
    Action.ROLL_OUT.value: (_decided,),
    Action.ROLL_BACK.value: (_decided,),
    Action.EMERGENCY_ROLLBACK.value: (_decided,),
    Action.EXPIRE.value: (_rollout_moved,),
    Action.ADVANCE_STAGE.value: (_rollout_moved,),
    "production_event": (_rolled_back_in_production,),
    Action.RECALL.value: (_recalled,),
    Action.REDACT.value: (_recalled,),
    Action.WAIVE.value: (_waiver_asked,),
    "waiver_approved": (_waiver_answered,),
    "waiver_declined": (_waiver_answered,),
    Action.COMMENT.value: (_mentioned, _commented),
    "edit_comment": (_mentioned,),
    Action.RESOLVE_COMMENT.value: (_commented,),
    "reopen_comment": (_commented,),
}
"""Event -> who is told of it. What is not here is in the trail and told nobody."""
