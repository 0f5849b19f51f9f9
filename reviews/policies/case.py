"""One question to the gate: the facts, the decision that is wanted, and what follows from the two."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from reviews.policies.evidence_facts import ArtifactFacts, AssessmentFacts
from reviews.policies.facts import GateFacts, RuleError
from reviews.policies.numbers import fraction, listed
from reviews.sections import Comparison, MemoContent
from reviews.template_content import DecisionRules, TemplateMetric
from reviews.vocabulary import ComparisonRole, DecisionKind, Purpose, StandingRole

OUTCOMES = frozenset({"verdict", "withheld", "refused", "not_comparable", "failed_to_serve"})
MATERIALITIES = frozenset(
    {
        "within_margin",
        "worse_than_margin",
        "better_than_margin",
        "not_worse_than_margin",
        "not_better_than_margin",
        "undecided",
    }
)
DIRECTIONS = frozenset({"regression_established", "improvement_established", "not_established"})


@dataclass(frozen=True, slots=True)
class Result:
    """A comparison of the memo with one assessment of it. seen: "" in the revision, "observed" afterwards."""

    comparison: Comparison
    assessment: AssessmentFacts
    seen: str

    @property
    def name(self) -> str:
        """How sentences call it: "C1 (output_throughput rate, observed)"."""
        return named(self.comparison, self.seen)

    @property
    def has_verdict(self) -> bool:
        return self.assessment.outcome == "verdict"

    @property
    def failed_to_serve(self) -> bool:
        return self.assessment.outcome == "failed_to_serve"


def named(comparison: Comparison, seen: str = "") -> str:
    """How sentences call a comparison: "C1 (output_throughput rate)"."""
    inside = f"{comparison.metric} {comparison.stat}" + (f", {seen}" if seen else "")
    return f"{comparison.key} ({inside})"


def metric_code(metric: str, stat: str) -> str:
    """How a waiver names a metric: "energy_per_request.value"."""
    return f"{metric}.{stat}"


@dataclass(frozen=True, slots=True)
class Case:
    """The facts and the decision kind that they are asked for."""

    facts: GateFacts
    kind: DecisionKind

    @property
    def content(self) -> MemoContent:
        return self.facts.content

    @property
    def asked(self) -> DecisionRules:
        """What the template asks of this decision; raises RuleError when it does not know the kind."""
        try:
            return self.facts.template.decisions[self.kind.value]
        except KeyError as error:
            raise RuleError(f"The template {self.facts.template.slug} says nothing of {self.kind.label}.") from error

    # Who

    @property
    def writer(self) -> str:
        return f"{self.facts.author} (author)"

    @property
    def attachers(self) -> str:
        """Who can attach evidence, by name."""
        names = self.facts.role_holders.get(StandingRole.CONTRIBUTOR.value, ())
        return listed([*(f"{name} (contributor)" for name in names), self.writer], last="or")

    def holders(self, role: str) -> tuple[str, ...]:
        return self.facts.role_holders.get(role, ())

    @property
    def contributors(self) -> frozenset[str]:
        """Everybody who wrote content of any revision; raises RuleError when nobody is on record."""
        if not self.facts.contributions:
            raise RuleError("Nobody is on record as contributor of this memo, so that independence cannot be shown.")
        return frozenset(c.name for c in self.facts.contributions) | {self.facts.author}

    # What was compared

    @property
    def metrics(self) -> frozenset[tuple[str, str]]:
        """(metric, stat) of everything that the memo names or compares."""
        failing = {(m.metric, m.stat) for m in self.content.symptom.failing_metrics if m.metric and m.stat}
        return frozenset(failing | {(c.metric, c.stat) for c in self.comparisons if not _is_screening(c)})

    @property
    def template_metrics(self) -> Mapping[tuple[str, str], TemplateMetric]:
        return {(m.metric, m.stat): m for m in self.facts.template.metrics}

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        return self.content.comparisons.comparisons

    @property
    def claimed(self) -> tuple[Comparison, ...]:
        """The comparisons that claim an effect: all but those that say why they have none, and screenings."""
        return tuple(c for c in self.comparisons if not _is_screening(c) and (c.assessment or not c.absent_reason))

    @property
    def judged(self) -> tuple[Comparison, ...]:
        """What the decision goes by: a fix check takes the place of earlier looks at the same metric and slice."""
        return deciding(self.claimed)

    def assessment_of(self, comparison: Comparison) -> AssessmentFacts | None:
        """Its assessment, None while there is none; raises RuleError for one that is unknown or says unknown words."""
        if not comparison.assessment:
            return None
        found = self.facts.assessments.get(comparison.assessment)
        if found is None:
            raise RuleError(f"The assessment of {named(comparison)} is not in the store.")
        return _understood(found, comparison)

    def artifact(self, digest: str) -> ArtifactFacts:
        """A stored file; raises RuleError for one that is not in the store."""
        try:
            return self.facts.artifacts[digest]
        except KeyError as error:
            raise RuleError(f"The file {digest[:12]}, of which a number was computed, is not in the store.") from error

    def results(self, comparisons: tuple[Comparison, ...]) -> tuple[Result, ...]:
        """Those of the comparisons that have an assessment."""
        return tuple(Result(c, a, "") for c in comparisons if (a := self.assessment_of(c)) is not None)

    @property
    def observed(self) -> tuple[Result, ...]:
        """The assessments made since, but for screenings; raises RuleError for one of a comparison not in the memo."""
        by_key = {c.key: c for c in self.comparisons}
        found = []
        for seen in self.facts.observations:
            if seen.comparison not in by_key:
                raise RuleError(
                    f"An observation names the comparison {seen.comparison}, which this memo does not hold."
                )
            comparison = by_key[seen.comparison]
            if _is_screening(comparison):
                continue
            found.append(Result(comparison, _understood(seen.assessment, comparison), "observed"))
        return tuple(found)

    # How far

    @property
    def stage_percents(self) -> tuple[Fraction, ...]:
        """The scopes of the rollout's stages; raises RuleError for one that is no number."""
        return tuple(fraction(s.percent, "The scope of a rollout stage") for s in self.content.rollout.stages)

    @property
    def scope_percent(self) -> Fraction | None:
        """The scope that is decided: the requested one, or the rollout's greatest stage; None when neither is known."""
        if self.facts.requested_percent is not None:
            return self.facts.requested_percent
        return max(self.stage_percents, default=None)


