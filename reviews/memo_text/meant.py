"""What a text itself says that its words for metrics mean: the rows "Metric meant"."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from reviews.memo_text.findings import Source
from reviews.memo_text.metrics import Lexicon
from reviews.memo_text.placeholders import says_none
from reviews.memo_text.reader import Field, Part
from reviews.memo_text.text import fold
from reviews.sections import FailingMetric

METRICS_MEANT: Final = "symptom.failing_metrics"
METRIC_CELLS: Final = ("metric", "stat", "when")
MOST_ROWS: Final = 50
LONGEST_WORDS: Final = 120


@dataclass(frozen=True, slots=True)
class MeantRow:
    """A row. says_when: whether it has the cell "when", be it empty."""

    metric: FailingMetric
    says_when: bool
    line: int


@dataclass(frozen=True, slots=True)
class Meant:
    """The rows of a text. alone: a row says "none", so that the sentence of the symptom adds no metric of its own."""

    rows: tuple[MeantRow, ...]
    alone: bool


def meant_of(source: Source) -> Meant:
    """The rows "Metric meant" of the text."""
    parts = source.rows(METRICS_MEANT)
    rows = [_row(source, found, part) for found, part in parts if not says_none(part.text)]
    return Meant(
        rows=tuple(row for row in rows if row.metric.said or row.metric.metric),
        alone=any(says_none(part.text) for _, part in parts),
    )


def _row(source: Source, found: Field, part: Part) -> MeantRow:
    row, findings = source.row(found, part.text, METRIC_CELLS), source.findings
    metric = FailingMetric(
        said=findings.value(METRICS_MEANT, row.first),
        metric=findings.value(METRICS_MEANT, row.get("metric")),
        stat=findings.value(METRICS_MEANT, row.get("stat")),
        condition=findings.value(METRICS_MEANT, row.get("when")),
    )
    return MeantRow(metric, "when" in row.cells, part.line)


def lexicon_of_text(source: Source, lexicon: Lexicon) -> Lexicon:
    """The template's names for metrics, and before them the meanings that the text gives to its own words.

    The first MOST_ROWS rows count, with words of up to LONGEST_WORDS characters; a note names a row that does not.
    """
    rows = [row for row in meant_of(source).rows if row.metric.said and row.metric.metric]
    heard = [row for row in rows[:MOST_ROWS] if len(row.metric.said) <= LONGEST_WORDS]
    if deaf := next((row for row in rows if row not in heard), None):
        source.findings.note(
            deaf.line,
            f'This row "Metric meant" is not looked up in other sentences: the first {MOST_ROWS} are, '
            f"with words of up to {LONGEST_WORDS} characters.",
        )
    return lexicon.taught((row.metric.said, row.metric.metric, row.metric.stat) for row in heard)


def resolved(stated: Sequence[FailingMetric], rows: Sequence[MeantRow]) -> tuple[FailingMetric, ...]:
    """The metrics of a sentence, each as the row that speaks of it says, then the rows that speak of none of them.

    A row speaks of a metric by its words and condition, else by its words, else by metric and stat.
    """
    answers: dict[int, MeantRow] = {}
    free = list(rows)
    for key in (_words_and_condition, _words, _metric_and_stat):
        free = _answer(stated, free, key, answers)
    said = [_answered(metric, answers.get(place)) for place, metric in enumerate(stated)]
    return (*said, *(row.metric for row in free))


Key = Callable[[FailingMetric], tuple[str, ...]]


def _answer(
    stated: Sequence[FailingMetric], rows: Iterable[MeantRow], key: Key, answers: dict[int, MeantRow]
) -> list[MeantRow]:
    """Fills `answers` (by place in `stated`) with rows of the same key and returns the rows that are left, in order."""
    waiting: dict[tuple[str, ...], deque[int]] = defaultdict(deque)
    for place, metric in enumerate(stated):
        if place not in answers and key(metric):
            waiting[key(metric)].append(place)
    left = []
    for row in rows:
        if places := waiting.get(key(row.metric)):
            answers[places.popleft()] = row
        else:
            left.append(row)
    return left


def _words_and_condition(metric: FailingMetric) -> tuple[str, ...]:
    return (fold(metric.said), fold(metric.condition)) if metric.condition else ()


def _words(metric: FailingMetric) -> tuple[str, ...]:
    return (fold(metric.said),)


def _metric_and_stat(metric: FailingMetric) -> tuple[str, ...]:
    return (metric.metric, metric.stat) if metric.metric else ()


def _answered(stated: FailingMetric, row: MeantRow | None) -> FailingMetric:
    """What the row says; a condition that it does not speak of is the sentence's."""
    if row is None:
        return stated
    return row.metric if row.says_when else replace(row.metric, condition=stated.condition)
