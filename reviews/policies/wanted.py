"""Whose signature is asked for: the roles that some decision needs, and whether one stands for them already."""

from typing import Final

from reviews.policies import standing
from reviews.policies.case import Case
from reviews.policies.facts import GateFacts, RuleError
from reviews.template_content import RoleRule
from reviews.vocabulary import DecisionKind, StandingRole

SIGNED_FOR: Final = (DecisionKind.SHIP, DecisionKind.BOUNDED, DecisionKind.ROLLBACK)


def required(facts: GateFacts) -> tuple[RoleRule, ...]:
    """The roles that some decision asks for, each once, and the acceptance of the rollout."""
    found: dict[str, RoleRule] = {}
    for kind in SIGNED_FOR:
        for rule in required_for(facts, kind):
            found.setdefault(rule.role, rule)
    if facts.content.rollout.owner:
        role = StandingRole.ROLLBACK_OWNER
        found[role.value] = RoleRule(role=role.value, title=str(role.label), signs=("rollout",), required_when="")
    return tuple(found.values())


def required_for(facts: GateFacts, kind: DecisionKind) -> tuple[RoleRule, ...]:
    """The roles that the decision asks for; none when the template says what no rule knows: the gate says so."""
    try:
        return standing.required_roles(Case(facts, kind))
    except RuleError:
        return ()


def may_keep(facts: GateFacts, rule: RoleRule, name: str) -> bool:
    """Whether the role is the person's on this memo: the rollout is accepted by its owner alone."""
    return rule.role != StandingRole.ROLLBACK_OWNER or facts.content.rollout.owner == name


def somebody_stands(facts: GateFacts, rule: RoleRule) -> bool:
    """Whether a signature for the role counts for some decision already."""
    return any(standing.counting(Case(facts, kind), rule) for kind in SIGNED_FOR)


def asked(facts: GateFacts) -> tuple[tuple[RoleRule, tuple[str, ...]], ...]:
    """(role, who holds it and can still sign) for each role that nobody has signed for."""
    gone = standing.recused(Case(facts, DecisionKind.SHIP))
    return tuple(
        (rule, tuple(n for n in facts.role_holders.get(rule.role, ()) if may_keep(facts, rule, n) and n not in gone))
        for rule in required(facts)
        if not somebody_stands(facts, rule)
    )
