"""What shall be done: the action, the rollout and the signoff."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedMovement:
    """Expected ratio interval (candidate/baseline) of a metric; "" is an open end."""

    metric: str
    stat: str
    low: str
    high: str
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    kind: str
    checked: str = ""
    result: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedAction:
    smallest_reversible_change: str = ""
    expected_movement: str = ""
    expected: tuple[ExpectedMovement, ...] = ()
    rollback_target: str = ""
    rollback_boundary: str = ""
    rollback_owner: str = ""
    risks: tuple[Risk, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutStage:
    """percent: decimal, 0 < p <= 100, of the traffic or hosts in `where`; soak: hours, decimal."""

    percent: str
    where: str
    soak_hours: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AbortThreshold:
    """Roll back when the metric of `comparison` is established beyond `limit` (a ratio candidate/baseline)."""

    comparison: str
    metric: str
    stat: str
    limit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """ends_at: ISO date-time UTC. procedure: digest of the rollback procedure's artifact. owner: user name."""

    stages: tuple[RolloutStage, ...] = ()
    abort_thresholds: tuple[AbortThreshold, ...] = ()
    ends_at: str = ""
    procedure: str = ""
    owner: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiredOwner:
    """role: slug; title: as people say it; from_template: False when the author's text added it."""

    role: str
    title: str
    from_template: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalation:
    to: str = ""
    by: str = ""
    question: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signoff:
    required_artifact: str = ""
    required_owners: tuple[RequiredOwner, ...] = ()
    final_decision: str = ""
    escalation: Escalation = Escalation()
