"""Limits, arrivals and policies as people write them: "p99=0.2s,power=700W", "50,100,200", "0,5ms,20ms"."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from analysis.arrivals import Bursts, Traffic
from analysis.batch_region import Limit
from analysis.errors import Refused
from analysis.exact import parse_exact
from analysis.simulated_tail import Effort
from analysis.sweep_numbers import SweepPlan
from analysis.units import factor_to_base

NUMBER: Final = re.compile(r"\s*([-+0-9.eE]*[0-9.])\s*(.*?)\s*")
UNITS: Final[Mapping[str, str]] = {
    "throughput": "1/s", "p50": "s", "p95": "s", "p99": "s", "power": "W", "energy": "J", "temperature": "1",
}  # fmt: skip
POISSON: Final = Traffic("poisson")
USUAL: Final = Effort()
DEGREES: Final = ("C", "°C")


@dataclass(frozen=True, slots=True)
class Simulation:
    """What is simulated: rates per second, waits in seconds, traffic, how many servers, and how much effort.

    sizes: greatest batches that are tried, all measured ones when empty. idle_watts: of each server.
    """

    rates: tuple[float, ...]
    waits: tuple[float, ...] = (0.0, 0.005, 0.010, 0.020, 0.040)
    sizes: tuple[int, ...] = ()
    traffic: Traffic = POISSON
    servers: int = 1
    idle_watts: float = 0.0
    effort: Effort = USUAL


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of a sweep."""

    plan: SweepPlan
    limits: tuple[Limit, ...]
    simulation: Simulation | None = None


def limits_in(text: str) -> tuple[Limit, ...]:
    """The limits of "p99=0.2s,throughput=2000"; a number without a unit is in base units, a temperature in degrees.

    Raises:
        Refused: bad_limit.
    """
    return tuple(_limit(part) for part in _parts(text))


def _limit(part: str) -> Limit:
    name, equals, said = (piece.strip() for piece in part.partition("="))
    known = ", ".join(UNITS)
    if name not in UNITS or not equals:
        raise Refused("bad_limit", f"{part!r} is no limit.", f"Write NAME=VALUE, with a name out of {known}.")
    value = quantity_in(said, UNITS[name])
    if value is None or value <= 0:
        raise Refused("bad_limit", f"{said!r} is no limit of {name}.", "Write a number above 0, such as p99=200ms.")
    return Limit(name, value)


def limits_text(limits: Sequence[Limit]) -> str:
    """The limits as `limits_in` reads them."""
    return ",".join(f"{limit.quantity}={limit.value:.12g}" for limit in limits)


def quantity_in(text: str, unit: str) -> float | None:
    """A number with its unit, in the base unit; None when it is none of that dimension."""
    found = NUMBER.fullmatch(text)
    if found is None:
        return None
    try:
        number = parse_exact(found[1])
        base, factor = (unit, Fraction(1)) if not found[2] or found[2] in DEGREES else factor_to_base(found[2])
    except Refused:
        return None
    return float(number * factor) if base == unit else None


def numbers_in(text: str, unit: str, what: str) -> tuple[float, ...]:
    """The numbers of "50,100,200" or "0,5ms".

    Raises:
        Refused: not_a_number.
    """
    found = []
    for part in _parts(text):
        value = quantity_in(part, unit)
        if value is None or value < 0:
            raise Refused("not_a_number", f"{part!r} is none of {what}.", "Write numbers with commas between them.")
        found.append(value)
    return tuple(found)


def traffic_in(text: str) -> Traffic:
    """The pattern "poisson", or "mmpp:LOW,HIGH,LOW_SECONDS,HIGH_SECONDS".

    Raises:
        Refused: bad_traffic.
    """
    name, _, numbers = text.partition(":")
    if name == "poisson" and not numbers:
        return Traffic("poisson")
    parts = [quantity_in(part, "1") for part in _parts(numbers)]
    rates = [part for part in parts if part is not None and part > 0]
    if name != "mmpp" or len(rates) != 4 or len(parts) != 4:
        raise Refused(
            "bad_traffic",
            f"{text!r} is no pattern of arrivals.",
            "Write poisson, or mmpp: and four numbers above 0, such as mmpp:0.6,1.8,2,1.",
        )
    return Traffic("mmpp", Bursts(*rates))


def recorded_in(text: str) -> Traffic:
    """Recorded times, one number of seconds a line.

    Raises:
        Refused: bad_traffic.
    """
    times = [quantity_in(line, "s") for line in text.split()]
    known = tuple(time for time in times if time is not None)
    if len(known) < len(times) or len(known) < 2:
        raise Refused("bad_traffic", "The recorded arrivals are no list of seconds.", "Write one number on each line.")
    return Traffic("replay", recorded=known)


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


FIELDS: Final = (
    "limits", "varied", "throughput", "latency", "power", "energy", "temperature", "grid", "warmup", "offered",
    "devices", "arms", "arrivals", "traffic", "waits", "servers", "idle",
)  # fmt: skip
COMPARE: Final = "compare"
FEWEST_REQUESTS_EACH: Final = 5000


def asked_of(wish: Mapping[str, str], *, simulate: bool) -> Asked:
    """What the texts of a page or a job ask for; "" or nothing is the usual.

    Raises:
        Refused: bad_limit, not_a_number, bad_traffic.
    """
    given = {name: wish.get(name, "").strip() for name in FIELDS}
    offered = numbers_in(given["offered"], "1/s", "the rate that was offered")
    plan = SweepPlan(
        warmup=_whole(given["warmup"], "the warmup", 0),
        offered=offered[0] if offered else None,
        varied=given["varied"],
        devices=_devices(given["devices"]),
        throughput=given["throughput"],
        latency=given["latency"],
        power=given["power"],
        energy=given["energy"],
        temperature=given["temperature"],
        grid=tuple(Fraction(point) for point in numbers_in(given["grid"], "1", "the grid")),
    )
    limits = limits_in(given["limits"])
    if not simulate or not given["arrivals"]:
        return Asked(plan, limits)
    idle = numbers_in(given["idle"], "W", "the idle power")
    return Asked(
        plan,
        limits,
        Simulation(
            rates=numbers_in(given["arrivals"], "1/s", "the arrivals"),
            waits=numbers_in(given["waits"], "s", "the waits") or Simulation(()).waits,
            traffic=traffic_in(given["traffic"] or "poisson"),
            servers=_whole(given["servers"], "the servers", 1),
            idle_watts=idle[0] if idle else 0.0,
            effort=Effort(requests=FEWEST_REQUESTS_EACH),
        ),
    )


def _devices(text: str) -> int:
    found = _whole(text, "the devices", 1)
    if found < 1:
        raise Refused(
            "not_a_number", "The devices that serve are at least one.", "Write how many serve together, 1 or more."
        )
    return found


def _whole(text: str, what: str, usual: int) -> int:
    if not text:
        return usual
    if not re.fullmatch(r"[0-9]{1,6}", text):
        raise Refused("not_a_number", f"{text!r} is no number of {what}.", "Write a whole number.")
    return int(text)
