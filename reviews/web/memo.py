"""The page of a memo: the whole case, and the gate always in sight."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from reviews.policies.answers import Requirement
from reviews.policies.preview import Outlook
from reviews.queries import people
from reviews.queries.memo_page import HypothesisRow, MemoPage, changed_since, memo_page
from reviews.queries.next_measurement import next_of
from reviews.vocabulary import Action, SectionName
from reviews.web.door import actor_of, number_of
from reviews.web.forms.hypotheses import Resolve
from reviews.web.guesses import guess_in
from reviews.web.places import GateLine, gate_line

DECIDES: Final = frozenset({Action.SHIP, Action.ROLL_OUT, Action.ROLL_BACK, Action.ESCALATE, Action.EMERGENCY_ROLLBACK})
LINKS: Final[tuple[tuple[str, str, frozenset[Action]], ...]] = (
    ("Sign", "sign", frozenset({Action.SIGN})),
    ("Decide", "decide", DECIDES),
    ("Rollout", "rollout", frozenset({Action.ADVANCE_STAGE})),
    ("Evidence", "evidence", frozenset({Action.OPEN_SET, Action.ATTACH, Action.SEAL})),
    ("Waivers", "waivers", frozenset({Action.WAIVE})),
)
SECTIONS: Final = tuple(
    (name.value, title)
    for name, title in (
        (SectionName.SYMPTOM, "Symptom"),
        (SectionName.CHANGE, "Change"),
        (SectionName.HYPOTHESES, "Hypotheses"),
        (SectionName.EVIDENCE, "Evidence"),
        (SectionName.COMPARISONS, "Comparisons"),
        (SectionName.ACTION, "Proposed action"),
        (SectionName.ROLLOUT, "Rollout"),
        (SectionName.SIGNOFF, "Signoff"),
    )
)


@dataclass(frozen=True, slots=True)
class GateOfKind:
    """One decision in the gate's panel. lines are split by whether they block; shown: those that were waived."""

    kind: str
    label: str
    allowed: bool
    why_not_here: str
    evidence_supports: bool
    opened: bool
    blocking: tuple[GateLine, ...]
    waived: tuple[GateLine, ...]
    others: tuple[GateLine, ...]


@require_safe
def memo(request: HttpRequest, number: str) -> HttpResponse:
    """The page; `?since=<revision>` also shows what changed since that one.

    `?guess=<percent>` is the standard error of measurements of which the memo knows none.
    """
    actor = actor_of(request)
    page = memo_page(actor, people.memo_for(actor, number))
    since = request.GET.get("since", "")
    earlier = number_of(since, "since")
    changed = changed_since(page, earlier) if earlier is not None else None
    guess = guess_in(request.GET.get("guess", ""))
    context = {
        "page": page,
        "next": next_of(page.facts.content, page.facts.template, page.compared, guess),
        "memo": page.memo,
        "content": page.facts.content,
        "template": page.facts.template,
        "gates": _gates(page),
        "sections": SECTIONS,
        "hypotheses": _hypotheses(page),
        "may": {action.value: True for action in page.allowed},
        "links": _links(page),
        "since": since,
        "changed": changed,
    }
    return render(request, "reviews/memo.html", context)


def _hypotheses(page: MemoPage) -> list[tuple[HypothesisRow, Resolve | None]]:
    """Each hypothesis with the form that resolves it, None for somebody who may not."""
    may = SectionName.HYPOTHESES in page.edits
    return [(row, Resolve(auto_id=f"{row.hypothesis.key}-%s") if may else None) for row in page.hypotheses]


def _links(page: MemoPage) -> list[tuple[str, str]]:
    """(words, address) of the pages on which the person can act now."""
    return [(words, reverse(name, args=[page.memo.number])) for words, name, actions in LINKS if actions & page.allowed]


def _gates(page: MemoPage) -> tuple[GateOfKind, ...]:
    """The four decisions; the one that the evidence supports is open."""
    opened = page.preview.supported or page.preview.outlooks[0].kind
    return tuple(_gate(page.memo.number, outlook, opened=outlook.kind is opened) for outlook in page.preview.outlooks)


def _gate(number: str, outlook: Outlook, *, opened: bool) -> GateOfKind:
    rest = [line for line in outlook.requirements if line not in outlook.blockers]
    return GateOfKind(
        kind=outlook.kind.value,
        label=str(outlook.kind.label),
        allowed=outlook.allowed,
        why_not_here=outlook.why_not_here,
        evidence_supports=outlook.evidence_supports,
        opened=opened,
        blocking=_lines(number, outlook.blockers),
        waived=_lines(number, (line for line in rest if line.state == "waived")),
        others=_lines(number, (line for line in rest if line.state != "waived")),
    )


def _lines(number: str, lines: Iterable[Requirement]) -> tuple[GateLine, ...]:
    return tuple(gate_line(number, line) for line in lines)
