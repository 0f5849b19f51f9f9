"""What a memo tells: its header, the symptom, the change and the hypotheses."""

from dataclasses import dataclass


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
class Stratum:
    """A part of the fleet that the change is to reach. excluded: why it is left out, "" when it is not.

    A part that is left empty stands for all of its kind.
    """

    sku: str
    driver: str = ""
    firmware: str = ""
    excluded: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What was changed. `summary` is prose; `rows` are the differences, each varied on purpose or not.

    scope: the parts of the fleet (SKU × driver × firmware) that a decision is to reach.
    """

    summary: str = ""
    baseline: str = ""
    candidate: str = ""
    rows: tuple[ChangeRow, ...] = ()
    scope: tuple[Stratum, ...] = ()

    @property
    def varied(self) -> tuple[str, ...]:
        """The names of the rows that are varied on purpose, sorted."""
        return tuple(sorted({row.name for row in self.rows if row.on_purpose}))


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
