"""Fairness across the streams of runs: from their readings, as JSON, and in sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from analysis import canonical
from analysis.errors import Refused
from analysis.fairness import Fairness, FairnessChange, Range, Streams, fairness_change, fairness_of
from analysis.inputs import Better, ComparisonPlan, LabelledRun
from analysis.run_values import stage_value, stages_of
from reviews import printing

NO_VERDICT = "No margin is declared for fairness, so this is no verdict."


@dataclass(frozen=True, slots=True)
class FairnessWish:
    """What is looked at: the streams are the stages of the metric. warmup: steps cut from the start of every run."""

    metric: str
    stat: str
    better: Better
    warmup: int
    confidence: float


@dataclass(frozen=True, slots=True)
class FairnessReport:
    """What the runs show. candidate, change: None without a candidate."""

    wish: FairnessWish
    baseline: Fairness
    candidate: Fairness | None
    change: FairnessChange | None


def report_of(wish: FairnessWish, baseline: Sequence[LabelledRun], candidate: Sequence[LabelledRun]) -> FairnessReport:
    """The report. Raises Refused: as `fairness_of`, `fairness_change` and `stage_value`."""
    first = fairness_of(_streams(wish, baseline), better=wish.better, confidence=wish.confidence)
    if not candidate:
        return FairnessReport(wish, first, None, None)
    second = fairness_of(_streams(wish, candidate), better=wish.better, confidence=wish.confidence)
    return FairnessReport(wish, first, second, fairness_change(first, second, confidence=wish.confidence))


def metric_of(runs: Sequence[LabelledRun], asked: str) -> str:
    """The metric that is asked for, or the only one with several streams.

    Raises:
        Refused: no_streams, metric_not_chosen.
    """
    tables = [run.reading.of_run(run.run.key) for run in runs]
    found = sorted(
        {m for table in tables for m in table.distinct("metric") if len(stages_of(table.only(metric=m))) > 1}
    )
    if asked in found or (len(found) == 1 and not asked):
        return asked or found[0]
    if not found:
        raise Refused(
            "no_streams",
            "No metric of these runs has a number for each of several streams.",
            "Measure the streams apart: one stage of a metric for each core, queue or tenant.",
        )
    raise Refused("metric_not_chosen", f"Metrics with several streams: {', '.join(found)}.", "Choose one of them.")


def _streams(wish: FairnessWish, runs: Sequence[LabelledRun]) -> list[Streams]:
    """By run, the value of each stream; runs that did not complete, or are excluded, are left out."""
    plan = _plan(wish)
    found: list[Streams] = []
    for run in runs:
        if run.run.status == "completed" and not run.excluded:
            rows = run.reading.of_run(run.run.key).only(metric=wish.metric)
            found.append({stage: stage_value(rows, plan, stage).value for stage in stages_of(rows)})
    return found


def _plan(wish: FairnessWish) -> ComparisonPlan:
    return ComparisonPlan(
        metric=wish.metric,
        stat=wish.stat,
        better=wish.better,
        scale="ratio",
        margin=Fraction(1),
        role="",
        varied=(),
        required=(),
        tolerances={},
        warmup_steps=wish.warmup,
        minimum_requests=0,
        hardware_varied=False,
        slo=None,
        match="same_requests",
        confidence=wish.confidence,
        looks=1,
        look=1,
    )


def as_json(report: FairnessReport) -> dict[str, object]:
    """All of it as JSON values."""
    return {
        "kind": "fairness",
        "metric": report.wish.metric,
        "stat": report.wish.stat,
        "confidence": report.wish.confidence,
        "baseline": canonical.as_json(report.baseline),
        "candidate": canonical.as_json(report.candidate),
        "change": canonical.as_json(report.change),
    }


def lines(report: FairnessReport) -> Iterator[str]:
    """Plain sentences."""
    wish = report.wish
    yield f"Fairness of {wish.metric} {wish.stat} over {len(report.baseline.streams)} streams, {wish.better} is better."
    yield from _arm("baseline" if report.candidate else "runs", report.baseline, wish)
    if report.candidate is not None and report.change is not None:
        yield from _arm("candidate", report.candidate, wish)
        spread, worst = report.change.spread, report.change.worst
        yield f"Change of the spread of streams, below 0 is fairer: {_range(spread)}."
        yield f"Worst stream, candidate over baseline: {_range(worst)}."
        yield NO_VERDICT


def _arm(name: str, found: Fairness, wish: FairnessWish) -> Iterator[str]:
    level = printing.confidence(wish.confidence)
    runs = printing.plural(len(found.runs), "run")
    yield f"{name.capitalize()}, {runs}: Jain's index {_range(found.jain)} at {level} confidence."
    which = ", ".join(f"{stream} in {printing.plural(count, 'run')}" for stream, count in found.worst_streams)
    yield f"  Worst stream over the mean of the streams: {_range(found.worst)}; it is {which}."


def _range(found: Range) -> str:
    return f"{printing.significant(found.estimate)} ({printing.range_of(found.low, found.high)})"
