"""Counters of runs: the mechanism that they speak for, and the time as work, cycles per work and clock."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from analysis.counter_values import SOURCES, Rows, Work, values_of, work_of, work_or_why
from analysis.decompose import RunTime, decompose_time
from analysis.design import too_few_for_verdict
from analysis.errors import Refused
from analysis.inputs import ARMS, AssessmentRequest, ComparisonPlan
from analysis.mechanism import Counter, Mechanisms, classify_mechanism, counter_of
from analysis.notices import as_value, named
from analysis.part_effects import CONSTANT, Layout, Values, basis_of, part_of, require_declared_look, split_answer
from analysis.parts import Absent, Basis, MechanismsAnswer, PartEffect, SplitAnswer
from analysis.procedures import Spread
from analysis.series import cut_in_words, cuts
from analysis.table import Table

OF: Final = "work, cycles and clock"
COUNTED: Final = "flops_per_work"
"""The one counter that a program fixes: alike in all runs of an arm, it is known exactly."""


@dataclass(frozen=True, slots=True)
class _Counters:
    """What the runs hold: counters by name, each with its value by run; and why others cannot be used."""

    values: Mapping[str, Values]
    absent: Mapping[str, str]
    work: str


def answer(request: AssessmentRequest, rows: Rows, layout: Layout) -> MechanismsAnswer:
    """What the counters of these rows speak for, or why that cannot be said."""
    try:
        return _answer(request, rows, layout)
    except Refused as refused:
        margin = float(layout.plan.counter_margin)
        return MechanismsAnswer("", margin, (), (), (), None, refused.message, None, as_value(refused))


def _answer(request: AssessmentRequest, rows: Rows, layout: Layout) -> MechanismsAnswer:
    require_declared_look(layout.plan)
    held = _counters(request, rows, layout)
    changes = {name: layout.change(values, SOURCES[name].scale) for name, values in held.values.items()}
    few = too_few_for_verdict(layout.design, layout.points)
    if few:
        raise Refused("too_few_for_verdict", few, "Add runs.")
    still = {name: CONSTANT for name, (_, spread) in changes.items() if spread is None and name != COUNTED}
    counters = {
        name: _counter(name, *change, layout.plan, counters=len(changes))
        for name, change in changes.items()
        if name not in still
    }
    found = classify_mechanism(counters.values())
    absent = {**dict.fromkeys(SOURCES, "not recorded"), **held.absent, **still}
    return MechanismsAnswer(
        work=held.work,
        margin=float(layout.plan.counter_margin),
        counters=tuple(_part(counter, *changes[name]) for name, counter in counters.items()),
        absent=tuple(Absent(name, why) for name, why in absent.items() if name not in counters),
        answers=found.answers,
        dominant=found.dominant,
        sentence=said_of(found),
        basis=_basis(layout, changes, held.work),
        refusal=None,
    )


def _counter(name: str, centre: float, spread: Spread | None, plan: ComparisonPlan, *, counters: int) -> Counter:
    movement = float(plan.counter_margin)
    margin = math.log1p(movement) if SOURCES[name].scale == "ratio" else movement
    if spread is None:
        return Counter(name, (centre, centre), (centre, centre), margin)
    return counter_of(name, spread, counters=counters, margin=margin, confidence=plan.level)


def _part(counter: Counter, centre: float, spread: Spread | None) -> PartEffect:
    scale = SOURCES[counter.name].scale
    ends, equal = (None, None) if spread is None else (counter.simultaneous, counter.ordinary)
    return part_of(counter.name, centre, ends, equal, scale=scale, unit="1")


def said_of(found: Mechanisms) -> str:
    """What the counters say together, in a sentence."""
    supported = [answer.mechanism for answer in found.answers if answer.answer == "supported"]
    if found.dominant is not None:
        return f"The counters are consistent with {found.dominant}, and with no other mechanism of the table."
    if supported:
        return f"The counters are consistent with {' and '.join(supported)}: none is dominant."
    return "The counters support no mechanism of the table."


def _basis(layout: Layout, changes: Mapping[str, tuple[float, Spread | None]], work: str) -> Basis | None:
    spreads = [spread for _, spread in changes.values()]
    per = f", per {work}" if work else ""
    estimand = (
        f"ratio of typical (geometric-mean) run counters{per}, and difference of mean shares, candidate against "
        "baseline, over the whole measured run"
    )
    basis = basis_of(layout, spreads, scale="ratio", estimand=estimand, together=len(changes))
    if basis is None:
        return None
    said = (*basis.assumptions, "shares are roughly normal", "the cause is one of the table")
    return replace(basis, method=f"{basis.method}, shares as differences", assumptions=said)


def _counters(request: AssessmentRequest, rows: Rows, layout: Layout) -> _Counters:
    values: dict[str, Values] = {}
    absent: dict[str, Refused] = {}
    work: Work | Refused | None = None
    for name, source in SOURCES.items():
        if source.metric not in rows:
            continue
        try:
            if source.per_work and work is None:
                work = work_or_why(request, layout)
            values[name] = values_of(rows[source.metric], source, layout, work if source.per_work else None)
        except Refused as refused:
            absent[name] = refused
    if not values:
        raise _no_counters(absent)
    why = {name: f"{refused.message} {refused.needs}" for name, refused in absent.items()}
    return _Counters(values, why, work.name if isinstance(work, Work) else "")


def _no_counters(absent: Mapping[str, Refused]) -> Refused:
    """Every reason once, with the counters that it is of, and every way out once."""
    names: dict[str, list[str]] = {}
    for name, refused in absent.items():
        names.setdefault(refused.message, []).append(name)
    said = " ".join(f"{named(of)}: {message}" for message, of in names.items())
    needs = dict.fromkeys(refused.needs for refused in absent.values())
    return Refused("no_counters", f"No counter can be used. {said}", " ".join(needs))


def time_split(request: AssessmentRequest, cycles: Mapping[str, Table], layout: Layout) -> SplitAnswer:
    """The ratio of the time as work, cycles per work and clock, or why not. cycles: their rows by run."""
    try:
        return _time_split(request, cycles, layout)
    except Refused as refused:
        return SplitAnswer(OF, None, (), refused.message, None, as_value(refused))


def _time_split(request: AssessmentRequest, rows: Mapping[str, Table], layout: Layout) -> SplitAnswer:
    require_declared_look(layout.plan)
    _require_whole_time(layout)
    work = work_of(request, layout)
    cycles = values_of(rows, SOURCES["cycles_per_work"], layout, None)
    seconds = {point.label: point.value or 0.0 for point in layout.points}
    found = decompose_time(
        *([RunTime(seconds[x], work.of_run[x], cycles[x]) for x in layout.labels[arm]] for arm in ARMS),
        change=layout.change_in_order,
    )
    clock = replace(found.parts[-1], name="1 / clock")
    estimand = (
        f"ratio of typical (geometric-mean) run {layout.plan.metric} as factors: work in {work.name}, cycles per work, "
        "and seconds per cycle, candidate over baseline"
    )
    return split_answer(OF, replace(found, parts=(*found.parts[:-1], clock)), layout, estimand)


def _require_whole_time(layout: Layout) -> None:
    plan = layout.plan
    unit = layout.points[0].unit
    if unit != "s":
        raise Refused("not_a_time", f"{plan.metric} is in {unit}, not in s.", "Compare the time of the whole run.")
    if cuts(plan):
        raise Refused(
            "not_the_whole_time",
            f"{plan.metric} after a warmup of {cut_in_words(plan)} is not the time in which the cycles were counted.",
            "Compare the time of the whole run, without a warmup.",
        )
    if plan.stat not in ("value", "total") and any(point.n_inner != 1 for point in layout.points):
        raise Refused(
            "not_the_whole_time",
            f"The {plan.stat} of {plan.metric} is of one step among many, and the cycles were counted over all.",
            f"Compare the total of {plan.metric}, or the time of the whole run.",
        )
