"""What the gate says of one rule."""

from reviews.policies import gate
from reviews.policies.answers import Requirement
from reviews.policies.facts import GateFacts
from reviews.vocabulary import DecisionKind, RequirementState


def lines(rule: str, facts: GateFacts, kind: DecisionKind = DecisionKind.SHIP) -> list[Requirement]:
    return [line for line in gate.evaluate(facts, kind) if line.rule == rule]


def said(rule: str, facts: GateFacts, kind: DecisionKind = DecisionKind.SHIP) -> list[str]:
    """The sentences of its lines."""
    return [line.sentence for line in lines(rule, facts, kind)]


def state(rule: str, facts: GateFacts, kind: DecisionKind = DecisionKind.SHIP) -> RequirementState:
    """The state of its only line."""
    [line] = lines(rule, facts, kind)
    return line.state
