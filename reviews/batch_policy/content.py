"""The curve pack as one JSON document: what the gate reads, and all that stands behind it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from analysis.batch_charts import next_run, typical
from analysis.batch_region import PointState
from analysis.batch_sweep import BatchSweep, SweepPoint
from analysis.interactivity import Interactivity
from analysis.sweep_numbers import Quantity
from reviews.batch_policy.report import Compared, PolicyReport

KIND: Final = "batch_policy_curve_pack"
VERSION: Final = 2
DIGITS: Final = 9
COVERED: Final = ("throughput", "p99", "power")
METHOD: Final = (
    "Per point: the typical run is the geometric mean; the bound of the next run is the one-sided 95 % prediction "
    "bound, Student t on logarithms of run values; a quantile of a run is taken at rank ceil((N+1)p). A limit is "
    "met when the bound of the next run keeps it, broken when even the one-sided 95 % bound of the typical run does "
    "not, else undetermined."
)


def document(report: PolicyReport, sources: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The pack of a report. sources: (name, SHA-256) of the files that the runs came from."""
    sweep = report.sweep
    known = {one.name for one in sweep.quantities}
    states = {point.label: point for point in report.region.points} if report.region else {}
    return {
        "kind": KIND,
        "version": VERSION,
        "varied": sweep.varied,
        "in_flight": sweep.in_flight,
        "scope": "the placement that was measured",
        "method": METHOD,
        "covers": [name for name in COVERED if name in known],
        "does_not_cover": [name for name in COVERED if name not in known],
        "offered_per_s": None if sweep.offered is None else written(sweep.offered),
        "limits": _limits(report),
        "points": [_point(sweep, point, states.get(point.label)) for point in sweep.points],
        "notices": [{"code": notice.code, "sentence": notice.sentence} for notice in sweep.notices],
        "front": plain(report.front),
        "interactivity": plain(_interactivity(report.interactivity)),
        "fit": plain(report.fit),
        "efficiency": plain(report.efficiency),
        "policy_table": plain(report.table),
        "refusals": plain(report.refusals),
        "sources": [{"file": name, "sha256": digest} for name, digest in sources],
    }


def text_of(pack: Mapping[str, Any]) -> str:
    """The document as text: the same report gives the same bytes."""
    return json.dumps(pack, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def written(value: float) -> str:
    """A number as decimal text, exactly as it is held."""
    return repr(float(value))


def derived(value: float | None) -> str | None:
    """A number that was computed, to nine digits: what is beyond depends on the machine."""
    return None if value is None else written(float(f"{value:.{DIGITS}g}"))


def plain(value: object) -> Any:
    """A part of a report as JSON values, its numbers to nine digits."""
    return _rounded(msgspec.to_builtins(value))


def _rounded(value: object) -> object:
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def _interactivity(found: Interactivity | None) -> dict[str, Any] | None:
    """The two rates of each point, in which the front is told."""
    if found is None:
        return None
    return {"per_user": found.per_user, "devices": found.devices, "front": msgspec.to_builtins(found.front)}


def _limits(report: PolicyReport) -> list[dict[str, str]]:
    if report.region is None:
        return []
    rows = []
    for limit in report.region.limits:
        quantity = report.sweep.quantity(limit.quantity)
        side = "at_least" if quantity.better == "higher" else "at_most"
        rows.append({"quantity": limit.quantity, side: written(limit.value), "unit": quantity.unit})
    return rows


def _point(sweep: BatchSweep, point: SweepPoint, state: PointState | None) -> dict[str, Any]:
    known = {one.name for one in sweep.quantities}
    row: dict[str, Any] = {"at": point.label, "runs": [run.label for run in point.runs if not run.failed]}
    row |= {one.name: _curve(point, one) for one in sweep.quantities}
    if "power" not in known:
        row["power"] = {"reason": "no run measured it"}
    row["region"] = state.state if state else None
    row["answers"] = [
        {
            "quantity": answer.quantity,
            "answer": answer.answer,
            "bound": derived(answer.bound),
            "reason": answer.refusal.message if answer.refusal else "",
        }
        for answer in (state.answers if state else ())
    ]
    return row


def _curve(point: SweepPoint, quantity: Quantity) -> dict[str, Any]:
    """Only values from which something may be concluded are run values; where there are none, why."""
    values, problem = point.values(quantity.name), point.problem(quantity.name)
    middle, bound = typical(point, quantity.name), next_run(point, quantity)
    return {
        "metric": quantity.metric,
        "stat": quantity.stat,
        "unit": quantity.unit,
        "runs": [written(value) for value in values],
        "typical_run": derived(middle),
        "next_run_bound_95": derived(bound),
        "reason": problem.message if problem else "",
    }


def as_json(found: Compared | PolicyReport, sources: Mapping[str, Sequence[tuple[str, str]]]) -> dict[str, Any]:
    """What the command and the API print: the document of each arm, and the difference of the regions."""
    if isinstance(found, PolicyReport):
        return document(found, sources["baseline"])
    return {
        "baseline": document(found.baseline, sources["baseline"]),
        "candidate": document(found.candidate, sources["candidate"]),
        "change": plain(found.change),
    }
