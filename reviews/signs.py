"""A word, a shape and a tone for every answer that people must tell apart at a glance: pages and PDF.

The shape and the word say it without colour; the tone picks the colour. A value without a row here is an error,
so that no answer is ever shown without its sign.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from django.db.models import TextChoices

from reviews.vocabulary import (
    AuditState,
    JobState,
    ParseState,
    Position,
    RequirementState,
    Resolution,
    State,
    WaiverState,
)

Tone = Literal["good", "bad", "warn", "info", "quiet"]


@dataclass(frozen=True, slots=True)
class Sign:
    """`word` is what people read, `shape` one character, `tone` the colour of both."""

    word: str
    shape: str
    tone: Tone


def _signs(rows: Mapping[TextChoices, tuple[str, Tone]]) -> dict[str, Sign]:
    return {str(choice.value): Sign(str(choice.label), shape, tone) for choice, (shape, tone) in rows.items()}


_AUDIT = _signs(
    {
        AuditState.SAME: ("=", "good"),
        AuditState.DIFFERS_AS_DECLARED: ("◇", "info"),
        AuditState.DIFFERS: ("≠", "bad"),
        AuditState.NOT_RECORDED: ("?", "warn"),
    }
)

SIGNS: Final[Mapping[str, Mapping[str, Sign]]] = {
    "direction": {
        "regression_established": Sign("regression established", "▼", "bad"),
        "improvement_established": Sign("improvement established", "▲", "good"),
        "not_established": Sign("direction not established", "◇", "quiet"),
    },
    "replay": {
        "blocked": Sign("would be blocked", "✕", "bad"),
        "open": Sign("passes", "✓", "good"),
        "not_evaluable": Sign("cannot be evaluated", "?", "warn"),
    },
    "divergence": {
        "structure": Sign("the work parts in structure", "≠", "warn"),
        "work": Sign("the same names on other shapes", "◇", "warn"),
        "time": Sign("they part in time only", "◷", "info"),
        "none": Sign("nothing is shown to part", "○", "quiet"),
    },
    "materiality": {
        "within_margin": Sign("within the margin", "■", "good"),
        "worse_than_margin": Sign("worse than the margin", "▼", "bad"),
        "better_than_margin": Sign("better than the margin", "▲", "good"),
        "not_worse_than_margin": Sign("not worse than the margin", "△", "good"),
        "not_better_than_margin": Sign("not better than the margin", "▽", "warn"),
        "undecided": Sign("undecided", "◇", "warn"),
    },
    "outcome": {
        "verdict": Sign("verdict given", "●", "info"),
        "withheld": Sign("verdict withheld", "◇", "warn"),
        "refused": Sign("refused", "✕", "bad"),
        "not_comparable": Sign("not comparable", "≠", "bad"),
        "failed_to_serve": Sign("failed to serve", "▼", "bad"),
    },
    "judgement": {
        "supported": Sign("supported", "✓", "good"),
        "refuted": Sign("refuted", "✕", "bad"),
        "inconclusive": Sign("inconclusive", "◇", "warn"),
        "not_comparable": Sign("not comparable", "≠", "quiet"),
        "refused": Sign("refused", "–", "warn"),
    },
    "answer": {
        "continue": Sign("continue", "▷", "good"),
        "hold": Sign("hold", "◇", "warn"),
        "abort": Sign("abort", "✕", "bad"),
    },
    "balance": {
        "balanced": Sign("as intended", "=", "good"),
        "mismatch": Sign("another split", "≠", "bad"),
        "not_recorded": Sign("not recorded", "?", "warn"),
    },
    "standing": {
        "as_the_base": Sign("as the base", "■", "good"),
        "moved": Sign("beyond the margin", "▼", "bad"),
        "undecided": Sign("undecided", "◇", "warn"),
        "waiting": Sign("waiting", "○", "quiet"),
    },
    "step": {
        "answered": Sign("answered by records", "✓", "good"),
        "partly": Sign("partly answered", "◐", "warn"),
        "open": Sign("open", "○", "quiet"),
        "marked": Sign("marked by a person", "◆", "info"),
    },
    "passes": {
        "yes": Sign("passes", "✓", "good"),
        "no": Sign("does not pass", "✕", "warn"),
    },
    "noted": {
        "yes": Sign("noted", "◆", "info"),
        "no": Sign("not noted", "–", "quiet"),
    },
    "allowed": {
        "yes": Sign("allowed", "✓", "good"),
        "no": Sign("not allowed yet", "✕", "bad"),
        "elsewhere": Sign("not from this state", "–", "quiet"),
    },
    "audit": _AUDIT,
    "requirement": _signs(
        {
            RequirementState.MET: ("✓", "good"),
            RequirementState.UNMET: ("✕", "bad"),
            RequirementState.WAIVED: ("◆", "warn"),
            RequirementState.ERROR: ("!", "bad"),
            RequirementState.NOT_APPLICABLE: ("–", "quiet"),
        }
    ),
    "state": _signs(
        {
            State.DRAFT: ("○", "quiet"),
            State.IN_REVIEW: ("◇", "info"),
            State.ROLLING_OUT: ("▷", "warn"),
            State.ESCALATED: ("!", "warn"),
            State.SHIPPED: ("▲", "good"),
            State.ROLLED_BACK: ("▼", "bad"),
            State.CLOSED: ("■", "quiet"),
            State.WITHDRAWN: ("–", "quiet"),
        }
    ),
    "position": _signs(
        {
            Position.APPROVE: ("✓", "good"),
            Position.APPROVE_WITH_CONDITIONS: ("◆", "warn"),
            Position.OBJECT: ("✕", "bad"),
            Position.ABSTAIN: ("○", "quiet"),
            Position.RECUSE: ("–", "quiet"),
        }
    ),
    "resolution": _signs(
        {
            Resolution.SUPPORTED: ("✓", "good"),
            Resolution.REFUTED: ("✕", "bad"),
            Resolution.OPEN: ("◇", "warn"),
        }
    ),
    "waiver": _signs(
        {
            WaiverState.REQUESTED: ("◇", "info"),
            WaiverState.APPROVED: ("◆", "warn"),
            WaiverState.DECLINED: ("✕", "quiet"),
        }
    ),
    "parse": _signs(
        {
            ParseState.PARSED: ("✓", "good"),
            ParseState.REFUSED: ("✕", "bad"),
            ParseState.UNRECOGNISED: ("○", "quiet"),
        }
    ),
    "job": _signs(
        {
            JobState.WAITING: ("○", "quiet"),
            JobState.RUNNING: ("▷", "info"),
            JobState.DONE: ("✓", "good"),
            JobState.FAILED: ("✕", "bad"),
            JobState.CANCELLED: ("–", "quiet"),
        }
    ),
}


def sign_of(kind: str, value: str) -> Sign:
    """The sign of `value` among the answers of `kind` (a key of SIGNS). Raises KeyError for an unknown one."""
    return SIGNS[kind][value]
