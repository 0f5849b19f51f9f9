"""Fairness across the streams of a memo's runs, for pages and API."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from analysis.charts import Axis, ChartSpec, Column, IntervalBar, Role
from analysis.errors import Refused
from analysis.fairness import Fairness
from analysis.inputs import Better
from reviews.fairness import FairnessReport, FairnessWish, metric_of, report_of
from reviews.models import Memo
from reviews.services import batch_policy
from reviews.services.remembered import remembered

FIELDS: Final = ("set", "metric", "stat", "better", "warmup")
HEADS: Final = ("arm", "run", "Jain's index", "worst over mean", "worst stream")
CONFIDENCE: Final = 0.95
BETTER: Final = ("higher", "lower")


def look(memo: Memo, wish: Mapping[str, str]) -> FairnessReport:
    """The runs of the memo, or of one set: the baseline, and the candidate where there is one; an arm alone otherwise.

    Raises:
        Refused: not_a_number, unknown_better, and as `metric_of` and `report_of`.
    """
    given = {name: wish.get(name, "").strip() for name in FIELDS}
    better = given["better"] or BETTER[0]
    if better not in BETTER:
        raise Refused("unknown_better", f"{better!r} is no end of a metric.", "Choose higher or lower.")
    held = batch_policy.of_arms(batch_policy.held_by(memo, _whole(given["set"], "set")))
    warmup = _whole(given["warmup"], "warmup") or 0
    end: Better = "higher" if better == "higher" else "lower"
    return remembered("fairness", batch_policy.identity_of(held, **given), lambda: _look(held, given, end, warmup))


def _look(held: Sequence[batch_policy.Held], given: Mapping[str, str], better: Better, warmup: int) -> FairnessReport:
    runs = batch_policy.read(held)
    baseline, candidate = runs.of("baseline").runs, runs.of("candidate").runs
    asked = FairnessWish(
        metric=metric_of(runs.runs, given["metric"]),
        stat=given["stat"] or "mean",
        better=better,
        warmup=warmup,
        confidence=CONFIDENCE,
    )
    return report_of(asked, baseline or candidate, candidate if baseline else ())


def _whole(said: str, what: str) -> int | None:
    if said and not re.fullmatch(r"[0-9]{1,9}", said):
        raise Refused("not_a_number", f"{said!r} is no number of a {what}.", "Write a whole number.")
    return int(said) if said else None


def chart_of(report: FairnessReport) -> ChartSpec:
    """Jain's index of each arm with its interval, and a row for each run."""
    arms = [("baseline" if report.candidate else "runs", report.baseline)]
    if report.candidate is not None:
        arms.append(("candidate", report.candidate))
    ticks = tuple((float(at), name) for at, (name, _) in enumerate(arms))
    return ChartSpec(
        title="Jain's index of each arm",
        subtitle=f"{report.wish.metric} {report.wish.stat}, 1 when all streams are alike",
        x=Axis("Jain's index", "", log=False, ticks=()),
        y=Axis("", "", log=False, ticks=ticks),
        series=(),
        intervals=tuple(
            IntervalBar(name, float(at), found.jain.low, found.jain.high, found.jain.estimate, _role(name))
            for at, (name, found) in enumerate(arms)
        ),
        bands=(),
        marks=(),
        columns=tuple(Column(head, "") for head in HEADS),
        rows=tuple(row for name, found in arms for row in _rows(name, found)),
    )


def _role(name: str) -> Role:
    return "candidate" if name == "candidate" else "baseline"


def _rows(name: str, found: Fairness) -> list[tuple[str | int | float | None, ...]]:
    return [(name, at, one.jain, one.worst, one.worst_stream) for at, one in enumerate(found.runs, 1)]
