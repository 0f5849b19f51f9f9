"""How a plan says that power is measured, and which metrics are energies that follow from it."""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from analysis.errors import Refused

Source = Literal["counter", "samples"]
Between = Literal["unbounded", "range", "slew", "neighbours"]

NAME: Final = re.compile(
    r"energy(?P<net>_net_of_idle)?(_per_(?P<work>[a-z0-9_]+))?|(?P<done>[a-z0-9_]+)_per_joule(?P<rest>_net_of_idle)?"
)


@dataclass(frozen=True, slots=True)
class Metering:
    """How power is measured, the same for every run of a comparison; watts are those of one device.

    source: "counter" (of energy) or "samples" (of power).
    sensor_average: seconds over which the sensor averages, or after which a counter is updated; None when it does not.
    between: what power does between two samples; "range" for a counter that may wrap or is read beside the window.
    floor, cap: of the power, in watts. slew: greatest change, in watts per second.
    relative, absolute: how far a reading may be off, a share of it and watts. one_meter: it served both arms.
    load_period: seconds after which the load repeats itself; None when the steps that the runs time say it, if any.
    """

    source: Source
    sensor_average: Fraction | None = None
    between: Between = "unbounded"
    floor: Fraction | None = None
    cap: Fraction | None = None
    slew: Fraction | None = None
    relative: Fraction = Fraction(0)
    absolute: Fraction = Fraction(0)
    one_meter: bool = False
    load_period: Fraction | None = None

    @property
    def carries_verdict(self) -> bool:
        """Whether an interval may be judged: not when the power between samples is assumed rather than bounded."""
        return self.source == "counter" or self.between in ("range", "slew")


def check_metering(metering: Metering) -> None:
    """Passes when the parts of the declaration fit together.

    Raises:
        Refused: bad_metering, bad_envelope, bad_accuracy.
    """
    if metering.source == "counter" and metering.between in ("slew", "neighbours"):
        raise Refused(
            "bad_metering",
            f"A counter has no samples between which {metering.between} could hold.",
            "Declare the range of the power, or nothing.",
        )
    _check_envelope(metering)
    if not 0 <= metering.relative < 1 or metering.absolute < 0:
        raise Refused("bad_accuracy", "No meter is like that.", "Declare errors of at least 0, and below 100 %.")
    if (metering.relative or metering.absolute) and (metering.source, metering.between) == ("samples", "unbounded"):
        raise Refused(
            "bad_metering",
            "The accuracy of samples bounds no energy while the power between them is unbounded.",
            "Declare what power does between samples: range, slew or neighbours.",
        )
    for seconds in (metering.sensor_average, metering.load_period):
        if seconds is not None and seconds <= 0:
            raise Refused("bad_metering", "A period is longer than nothing.", "Give it in seconds, above 0.")


def _check_envelope(metering: Metering) -> None:
    limits, bounded = (metering.floor, metering.cap), metering.between != "unbounded"
    if (None in limits) if bounded else (limits != (None, None)):
        raise Refused(
            "bad_envelope",
            "A floor and a cap belong together, and to a range, slew or neighbours.",
            "Declare what power does between samples, with the floor and the cap of the device.",
        )
    if metering.floor is not None and metering.cap is not None and not 0 <= metering.floor < metering.cap:
        raise Refused("bad_envelope", "The envelope holds no power.", "Declare a floor of at least 0 W below the cap.")
    if (metering.slew is not None) != (metering.between == "slew") or (
        metering.slew is not None and metering.slew <= 0
    ):
        raise Refused(
            "bad_envelope", "A slew is so many watts per second.", "Declare it above 0 W/s, and with slew only."
        )


@dataclass(frozen=True, slots=True)
class EnergyMetric:
    """What a metric's name says: the energy per unit of `work` ("" for all of it), or the work per joule.

    net: beyond what the idle host takes.
    """

    work: str
    per_joule: bool
    net: bool

    @property
    def unit(self) -> str:
        """The base unit of its values."""
        return "1/J" if self.per_joule else "J"

    @property
    def stats(self) -> tuple[str, str]:
        """The statistics by which a plan may ask for it: an energy over work is the mean of its units."""
        return ("value", "mean") if self.work else ("value", "total")


def energy_metric(name: str) -> EnergyMetric | None:
    """What the name asks for: "energy", "energy_per_request", "output_tokens_per_joule" …; None for another metric."""
    parts = NAME.fullmatch(name)
    if parts is None:
        return None
    done = parts["done"]
    return EnergyMetric(done or parts["work"] or "", done is not None, bool(parts["net"] or parts["rest"]))
