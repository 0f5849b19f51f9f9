"""A version of a template asked of the past: which decided memos it would have blocked, and what became of those."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from reviews.policies import gate
from reviews.policies.facts import GateFacts
from reviews.template_content import TemplateContent
from reviews.vocabulary import DecisionKind

BLOCKED, OPEN, NOT_EVALUABLE = "blocked", "open", "not_evaluable"
OUTCOMES: Final = (BLOCKED, OPEN, NOT_EVALUABLE)
CUMULATIVE: Final = "cumulative_change_is_within_budget"
OTHER_MARGIN: Final = (
    "What changes added up to was judged then by another margin of {}; the intervals of that day are not in its record."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """A decision that was recorded. facts: as they were frozen with it; None when `why_not` says why there are none.

    later: what became of it, in sentences: rolled back, an emergency, evidence recalled.
    """

    memo: str
    title: str
    decision: int
    kind: str
    decided_on: str
    dossier: str
    facts: GateFacts | None
    why_not: str
    later: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lacking:
    """A requirement that would have been missing."""

    code: str
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What the new version says of one decision. missing: of a blocked one; why_not: of one not evaluable."""

    memo: str
    title: str
    decision: int
    kind: str
    decided_on: str
    dossier: str
    outcome: str
    missing: tuple[Lacking, ...]
    why_not: str
    later: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many decisions were replayed. overturned: of those blocked, the ones that something came of later."""

    decided: int
    blocked: int
    overturned: int
    open: int
    not_evaluable: int

    @property
    def sentence(self) -> str:
        """The counts in one sentence; what cannot be evaluated passes nowhere."""
        if not self.decided:
            return "No memo of this template was decided yet, so there is nothing to replay."
        return (
            f"Of {self.decided} decision(s), this version would have blocked {self.blocked}, of which "
            f"{self.overturned} were later rolled back or recalled; it would have let {self.open} through; "
            f"{self.not_evaluable} cannot be evaluated, and are counted with neither."
        )


def replay(past: Iterable[Past], content: TemplateContent) -> tuple[Replayed, ...]:
    """Each decision under this version of the template."""
    return tuple(_replayed(one, content) for one in past)


def counts(rows: Iterable[Replayed]) -> Counts:
    """How many of them were what."""
    found = tuple(rows)
    of = {outcome: [row for row in found if row.outcome == outcome] for outcome in OUTCOMES}
    return Counts(
        decided=len(found),
        blocked=len(of[BLOCKED]),
        overturned=sum(bool(row.later) for row in of[BLOCKED]),
        open=len(of[OPEN]),
        not_evaluable=len(of[NOT_EVALUABLE]),
    )


def _replayed(one: Past, content: TemplateContent) -> Replayed:
    missing: tuple[Lacking, ...] = ()
    outcome, why_not = NOT_EVALUABLE, one.why_not
    if one.facts is not None:
        lines = gate.missing(gate.evaluate(replace(one.facts, template=content), DecisionKind(one.kind)))
        other = _other_margin(one.facts, content)
        if other:  # the answer of that rule was frozen under the margin of then
            lines = tuple(line for line in lines if line.code.partition(":")[0] != CUMULATIVE)
        missing = tuple(Lacking(code=line.code, sentence=line.sentence) for line in lines)
        why_not = OTHER_MARGIN.format(other) if other and not missing else ""
        outcome = BLOCKED if missing else NOT_EVALUABLE if why_not else OPEN
    return Replayed(
        memo=one.memo,
        title=one.title,
        decision=one.decision,
        kind=one.kind,
        decided_on=one.decided_on,
        dossier=one.dossier,
        outcome=outcome,
        missing=missing,
        why_not=why_not,
        later=one.later,
    )


def _other_margin(facts: GateFacts, content: TemplateContent) -> str:
    """A metric whose changes were added up under another margin than this version has; "" for none."""
    then, now = ({(row.metric, row.stat): row.margin for row in of.metrics} for of in (facts.template, content))
    added_up = facts.reference.budgets if facts.reference else ()
    differ = (row for row in added_up if then.get((row.metric, row.stat)) != now.get((row.metric, row.stat)))
    return next((f"{row.metric} {row.stat}" for row in differ), "")
