"""Which signatures count for a decision; for one that does not, the reason in words."""

from collections.abc import Iterator
from typing import Final

from reviews.policies.case import Case
from reviews.policies.facts import RuleError, SignatureFacts
from reviews.policies.numbers import listed, percent, quoted
from reviews.policies.staleness import stale_sections
from reviews.sections import MemoContent
from reviews.template_content import RoleRule
from reviews.vocabulary import DecisionKind, Position, SectionName, StandingRole

APPROVING: Final = (Position.APPROVE, Position.APPROVE_WITH_CONDITIONS)
DEFAULT_SIGNS: Final = tuple(name.value for name in SectionName if name is not SectionName.SIGNOFF)


def latest(case: Case) -> tuple[SignatureFacts, ...]:
    """The last word of each signer in each role; an objection stays beside it until it is resolved."""
    last: dict[tuple[str, str, str], SignatureFacts] = {}
    for signature in sorted(case.facts.signatures, key=lambda s: s.at):
        last[signature.signer, signature.acting_for, signature.role] = signature
    return tuple(last.values())


def recused(case: Case) -> frozenset[str]:
    """Who has left this memo: a recusal in one role is one in all, until it is withdrawn or replaced."""
    return frozenset(s.signer for s in latest(case) if s.position == Position.RECUSE and not s.withdrawn)


def required_roles(case: Case) -> tuple[RoleRule, ...]:
    """The owners that must sign for this decision: the template's that apply, and those that the text adds."""
    rules = [rule for rule in case.asked.roles if applies(rule, case.content)]
    known = {rule.role for rule in case.asked.roles}
    if case.kind in (DecisionKind.SHIP, DecisionKind.BOUNDED):
        rules += [
            RoleRule(role=owner.role, title=owner.title, signs=DEFAULT_SIGNS, required_when="")
            for owner in case.content.signoff.required_owners
            if not owner.from_template and owner.role not in known
        ]
    return tuple(rules)


def applies(rule: RoleRule, content: MemoContent) -> bool:
    """Whether the memo touches what makes the role required; raises RuleError for a condition that nobody knows."""
    if not rule.required_when:
        return True
    touch, _, what = rule.required_when.partition(":")
    if touch not in TOUCHES:
        raise RuleError(f"The role {rule.role} is required when “{rule.required_when}”, which no rule knows.")
    return TOUCHES[touch](content, what)


def _touches_metric(content: MemoContent, metric: str) -> bool:
    named = {m.metric for m in content.symptom.failing_metrics} | {c.metric for c in content.comparisons.comparisons}
    return metric in named


def _touches_risk(content: MemoContent, kind: str) -> bool:
    return any(risk.kind == kind and (risk.checked or risk.result) for risk in content.action.risks)


def _touches_section(content: MemoContent, name: str) -> bool:
    if name not in SectionName.values:
        raise RuleError(f"A role is required when the section “{name}” is filled, which no memo has.")
    section = getattr(content, name)
    return name == SectionName.HEADER or section != type(section)()


TOUCHES: Final = {"metric": _touches_metric, "risk": _touches_risk, "section": _touches_section}


def sections_of(rule: RoleRule) -> tuple[str, ...]:
    """The sections that a role signs: the template's choice, or all but the signoff."""
    return rule.signs or DEFAULT_SIGNS


def counting(case: Case, rule: RoleRule) -> tuple[SignatureFacts, ...]:
    """The signatures for the role that count for this decision."""
    return tuple(s for s in latest(case) if s.role == rule.role and not lapse(case, s, sections_of(rule)))


def approvals(case: Case) -> tuple[SignatureFacts, ...]:
    """Every signature that counts for a required role of this decision."""
    return tuple(signature for rule in required_roles(case) for signature in counting(case, rule))


def acceptance(case: Case) -> tuple[SignatureFacts, ...]:
    """The signatures, of the rollout owner or in their place, that accept the present rollout."""
    owner = case.content.rollout.owner
    return tuple(
        s
        for s in latest(case)
        if s.role == StandingRole.ROLLBACK_OWNER
        and (s.acting_for or s.signer) == owner
        and not lapse(case, s, (SectionName.ROLLOUT.value,))
    )


def lapse(case: Case, signature: SignatureFacts, sections: tuple[str, ...]) -> str:
    """Why the signature does not count for this decision, "" when it does. sections: what the role has to cover."""
    return next((said for said in _reasons(case, signature, sections) if said), "")


def _reasons(case: Case, signature: SignatureFacts, sections: tuple[str, ...]) -> Iterator[str]:
    yield "was withdrawn" if signature.withdrawn else ""
    yield _left(case, signature)
    yield _without_the_role(case, signature)
    yield _no_approval(signature)
    yield "" if case.kind in signature.kinds else f"does not approve {case.kind.label}"
    yield _not_so_far(case, signature)
    yield _waiting(signature)
    yield _covers_less(signature, sections)
    yield _stale(case, signature)
    yield _of_another_rollout(case, signature)


def _left(case: Case, signature: SignatureFacts) -> str:
    left = signature.position != Position.RECUSE and signature.signer in recused(case)
    return "was given by somebody who has recused" if left else ""


def _without_the_role(case: Case, signature: SignatureFacts) -> str:
    holder = signature.acting_for or signature.signer
    if holder not in case.holders(signature.role):
        return f"was given for a role that {holder} does not hold now"
    if signature.acting_for and not signature.delegation_in_force:
        return f"was given for {signature.acting_for} without a delegation in force"
    return ""


def _no_approval(signature: SignatureFacts) -> str:
    try:
        position = Position(signature.position)
    except ValueError as error:
        raise RuleError(f"{signature.signer} signed “{signature.position}”, which is no position.") from error
    return "" if position in APPROVING else f"says “{position.label}”"


def _not_so_far(case: Case, signature: SignatureFacts) -> str:
    if case.kind is not DecisionKind.BOUNDED or case.scope_percent is None:
        return ""
    if signature.scope_percent is None:
        return "names no greatest scope"
    if signature.scope_percent < case.scope_percent:
        return f"approves at most {percent(signature.scope_percent)}, not {percent(case.scope_percent)}"
    return ""


def _waiting(signature: SignatureFacts) -> str:
    if signature.position != Position.APPROVE_WITH_CONDITIONS:
        return ""
    if not signature.conditions:
        return "names no condition, although it approves with conditions"
    open_ones = [quoted(c.text) for c in signature.conditions if not c.cleared_by]
    return f"waits for {listed(open_ones)}" if open_ones else ""


def _covers_less(signature: SignatureFacts, sections: tuple[str, ...]) -> str:
    left_out = [name for name in sections if name not in signature.covered]
    return f"does not cover {listed(left_out)}" if left_out else ""


def _stale(case: Case, signature: SignatureFacts) -> str:
    changed = stale_sections(signature.covered, case.facts.section_digests)
    return f"is stale: {listed(changed)} changed since" if changed else ""


def _of_another_rollout(case: Case, signature: SignatureFacts) -> str:
    if signature.rollout_digest and signature.rollout_digest in case.facts.expired_rollouts:
        return "was given for a rollout that has expired"
    current = case.facts.section_digests.get(SectionName.ROLLOUT)
    if case.kind is DecisionKind.BOUNDED and signature.rollout_digest != current:
        return "was given for another rollout"
    return ""
