"""The energy of one device over the window of the work, under a declared metering: a point, bounds, or the reason.

Bounds come twice: with the error of the meter's scale, and without it for arms that one meter served. In the second
case everything is in the units of that meter, whose scale may be off by a share, and so are the limits of the power.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from analysis.bounds import Bounds
from analysis.energy import Counter, CounterEnergy, check_readings, counter_energy
from analysis.energy_bounds import Accuracy, Envelope, Neighbours, Range, Slew, energy_bounds
from analysis.errors import Refused
from analysis.metering import Metering
from analysis.notices import Notice, Refusal, as_value
from analysis.power import (
    Energy,
    PowerSamples,
    Window,
    gap_share,
    gaps,
    integrate_power,
    power_samples,
    require_cover,
    require_long_enough,
)


@dataclass(frozen=True, slots=True)
class DeviceEnergy:
    """What one device took in the window. mean_watts: of its samples in the window, None for a counter.

    gaps: how many distances between samples are beyond 2.5 times the median; longest_gap_s: the longest of them.
    """

    device: str
    joules: float | None
    samples: int
    mean_watts: float | None
    gaps: int
    longest_gap_s: float


@dataclass(frozen=True, slots=True)
class WindowEnergy:
    """What is known of an energy. At least one of `energy` and `bounds` is there.

    energy: None when there is no point; `problem` then says why. bounds: None when nothing bounds the power between
    samples. compared: the bounds that a comparison of the arms needs, without the scale of a meter that served both.
    devices: those whose energies were added, with what was seen of each.
    """

    energy: Energy | None
    bounds: Bounds | None
    compared: Bounds | None
    samples: int
    gap_share: float
    problem: Refusal | None
    devices: tuple[DeviceEnergy, ...] = ()


def of_samples(
    times: Sequence[Fraction], watts: Sequence[Fraction], window: Window, metering: Metering
) -> WindowEnergy:
    """The energy from samples of power.

    Raises:
        Refused: what `power_samples`, `integrate_power` and `energy_bounds` refuse.
    """
    samples = power_samples(times, watts)
    energy, problem = None, None
    try:
        energy = integrate_power(samples, window, sensor_average=metering.sensor_average)
    except Refused as refused:
        if refused.code != "power_gaps" or metering.between == "unbounded":
            raise
        problem = as_value(refused)
    inside = samples.watts[bisect_left(samples.times, window.start) : bisect_right(samples.times, window.end)]
    long = [float(distance) for distance, _ in gaps(samples, window)]
    mean = float(sum(inside) / len(inside)) if inside else None
    seen = DeviceEnergy("", energy.joules if energy else None, len(inside), mean, len(long), max(long, default=0.0))
    return WindowEnergy(
        energy,
        _bounded(samples, window, metering, shared=False),
        _bounded(samples, window, metering, shared=metering.one_meter),
        len(inside),
        float(gap_share(samples, window)),
        problem,
        (seen,),
    )


def _bounded(samples: PowerSamples, window: Window, metering: Metering, *, shared: bool) -> Bounds | None:
    if metering.floor is None or metering.cap is None:
        return None
    low, high = (1 + metering.relative, 1 - metering.relative) if shared else (Fraction(1), Fraction(1))
    limits = Range(metering.floor / low, metering.cap / high)
    envelope: Envelope = limits
    if metering.slew is not None:
        envelope = Slew(limits, metering.slew / high)
    elif metering.between == "neighbours":
        envelope = Neighbours(limits)
    accuracy = Accuracy(Fraction(0) if shared else metering.relative, metering.absolute / high)
    found = energy_bounds(samples, window, envelope=envelope, accuracy=accuracy)
    return replace(found, assumptions=assumptions(metering, shared=shared))


def assumptions(metering: Metering, *, shared: bool) -> tuple[str, ...]:
    """What the bounds of an energy under this metering rest on, in words; shared: the scale of one meter drops out."""
    said = []
    if metering.floor is not None and metering.cap is not None:
        said.append(f"power stays between {float(metering.floor):g} and {float(metering.cap):g} W")
    if metering.slew is not None:
        said.append(f"power changes by at most {float(metering.slew):g} W/s")
    if metering.between == "neighbours":
        said.append("between two samples power stays within their readings")
    if metering.source == "counter":
        said.append("the counter is right to one count at each reading")
    elif metering.between == "unbounded":
        said.append("between two samples power runs straight from one reading to the next")
    if shared and metering.relative:
        scale = f"{100 * float(metering.relative):g} %"
        said.append(f"one meter served both arms, so its scale, off by up to {scale}, drops out")
        said.append(f"readings are otherwise within {float(metering.absolute):g} W")
    elif metering.relative or metering.absolute:
        said.append(f"readings are within {100 * float(metering.relative):g} % and {float(metering.absolute):g} W")
    else:
        said.append("readings are exact")
    return tuple(said)


@dataclass(frozen=True, slots=True)
class Readings:
    """Readings of one counter, at rising times in seconds."""

    times: tuple[Fraction, ...]
    counts: tuple[int, ...]
    counter: Counter

    def part(self, first: int, last: int) -> "Readings":
        """The readings from `first` to `last`, both included."""
        return Readings(self.times[first : last + 1], self.counts[first : last + 1], self.counter)

    def energy(self) -> CounterEnergy:
        """What was counted. Raises what `counter_energy` refuses."""
        return counter_energy(self.times, self.counts, self.counter)

    def share(self, at: int, seconds: Fraction) -> Fraction:
        """The joules of so many seconds of the piece that begins at reading `at`, if power is even inside it."""
        counts = self.counter.moved(self.counts[at], self.counts[at + 1]) or 0
        return counts * self.counter.joules * seconds / (self.times[at + 1] - self.times[at])


def of_counter(readings: Readings, window: Window, metering: Metering) -> WindowEnergy:
    """The energy from readings of a counter; beside the readings around an end of the window it is interpolated.

    Raises:
        Refused: what `counter_energy` refuses; window_not_covered, run_too_short_for_sensor, window_not_bounded,
            counter_reset (without a cap).
    """
    require_long_enough(window, metering.sensor_average)
    outer = _around(readings, window)
    counted = outer.energy()
    before, after = window.start - outer.times[0], outer.times[-1] - window.end
    seen = _Seen(counted, _inside(outer, window), before + after, outer.times[-1] - outer.times[0])
    energy, problem = None, None
    if counted.partial:
        problem = Refusal(
            "counter_reset",
            f"The counter fell {counted.resets} times in the window, and where it wraps is not known.",
            "State where it wraps, or measure again without a restart.",
        )
    else:
        beside = outer.share(0, before) + outer.share(len(outer.times) - 2, after)
        joules = float(counted.joules - beside)
        energy = Energy(joules, window, len(outer.times), 0.0, "counter", _interpolated(before + after, window))
    return WindowEnergy(
        energy,
        seen.bounds(metering, shared=False),
        seen.bounds(metering, shared=metering.one_meter),
        len(outer.times),
        float(seen.dropped / window.seconds),
        problem,
        (DeviceEnergy("", energy.joules if energy else None, len(outer.times), None, 0, 0.0),),
    )


def _around(readings: Readings, window: Window) -> Readings:
    """From the last reading at or before the window to the first at or after it."""
    check_readings(readings.times, readings.counts, readings.counter)
    times = readings.times
    require_cover("readings", times[0], times[-1], window)
    return readings.part(bisect_right(times, window.start) - 1, bisect_left(times, window.end))


def _inside(readings: Readings, window: Window) -> Fraction:
    """The least that was counted between readings inside the window; 0 when they say nothing."""
    part = readings.part(bisect_left(readings.times, window.start), bisect_right(readings.times, window.end) - 1)
    try:
        return part.energy().bounds.lo
    except Refused:
        return Fraction(0)


def _interpolated(beside: Fraction, window: Window) -> tuple[Notice, ...]:
    if not beside:
        return ()
    share = f"{100 * float(beside / window.seconds):.2g} %"
    said = f"The counter was read beside the window, by {share} of it; between readings its energy is taken as even."
    return (Notice("counter_interpolated", said),)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the readings around a window counted, and the least inside it; `beside`, `whole`: seconds around it."""

    counted: CounterEnergy
    inside: Fraction
    beside: Fraction
    whole: Fraction

    @property
    def dropped(self) -> Fraction:
        return self.whole - self.counted.seconds

    def bounds(self, metering: Metering, *, shared: bool) -> Bounds:
        """Bounds of the window's energy: true joules, or, when shared, joules of the one meter."""
        low, high = (1 - metering.relative), (1 + metering.relative)
        down, up, floor, cap = low, high, metering.floor, metering.cap
        slack = metering.absolute * self.whole
        if shared:
            down, up, slack = Fraction(1), Fraction(1), slack / low
            floor, cap = (None, None) if floor is None or cap is None else (floor / high, cap / low)
        if self.dropped and cap is None:
            raise Refused(
                "counter_reset",
                "The counter fell in the window, and nothing bounds the energy that it lost.",
                "State where it wraps, declare the range of the power, or measure again without a restart.",
            )
        least = self.inside * down
        if cap is not None or not self.beside:
            least = max(least, self.counted.bounds.lo * down - (cap or 0) * self.beside)
        most = self.counted.bounds.hi * up + (cap or 0) * self.dropped
        if not self.dropped:
            most -= (floor or 0) * self.beside
        if least - slack <= 0:
            raise Refused(
                "window_not_bounded",
                "The readings guarantee no energy inside the window.",
                "Read the counter at the ends of the window or inside it, or declare the range of the power.",
            )
        return Bounds(least - slack, most + slack, "J", assumptions(metering, shared=shared))
