"""Rules on people: owners, signatures, objections, the quorum, and who may decide."""

from collections import defaultdict
from typing import Final

from reviews.policies.answers import Answer, Gap, Met, NotApplicable
from reviews.policies.case import Case
from reviews.policies.facts import RuleError, SignatureFacts
from reviews.policies.independence import Independence, independence
from reviews.policies.numbers import listed, quoted
from reviews.policies.objections import clock_ends, raisers, stands
from reviews.policies.standing import approvals, counting, lapse, latest, recused, required_roles, sections_of
from reviews.template_content import RoleRule
from reviews.vocabulary import Position, StandingRole

FEWEST_PEOPLE: Final = 2


def required_owners_are_named(case: Case) -> Answer:
    """Somebody holds each role that has to sign."""
    rules = _required(case)
    gaps = tuple(
        Gap(f"Nobody holds the role {rule.title} for the team {case.facts.team}.", "an administrator", "#signoff", "")
        for rule in rules
        if not case.holders(rule.role)
    )
    return gaps or Met(f"{len(rules)} required role(s) are held.")


def required_owners_have_signed(case: Case) -> Answer:
    """A holder of each required role has approved this decision and scope, and what was signed stands unchanged."""
    held = [rule for rule in _required(case) if case.holders(rule.role)]
    if not held:
        return (Gap("Nobody holds a required role, so nobody could sign.", "an administrator", "#signoff", ""),)
    gaps = tuple(_unsigned(case, rule) for rule in held if not counting(case, rule))
    return gaps or Met(f"{len(held)} required role(s) have signed for {case.kind.label}.")


def _required(case: Case) -> tuple[RoleRule, ...]:
    rules = required_roles(case)
    if not rules:
        raise RuleError(f"The template asks no owner for {case.kind.label}: it has to ask at least one.")
    return rules


def _unsigned(case: Case, rule: RoleRule) -> Gap:
    given = [s for s in latest(case) if s.role == rule.role]
    reasons = [f"the signature of {s.signer} {lapse(case, s, sections_of(rule))}" for s in given]
    said = "; ".join(reasons) or "nobody has signed"
    sentence = f"{rule.title} has not approved {case.kind.label}: {said}."
    return Gap(sentence, listed(case.holders(rule.role), last="or"), "sign", rule.role)


def nobody_objects(case: Case) -> Answer:
    """No objection stands: each was resolved by its raiser, the escalation owner or the board, or withdrawn."""
    objections = [s for s in case.facts.signatures if s.position == Position.OBJECT]
    if not objections:
        return NotApplicable("Objections: none.")
    gaps = tuple(_objection(case, s) for s in objections if stands(s))
    return gaps or Met(f"Every objection is resolved: {listed([_settled(s) for s in objections])}.")


def _objection(case: Case, s: SignatureFacts) -> Gap:
    """What stands, and who can end it now: the raiser; the escalation owner once the clock has run out; the board."""
    ends = clock_ends(s, case.facts.template.deadlock_days)
    silent = case.facts.now >= ends
    settlers = [*(case.holders(StandingRole.ESCALATION_OWNER) if silent else ()), *case.holders(StandingRole.BOARD)]
    said = "may end it now" if silent else f"may end it from {ends:%Y-%m-%d} on, if nobody answers before"
    return Gap(
        f"{s.signer} objects: {quoted(s.objection or 'no reason is given')}. It would clear if: "
        f"{quoted(s.would_clear_if or 'nobody knows what')}. The escalation owner {said}; the board may override it "
        "at a second meeting, when it is alone.",
        listed(list(dict.fromkeys([*sorted(raisers(s)), *settlers])), last="or"),
        "#signoff",
        "",
    )


def _settled(s: SignatureFacts) -> str:
    how = "overridden at a second meeting by" if s.resolved_as == StandingRole.BOARD else "by"
    return f"{s.signer}'s {how} {s.resolved_by or s.signer}"


