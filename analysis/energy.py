"""Energy of a run from its counter, and per unit of work. Gross by default; net of idle is another metric.

A counter that cannot have wrapped unseen is the preferred source: its bounds need no envelope.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from analysis.bounds import Bounds, ratio_bounds
from analysis.errors import Refused
from analysis.exact import Exact, parse_exact
from analysis.power import Energy, Window

NET_OF_IDLE = "energy_net_of_idle"


@dataclass(frozen=True, slots=True)
class Counter:
    """An energy counter: `joules` per count; it wraps at `modulus` counts (None: unknown).

    greatest_power: watts that the device never exceeds (None: unknown); with a modulus it shows that no wrap is missed.
    """

    joules: Fraction
    modulus: int | None
    greatest_power: Fraction | None

    def moved(self, first: int, last: int) -> int | None:
        """The counts between two readings, with one wrap at most; None when it fell, and where it wraps is unknown."""
        if self.modulus is not None:
            return (last - first) % self.modulus
        return last - first if last >= first else None


@dataclass(frozen=True, slots=True)
class CounterEnergy:
    """Joules between the first and the last reading, within `bounds`; `partial` when segments had to be dropped.

    seconds: of the segments that count. resets: how many segments were dropped because the counter restarted.
    """

    joules: Fraction
    bounds: Bounds
    seconds: Fraction
    partial: bool
    resets: int


def counter_energy(times: Sequence[Exact], counts: Sequence[int], counter: Counter) -> CounterEnergy:
    """The energy between readings of a counter, at least two, at rising times in seconds.

    Raises:
        Refused: too_few_samples, not_increasing, bad_counter, counter_reset (nothing is left), wrap_ambiguous,
            wrap_unverifiable, not_positive (the counter moved by one count at most), not_a_number, not_finite.
    """
    moments = [parse_exact(time) for time in times]
    check_readings(moments, counts, counter)
    moved, seconds, resets, pieces, together = 0, Fraction(0), 0, 0, False
    for (start, end), (first, last) in zip(pairwise(moments), pairwise(counts), strict=True):
        counted = counter.moved(first, last)
        if counted is None:
            resets, together = resets + 1, False
            continue
        _require_one_wrap(end - start, counter)
        moved += counted
        seconds += end - start
        pieces, together = pieces + (not together), True
    if not pieces:
        raise _reset()
    return CounterEnergy(moved * counter.joules, _bounds(moved, pieces, counter), seconds, resets > 0, resets)


def _bounds(moved: int, pieces: int, counter: Counter) -> Bounds:
    """Each unbroken piece is uncertain by one count on each side."""
    if moved <= pieces:
        raise Refused(
            "not_positive",
            f"The counter moved by {moved} counts, which guarantees no energy.",
            "Measure for longer, or read a finer counter.",
        )
    wraps = "did not wrap" if counter.modulus is None else f"wraps at {counter.modulus}, at most once between readings"
    said = f"the counter counts {float(counter.joules):g} J and {wraps}"
    return Bounds((moved - pieces) * counter.joules, (moved + pieces) * counter.joules, "J", (said,))


def check_readings(moments: Sequence[Fraction], counts: Sequence[int], counter: Counter) -> None:
    """Passes when the readings can be those of the counter.

    Raises:
        Refused: too_few_samples, not_increasing, bad_counter.
    """
    if len(moments) != len(counts) or len(moments) < 2:
        raise Refused(
            "too_few_samples", "An energy needs two readings of its counter.", "Read it before and after the work."
        )
    if any(later <= earlier for earlier, later in pairwise(moments)):
        raise Refused("not_increasing", "The readings are not in the order of time.", "Give them in order, each once.")
    top = counter.modulus
    if counter.joules <= 0 or any(count < 0 or (top is not None and count >= top) for count in counts):
        raise Refused(
            "bad_counter",
            "A reading is negative or beyond where the counter wraps, or its unit is no energy.",
            "Give the counter's unit and the value at which it wraps, as its manual has them.",
        )


def _require_one_wrap(seconds: Fraction, counter: Counter) -> None:
    if counter.modulus is None:
        return
    if counter.greatest_power is None:
        raise Refused(
            "wrap_unverifiable",
            "The counter wraps, and without the greatest power nobody knows how often it did.",
            "State the greatest power of the device, for example its board limit.",
        )
    if counter.greatest_power * seconds >= counter.modulus * counter.joules:
        raise Refused(
            "wrap_ambiguous",
            f"Within {float(seconds):g} s the counter may have wrapped more than once.",
            f"Read it at least every {float(counter.modulus * counter.joules / counter.greatest_power):.3g} s.",
        )


def _reset() -> Refused:
    return Refused(
        "counter_reset",
        "The counter fell, and where it wraps is not known: it may have restarted.",
        "State where it wraps, or read it again without a restart.",
    )


def energy_per_unit(energy: Energy, work: float, *, work_window: Window) -> float:
    """Joules per unit of work, one number of a run.

    Raises:
        Refused: window_mismatch (energy and work are not of the same window), zero_work, not_positive.
    """
    if energy.window != work_window:
        raise Refused(
            "window_mismatch",
            "Energy and work are of different windows.",
            "Count the work of the window over which the energy is integrated.",
        )
    if work <= 0:
        raise Refused("zero_work", "No valid work was done.", "Measure a run that completed work.")
    if energy.joules <= 0:
        raise Refused("not_positive", "The run took no energy.", "Check the meter.")
    return energy.joules / work


def energy_per_unit_bounds(energy: Bounds, work: Bounds) -> Bounds:
    """Joules per unit of work, within bounds.

    Raises:
        Refused: unit_mismatch, when `energy` is no energy or `work` no count.
    """
    if (energy.unit, work.unit) != ("J", "1"):
        raise _unit_mismatch(energy, work, "Divide an energy by a count of work.")
    return Bounds(energy.lo / work.hi, energy.hi / work.lo, "J", energy.assumptions + work.assumptions)


def work_per_joule_bounds(baseline: Bounds, candidate: Bounds, *, gain: Fraction, shared_scale: bool) -> Bounds:
    """Candidate over baseline, of the work that a joule does, from what each arm took for the same work.

    Args:
        baseline, candidate: energies, or energies per unit, as the meters read them.
        gain: greatest relative error of a meter's scale, below 1, not yet in the bounds.
        shared_scale: one meter served both arms, so that the error of its scale drops out.

    Raises:
        Refused: bad_accuracy, unit_mismatch (they are no energies).
    """
    if not 0 <= gain < 1:
        raise Refused("bad_accuracy", "No meter is like that.", "Give an error of at least 0, and below 100 %.")
    if (baseline.unit, candidate.unit) != ("J", "J"):
        raise _unit_mismatch(baseline, candidate, "Compare two energies.")
    ratio = ratio_bounds(baseline, candidate, baseline_work=None, candidate_work=None, shared_scale=False)
    if shared_scale:
        return replace(ratio, assumptions=(*ratio.assumptions, "one meter served both arms"))
    worst, said = (1 + gain) / (1 - gain), f"the scale of each meter is within {100 * float(gain):g} %"
    return Bounds(ratio.lo / worst, ratio.hi * worst, "1", (*ratio.assumptions, said))


def _unit_mismatch(one: Bounds, other: Bounds, needs: str) -> Refused:
    return Refused("unit_mismatch", f"The quantities are in {one.unit!r} and {other.unit!r}.", needs)


@dataclass(frozen=True, slots=True)
class IdlePower:
    """Mean power of an idle host, watts."""

    watts: float
    host: str


def net_of_idle(energy: Energy, idle: IdlePower | None, *, host: str) -> float:
    """Joules beyond what the idle host would have taken, of the metric `energy_net_of_idle`.

    Raises:
        Refused: idle_not_measured, idle_of_another_host, not_positive (idle took it all).
    """
    if idle is None:
        raise Refused(
            "idle_not_measured", "Net energy needs the idle power of the host.", "Measure the host idle, or use gross."
        )
    if idle.host != host:
        raise Refused(
            "idle_of_another_host",
            f"The idle power is of {idle.host}, and the run of {host}.",
            "Measure the same host idle.",
        )
    net = energy.joules - idle.watts * float(energy.window.seconds)
    if net <= 0:
        raise Refused("not_positive", "The run took no more than the idle host.", "Compare gross energy.")
    return net
