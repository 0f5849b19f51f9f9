"""The gate, as one table: which rule stands before which decision.

A rule is a function of the case; its name is its code everywhere. It is required, only shown, or not asked for a
decision; where it is waivable, a waiver in force closes the gap that it names, "<rule>:<subject>". What a rule
cannot judge is an error, and blocks. docs/gate.md says the same in words.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from reviews.policies import rules_evidence as evidence
from reviews.policies import rules_rollout as rollout
from reviews.policies import rules_signoff as signoff
from reviews.policies import rules_sufficiency as sufficiency
from reviews.policies import rules_symptom as symptom
from reviews.policies import rules_verdict as verdict
from reviews.policies import waivers
from reviews.policies.answers import Answer, Gap, Met, NotApplicable, Requirement
from reviews.policies.case import Case
from reviews.policies.facts import GateFacts, RuleError
from reviews.template_content import TemplateContent
from reviews.vocabulary import DecisionKind, RequirementState

RULES_VERSION: Final = "2"
REQUIRED, SHOWN, NOT_ASKED, WAIVABLE = "●", "○", "·", "◇"
COLUMNS: Final = (DecisionKind.SHIP, DecisionKind.BOUNDED, DecisionKind.ROLLBACK, DecisionKind.ESCALATE)


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of the table. about: evidence or people. since: the rule set in which it stands first.

    marks: one per decision (● required, ○ only shown, · not asked), then whether its named gaps may be waived (◇).
    """

    judge: Callable[[Case], Answer]
    marks: str
    about: str
    since: str = "1"

    @property
    def name(self) -> str:
        return self.judge.__name__

    @property
    def waivable(self) -> bool:
        return self.marks.endswith(WAIVABLE)

    def mark(self, kind: DecisionKind) -> str:
        """Its mark for a decision."""
        return self.marks.split()[COLUMNS.index(kind)]


# fmt: off
EVIDENCE, PEOPLE = "evidence", "people"

RULES: Final = (
    #                                            ship, bounded, rollback, escalate; ◇
    Rule(symptom.the_symptom_is_complete,                      "● ● ● ● ◇", EVIDENCE),
    Rule(symptom.a_primary_hypothesis_is_stated,               "● ● ○ ○ ·", EVIDENCE),
    Rule(symptom.a_competing_hypothesis_is_stated,             "● ● ○ ○ ·", EVIDENCE),
    Rule(symptom.every_hypothesis_is_resolved,                 "● ○ · · ·", EVIDENCE),
    Rule(symptom.predictions_are_judged_in_order,              "○ ○ · · ·", EVIDENCE),
    Rule(evidence.every_claimed_effect_has_an_interval,        "● ● ○ · ·", EVIDENCE),
    Rule(evidence.both_arms_did_the_same_work,                 "● ● ○ · ·", EVIDENCE),
    Rule(evidence.every_started_run_is_accounted_for,          "● ● · · ◇", EVIDENCE),
    Rule(evidence.required_artifacts_are_attached,             "● ● ● ○ ◇", EVIDENCE),
    Rule(sufficiency.evidence_is_fresh,                        "● ● ○ · ◇", EVIDENCE, since="2"),
    Rule(sufficiency.samples_are_large_enough,                 "● ● ○ · ◇", EVIDENCE, since="2"),
    Rule(sufficiency.intervals_come_from_this_evidence,        "● ● ○ · ·", EVIDENCE, since="2"),
    Rule(verdict.the_primary_metric_supports_it,               "● ○ ● · ·", EVIDENCE),
    Rule(verdict.no_harm_is_established,                       "· ● · · ·", EVIDENCE),
    Rule(verdict.every_guardrail_is_not_worse,                 "● · · · ·", EVIDENCE),
    Rule(verdict.quality_is_not_worse,                         "● ● · · ◇", EVIDENCE),
    Rule(evidence.evidence_reaches_the_scope,                  "● · · · ·", EVIDENCE),
    Rule(signoff.required_owners_are_named,                    "● ● ● ○ ·", PEOPLE),
    Rule(signoff.required_owners_have_signed,                  "● ● ● · ·", PEOPLE),
    Rule(signoff.nobody_objects,                               "● ● ○ · ·", PEOPLE),
    Rule(signoff.the_quorum_is_met,                            "● ● ● · ·", PEOPLE),
    Rule(signoff.signers_are_independent,                      "● ● ● · ·", PEOPLE),
    Rule(signoff.the_decider_is_independent,                   "● ● ○ ● ·", PEOPLE),
    Rule(rollout.the_action_is_reversible,                     "● ● ● · ·", PEOPLE),
    Rule(rollout.the_rollout_is_bounded,                       "· ● · · ·", PEOPLE),
    Rule(rollout.the_escalation_is_addressed,                  "· · · ● ·", PEOPLE),
    Rule(signoff.follow_ups_are_not_overdue,                   "● ○ · · ·", PEOPLE),
    Rule(verdict.cumulative_change_is_within_budget,           "● ○ · · ◇", EVIDENCE),
)
# fmt: on

