"""What would settle each verdict and judgement that is still open: the cheapest first, with the runs that it takes."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from analysis.claims import ConfidenceInterval
from analysis.errors import Refused
from analysis.planning import MOST_RUNS, runs_for_power
from analysis.results import AssessmentResult
from reviews.policies import numbers
from reviews.sections import Comparison, Hypothesis, Prediction

POWER: Final = 0.8
OPEN: Final = "not_better_than_margin"


@dataclass(frozen=True, slots=True)
class Unsettled:
    """Something open in a comparison. about: the verdict, or a prediction ("P1 of H1"). needs: what settles it."""

    comparison: str
    about: str
    said: str
    needs: tuple[str, ...]


def settles(result: AssessmentResult) -> tuple[str, ...]:
    """What would settle the verdict, the cheapest first; empty when it is given."""
    blocking = [row.sentence for row in result.audit if row.blocks]
    if result.refusal is not None:
        return tuple(dict.fromkeys([*blocking, *([] if blocking else [result.refusal.needs])]))
    if result.verdict is None:
        return ()
    if result.verdict.materiality == "undecided":
        return (result.verdict.headline.removeprefix("Not established: ").capitalize() + ".",)
    if result.verdict.materiality == OPEN and result.interval is not None:
        distance = abs(result.interval.centre) - margin_distance(result)
        return (_runs_said(result.interval, distance, "that tells whether it reaches the margin"),)
    return ()


def unsettled(
    rows: Sequence[Comparison], results: Mapping[str, AssessmentResult], hypotheses: Sequence[Hypothesis]
) -> tuple[Unsettled, ...]:
    """Every open verdict, and every inconclusive judgement of a prediction. results: by the key of the comparison."""
    predictions = {(h.key, p.key): p for h in hypotheses for p in h.predictions}
    return tuple(one for row in rows for one in _of(row, results.get(row.key), predictions))


def _of(
    row: Comparison, result: AssessmentResult | None, predictions: Mapping[tuple[str, str], Prediction]
) -> Iterator[Unsettled]:
    if result is None:
        if not row.absent_reason:
            yield Unsettled(row.key, "verdict", "It is not computed yet.", ("Attach the runs of both arms, and seal.",))
        return
    needs = settles(result)
    if needs:
        said = result.verdict.headline if result.verdict is not None else result.outcome.replace("_", " ")
        yield Unsettled(row.key, "verdict", f"{said[0].upper()}{said[1:]}.", needs)
    for judged in result.judgements:
        if judged.outcome == "inconclusive":
            known = predictions.get((judged.hypothesis, judged.key))
            wanted = _inside(result, known) if known is not None else ""
            yield Unsettled(
                row.key, f"{judged.key} of {judged.hypothesis}", judged.sentence, (wanted,) if wanted else ()
            )


def _inside(result: AssessmentResult, predicted: Prediction) -> str:
    """The runs that put the interval on one side of the nearer predicted end, if the effect is as estimated."""
    if result.interval is None:
        return ""
    ends = [numbers.fraction(said, "an end") for said in (predicted.low, predicted.high) if said]
    if result.interval.frame.scale == "ratio":
        distances = [abs(result.interval.centre - math.log(end)) for end in ends if end > 0]
    else:
        distances = [abs(result.interval.centre - float(end)) for end in ends]
    return _runs_said(result.interval, min(distances, default=0.0), "that tells whether the prediction holds")


def _runs_said(interval: ConfidenceInterval, distance: float, what: str) -> str:
    try:
        runs = runs_for_power(POWER, effect=abs(distance), sd=sd_of(interval), confidence=interval.confidence)
    except Refused:
        return f"More than {MOST_RUNS} runs of each arm: a run set {what} is out of reach."
    return f"A run set of about {runs} runs of each arm {what} with a chance of 80 %, if the effect is as estimated."


def sd_of(interval: ConfidenceInterval) -> float:
    """The spread of runs behind an interval, on the scale where effects add, as if the arms were independent."""
    return interval.se * math.sqrt(interval.units / 2)


def margin_distance(result: AssessmentResult) -> float:
    """How far the margin is from no effect, on the scale where effects add."""
    margin = float(result.plan.margin)
    return abs(math.log(margin)) if result.plan.scale == "ratio" else abs(margin)