def deciding(comparisons: Iterable[Comparison]) -> tuple[Comparison, ...]:
    """Those by which a decision goes: no recheck, and nothing whose metric and slice a fix check has taken over."""
    rows = tuple(comparisons)
    checked = {_about(c) for c in rows if c.purpose == Purpose.FIX_CHECK}
    return tuple(
        c for c in rows if c.purpose == Purpose.FIX_CHECK or (c.purpose != Purpose.RECHECK and _about(c) not in checked)
    )


def _is_screening(comparison: Comparison) -> bool:
    """Whether it only notes what a new run set has to confirm, and so neither supports nor harms."""
    return comparison.role == ComparisonRole.SCREENING


def _about(comparison: Comparison) -> tuple[str, str, str]:
    return comparison.metric, comparison.stat, comparison.slice


def _understood(assessment: AssessmentFacts, comparison: Comparison) -> AssessmentFacts:
    """The assessment, when every word that it says is known; raises RuleError otherwise."""
    words = [(assessment.outcome, OUTCOMES)]
    if assessment.outcome == "verdict":
        words += [(assessment.direction, DIRECTIONS), (assessment.materiality, MATERIALITIES)]
    for word, known in words:
        if word not in known:
            raise RuleError(f"The assessment of {named(comparison)} says “{word}”, which no rule knows.")
    return assessment
