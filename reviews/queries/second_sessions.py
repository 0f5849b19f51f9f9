"""Whether another session of the memo establishes the same stage: a replay or a recheck, on runs of its own."""

from collections.abc import Iterable, Iterator
from typing import Final

from analysis import restored
from analysis.localise import Localisation, established_again
from analysis.parts import StagesAnswer
from analysis.results import AssessmentResult
from reviews.models import Memo
from reviews.sections import Comparison
from reviews.vocabulary import Purpose

AGAIN: Final = (Purpose.REPLAY, Purpose.RECHECK)


def second_sessions(
    memo: Memo, rows: Iterable[Comparison], row: Comparison, result: AssessmentResult
) -> tuple[str, ...]:
    """A sentence for each other session on the same metric; one query, and none where nothing is localised here."""
    if result.stages is None or not result.stages.found:
        return ()
    others = {one.assessment: one for one in rows if _is_second(one, row)}
    known = memo.assessments.filter(digest__in=others).order_by("comparison") if others else ()
    return tuple(_sentences(result.stages, [(others[a.digest], restored.from_json(a.result)) for a in known]))


def _is_second(other: Comparison, row: Comparison) -> bool:
    """Whether the other comparison is of the same number, on another set, and one of the two repeats."""
    same = (other.metric, other.stat) == (row.metric, row.stat) and other.key != row.key
    apart = bool(other.assessment) and other.evidence_set != row.evidence_set
    return same and apart and bool({other.purpose, row.purpose} & set(AGAIN))


def _sentences(ours: StagesAnswer, others: Iterable[tuple[Comparison, AssessmentResult]]) -> Iterator[str]:
    for other, result in others:
        name = f"{other.key} ({Purpose(other.purpose).label})"
        theirs = result.stages
        if theirs is None:
            yield f"{name} records no stages, so it does not repeat where the difference begins."
        elif established_again(_located(ours), _located(theirs)):
            yield f"{name} establishes divergence at {ours.found[-1]} again, on runs of its own."
        elif theirs.found:
            yield f"{name} establishes divergence at {theirs.found[-1]}, and not at {ours.found[-1]}."
        else:
            yield f"{name} does not localise: divergence at {ours.found[-1]} is not established again."


def _located(answer: StagesAnswer) -> Localisation:
    return Localisation(answer.found, answer.sentence)
