"""Hypotheses against measurements: what each predicts, what was seen, and how it was judged."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from analysis.results import AssessmentResult
from reviews.queries.comparisons import Compared
from reviews.queries.intervals import in_numbers
from reviews.queries.next_measurement import NextOfMemo, NextRow
from reviews.sections import Hypothesis, Prediction

Measurement = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a comparison judged a prediction."""

    comparison: str
    outcome: str
    post_hoc: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """What one hypothesis predicts for one measurement; no predictions where it predicts nothing."""

    hypothesis: str
    predictions: tuple[Prediction, ...]
    judged: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One measurement. ranked: its place among those that could come next, None when nothing is left to tell.

    observed: (comparison, interval in numbers) of the comparisons that judged a prediction of it.
    """

    metric: str
    stat: str
    condition: str
    cells: tuple[Cell, ...]
    observed: tuple[tuple[str, str], ...]
    ranked: NextRow | None


@dataclass(frozen=True, slots=True)
class Matrix:
    """Every hypothesis against every measurement of which one of them predicts something, the next one first."""

    hypotheses: tuple[Hypothesis, ...]
    lines: tuple[Line, ...]


def matrix(
    hypotheses: Sequence[Hypothesis],
    compared: Sequence[Compared],
    results: Mapping[str, AssessmentResult],
    following: NextOfMemo,
) -> Matrix:
    """The matrix; measurements in the order of the ranking, then those that are left."""
    known = {(row.metric, row.stat, row.condition): row for row in following.rows}
    named = dict.fromkeys([*known, *(_measurement(p) for h in hypotheses for p in h.predictions)])
    judged = _judged(results)
    numbers = {one.row.key: in_numbers(one.result) for one in compared if one.result}
    return Matrix(tuple(hypotheses), tuple(_line(what, hypotheses, judged, numbers, known.get(what)) for what in named))


def _measurement(one: Prediction) -> Measurement:
    return one.metric, one.stat, one.condition


def _judged(results: Mapping[str, AssessmentResult]) -> Mapping[tuple[str, str], tuple[Verdict, ...]]:
    found: dict[tuple[str, str], tuple[Verdict, ...]] = {}
    for key, result in sorted(results.items()):
        for one in result.judgements:
            at = (one.hypothesis, one.key)
            found[at] = (*found.get(at, ()), Verdict(key, one.outcome, one.post_hoc))
    return found


def _line(
    what: Measurement,
    hypotheses: Iterable[Hypothesis],
    judged: Mapping[tuple[str, str], tuple[Verdict, ...]],
    numbers: Mapping[str, str],
    ranked: NextRow | None,
) -> Line:
    cells = tuple(_cell(what, hypothesis, judged) for hypothesis in hypotheses)
    seen = sorted({one.comparison for cell in cells for one in cell.judged} & set(numbers))
    return Line(*what, cells, tuple((key, numbers[key]) for key in seen), ranked)


def _cell(what: Measurement, hypothesis: Hypothesis, judged: Mapping[tuple[str, str], tuple[Verdict, ...]]) -> Cell:
    mine = tuple(p for p in hypothesis.predictions if _measurement(p) == what)
    return Cell(hypothesis.key, mine, tuple(one for p in mine for one in judged.get((hypothesis.key, p.key), ())))
