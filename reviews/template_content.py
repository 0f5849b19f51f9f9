"""The shape of a memo template: what a kind of memo asks for, as data.

Shipped templates are JSON files in `reviews/memo_templates/`; a stored version never changes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

_MISSING: Final = object()
LATER: Final[Mapping[str, object]] = {"deadlock_days": 7, "evidence_days": 180, "minimum_runs": 0, "rules": {}}
"""Fields that came after the first version, with their defaults."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateMetric:
    """A metric of the template.

    metric, stat: canonical names ("e2e_latency", "p99"); stats: the choices when a text is ambiguous.
    unit: base unit; scale: ratio, difference, proportion or count; better: higher or lower.
    margin: worst acceptable ratio candidate/baseline as a decimal ("0.98", "1.02" when lower is better).
    slo: limit that is part of the metric's identity, in `unit`, "" when none.
    minimum_requests: fewest requests per run for this stat.
    said: how texts name it, lower case, for recognition ("p99 latency", "throughput").
    """

    metric: str
    stat: str
    title: str
    unit: str
    scale: str
    better: str
    margin: str
    slo: str
    minimum_requests: int
    said: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactRule:
    """A kind of artifact that a decision needs. `covers` says in words what it must show.

    format: the evidence format that it must be read as, "" for a document of any kind.
    """

    kind: str
    title: str
    covers: str
    format: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleRule:
    """An owner role that must sign.

    signs: the names of the sections that it covers.
    required_when: "" (always), or "metric:<metric>", "risk:<kind>", "section:<name>" when the memo touches it.
    """

    role: str
    title: str
    signs: tuple[str, ...]
    required_when: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRules:
    """What one decision kind asks for; neither tuple is empty."""

    artifacts: tuple[ArtifactRule, ...]
    roles: tuple[RoleRule, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkSetting:
    """A setting of the work audit.

    required: both arms must state it; else it is compared where a file records it.
    tolerance: greatest relative difference that only widens the interval ("0.005"), "" for none.
    """

    name: str
    required: bool
    tolerance: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateContent:
    """One version of a template. decisions: by decision kind, all four.

    rollout_cap_percent: greatest scope of a bounded rollout. quorum: fewest distinct approving people, >= 2.
    rules_version: the rule set that judges memos pinned to this version.
    deadlock_days: after so many days of silence the escalation owner may end an objection.
    evidence_days: how old evidence may be. minimum_runs: fewest runs of an arm behind an interval, 0 for any.
    rules: what this version asks beyond its rule set: the name of a rule -> its marks ("● ● ● ○ ·").
    """

    slug: str
    version: int
    title: str
    area: str
    topic: str
    failing_metric: str
    metrics: tuple[TemplateMetric, ...]
    mechanism: str
    competing_placeholder: str
    decisions: Mapping[str, DecisionRules]
    work_settings: tuple[WorkSetting, ...]
    rollout_cap_percent: str
    waiver_cap_days: int
    quorum: int
    required_artifact: str
    playbook_intro: str
    playbook: tuple[str, ...]
    metrics_to_collect: tuple[str, ...]
    debug_branches: tuple[str, ...]
    pitfalls: tuple[str, ...]
    takeaways: tuple[str, ...]
    deep_dive: str
    concept_diagram: Figure
    metric_graph: Figure
    case_study: str
    senior_question: str
    addendum: tuple[str, ...]
    rules_version: str
    deadlock_days: int = 7
    evidence_days: int = 180
    minimum_runs: int = 0
    rules: Mapping[str, str] = field(default_factory=dict)


def template_from_json(value: object) -> TemplateContent:
    """A template from JSON values; raises msgspec.ValidationError naming the path."""
    return msgspec.convert(value, TemplateContent)


def template_to_json(content: TemplateContent) -> dict[str, Any]:
    """A template as JSON values; a later field at its default is left out, so that older versions keep their digest."""
    values = dict(msgspec.to_builtins(content))
    return {name: value for name, value in values.items() if LATER.get(name, _MISSING) != value}
