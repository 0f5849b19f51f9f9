"""Tail-latency drivers and the effects of a change on steps, as printed tables and sentences: no verdict, no cause."""

from collections.abc import Iterator
from typing import Final

from analysis.looking import Change, Changes, Typical
from analysis.notices import Refusal
from analysis.parts import Basis, PartEffect
from analysis.quantile import fewest_requests
from analysis.step_effects import P95, TAIL, StepEffects, StepNumber
from analysis.tail_drivers import ArmDrivers, Edge, TailDrivers
from reviews import printing
from reviews.breakdowns import PrintedTable, Row

ASSOCIATION: Final = (
    "An excess says what goes together with slowness in these runs. It is an association: no number here names a cause."
)
LISTED: Final = 12
FEWEST_STEPS: Final = fewest_requests(TAIL)


def graph_table(found: TailDrivers) -> PrintedTable:
    """Every edge of the graph of each arm."""
    heads = ("edge", "arm", "mean of all", "mean of the slowest", "excess", "interval", "share of the excess")
    rows = [_edge(arm, edge) for arm in found.arms for edge in (arm.whole, *arm.edges)]
    return PrintedTable(heads, tuple(rows))


def graph_lines(found: TailDrivers) -> Iterator[str]:
    """What the graph rests on, edge by edge, and what changes."""
    percent = printing.percent(found.share)
    for arm in found.arms:
        runs = printing.plural(len(arm.runs), "run")
        units = printing.plural(arm.units, found.unit)
        yield (
            f"{arm.arm.capitalize()}, {runs} with {units}: the slowest {percent} of each run, at least"
            f" {printing.plural(arm.fewest, found.unit)}, against all of it."
        )
        yield from (_edge_said(edge) for edge in (arm.whole, *arm.edges))
    if found.left_out:
        yield f"Left out, without a time of single requests or steps: {_listed(found.left_out)}."
    if found.changes is not None:
        yield from change_lines(found.changes)
    if found.refusal is not None:
        yield f"The arms are not held against each other: {refused(found.refusal)}"
    yield ASSOCIATION


def change_lines(changes: Changes) -> Iterator[str]:
    """Each change with its interval, and how the intervals are made."""
    for change in changes.changes:
        yield f"Candidate against baseline, {change.name}: {change_said(change)}."
    yield from basis_lines(changes.basis)


def basis_lines(basis: Basis | None) -> Iterator[str]:
    """How the intervals of changes are made; nothing without any."""
    if basis is not None:
        level = printing.confidence(basis.level)
        yield f"Intervals of changes: {level} each, {basis.units} {basis.counted}, {basis.scope}."


def change_said(change: Change) -> str:
    """One change in words, its interval or why there is none."""
    if change.effect is None:
        why = "not recorded" if change.refusal is None else change.refusal.message.rstrip(".")
        return f"no interval ({why[:1].lower()}{why[1:]})"
    return _effect(change.effect)


def _effect(part: PartEffect) -> str:
    if part.scale == "ratio":
        said = f"{printing.significant(part.estimate)} times"
        if part.lo is None or part.hi is None:
            return f"{said} ({part.reason})"
        return f"{said} {printing.range_of(part.lo, part.hi)}"
    said = f"difference {number(part.estimate, part.unit)}"
    if part.lo is None or part.hi is None:
        return f"{said} ({part.reason})"
    return f"{said} {_range(part.lo, part.hi, part.unit)}"


def refused(refusal: Refusal) -> str:
    """A refusal as a sentence with its way out."""
    return f"{refusal.message} {refusal.needs}"


def number(value: float | None, unit: str) -> str:
    """A number in people's units, or that there is none."""
    if value is None:
        return "not recorded"
    return printing.significant(value) if unit == "1" else printing.quantity(value, unit)


def spread(one: Typical | None, unit: str) -> str:
    """The interval of a typical run, or why there is none."""
    if one is None:
        return "not recorded"
    return one.reason if one.lo is None or one.hi is None else _range(one.lo, one.hi, unit)


def with_spread(one: Typical, unit: str) -> str:
    """The estimate with its interval, or with why there is none."""
    said = number(one.estimate, unit)
    return f"{said} ({one.reason})" if one.reason else f"{said} {spread(one, unit)}"


def _range(low: float, high: float, unit: str) -> str:
    return printing.range_of(low, high) if unit == "1" else printing.range_in(low, high, unit)


def _estimate(one: Typical | None, unit: str) -> str:
    return number(None if one is None else one.estimate, unit)


def _edge(arm: ArmDrivers, edge: Edge) -> Row:
    name = f"{edge.driver} → {edge.leads_to}" if edge.leads_to else edge.driver
    if edge.excess is None:
        return name, arm.arm, "not recorded", "", "", edge.reason, ""
    share = "" if edge.share is None else printing.percent(edge.share.estimate)
    numbers = (_estimate(one, "s") for one in (edge.everyone, edge.slowest, edge.excess))
    return name, arm.arm, *numbers, spread(edge.excess, "s"), share


def _edge_said(edge: Edge) -> str:
    name = f"  {edge.driver} → {edge.leads_to}" if edge.leads_to else f"  {edge.driver}"
    if edge.excess is None:
        return f"{name}: not recorded; {edge.reason}." if edge.reason != "not recorded" else f"{name}: not recorded."
    share = ""
    if edge.share is not None and edge.leads_to:
        share = f", {printing.percent(edge.share.estimate)} of the excess of the tail"
    return f"{name}: excess {with_spread(edge.excess, 's')}{share}."


def effects_table(found: StepEffects) -> PrintedTable:
    """What a step does in each arm, and the change of each number."""
    heads = ("per step", "baseline", "candidate", "candidate against baseline")
    return PrintedTable(heads, tuple(_step_number(one) for one in found.numbers))


def _step_number(one: StepNumber) -> Row:
    change = "no interval" if one.change is None else change_said(one.change)
    nothing = f"needs {FEWEST_STEPS} steps" if one.name == P95 else "not recorded"
    values = (nothing if value is None else number(value, one.unit) for value in (one.baseline, one.candidate))
    return one.name, *values, change


def effects_lines(found: StepEffects) -> Iterator[str]:
    """Which kernels came and went, which operators left the device, and why there is no interval."""
    if found.gone:
        yield f"Kernels of the baseline that the candidate does not run: {_listed(found.gone)}."
    if found.new:
        yield f"Kernels that only the candidate runs: {_listed(found.new)}."
    for arm in ("baseline", "candidate"):
        moved = tuple(name for name, without in found.moved if without == arm)
        if moved:
            yield f"Operators that launch work of a device in the other arm, and none in the {arm}: {_listed(moved)}."
    if found.refusal is not None:
        yield refused(found.refusal)
    yield from basis_lines(found.basis)


def _listed(names: tuple[str, ...]) -> str:
    more = len(names) - LISTED
    return ", ".join(names[:LISTED]) + (f" and {more} more" if more > 0 else "")
