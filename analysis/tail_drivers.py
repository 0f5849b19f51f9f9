"""What the slowest requests (or steps) of runs spend beside all of them: queueing delay, imbalance, fallback, service.

Of each run the slowest share is taken, and the mean of each component among them is held against its mean among all:
the excess. The excess of the wait and that of the service add up to the excess of the latency in every run. The run is
the unit of every interval. An excess is an association in these runs: it names no cause.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from analysis.errors import Refused
from analysis.looking import Changes, Typical, changes_of, typical
from analysis.notices import Refusal, as_value, named
from analysis.part_effects import Layout
from analysis.table import Floats

Unit = Literal["request", "step"]

WAIT: Final = "queueing delay"
IMBALANCE: Final = "core imbalance"
FALLBACK: Final = "mapping fallback"
SERVICE: Final = "service time"
DRIVERS: Final = (WAIT, IMBALANCE, FALLBACK, SERVICE)
LEADS_TO: Final[Mapping[str, str]] = {WAIT: "the tail", IMBALANCE: SERVICE, FALLBACK: SERVICE, SERVICE: "the tail"}
"""To which node of the graph each driver has its edge."""
SLOWEST: Final = 0.05
SLOWEST_STEPS: Final = 0.2
"""Traces hold few steps."""
NOT_RECORDED: Final = "not recorded"
ROUNDED: Final = 1e-12


@dataclass(frozen=True, slots=True)
class UnitTimes:
    """The requests or steps of one run, in seconds. parts: by driver, each as long as `whole`.

    absent: by driver, why the run does not have it.
    """

    label: str
    whole: Floats
    parts: Mapping[str, Floats]
    absent: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Edge:
    """One component among all and among the slowest, of the typical run. share: of the excess of the whole.

    All are None where `reason` says why it is not recorded; share also where the slowest are no slower.
    """

    driver: str
    leads_to: str
    everyone: Typical | None
    slowest: Typical | None
    excess: Typical | None
    share: Typical | None
    reason: str


@dataclass(frozen=True, slots=True)
class ArmDrivers:
    """One arm. units: requests or steps of all runs. fewest: of the slowest in a run. whole: of the latency itself."""

    arm: str
    runs: tuple[str, ...]
    units: int
    fewest: int
    whole: Edge
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class TailDrivers:
    """The graph of one arm or two. share: of each run that counts as its slowest.

    changes: of each excess, candidate minus baseline; None without a candidate, or by `refusal`.
    left_out: the runs that record no time of single requests or steps.
    """

    unit: Unit
    share: float
    arms: tuple[ArmDrivers, ...]
    changes: Changes | None
    refusal: Refusal | None
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Split:
    """A component of one run: its mean among all, and among the slowest."""

    everyone: float
    slowest: float

    @property
    def excess(self) -> float:
        """Exactly 0 where the two differ by rounding alone."""
        excess = self.slowest - self.everyone
        return 0.0 if abs(excess) <= ROUNDED * max(abs(self.slowest), abs(self.everyone)) else excess


Splits = Mapping[str, _Split]


def require_share(share: float) -> None:
    """Passes for a share of the slowest that leaves others. Raises Refused: bad_share."""
    if not 0 < share <= 0.5:
        raise Refused("bad_share", f"The slowest {share:g} is no tail.", "Give a share above 0 and up to 0.5.")


def arm_drivers(arm: str, runs: Sequence[UnitTimes], unit: Unit, *, share: float, confidence: float) -> ArmDrivers:
    """The graph of one arm.

    Raises:
        Refused: no_runs, bad_share; too_few_units when a run has too few requests or steps for one of the slowest.
    """
    require_share(share)
    if not runs:
        raise Refused(
            "no_runs", f"No run of the {arm} records the time of its {unit}s.", f"Attach runs with every {unit}."
        )
    splits = [_of_run(run, share, unit) for run in runs]
    whole = [split[""] for split in splits]
    edges = tuple(_edge(driver, runs, splits, confidence) for driver in DRIVERS)
    return ArmDrivers(
        arm,
        tuple(run.label for run in runs),
        sum(run.whole.size for run in runs),
        min(_slowest(run.whole.size, share) for run in runs),
        _summed("the tail", "", whole, whole, confidence),
        edges,
    )


def graph(
    arms: Sequence[ArmDrivers], runs: Sequence[UnitTimes], layout: Layout | Refused | None, unit: Unit, share: float
) -> TailDrivers:
    """Both arms, and the change of each excess. layout: None without a candidate; why there is none, else."""
    if layout is None:
        return TailDrivers(unit, share, tuple(arms), None, None)
    if isinstance(layout, Refused):
        return TailDrivers(unit, share, tuple(arms), None, as_value(layout))
    by_run = {run.label: _of_run(run, share, unit) for run in runs}
    asked = [
        (said, {label: split[name].excess if name in split else None for label, split in by_run.items()}, "s")
        for name, said in (("", "latency" if unit == "request" else "step time"), *zip(DRIVERS, DRIVERS, strict=True))
        if any(name in split for split in by_run.values())
    ]
    changes = changes_of(layout, [(f"excess of {said}", values, "difference", unit) for said, values, unit in asked])
    return TailDrivers(unit, share, tuple(arms), changes, None)


def _slowest(size: int, share: float) -> int:
    return math.floor(size * share + 1e-9)


def _of_run(run: UnitTimes, share: float, unit: Unit) -> Splits:
    """The whole under "", and each component that the run has."""
    count = _slowest(run.whole.size, share)
    if count < 1:
        raise Refused(
            "too_few_units",
            f"{run.label} has {run.whole.size} {unit}{'' if run.whole.size == 1 else 's'}: the slowest"
            f" {share * 100:g} % of them is less than one.",
            f"Record at least {math.ceil(1 / share)} {unit}s in every run, or ask for a larger share.",
        )
    slowest = np.argsort(run.whole, kind="stable")[-count:]
    return {
        name: _Split(float(values.mean()), float(values[slowest].mean()))
        for name, values in (("", run.whole), *run.parts.items())
    }


def _edge(driver: str, runs: Sequence[UnitTimes], splits: Sequence[Splits], confidence: float) -> Edge:
    lacking = [run for run in runs if driver not in run.parts]
    if lacking:
        reason = lacking[0].absent.get(driver, NOT_RECORDED)
        if len(lacking) < len(runs):
            reason = f"{reason} (in {named([run.label for run in lacking])})"
        return Edge(driver, LEADS_TO[driver], None, None, None, None, reason)
    return _summed(driver, LEADS_TO[driver], [split[driver] for split in splits], [s[""] for s in splits], confidence)


def _summed(name: str, leads_to: str, own: Sequence[_Split], whole: Sequence[_Split], confidence: float) -> Edge:
    shares = [one.excess / of.excess for one, of in zip(own, whole, strict=True) if of.excess > 0]
    return Edge(
        name,
        leads_to,
        typical([one.everyone for one in own], confidence),
        typical([one.slowest for one in own], confidence),
        typical([one.excess for one in own], confidence),
        typical(shares, confidence) if len(shares) == len(own) else None,
        "",
    )
