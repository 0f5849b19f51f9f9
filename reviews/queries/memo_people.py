"""Who has to sign a memo, who did, and whether it counts: for its page."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Prefetch

from reviews.models import Condition, Memo, Signature, Waiver
from reviews.policies import standing, waivers
from reviews.policies.case import Case
from reviews.policies.facts import GateFacts, RuleError, SignatureFacts, WaiverFacts
from reviews.template_content import RoleRule
from reviews.vocabulary import DecisionKind, Position, StandingRole

KINDS = (DecisionKind.SHIP, DecisionKind.BOUNDED, DecisionKind.ROLLBACK, DecisionKind.ESCALATE)


@dataclass(frozen=True, slots=True)
class SignedRow:
    """A signature, and for which decisions it counts; `lapse` says why it counts for none of those it approves."""

    signature: Signature
    conditions: tuple[Condition, ...]
    withdrawn: bool
    approves: tuple[str, ...]
    counts_for: tuple[str, ...]
    lapse: str


@dataclass(frozen=True, slots=True)
class OwnerRow:
    """A role that has to sign. asked_for: the decisions that need it; from_template: False when the text added it."""

    role: str
    title: str
    from_template: bool
    holders: tuple[str, ...]
    asked_for: tuple[str, ...]
    signs: tuple[str, ...]
    signed: tuple[SignedRow, ...]


@dataclass(frozen=True, slots=True)
class Dissent:
    """An objection; resolved_by and the reason are "" while it stands. overridden_at: the second meeting, or None."""

    signature: Signature
    withdrawn: bool
    resolved_by: str
    reason: str
    overridden_at: datetime | None


@dataclass(frozen=True, slots=True)
class WaiverRow:
    """A waiver; `lapse` says why it does not count now, "" when it does."""

    waiver: Waiver
    answered_by: str
    lapse: str


def signatures_of(memo: Memo) -> tuple[Signature, ...]:
    """The memo's signatures with all that hangs on them, oldest first; two queries."""
    rows = (
        memo.signatures.select_related("withdrawal", "resolution", "revision")
        .prefetch_related(Prefetch("conditions", Condition.objects.select_related("clearance")))
        .defer("statement", "revision__sections")
        .order_by("pk")
    )
    return tuple(rows)


def owners(facts: GateFacts, signatures: Iterable[Signature]) -> tuple[OwnerRow, ...]:
    """The roles that some decision asks for, and the acceptance of the rollout; `signatures` as in the facts."""
    pairs = list(zip(signatures, facts.signatures, strict=True))
    rules: dict[str, tuple[RoleRule, list[str]]] = {}
    for kind in KINDS:
        for rule in _required(Case(facts, kind)):
            rules.setdefault(rule.role, (rule, []))[1].append(str(kind.label))
    if facts.content.rollout.owner:
        role = StandingRole.ROLLBACK_OWNER
        rules[role.value] = (_acceptance(), [str(DecisionKind.BOUNDED.label)])
    added = {owner.role for owner in facts.content.signoff.required_owners if not owner.from_template}
    return tuple(
        OwnerRow(
            role=rule.role,
            title=rule.title,
            from_template=rule.role not in added,
            holders=_holders(facts, rule),
            asked_for=tuple(kinds),
            signs=standing.sections_of(rule),
            signed=tuple(_signed(facts, rule, row, said) for row, said in pairs if said.role == rule.role),
        )
        for rule, kinds in rules.values()
    )


def _acceptance() -> RoleRule:
    role = StandingRole.ROLLBACK_OWNER
    return RoleRule(role=role.value, title=f"{role.label}, for the rollout", signs=("rollout",), required_when="")


def _holders(facts: GateFacts, rule: RoleRule) -> tuple[str, ...]:
    """Who may sign for it: the rollout is accepted by its owner alone."""
    if rule.role == StandingRole.ROLLBACK_OWNER:
        return (facts.content.rollout.owner,)
    return facts.role_holders.get(rule.role, ())


def _required(case: Case) -> tuple[RoleRule, ...]:
    """None when the template says what no rule knows; the gate says so."""
    try:
        return standing.required_roles(case)
    except RuleError:
        return ()


def _signed(facts: GateFacts, rule: RoleRule, row: Signature, said: SignatureFacts) -> SignedRow:
    approved = tuple(kind for kind in KINDS if kind.value in said.kinds)
    lapses = {kind: standing.lapse(Case(facts, kind), said, standing.sections_of(rule)) for kind in approved}
    superseded = _is_superseded(facts, said)
    counts = () if superseded else tuple(str(kind.label) for kind in approved if not lapses[kind])
    reasons = dict.fromkeys(lapse for lapse in lapses.values() if lapse)
    return SignedRow(
        signature=row,
        conditions=tuple(row.conditions.all()),
        withdrawn=said.withdrawn,
        approves=tuple(str(kind.label) for kind in approved),
        counts_for=counts,
        lapse="" if counts else "was signed again later" if superseded else "; ".join(reasons),
    )


def _is_superseded(facts: GateFacts, said: SignatureFacts) -> bool:
    """Whether the same person has spoken again in the role."""
    same = [
        s for s in facts.signatures if (s.signer, s.acting_for, s.role) == (said.signer, said.acting_for, said.role)
    ]
    return said is not same[-1]


def dissent(signatures: Iterable[Signature]) -> tuple[Dissent, ...]:
    """Every objection, with who resolved it."""
    return tuple(_dissents(signatures))


def _dissents(signatures: Iterable[Signature]) -> Iterator[Dissent]:
    for row in signatures:
        if row.position == Position.OBJECT:
            resolution = getattr(row, "resolution", None)
            yield Dissent(
                signature=row,
                withdrawn=hasattr(row, "withdrawal"),
                resolved_by=resolution.by_name if resolution else "",
                reason=resolution.reason if resolution else "",
                overridden_at=resolution.held_at if resolution else None,
            )


def waiver_rows(memo: Memo, facts: GateFacts) -> tuple[WaiverRow, ...]:
    """The memo's waivers in the order in which they were asked for; one query."""
    rows = memo.waivers.select_related("approval").order_by("pk")
    return tuple(_waiver(row, said, facts) for row, said in zip(rows, facts.waivers, strict=True))


def _waiver(row: Waiver, said: WaiverFacts, facts: GateFacts) -> WaiverRow:
    answer = getattr(row, "approval", None)
    return WaiverRow(row, answer.by_name if answer else "", waivers.lapse(said, facts))
