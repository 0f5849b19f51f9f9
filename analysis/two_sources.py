"""The energy of a run by both of its sources, where it has samples of power and a counter: both numbers, no choice."""

from dataclasses import replace
from typing import Final

from analysis.errors import Refused
from analysis.joining import Metered
from analysis.metering import Metering
from analysis.notices import Notice
from analysis.power import Energy
from analysis.power_rows import of_work

MEANINGFUL: Final = 0.05


def other_joules(found: Metered, metering: Metering) -> float | None:
    """The joules by the source that the plan does not name; None when the run does not have it whole."""
    other = Metering("samples" if metering.source == "counter" else "counter", metering.sensor_average)
    try:
        energy = of_work(found.run, found.window, replace(other, cap=metering.cap)).energy
    except Refused:
        return None
    return energy.joules if energy else None


def of_two_sources(energy: Energy | None, other: float | None) -> tuple[Notice, ...]:
    """A notice where the sources are further apart than a meter may be off."""
    if energy is None or other is None or not energy.joules or abs(other / energy.joules - 1) <= MEANINGFUL:
        return ()
    return (
        Notice(
            "two_sources_disagree",
            "Samples of power and the energy counter differ by more than 5 %. The plan names which one counts; both "
            "stand beside each run. A counter misses nothing between samples, so look for the cause before trusting "
            "either.",
        ),
    )