ABOUT_EVIDENCE: Final = frozenset(rule.name for rule in RULES if rule.about == EVIDENCE)

RULE_SETS: Final[Mapping[str, tuple[Rule, ...]]] = {
    version: tuple(rule for rule in RULES if rule.since <= version) for version in ("1", RULES_VERSION)
}


def rules_of(template: TemplateContent) -> tuple[Rule, ...]:
    """The rules that a version of a template asks: those of its rule set, with the marks that it raises.

    Of a rule set that is not known here, those of the newest one.
    """
    known = RULE_SETS.get(template.rules_version, RULES)
    return tuple(replace(rule, marks=template.rules.get(rule.name, rule.marks)) for rule in known)


def evaluate(facts: GateFacts, kind: DecisionKind) -> tuple[Requirement, ...]:
    """Every requirement of the decision, in the order of the table; a rule with several gaps has a line for each."""
    version = facts.template.rules_version
    case = Case(facts, kind)
    asked = [rule for rule in rules_of(facts.template) if rule.mark(kind) != NOT_ASKED]
    if version in RULE_SETS:
        return tuple(line for rule in asked for line in _lines(rule, case))
    said = f"The memo is pinned to the rule set {version}, and only {', '.join(RULE_SETS)} is known here."
    return tuple(_line(rule, case, RequirementState.ERROR, Gap(said, "an administrator", "", "")) for rule in asked)


def missing(requirements: Iterable[Requirement]) -> tuple[Requirement, ...]:
    """The lines that block."""
    return tuple(line for line in requirements if line.blocks)


def is_open(requirements: Iterable[Requirement]) -> bool:
    """Whether the decision may be recorded; no requirement at all is not a pass."""
    lines = tuple(requirements)
    return bool(lines) and not missing(lines)


def can_be_waived(code: str, template: TemplateContent) -> bool:
    """Whether a waiver may name this code: "<rule>:<subject>", with a rule of the template's that is marked ◇."""
    rule, _, subject = code.partition(":")
    return bool(subject.strip()) and any(row.name == rule and row.waivable for row in rules_of(template))


def _lines(rule: Rule, case: Case) -> Iterator[Requirement]:
    answer: Answer | RuleError
    try:
        answer = rule.judge(case)
    except RuleError as error:
        answer = error
    if isinstance(answer, tuple) and answer:
        yield from (_gap_line(rule, case, gap) for gap in answer)
    else:
        state, sentence = _whole(rule, answer)
        yield _line(rule, case, state, Gap(sentence, "", "", ""))


def _whole(rule: Rule, answer: Answer | RuleError) -> tuple[RequirementState, str]:
    """State and sentence of an answer without gaps."""
    match answer:
        case RuleError():
            return RequirementState.ERROR, str(answer)
        case NotApplicable(sentence):
            return RequirementState.NOT_APPLICABLE, sentence
        case Met(sentence):
            return RequirementState.MET, sentence
    return RequirementState.MET, f"{rule.name.replace('_', ' ').capitalize()}."


def _gap_line(rule: Rule, case: Case, gap: Gap) -> Requirement:
    waiver = waivers.in_force(case.facts, f"{rule.name}:{gap.subject}") if rule.waivable and gap.subject else None
    if waiver is None:
        return _line(rule, case, RequirementState.UNMET, gap)
    until = waiver.expires_at.date().isoformat()
    told = f"Waived until {until} by {waiver.approved_by} for {waiver.owner}: {waiver.reason}"
    return _line(rule, case, RequirementState.WAIVED, replace(gap, sentence=f"{gap.sentence} {told}"))


def _line(rule: Rule, case: Case, state: RequirementState, gap: Gap) -> Requirement:
    return Requirement(
        rule=rule.name,
        code=f"{rule.name}:{gap.subject}" if gap.subject else rule.name,
        state=state,
        sentence=gap.sentence,
        who=gap.who,
        where=gap.where,
        required=rule.mark(case.kind) == REQUIRED,
        waivable=rule.waivable and bool(gap.subject),
        rules_version=case.facts.template.rules_version,
    )
