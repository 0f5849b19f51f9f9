"""What the gate may know of evidence: assessments, artifacts, plans and their runs, as plain values."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalFacts:
    """Why the analysis gives no number."""

    code: str
    message: str
    needs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalFacts:
    """The one displayed interval, candidate/baseline. kind: "confidence" or "bounds".

    low, high: decimal strings as printed. confidence: "0.95", "" for bounds. n: number of experimental units.
    scope: as the analysis words it ("placements like these"). widened: by tolerated or explained differences.
    """

    low: str
    high: str
    kind: str
    confidence: str
    method: str
    n: int
    scope: str
    widened: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFacts:
    """One row of the work audit. state: a value of AuditState. blocks: it forbids a verdict.

    baseline, candidate: the distinct values of the arm's runs.
    """

    setting: str
    state: str
    blocks: bool
    sentence: str
    baseline: tuple[str, ...] = ()
    candidate: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementFacts:
    """A prediction judged. judgement: supported, refuted, inconclusive or not_comparable.

    post_hoc: registered after the first run started, or never registered.
    """

    hypothesis: str
    prediction: str
    judgement: str
    post_hoc: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementFacts:
    """A placement that was measured. host: "" when unknown. verified: captured, not typed."""

    label: str
    host: str
    verified: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmFacts:
    """How much of an arm an interval stands on. fewest: steps or requests of its smallest run, None when unknown."""

    arm: str
    runs: int
    fewest: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFacts:
    """A file that an assessment was computed from. started_at: of its first run by its own clock, or None."""

    artifact: str
    started_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AssessmentFacts:
    """A frozen analysis result.

    outcome: verdict, withheld, refused, not_comparable or failed_to_serve.
    refusal: given for withheld, refused and not_comparable. direction, materiality: "" without a verdict, else
    regression_established | improvement_established | not_established and within_margin | worse_than_margin |
    better_than_margin | not_worse_than_margin | not_better_than_margin | undecided.
    order_confounded: the arms' times do not overlap. failed, started: runs of the candidate that failed, of how many.
    look, looks: this look, from 1, of the declared ones. arms, files: what the number stands on.
    """

    digest: str
    outcome: str
    refusal: RefusalFacts | None
    direction: str
    materiality: str
    headline: str
    interval: IntervalFacts | None
    audit: tuple[AuditFacts, ...]
    judgements: tuple[JudgementFacts, ...]
    placements: tuple[PlacementFacts, ...]
    order_confounded: bool
    failed: int
    started: int
    look: int
    looks: int
    arms: tuple[ArmFacts, ...] = ()
    files: tuple[FileFacts, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationFacts:
    """An assessment made after a decision or in a rollout. comparison: key of the comparison that it repeats."""

    comparison: str
    assessment: AssessmentFacts
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSet:
    """An evidence set that is not sealed yet. number: as on the evidence page. files: how many it holds."""

    number: int
    title: str
    files: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactFacts:
    """A stored artifact. parse_state: a value of ParseState, or "" while nobody has read it.

    format: what it was read as, "" when it was not.

    created_at: when its content was made; where that is unknown, when it was stored. clock: the source that says so, a
    value of Source, "" when nobody does. stored_at: when it was stored, None in records from before this was kept.
    redacted: "redacted by … on … (…)" of a file whose bytes were taken away, "" while they stand.
    shows: why it is sufficient, in the words of its parser, "" where it says nothing.
    """

    kind: str
    name: str
    format: str
    parse_state: str
    parse_message: str
    recalled: bool
    recalled_by: str
    recall_reason: str
    redacted: str
    created_at: datetime
    clock: str = ""
    stored_at: datetime | None = None
    shows: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """A run that a plan lists, or that was started under its nonce.

    attached: its file is in a sealed set. accounted: the stated reason why it is not, "" when nobody says.
    """

    run: str
    attached: bool
    accounted: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFacts:
    """A registered plan. nonce names it."""

    nonce: str
    title: str
    registered_at: datetime
    runs: tuple[RunFacts, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StratumFacts:
    """A part of the decision's scope (SKU × driver × firmware). covered by evidence, or excluded by name.

    why: why it counts as not covered, or why it is excluded, in words; "" for a covered one.
    """

    name: str
    covered: bool
    excluded: bool
    why: str = ""
