"""What a memo could measure next: what its open hypotheses predict, with what its own comparisons know of the noise.

One measurement for each metric, stat and condition of which an open hypothesis predicts a ratio. Nothing here is
evidence, and nothing is stored.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from analysis.errors import Refused
from analysis.exact import nearest_float, parse_exact, plain_decimal
from analysis.next_measurement import Next, Planned, RankedBy, Rival, next_measurement
from reviews.models import Memo
from reviews.queries import comparisons, records
from reviews.queries.comparisons import Compared
from reviews.sections import Hypothesis, MemoContent, Prediction
from reviews.template_content import TemplateContent, template_from_json
from reviews.vocabulary import Resolution

RESOLVED: Final = (Resolution.SUPPORTED, Resolution.REFUTED)
GUESS: Final = Fraction(1, 100)
NANOSECONDS: Final = 60 * 10**9

Ends = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class NextRow:
    """A measurement in its place. known_by: the comparison whose interval gave the standard error, "" for a guess.

    timed_by: the comparison whose runs gave the minutes, "" when they are not known.
    """

    metric: str
    stat: str
    condition: str
    found: Next
    known_by: str
    timed_by: str


@dataclass(frozen=True, slots=True)
class NextOfMemo:
    """The ranking of a memo's measurements. hypotheses: those that are open. rows: when empty, `why_not` says why.

    left_out: sentences on what could not be used, and on what the memo could settle before. guess: as a share.
    """

    hypotheses: tuple[str, ...]
    rows: tuple[NextRow, ...]
    ranked_by: RankedBy
    guess: Fraction
    left_out: tuple[str, ...]
    why_not: str

    @property
    def concerns(self) -> bool:
        """Whether several hypotheses are open, so that it is worth showing."""
        return len(self.hypotheses) > 1

    @property
    def guessed(self) -> bool:
        """Whether any standard error is a guess."""
        return any(not row.known_by for row in self.rows)

    @property
    def guess_percent(self) -> str:
        """The guess as somebody types it: "1.5"."""
        return plain_decimal(100 * self.guess, significant=7)


@dataclass(frozen=True, slots=True)
class _Measured:
    """What the memo's comparisons know of a metric and stat; None for what they do not know."""

    se: float | None
    known_by: str
    minutes: float | None
    timed_by: str


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A measurement for which somebody predicts a ratio."""

    metric: str
    stat: str
    condition: str
    predictions: Mapping[str, Ends]
    measured: _Measured

    def planned(self, name: str, guess: Fraction) -> Planned:
        """It under a name of its own, with the guess where the memo knows no standard error."""
        se = self.measured.se
        return Planned(name, float(guess) if se is None else se, self.measured.minutes, self.predictions)


def next_of_memo(memo: Memo, guess: Fraction) -> NextOfMemo:
    """What the memo could measure next, as its current revision stands; two queries."""
    content = records.content_of(memo)
    template = template_from_json(memo.template_version.content)
    return next_of(content, template, comparisons.compared(memo, content), guess)


def next_of(
    content: MemoContent, template: TemplateContent, compared: Sequence[Compared], guess: Fraction
) -> NextOfMemo:
    """What to measure next. guess: the standard error of a measurement of which the memo knows none."""
    rivals = [h for h in content.hypotheses.hypotheses if h.resolution.state not in RESOLVED]
    said = [*_refuted(rivals, compared)]
    candidates = list(_candidates(rivals, _scales(template, compared), compared, said))
    keys = tuple(sorted(h.key for h in rivals))
    why_not = _why_not(keys, candidates)
    if why_not:
        return NextOfMemo(keys, (), "bits", guess, tuple(said), why_not)
    named = {f"{at:04}": one for at, one in enumerate(candidates)}
    planned = [one.planned(name, guess) for name, one in named.items()]
    try:
        ranking = next_measurement([Rival(key, None) for key in keys], planned)
    except Refused as refused:
        return NextOfMemo(keys, (), "bits", guess, tuple(said), str(refused))
    rows = tuple(_row(named[found.name], found) for found in ranking.rows)
    return NextOfMemo(keys, rows, ranking.ranked_by, guess, tuple(said), "")


def _why_not(rivals: Sequence[str], candidates: Sequence[_Candidate]) -> str:
    if len(rivals) < 2:
        return "Fewer than two hypotheses are open, so there is nothing to tell apart."
    return "" if candidates else "No open hypothesis predicts a ratio that can be used."


def _row(one: _Candidate, found: Next) -> NextRow:
    return NextRow(one.metric, one.stat, one.condition, found, one.measured.known_by, one.measured.timed_by)


def _refuted(rivals: Iterable[Hypothesis], compared: Iterable[Compared]) -> Iterator[str]:
    """Open hypotheses of which a comparison refutes a prediction: they would leave the ranking once resolved."""
    open_ones = {h.key for h in rivals}
    seen = {
        (judged["hypothesis"], one.row.key)
        for one in compared
        for judged in (one.result or {}).get("judgements", ())
        if judged["outcome"] == "refuted" and judged["hypothesis"] in open_ones
    }
    for hypothesis, comparison in sorted(seen):
        yield f"{comparison} refutes a prediction of {hypothesis}, which still counts here because it is not resolved."


def _scales(template: TemplateContent, compared: Iterable[Compared]) -> Mapping[tuple[str, str], str]:
    """On which scale a metric and stat are compared: as the memo's comparisons say, else as the template does."""
    rows = {(one.row.metric, one.row.stat): one.row.scale for one in compared if one.row.scale}
    return {**{(m.metric, m.stat): m.scale for m in template.metrics}, **rows}


