"""Predictions that were registered before the runs, judged by the interval of the comparison.

"Supported" means consistent and inside; several rivals may be supported at once. A prediction that was not
registered before the first run started is post hoc: it can be refuted, and never counts as support.
"""

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from analysis.claims import ConfidenceInterval, WidenedInterval
from analysis.errors import Refused
from analysis.inputs import LabelledRun, Predicted
from analysis.margin import Margin
from analysis.notices import Notice, named

Outcome = Literal["supported", "refuted", "inconclusive", "not_comparable", "refused"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the comparison says of one prediction. code: why, when it is refused or not comparable."""

    key: str
    hypothesis: str
    outcome: Outcome
    post_hoc: bool
    code: str
    sentence: str


def check(predicted: Predicted, margin: Margin) -> None:
    """Passes when the prediction excludes something of interest.

    Raises:
        Refused: unfalsifiable, reversed.
    """
    low, high = _ends(predicted, margin)
    if low is not None and high is not None and low > high:
        raise Refused("reversed", "The prediction's low end is above its high end.", "Give the low end first.")
    ends = sorted(margin.oriented(margin.worse, margin.best))
    if (low is None or low <= ends[0]) and (high is None or high >= ends[1]):
        raise Refused(
            "unfalsifiable",
            "The prediction covers the margin on both sides, so no result could refute it.",
            "Predict an interval that leaves out what a rival would predict.",
        )


def _ends(predicted: Predicted, margin: Margin) -> tuple[Fraction | None, Fraction | None]:
    """The predicted ends; a ratio of 0 or less is an open low end."""
    low = predicted.low
    return (None if margin.scale == "ratio" and low is not None and low <= 0 else low), predicted.high


def is_post_hoc(predicted: Predicted, runs: Collection[LabelledRun]) -> bool:
    """Whether it is not shown that the prediction was registered before the first run started."""
    starts = [run.run.started_ns for run in runs]
    known = [start for start in starts if start is not None]
    return (
        predicted.registered_ns is None
        or len(known) < len(starts)
        or not known
        or predicted.registered_ns >= min(known)
    )


def judge(
    predicted: Predicted,
    interval: ConfidenceInterval | WidenedInterval | None,
    margin: Margin,
    *,
    post_hoc: bool,
    absent: tuple[Outcome, str],
) -> Judgement:
    """The judgement of one prediction by the interval of its comparison, on the native scale.

    Args:
        absent: outcome and code to give when there is no interval.
    """
    try:
        check(predicted, margin)
    except Refused as refused:
        return Judgement(predicted.key, predicted.hypothesis, "refused", post_hoc, refused.code, str(refused))
    if interval is None:
        outcome, code = absent
        return Judgement(
            predicted.key, predicted.hypothesis, outcome, post_hoc, code, "There is no interval to judge by."
        )
    outcome, sentence = _compare(predicted, interval, margin)
    if outcome == "supported" and post_hoc:
        outcome, sentence = "inconclusive", "Inside the prediction, but it is post hoc, and never counts as support."
    return Judgement(predicted.key, predicted.hypothesis, outcome, post_hoc, "", sentence)


def _compare(
    predicted: Predicted, interval: ConfidenceInterval | WidenedInterval, margin: Margin
) -> tuple[Outcome, str]:
    low, high = _ends(predicted, margin)
    lo, hi = Fraction(interval.lo), Fraction(interval.hi)
    if (low is not None and hi < low) or (high is not None and lo > high):
        return "refuted", "The interval lies outside the prediction."
    if (low is None or low <= lo) and (high is None or hi <= high):
        return "supported", "The interval lies inside the prediction."
    return "inconclusive", "The interval lies partly inside the prediction."


def judge_all(
    predictions: Collection[Predicted],
    runs: Collection[LabelledRun],
    interval: ConfidenceInterval | WidenedInterval | None,
    margin: Margin,
    *,
    absent: tuple[Outcome, str],
) -> tuple[Judgement, ...]:
    """The judgements of the predictions, in the order of their keys."""
    return tuple(
        judge(predicted, interval, margin, post_hoc=is_post_hoc(predicted, runs), absent=absent)
        for predicted in sorted(predictions, key=lambda p: p.key)
    )


def judged_elsewhere(predictions: Collection[Predicted], metric: str, stat: str) -> tuple[Notice, ...]:
    """A notice that names the predictions of other metrics, which this comparison does not judge."""
    others = sorted(p.key for p in predictions if (p.metric, p.stat) != (metric, stat))
    if not others:
        return ()
    return (Notice("predictions_elsewhere", f"Not judged here, because of another metric: {named(others)}."),)