def the_quorum_is_met(case: Case) -> Answer:
    """Enough distinct people approve, and a contributor's own signature is not among them."""
    wanted = max(FEWEST_PEOPLE, case.facts.template.quorum)
    found = independence(case)
    people = list(found.people)
    if len(people) >= wanted:
        return Met(f"{len(people)} people approve: {listed(people)}. {_counted(found)}")
    sentence = f"{len(people)} of the {wanted} people that are needed approve. {_counted(found)}"
    return (Gap(sentence, _other_holders(case, people), "sign", ""),)


def _counted(found: Independence) -> str:
    """ "Independent signers: 2 of 4. Not counted: pat (own work), quin (abstains). Recused: tess." """
    others = [f"{name} ({why})" for name, why in found.others]
    parts = (
        found.sentence,
        f"Not counted: {listed(others)}." if others else "",
        f"Recused: {listed(found.recused)}." if found.recused else "",
    )
    return " ".join(part for part in parts if part)


def _other_holders(case: Case, people: list[str]) -> str:
    """Who could add an approval."""
    holders = {name for rule in required_roles(case) for name in case.holders(rule.role)}
    able = sorted(holders - set(people) - case.contributors - recused(case))
    return listed(able, last="or") or "an administrator, who can name another holder"


def signers_are_independent(case: Case) -> Answer:
    """Nobody's signature stands for two required roles."""
    given = approvals(case)
    if not given:
        return (Gap("Nobody has approved yet.", _other_holders(case, []), "sign", ""),)
    roles = defaultdict(set)
    for signature in given:
        roles[signature.signer].add(signature.role)
        if signature.acting_for:
            roles[signature.acting_for].add(signature.role)
    return tuple(
        Gap(
            f"{name} stands for {len(held)} required roles ({listed(sorted(held))}): one person signs for one.",
            listed(sorted({n for role in held for n in case.holders(role)} - {name}), last="or") or "an administrator",
            "sign",
            "",
        )
        for name, held in sorted(roles.items())
        if len(held) > 1 and not _others_stand_for_all_but_one(case, name, held)
    )


def _others_stand_for_all_but_one(case: Case, name: str, held: set[str]) -> bool:
    """Whether enough of the person's roles were signed by somebody else as well."""
    others = {s.role for s in approvals(case) if name not in (s.signer, s.acting_for)}
    return len(held - others) <= 1


def the_decider_is_independent(case: Case) -> Answer:
    """Who decides sits on the board and has written nothing of the memo; in a preview, somebody like that exists."""
    left = recused(case)
    able = [name for name in case.holders(StandingRole.BOARD) if name not in case.contributors | left]
    whom = listed(able, last="or") or "an administrator, who can name a board member who wrote nothing here"
    decider = case.facts.decider
    if decider is None:
        if able:
            return Met(f"{whom} can decide.")
        return (Gap("Nobody on the board has written nothing of this memo.", whom, "#signoff", ""),)
    if not decider.on_board:
        return (Gap(f"{decider.name} is not on the board.", whom, "decide", ""),)
    if decider.name in case.contributors:
        return (Gap(f"{decider.name} wrote content of this memo and cannot decide on it.", whom, "decide", ""),)
    if decider.name in left:
        return (Gap(f"{decider.name} has recused and cannot decide on this memo.", whom, "decide", ""),)
    return Met(f"{decider.name} wrote nothing of this memo.")


def follow_ups_are_not_overdue(case: Case) -> Answer:
    """What an emergency of this team left to be done is done, or not due yet."""
    if not case.facts.follow_ups:
        return NotApplicable("Follow-ups: none.")
    overdue = [f for f in case.facts.follow_ups if not f.met and f.due < case.facts.now]
    return tuple(
        Gap(f"“{f.what}” of {f.memo} was due on {f.due.date().isoformat()}.", f.owner, "#signoff", "") for f in overdue
    ) or Met(f"{len(case.facts.follow_ups)} follow-up(s), none overdue.")