def _candidates(
    rivals: Iterable[Hypothesis],
    scales: Mapping[tuple[str, str], str],
    compared: Sequence[Compared],
    said: list[str],
) -> Iterator[_Candidate]:
    """The measurements, in the order of their names; what cannot be used is added to `said`."""
    grouped: dict[tuple[str, str, str], dict[str, list[Prediction]]] = {}
    for hypothesis in rivals:
        for row in hypothesis.predictions:
            place = (row.metric, row.stat, " ".join(row.condition.split()))
            grouped.setdefault(place, {}).setdefault(hypothesis.key, []).append(row)
    for (metric, stat, condition), by_hypothesis in sorted(grouped.items()):
        scale = scales.get((metric, stat), "ratio")
        if scale != "ratio":
            said.append(f"{metric} {stat} is compared as a {scale}, and only ratios are ranked.")
            continue
        predictions = dict(_ends(by_hypothesis, f"{metric} {stat}", said))
        if any(ends != (None, None) for ends in predictions.values()):
            yield _Candidate(metric, stat, condition, predictions, _measured(metric, stat, compared))


def _ends(by_hypothesis: Mapping[str, Sequence[Prediction]], what: str, said: list[str]) -> Iterator[tuple[str, Ends]]:
    """The ratio that each hypothesis predicts: where it predicts several, the one inside all of them."""
    for hypothesis, rows in by_hypothesis.items():
        lows = [number for row in rows if (number := _number(row.low)) is not None and number > 0]
        highs = [number for row in rows if (number := _number(row.high)) is not None]
        low, high = max(lows, default=None), min(highs, default=None)
        if high is not None and (high <= 0 or (low is not None and high < low)):
            said.append(f"The predictions of {hypothesis} for {what} leave no ratio; it counts as predicting nothing.")
        else:
            yield hypothesis, (low, high)


def _number(text: str) -> float | None:
    return nearest_float(parse_exact(text)) if text else None


def _measured(metric: str, stat: str, compared: Sequence[Compared]) -> _Measured:
    """The greatest standard error of the memo's intervals for the metric and stat, and the longest session of runs."""
    mine = [(one.row.key, one.result) for one in compared if one.result and _is_of(one, metric, stat)]
    errors = [
        (float(result["interval"]["se"]), key)
        for key, result in mine
        if result["interval"] and result["interval"]["scale"] == "ratio"
    ]
    times = [(minutes, key) for key, result in mine if (minutes := minutes_of(result)) is not None]
    se, known_by = max(errors, default=(None, ""))
    minutes, timed_by = max(times, default=(None, ""))
    return _Measured(se, known_by, minutes, timed_by)


def _is_of(one: Compared, metric: str, stat: str) -> bool:
    return (one.row.metric, one.row.stat) == (metric, stat)


def minutes_of(result: Mapping[str, Any]) -> float | None:
    """How long the runs took, from their starts: from the first to the last, and one run more at the same pace."""
    starts = [int(run["started_ns"]) for run in result["runs"] if run["started_ns"] is not None]
    if len(starts) < max(2, len(result["runs"])) or min(starts) == max(starts):
        return None
    return (max(starts) - min(starts)) * len(starts) / (len(starts) - 1) / NANOSECONDS
