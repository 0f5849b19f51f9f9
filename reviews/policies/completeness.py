"""What a memo has to say before it can be submitted: what its text asks for. The gate asks for more, and again."""

from collections.abc import Iterator
from operator import attrgetter
from typing import Final

from reviews.errors import Missing
from reviews.sections import Hypothesis, MemoContent, Unfilled
from reviews.vocabulary import HypothesisRank, Intent, MechanismClass, RiskKind

# A change that was planned, or hardware that is being qualified, has no layer that fails first.
WITHOUT_A_FAILURE: Final = (Intent.PLANNED_CHANGE, Intent.QUALIFICATION)
# What only the board fills in, at the end.
LEFT_TO_THE_BOARD: Final = "signoff.final_decision"
RANKS: Final = {f"hypotheses.{rank.value}": rank for rank in HypothesisRank}


def missing(content: MemoContent, author: str) -> tuple[Missing, ...]:
    """Everything that submitting asks for and the memo does not say, by field; empty when it can be submitted."""
    found = dict(lacks(content))
    for left in placeholders(content):
        found.setdefault(left.field, placeholder_sentence(left))
    return tuple(Missing(field, said, f"{author} (author)", section_of(field)) for field, said in found.items())


def placeholders(content: MemoContent) -> tuple[Unfilled, ...]:
    """The placeholders of the pasted text whose field is still blank."""
    asked = [left for left in content.header.unfilled if left.field != LEFT_TO_THE_BOARD]
    return tuple(left for left in asked if is_blank(content, left.field))


def placeholder_sentence(left: Unfilled) -> str:
    """How a placeholder is named: "symptom.workload_slice is a placeholder still: the text wants <name>."."""
    return f"{left.field} is a placeholder still: the text wants {left.wanted}."


def section_of(field: str) -> str:
    """Where a field is filled, relative to the memo's page."""
    return f"#{field.partition('.')[0]}"


def is_blank(content: MemoContent, field: str) -> bool:
    """Whether the field says nothing; one that does not exist stays blank, because nobody can have filled it."""
    if field in RANKS:
        return not stated(content, RANKS[field])
    if field == "action.risks":
        return bool(unanswered_risks(content))
    if field == "hypotheses.predictions":
        return not any(h.predictions for h in content.hypotheses.hypotheses)
    try:
        value = attrgetter(field)(content)
    except AttributeError:
        return True
    return not value.strip() if isinstance(value, str) else bool(value == type(value)())


def stated(content: MemoContent, rank: HypothesisRank) -> tuple[Hypothesis, ...]:
    """The hypotheses of that rank that say something and name a known class of mechanism."""
    return tuple(
        h
        for h in content.hypotheses.hypotheses
        if h.rank == rank and h.statement.strip() and h.mechanism in MechanismClass.values
    )


def unanswered_risks(content: MemoContent) -> tuple[RiskKind, ...]:
    """The regression risks that lack how they were checked, or the result."""
    answered = {risk.kind for risk in content.action.risks if risk.checked.strip() and risk.result.strip()}
    return tuple(kind for kind in RiskKind if kind.value not in answered)


def lacks(content: MemoContent) -> Iterator[tuple[str, str]]:
    """(field, sentence) of everything that a complete memo says and this one does not."""
    if not content.header.title.strip():
        yield "header.title", "The memo has no title."
    yield from symptom_lacks(content)
    if not stated(content, HypothesisRank.PRIMARY):
        yield "hypotheses.primary", "No primary hypothesis is stated with the class of its mechanism."
    if content.header.intent != Intent.PLANNED_CHANGE and not stated(content, HypothesisRank.COMPETING):
        yield "hypotheses.competing", "No competing hypothesis is stated with the class of its mechanism."
    if is_blank(content, "action.smallest_reversible_change"):
        yield "action.smallest_reversible_change", "The action names no smallest reversible change."
    if not content.action.expected and is_blank(content, "action.expected_movement"):
        yield "action.expected_movement", "The action says no movement that it expects."


def symptom_lacks(content: MemoContent) -> Iterator[tuple[str, str]]:
    """(field, sentence) of everything that a complete symptom says and this one does not."""
    symptom = content.symptom
    if not symptom.failing_metrics:
        yield "symptom.failing_metrics", "The symptom names no failing metric."
    for metric in symptom.failing_metrics:
        if not (metric.metric and metric.stat):
            yield f"symptom.failing_metrics.{metric.said}", f"“{metric.said}” can mean several metrics: choose one."
    if is_blank(content, "symptom.workload_slice"):
        yield "symptom.workload_slice", "The symptom names no workload or traffic slice."
    if content.header.intent not in WITHOUT_A_FAILURE and is_blank(content, "symptom.first_failing_layer"):
        yield "symptom.first_failing_layer", "The symptom names no first failing layer or stage."
    if is_blank(content, "symptom.build_tags"):
        yield "symptom.build_tags", "The symptom names no compiler, firmware, runtime or hardware."
