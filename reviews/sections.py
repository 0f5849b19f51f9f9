"""The shape of a memo's content: one frozen dataclass per section, and the canonical JSON of each.

A section's digest is the SHA-256 of its RFC 8785 JSON; a revision's digest is that of the sorted list of
(name, digest). Numbers are decimal strings, so that no digest depends on how a float is printed. An empty
string means "not filled"; `Unfilled` rows keep the words in which a pasted text asked for the field.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

import msgspec
import rfc8785

from reviews.vocabulary import SectionName


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfilled:
    """A field that the text left as a placeholder: its path ("symptom.workload_slice") and what is wanted."""

    field: str
    wanted: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptText:
    """A line of the pasted text that no record can say, kept where it stood. `line` counts from 1."""

    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """title, team (slug), intent, and the template version that the memo is pinned to.

    kept: the lines of the pasted text that no record can say.
    """

    title: str
    team: str
    intent: str
    template: str
    template_version: int
    unfilled: tuple[Unfilled, ...] = ()
    kept: tuple[KeptText, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FailingMetric:
    """A metric that the symptom names: `metric` and `stat` as the template spells them ("" = ambiguous: ask once)."""

    said: str
    metric: str
    stat: str
    condition: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildTags:
    compiler: str = ""
    firmware: str = ""
    runtime: str = ""
    hardware: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityCheck:
    name: str
    result: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    failing_metric: str = ""
    failing_metrics: tuple[FailingMetric, ...] = ()
    workload_slice: str = ""
    first_failing_layer: str = ""
    build_tags: BuildTags = BuildTags()
    observation_window: str = ""
    quality_checks: tuple[QualityCheck, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRow:
    """One difference between the two identities. `source`: file, capture or typed."""

    name: str
    baseline: str
    candidate: str
    on_purpose: bool
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What was changed. `summary` is prose; `rows` are the differences, each varied on purpose or not."""

    summary: str = ""
    baseline: str = ""
    candidate: str = ""
    rows: tuple[ChangeRow, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """A ratio interval (candidate/baseline) for a metric under a condition; "" is an open end (0 or infinity).

    plan: nonce of the plan that registered it, "" when it was only written down here.
    registered_at: ISO 8601 UTC, "" when not registered.
    """

    key: str
    metric: str
    stat: str
    condition: str
    low: str
    high: str
    plan: str = ""
    registered_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceNote:
    """How one artifact (SHA-256) or comparison (key) bears on a hypothesis."""

    refers_to: str
    bearing: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HypothesisResolution:
    """supported, refuted, or open; an open one has an owner and a date (ISO)."""

    state: str = ""
    reason: str = ""
    owner: str = ""
    due: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """key: "H1", "H2", … stable over revisions."""

    key: str
    rank: str
    mechanism: str
    statement: str
    predictions: tuple[Prediction, ...] = ()
    evidence: tuple[EvidenceNote, ...] = ()
    resolution: HypothesisResolution = HypothesisResolution()


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingEvidence:
    what: str
    owner: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypotheses:
    hypotheses: tuple[Hypothesis, ...] = ()
    missing_evidence: tuple[MissingEvidence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentRow:
    """One attached artifact. run: key in the file, "" for all its runs. placement_source: file, capture or typed.

    excluded: the rule of the plan by which the run does not count, "" when it does.
    """

    artifact: str
    name: str
    kind: str
    arm: str
    run: str
    block: str
    placement: str
    placement_source: str
    use: str
    attached_by: str
    excluded: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedSet:
    number: int
    title: str
    plan: str
    sealed_at: str
    sealed_by: str
    attachments: tuple[AttachmentRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    sets: tuple[SealedSet, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a difference in a setting does not matter; beyond tolerance it states a greatest effect (a ratio, "1.01")."""

    setting: str
    text: str
    greatest_effect: str
    by: str
    accepted_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedSetting:
    """A setting that the files do not record and somebody states, for one arm."""

    setting: str
    arm: str
    value: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """key: "C1", … stable. margin: the worst acceptable ratio as a decimal ("0.98"; "1.02" for lower-is-better).

    assessment: digest of its assessment, "" while there is none; then `absent_reason` may say why there will be none.
    evidence_set: number of the sealed set that it reads, 0 while there is none.
    """

    key: str
    metric: str
    stat: str
    slice: str
    role: str
    better: str
    scale: str
    margin: str
    purpose: str
    match: str
    plan: str = ""
    evidence_set: int = 0
    explanations: tuple[Explanation, ...] = ()
    stated: tuple[StatedSetting, ...] = ()
    assessment: str = ""
    absent_reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparisons:
    comparisons: tuple[Comparison, ...] = ()


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


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoContent:
    """All sections of one revision."""

    header: Header
    symptom: Symptom = Symptom()
    change: Change = Change()
    hypotheses: Hypotheses = Hypotheses()
    evidence: Evidence = Evidence()
    comparisons: Comparisons = Comparisons()
    action: ProposedAction = ProposedAction()
    rollout: Rollout = Rollout()
    signoff: Signoff = Signoff()


Section = Header | Symptom | Change | Hypotheses | Evidence | Comparisons | ProposedAction | Rollout | Signoff

TYPES: Final[Mapping[str, type[Any]]] = {f.name: f.type for f in fields(MemoContent)}  # type: ignore[misc]


def to_json(section: Section) -> dict[str, Any]:
    """A section as JSON values."""
    return dict(msgspec.to_builtins(section))


def from_json(name: str, value: object) -> Any:
    """The section `name` from JSON values; raises msgspec.ValidationError naming the path (`$.stages[0].percent`)."""
    return msgspec.convert(value, TYPES[name])


def content_from_json(sections: Mapping[str, object]) -> MemoContent:
    """A whole content from {section name: JSON}; a section left out takes its empty form (all but the header)."""
    return MemoContent(**{name: from_json(name, value) for name, value in sections.items()})


def content_to_json(content: MemoContent) -> dict[str, Any]:
    """A whole content as {section name: JSON}, in the order of the page."""
    return {name: to_json(getattr(content, name)) for name in SectionName.values}


def digest_of(value: object) -> str:
    """SHA-256 (hex) of the RFC 8785 JSON of `value`."""
    return hashlib.sha256(rfc8785.dumps(value)).hexdigest()  # type: ignore[arg-type]


def section_digests(sections: Mapping[str, object]) -> dict[str, str]:
    """The digest of each section, by name."""
    return {name: digest_of(value) for name, value in sections.items()}


def revision_digest(digests: Mapping[str, str]) -> str:
    """The digest of a revision over the sorted list of (name, digest)."""
    return digest_of([[name, digests[name]] for name in sorted(digests)])
