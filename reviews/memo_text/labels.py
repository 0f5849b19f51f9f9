"""The sections and labels of a memo text, each once, in the order of the page. docs/memo-text.md lists them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from reviews.memo_text.text import fold

Kind = Literal["text", "list", "rows"]

KEPT: Final = "kept"

#                 section      headings; the first is printed
SECTIONS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("symptom", ("Symptom", "Symptoms")),
    ("hypotheses", ("Mechanism hypothesis", "Mechanism hypotheses", "Hypothesis", "Hypotheses", "Mechanism")),
    ("action", ("Proposed action", "Proposed actions", "Action")),
    ("signoff", ("Signoff", "Sign off", "Sign-offs", "Signoffs")),
    ("change", ("Change", "Changes", "What changed")),
    ("predictions", ("Predictions",)),
    ("comparisons", ("Comparisons",)),
    ("rollout", ("Rollout", "Bounded rollout", "Rollout plan")),
    ("escalation", ("Escalation",)),
    (KEPT, ("Kept text",)),
)


@dataclass(frozen=True, slots=True)
class Label:
    """One label. path: of the field in MemoContent.

    names: recognised anywhere, the first is printed; short: recognised only inside its section.
    wanted: what the template's placeholder asks for, "" when it has none. asked: the template's text always has it.
    """

    section: str
    path: str
    kind: Kind
    names: tuple[str, ...]
    short: tuple[str, ...] = ()
    wanted: str = ""
    asked: bool = True

    @property
    def printed(self) -> str:
        return (self.names or self.short)[0]


LABELS: Final[tuple[Label, ...]] = (
    Label("symptom", "symptom.failing_metric", "text", ("Failing metric", "Failing metrics")),
    Label("symptom", "symptom.failing_metrics", "rows", ("Metric meant", "Metrics meant"), asked=False),
    Label(
        "symptom",
        "symptom.workload_slice",
        "text",
        ("Workload or traffic slice", "Workload slice", "Traffic slice", "Workload / traffic slice"),
        ("Workload", "Slice"),
        wanted="name",
    ),
    Label(
        "symptom",
        "symptom.first_failing_layer",
        "text",
        ("First failing layer or stage", "First failing layer", "First failing stage", "First failing layer / stage"),
        wanted="operator, schedule, memory, runtime",
    ),
    Label(
        "symptom",
        "symptom.build_tags",
        "list",
        ("Build and runtime tags", "Build tags", "Build / runtime tags", "Build & runtime tags"),
        ("Tags",),
        wanted="compiler/firmware/runtime/hardware",
    ),
    Label("symptom", "symptom.observation_window", "text", ("Observation window",), asked=False),
    Label("symptom", "symptom.quality_checks", "list", ("Quality checks", "Quality check"), asked=False),
    Label("hypotheses", "hypotheses.primary", "rows", ("Primary mechanism", "Primary hypothesis")),
    Label(
        "hypotheses",
        "hypotheses.competing",
        "list",
        ("Competing hypotheses", "Competing hypothesis", "Competing mechanisms", "Alternative hypotheses"),
    ),
    Label(
        "hypotheses",
        "hypotheses.missing_evidence",
        "list",
        ("Missing evidence",),
        wanted="counter packet, trace, replay, signoff data",
    ),
    Label(
        "action",
        "action.smallest_reversible_change",
        "text",
        ("Smallest reversible change",),
        wanted="mapping/runtime/policy/config",
    ),
    Label(
        "action",
        "action.expected_movement",
        "text",
        ("Expected movement", "Expected movements"),
        wanted="throughput, p99 latency, perf-per-watt",
    ),
    Label("action", "action.expected", "rows", ("Expected ratio", "Expected ratios"), asked=False),
    Label("action", "action.risks", "list", ("Regression risk", "Regression risks"), ("Risks", "Risk")),
    Label("action", "action.rollback_target", "text", ("Rollback target",), asked=False),
    Label("action", "action.rollback_boundary", "text", ("Rollback boundary",), asked=False),
    Label("action", "action.rollback_owner", "text", ("Rollback owner",), asked=False),
    Label("signoff", "signoff.required_artifact", "text", ("Required artifact", "Required artifacts")),
    Label("signoff", "signoff.required_owners", "list", ("Required owners", "Required owner"), ("Owners",)),
    Label("signoff", "signoff.final_decision", "text", ("Final decision",), ("Decision",)),
    Label("change", "change.summary", "text", (), ("Summary",), asked=False),
    Label("change", "change.baseline", "text", (), ("Baseline",), asked=False),
    Label("change", "change.candidate", "text", (), ("Candidate",), asked=False),
    Label("change", "change.rows", "rows", (), ("Difference", "Differences"), asked=False),
    Label("change", "change.scope", "rows", (), ("Scope",), asked=False),
    Label("predictions", "hypotheses.predictions", "rows", (), ("Prediction",), asked=False),
    Label("comparisons", "comparisons.comparisons", "rows", (), ("Comparison",), asked=False),
    Label("rollout", "rollout.stages", "rows", (), ("Stage", "Stages"), asked=False),
    Label("rollout", "rollout.abort_thresholds", "rows", (), ("Abort threshold", "Abort thresholds"), asked=False),
    Label("rollout", "rollout.ends_at", "text", (), ("Ends", "Ends at", "End"), asked=False),
    Label("rollout", "rollout.procedure", "text", (), ("Procedure", "Rollback procedure"), asked=False),
    Label("rollout", "rollout.owner", "text", (), ("Owner", "Rollout owner"), asked=False),
    Label("escalation", "signoff.escalation.to", "text", ("Escalate to",), ("To",), asked=False),
    Label("escalation", "signoff.escalation.by", "text", ("Answer by",), ("By",), asked=False),
    Label("escalation", "signoff.escalation.question", "text", (), ("Question",), asked=False),
)

BY_PATH: Final = {label.path: label for label in LABELS}
HEADINGS: Final = {fold(name): section for section, names in SECTIONS for name in names}
PRINTED_HEADINGS: Final = {section: names[0] for section, names in SECTIONS}
_ANYWHERE: Final = {fold(name): label for label in LABELS for name in label.names}
_INSIDE: Final = {(label.section, fold(name)): label for label in LABELS for name in label.short}


def label_named(name: str, section: str) -> Label | None:
    """The label that this name means in this section, or None."""
    folded = fold(name)
    return _ANYWHERE.get(folded) or _INSIDE.get((section, folded))


def _pattern(names: Iterable[str]) -> str:
    longest_first = sorted({fold(name) for name in names}, key=len, reverse=True)
    return "|".join(r"[\s_‐-―−-]+".join(map(re.escape, name.split())) for name in longest_first)


NAMES: Final = _pattern(name for label in LABELS for name in (*label.names, *label.short))
"""A regular expression of every label's name, longest first; dashes and blanks in it are free."""
