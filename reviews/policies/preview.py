"""What the gate says to all four decisions at once, and which is the least restrictive that is possible."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from reviews.policies import gate, lifecycle
from reviews.policies.answers import Requirement
from reviews.policies.facts import GateFacts
from reviews.vocabulary import Action, DecisionKind, State

ACTION_OF: Final[Mapping[DecisionKind, Action]] = {row.gate: row.action for row in lifecycle.MOVES if row.gate}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """One decision. allowed: its gate is open, and it leads on from where the memo stands.

    why_not_here: why it cannot be recorded in the memo's state, whatever the gate says; "" when it can.
    evidence_supports: nothing but people and contracts is missing.
    """

    kind: DecisionKind
    allowed: bool
    why_not_here: str
    evidence_supports: bool
    requirements: tuple[Requirement, ...]
    blockers: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The four decisions, the least restrictive first.

    least_restrictive: the first that may be recorded now. supported: the first that the evidence supports, whoever
    still has to sign. Both None when there is none. Escalating needs no evidence but a complete symptom.
    """

    outlooks: tuple[Outlook, ...]
    least_restrictive: DecisionKind | None
    supported: DecisionKind | None


def preview(facts: GateFacts) -> Preview:
    """The answer of the gate to ship, bounded rollout, rollback and escalation."""
    outlooks = tuple(_outlook(facts, kind) for kind in gate.COLUMNS)
    return Preview(
        outlooks=outlooks,
        least_restrictive=next((o.kind for o in outlooks if o.allowed), None),
        supported=next((o.kind for o in outlooks if o.evidence_supports), None),
    )


def _outlook(facts: GateFacts, kind: DecisionKind) -> Outlook:
    requirements = gate.evaluate(facts, kind)
    blockers = gate.missing(requirements)
    why_not_here = lifecycle.why_not_here(ACTION_OF[kind], State(facts.state))
    return Outlook(
        kind=kind,
        allowed=gate.is_open(requirements) and not why_not_here,
        why_not_here=why_not_here,
        evidence_supports=not any(line.rule in gate.ABOUT_EVIDENCE for line in blockers),
        requirements=requirements,
        blockers=blockers,
    )
