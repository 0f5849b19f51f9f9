"""What the gate is asked about: one memo, as plain values.

The queries fill these from the current revision and what was observed since; the rules read nothing else.
People are named by user name. Times are aware datetimes. Percentages and ratios are exact fractions.
Words that come from the analysis keep its spelling; a rule that meets another one answers `error`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from reviews.policies.evidence_facts import (
    ArtifactFacts,
    AssessmentFacts,
    ObservationFacts,
    OpenSet,
    PlanFacts,
    StratumFacts,
)
from reviews.sections import MemoContent
from reviews.template_content import TemplateContent


class RuleError(Exception):
    """Facts that a rule cannot judge; str() is a sentence. The requirement becomes `error`, which blocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What an approval with conditions waits for. cleared_by: "" while it waits.

    owner: who sees to it; proof: what will show it; both "" in records from before conditions had them.
    """

    text: str
    cleared_by: str
    owner: str = ""
    proof: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureFacts:
    """One signature as it was given.

    role: slug of the role signed for, or "rollback_owner" for the acceptance of `rollout`.
    kinds: values of DecisionKind approved. scope_percent: greatest rollout scope approved; None without `bounded`.
    covered: section name -> digest at signing. rollout_digest: digest of the rollout contract, "" when none was signed.
    acting_for: "" when for oneself. delegation_in_force: when it was signed; meant only with acting_for.
    withdrawn: by a later row. For OBJECT alone: resolved_by, resolved_as: who ended it, in which role ("" while it
    stands); spoken_at: its last word, when raised or answered; heard_by, heard_at: the board's first meeting on it.
    """

    signer: str
    acting_for: str
    delegation_in_force: bool
    role: str
    position: str
    kinds: tuple[str, ...]
    scope_percent: Fraction | None
    covered: Mapping[str, str]
    rollout_digest: str
    conditions: tuple[Condition, ...]
    objection: str
    would_clear_if: str
    resolved_by: str
    resolved_as: str
    spoken_at: datetime
    heard_by: str
    heard_at: datetime | None
    withdrawn: bool
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """Who wrote or attached content that the memo holds or held. revision: its number, from 1."""

    name: str
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiverFacts:
    """A waiver of one gap. requirement: "<rule>:<subject>". expires_at, approved_at: None only while not approved.

    approver_on_board: the approver was on the board when approving.
    """

    requirement: str
    owner: str
    reason: str
    compensating_control: str
    requested_by: str
    state: str
    approved_by: str
    approver_on_board: bool
    approved_at: datetime | None
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductionEventFacts:
    """What happened in production. kind: a value of ProductionEventKind. ratified_by: "" when nobody has."""

    kind: str
    what: str
    by: str
    ratified_by: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """What an emergency of this team left to be done. memo: its number."""

    memo: str
    what: str
    owner: str
    due: datetime
    met: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetFacts:
    """One metric against the team's pinned reference build. within: None when it was not measured."""

    metric: str
    stat: str
    within: bool | None
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceFacts:
    """The team's pinned reference build, and how far its metrics have moved since."""

    build: str
    budgets: tuple[BudgetFacts, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decider:
    """Who is about to decide."""

    name: str
    on_board: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFacts:
    """Everything that the rules may know.

    number, state, author, team: of the memo; intent and title stand in content.header.
    section_digests: section name -> digest in the current revision; all sections.
    role_holders: role slug (template roles and StandingRole values) -> user names that hold it now for this team.
    contributions: of all revisions. assessments: by digest, all that the comparisons name.
    artifacts: by SHA-256, all that sealed sets and the rollout procedure name.
    expired_rollouts: digests of rollout contracts that have run out.
    scope_hosts: the hosts that a ship would reach, when they are named; () means everywhere.
    requested_percent: scope of the decision being recorded; None in a preview: the rollout's last stage is meant.
    decider: None in a preview.
    reference: None when the team has pinned none.
    """

    number: str
    state: str
    author: str
    team: str
    content: MemoContent
    template: TemplateContent
    now: datetime
    section_digests: Mapping[str, str]
    role_holders: Mapping[str, tuple[str, ...]]
    contributions: tuple[Contribution, ...]
    signatures: tuple[SignatureFacts, ...]
    waivers: tuple[WaiverFacts, ...]
    assessments: Mapping[str, AssessmentFacts]
    observations: tuple[ObservationFacts, ...]
    open_sets: tuple[OpenSet, ...]
    artifacts: Mapping[str, ArtifactFacts]
    plans: tuple[PlanFacts, ...]
    strata: tuple[StratumFacts, ...]
    production_events: tuple[ProductionEventFacts, ...]
    expired_rollouts: tuple[str, ...]
    follow_ups: tuple[FollowUp, ...]
    reference: ReferenceFacts | None
    scope_hosts: tuple[str, ...]
    requested_percent: Fraction | None
    decider: Decider | None
