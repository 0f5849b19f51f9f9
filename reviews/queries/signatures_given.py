"""Everything that was signed on a memo, as its page shows it: what counts, what does not, and what can be done."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User

from reviews.models import Condition, Memo, ObjectionAnswer, Signature
from reviews.policies import lifecycle, objections, signing, standing
from reviews.policies.case import Case
from reviews.policies.facts import GateFacts, RuleError, SignatureFacts
from reviews.policies.lifecycle import Part
from reviews.vocabulary import Action, DecisionKind, StandingRole, State


@dataclass(frozen=True, slots=True)
class OpenObjection:
    """What the person can do about an objection that stands. ends: when its clock runs out.

    may_override: the board's second meeting is next, and may be recorded by this person.
    """

    ends: datetime
    may_answer: bool
    may_resolve: bool
    may_hear: bool
    may_override: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A signature that was given. standing: what it counts for, or why not, in words; counts: for all that it names.

    objection: what can be done about it while it is an objection that stands; None otherwise.
    """

    signature: Signature
    title: str
    kinds: tuple[str, ...]
    standing: str
    counts: bool
    conditions: tuple[Condition, ...]
    answers: tuple[ObjectionAnswer, ...]
    replaced: bool
    withdrawn: bool
    resolved: bool
    may_withdraw: bool
    objection: OpenObjection | None
    may_clear: bool


def asked_titles(facts: GateFacts) -> Mapping[str, str]:
    """Role -> title of every role that may sign here: the template's, the text's, and the rollout's owner."""
    found = {rule.role: rule.title for asked in facts.template.decisions.values() for rule in asked.roles}
    for owner in facts.content.signoff.required_owners:
        found.setdefault(owner.role, owner.title)
    found[StandingRole.ROLLBACK_OWNER.value] = str(StandingRole.ROLLBACK_OWNER.label)
    return found


def given(
    person: User, memo: Memo, facts: GateFacts, rows: list[Signature], roles: frozenset[lifecycle.Role]
) -> tuple[Given, ...]:
    """All signatures, the newest first. The facts list them in the same order as the rows."""
    titles = asked_titles(facts)
    lasting = {id(s) for s in standing.latest(Case(facts, DecisionKind.SHIP))}
    allowed = lifecycle.allowed(State(memo.state), roles)
    withdraws = Action.WITHDRAW_SIGNATURE in lifecycle.allowed(State(memo.state), {Part.SIGNER})
    found = []
    for row, said in zip(rows, facts.signatures, strict=True):
        mine = person.pk in (row.signer_id, row.acting_for_id)
        lapses = _lapses(facts, said)
        found.append(
            Given(
                signature=row,
                title=titles.get(row.role, row.role),
                kinds=tuple(str(DecisionKind(kind).label) for kind in row.decision_kinds),
                standing="; ".join(lapses),
                counts=row.position in standing.APPROVING and not lapses,
                conditions=tuple(row.conditions.all()),
                answers=tuple(row.answers.all()),
                replaced=id(said) not in lasting,
                withdrawn=said.withdrawn,
                resolved=bool(said.resolved_by),
                may_withdraw=withdraws and mine and not said.withdrawn,
                objection=_objection(person, memo, facts, said, roles | ({Part.RAISER} if mine else set())),
                may_clear=not said.withdrawn and _may_clear(person, facts, allowed, roles, mine=mine),
            )
        )
    return tuple(reversed(found))


def _objection(
    person: User, memo: Memo, facts: GateFacts, said: SignatureFacts, roles: frozenset[lifecycle.Role]
) -> OpenObjection | None:
    if not objections.stands(said):
        return None
    allowed = lifecycle.allowed(State(memo.state), roles)
    settles = Action.RESOLVE_OBJECTION in allowed
    ends = objections.clock_ends(said, facts.template.deadlock_days)
    sits = settles and StandingRole.BOARD in roles and not _is_party(person, facts, said)
    silent = StandingRole.ESCALATION_OWNER in roles and facts.now >= ends and not _is_party(person, facts, said)
    alone = not any(objections.stands(s) and s is not said for s in facts.signatures)
    return OpenObjection(
        ends=ends,
        may_answer=Action.ANSWER_OBJECTION in allowed,
        may_resolve=settles and (Part.RAISER in roles or silent),
        may_hear=sits and said.heard_at is None,
        may_override=sits and alone and said.heard_at is not None and said.heard_by != person.get_username(),
    )


def _is_party(person: User, facts: GateFacts, said: SignatureFacts) -> bool:
    wrote = {c.name for c in facts.contributions} | {facts.author}
    return person.get_username() in wrote | objections.raisers(said)


def _may_clear(
    person: User, facts: GateFacts, allowed: tuple[Action, ...], roles: frozenset[lifecycle.Role], *, mine: bool
) -> bool:
    wrote = {c.name for c in facts.contributions} | {facts.author}
    sits = StandingRole.BOARD in roles and person.get_username() not in wrote
    return Action.CLEAR_CONDITION in allowed and (mine or sits)


def _lapses(facts: GateFacts, said: SignatureFacts) -> tuple[str, ...]:
    """Why the signature does not count for the decisions that it approves, each reason once."""
    try:
        sections = signing.sections_covered(facts, said.role) if said.role in asked_titles(facts) else ()
        whys = [standing.lapse(Case(facts, DecisionKind(kind)), said, sections) for kind in said.kinds]
    except RuleError as error:
        return (str(error),)
    if said.role not in asked_titles(facts):
        return ("no decision asks for this role any more",)
    return tuple(dict.fromkeys(why for why in whys if why))
