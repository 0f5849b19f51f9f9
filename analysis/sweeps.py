"""Goodput read from sweeps of offered rates: the runs of a sweep give one number together, the highest rate that held.

The runs of an arm that share a block label and a placement are one sweep; without block labels, all runs of an arm on a
placement are. A block label that only one arm uses tells its sweeps apart and pairs nothing.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from analysis.errors import Refused
from analysis.exact import parse_exact
from analysis.failures import Counted, why_failed
from analysis.goodput import RatePoint, goodput
from analysis.inputs import ARMS, Arm, AssessmentRequest, ComparisonPlan, LabelledRun
from analysis.notices import Notice, as_value, named
from analysis.runs import RunPoint, Status
from analysis.served import GOODPUT, Rows, level_of, requests_of, served
from analysis.service_level import ServiceLevel

STAT: Final = "max"
REQUEST_RATE: Final = "request_rate"
Place = tuple[Arm, str, str]


@dataclass(frozen=True, slots=True)
class TriedRate:
    """One run of a sweep, at `rate` requests per second: how many requests were offered, and kept the level.

    failed: why the run failed, so that it kept none; "" when it did not.
    """

    run: str
    rate: Fraction
    kept: int
    offered: int
    held: bool
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Sweep:
    """One sweep. label: of its row among the runs. goodput: the highest rate that held, None when none did.

    broken_at: the next rate tried, which did not hold; None when none was. level: in words.
    """

    label: str
    arm: Arm
    level: str
    rates: tuple[TriedRate, ...]
    goodput: float | None
    broken_at: float | None
    notices: tuple[Notice, ...]


@dataclass(frozen=True, slots=True)
class Swept:
    """The sweeps of a request, and each as a point that a design can be read from."""

    sweeps: tuple[Sweep, ...]
    points: tuple[RunPoint, ...]


def is_sweep(request: AssessmentRequest) -> bool:
    """Whether the plan asks for the goodput of sweeps."""
    return units_of(request.plan) == "sweeps"


def units_of(plan: ComparisonPlan) -> Counted:
    """What a number is of, and what can be lost: a run, or a sweep."""
    return "sweeps" if (plan.metric, plan.stat) == (GOODPUT, STAT) else "runs"


def read_sweeps(request: AssessmentRequest) -> Swept:
    """Every sweep of the request, by label, with its goodput or why there is none."""
    groups: defaultdict[Place, list[LabelledRun]] = defaultdict(list)
    for run in request.runs:
        groups[run.arm, run.block, run.placement].append(run)
    first = {place: _first(runs) for place, runs in groups.items()}
    order = sorted((started, place) for place, started in first.items() if started is not None)
    places = {place: at for at, (_, place) in enumerate(order, start=1)}
    paired, rows = _paired(groups), requests_of(request)
    read = []
    for place, runs in sorted(groups.items()):
        sweep, point = _read(request.plan, place, runs, rows)
        block = place[1] if paired else ""
        read.append((sweep, replace(point, block=block, order=places.get(place), started_ns=first[place])))
    return Swept(tuple(sweep for sweep, _ in read), tuple(point for _, point in read))


def _paired(groups: Mapping[Place, object]) -> bool:
    """Whether some block holds sweeps of both arms."""
    blocks = {arm: {block for of, block, _ in groups if of == arm and block} for arm in ("baseline", "candidate")}
    return bool(blocks["baseline"] & blocks["candidate"])


def _first(runs: Sequence[LabelledRun]) -> int | None:
    starts = [run.run.started_ns for run in runs]
    known = [start for start in starts if start is not None]
    return min(known) if len(known) == len(starts) else None


def _read(
    plan: ComparisonPlan, place: Place, runs: Sequence[LabelledRun], rows: Mapping[str, Rows]
) -> tuple[Sweep, RunPoint]:
    arm, block, placement = place
    label = " ".join(part for part in (f"{arm} sweep", block, f"on {placement}" if placement else "") if part)
    verified = all(run.placement_verified for run in runs)
    point = RunPoint(label, arm, "", placement, verified, None, None, None, "", None, 0, "", "used", "", None)
    sweep = Sweep(label, arm, "", (), None, None, ())
    try:
        level = level_of(plan)
        sweep = replace(sweep, level=level.said, rates=_tried(runs, rows, level))
        found = goodput([RatePoint(one.rate, one.kept, max(one.offered, 1)) for one in sweep.rates], level)
    except Refused as refused:
        problem = Refused(refused.code, f"The {label}: {refused.message}", refused.needs)
        status: Status = "failed" if refused.code == "no_goodput" else "no_value"
        lost = replace(point, status=status, reason=refused.message, problem=as_value(problem))
        return replace(sweep, notices=_lost(sweep.rates)), _set_apart(lost, runs)
    broken = None if found.broken_at is None else float(found.broken_at)
    said = (*_lost(sweep.rates), *found.notices)
    sweep = replace(sweep, goodput=float(found.rate), broken_at=broken, notices=said)
    offered = sum(one.offered for one in sweep.rates)
    point = replace(point, value=float(found.rate), unit="1/s", n_inner=offered, computed="ours")
    return sweep, _set_apart(point, runs)


def _lost(rates: Sequence[TriedRate]) -> tuple[Notice, ...]:
    """The runs of a sweep that failed."""
    return tuple(
        Notice("failed_at_rate", f"The run at {float(one.rate):g}/s failed and counts as none kept: {one.failed}.")
        for one in rates
        if one.failed
    )


def _set_apart(point: RunPoint, runs: Sequence[LabelledRun]) -> RunPoint:
    """A sweep with an excluded run is excluded, and one with a run that is cut off is partial."""
    excluded = sorted({run.excluded for run in runs if run.excluded})
    if excluded:
        return replace(point, status="excluded", reason=named(excluded))
    cut = [run.label for run in runs if run.run.status == "partial"]
    reason = f"partial run: {named(cut)}"
    return replace(point, status="partial", reason=reason, problem=None) if cut else point


def _tried(runs: Sequence[LabelledRun], rows: Mapping[str, Rows], level: ServiceLevel) -> tuple[TriedRate, ...]:
    """Every run of a sweep, from the lowest rate up.

    Raises:
        Refused: no_request_rate, bad_sweep, and what `served` refuses.
    """
    tried = sorted((_one(run, rows[run.label], level) for run in runs), key=lambda one: (one.rate, one.run))
    rates = [one.rate for one in tried]
    twice = [f"{one.run} ({float(one.rate):g}/s)" for one in tried if rates.count(one.rate) > 1]
    if twice:
        raise Refused(
            "bad_sweep",
            f"A sweep tries every rate once, and these do not: {named(twice)}.",
            "Give every sweep a block label of its own.",
        )
    return tuple(tried)


def _one(run: LabelledRun, rows: Rows, level: ServiceLevel) -> TriedRate:
    """A run that failed kept none of its requests, however many were offered."""
    rate, why = _rate(run), why_failed(run)
    if why:
        return TriedRate(run.label, rate, 0, run.run.attempted or 0, held=False, failed=why)
    found = served(run, rows, level)
    return TriedRate(run.label, rate, found.kept, found.offered, held=found.kept >= level.share * found.offered)


def _rate(run: LabelledRun) -> Fraction:
    stated = {s.value for s in run.reading.settings_of(run.run.key) if s.name == REQUEST_RATE}
    rate = Fraction(0)
    if len(stated) == 1:
        try:
            rate = parse_exact(*stated)
        except Refused:
            rate = Fraction(0)
    if rate <= 0:
        raise Refused(
            "no_request_rate",
            f"{run.label} states no rate at which its requests were offered.",
            "Attach runs that record request_rate, in requests per second, or say it in the file's name.",
        )
    return rate


def notices(sweeps: Sequence[Sweep]) -> tuple[Notice, ...]:
    """What the sweeps say of themselves, each once with the sweeps that say it."""
    said: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for sweep in sweeps:
        for notice in sweep.notices:
            said[notice.code, notice.sentence].append(sweep.label)
    return tuple(Notice(code, f"{named(labels)}: {sentence}") for (code, sentence), labels in said.items())


def require_rates(points: Collection[RunPoint]) -> None:
    """Passes unless all sweeps of an arm that could be used held no rate.

    Raises:
        Refused: no_goodput.
    """
    for arm in ARMS:
        mine = [point for point in points if point.arm == arm and point.status != "excluded"]
        if mine and all(point.status == "failed" for point in mine):
            raise Refused("no_goodput", f"No {arm} sweep held a rate: {mine[0].reason}", "Try lower rates.")
