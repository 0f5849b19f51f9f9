"""How power is measured, as options of `countersign compare`, and the energies as `compare` prints them."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from fractions import Fraction
from typing import Final, get_args

from analysis.assess import AssessmentResult
from analysis.errors import Refused
from analysis.exact import parse_exact
from analysis.metering import Between, Metering, Source, energy_metric
from reviews.cli.command import UsageError, table
from reviews.metered import in_sentences, metered

NUMBERS: Final = ("sensor_average", "floor", "cap", "slew", "relative", "absolute", "load_period")


def arguments(parser: ArgumentParser) -> None:
    """The parts of the declaration; an energy is computed from power only with `--metering`."""
    power = parser.add_argument_group("how power is measured, for a metric such as energy_per_request")
    power.add_argument("--metering", choices=get_args(Source), help="compute the energy from this")
    power.add_argument("--sensor-average", metavar="SECONDS", help="the sensor averages over so long")
    power.add_argument("--between", choices=get_args(Between), help="what power does between samples")
    power.add_argument("--floor", metavar="W", help="power of a device is never below")
    power.add_argument("--cap", metavar="W", help="power of a device is never above")
    power.add_argument("--slew", metavar="W/S", help="greatest change of power, with --between slew")
    power.add_argument("--relative", metavar="SHARE", help='readings are off by up to this share: "1%%" or 0.01')
    power.add_argument("--absolute", metavar="W", help="and by up to so many watts")
    power.add_argument("--one-meter", action="store_true", help="one meter served both arms: its scale drops out")
    power.add_argument("--load-period", metavar="SECONDS", help="the load repeats itself after so long")


def metering_of(options: Namespace, metric: str) -> Metering | None:
    """What the options declare for a metric; None without `--metering`, and for a metric that is no energy.

    Raises:
        UsageError: numbers that are none, or parts without `--metering`.
    """
    said = {name: _number(value, name) for name in NUMBERS if (value := getattr(options, name)) is not None}
    if options.metering is None:
        if said or options.between or options.one_meter:
            raise UsageError("How power is measured begins with its source: --metering counter or --metering samples.")
        return None
    if energy_metric(metric) is None:
        return None
    return Metering(
        options.metering,
        **said,
        between=options.between or "unbounded",
        one_meter=options.one_meter,
    )


def _number(said: str, name: str) -> Fraction:
    """ "1%" and "0.01" are the same share."""
    try:
        return parse_exact(said.removesuffix("%")) / (100 if said.endswith("%") else 1)
    except Refused as refused:
        raise UsageError(f"--{name.replace('_', '-')} {said!r}: {refused.message}") from refused


def energies(result: AssessmentResult) -> Iterator[str]:
    """The energies of every run and what follows from them, as lines; nothing for another metric."""
    found = metered(result)
    if found is not None:
        yield ""
        yield from in_sentences(result)
        yield table([line.cells for line in found.lines], found.heads)


def in_markdown(result: AssessmentResult) -> Iterator[str]:
    """The same for a pull request."""
    found = metered(result)
    if found is not None:
        yield ""
        yield from (f"- {sentence}" for sentence in in_sentences(result))
        yield ""
        yield f"| {' | '.join(found.heads)} |"
        yield f"|{'---|' * len(found.heads)}"
        yield from (f"| {' | '.join(line.cells)} |" for line in found.lines)
