"""The one way in which numbers, times and digests are printed for people: pages, command line and PDF.

Four significant digits, thousands in groups, U+2212 for minus, a no-break space before a unit, times in UTC.
Numbers come as int, float, Fraction, Decimal or decimal text ("0.9079690783"); bounds come as text only, already
rounded outward, because rounding them again would shut the truth out.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from typing import Final

Number = int | float | Fraction | Decimal | str

DIGITS: Final = 4
MINUS: Final = "\N{MINUS SIGN}"
SPACE: Final = "\N{NO-BREAK SPACE}"
NOTHING: Final = "\N{EN DASH}"
_PRECISION: Final = 40


@dataclass(frozen=True, slots=True)
class PeopleUnit:
    """The unit in which people read a quantity: value in base units = `size` x value in `name`."""

    name: str
    size: Decimal


_SCALES: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "s": (("s", "1"), ("ms", "1e-3"), ("µs", "1e-6"), ("ns", "1e-9")),
    "J": (("MJ", "1e6"), ("kJ", "1e3"), ("J", "1"), ("mJ", "1e-3"), ("µJ", "1e-6")),
    "W": (("MW", "1e6"), ("kW", "1e3"), ("W", "1"), ("mW", "1e-3")),
    "B": (("TB", "1e12"), ("GB", "1e9"), ("MB", "1e6"), ("kB", "1e3"), ("B", "1")),
    "1/s": (("/s", "1"),),
    "1": (("", "1"),),
    "": (("", "1"),),
}


def exact(value: Number) -> Decimal:
    """`value` as a Decimal (a Fraction to 40 digits). Raises ValueError for what is not a finite number."""
    if isinstance(value, bool):
        raise ValueError(f"{value!r} is not a number.")  # noqa: TRY004 one error for all that is no number
    if isinstance(value, Fraction):
        with localcontext(Context(prec=_PRECISION)):
            return Decimal(value.numerator) / Decimal(value.denominator)
    try:
        number = Decimal(value)
    except ArithmeticError as error:
        raise ValueError(f"{value!r} is not a number.") from error
    if not number.is_finite():
        raise ValueError(f"{value!r} is not a finite number.")
    return number


def _rounded(value: Decimal, digits: int) -> Decimal:
    """`value` to `digits` significant digits, half to even."""
    if not value:
        return Decimal(0)
    with localcontext(Context(prec=_PRECISION + digits, rounding=ROUND_HALF_EVEN)):
        rounded = value.quantize(Decimal(1).scaleb(value.adjusted() - digits + 1))
        return rounded.quantize(Decimal(1).scaleb(rounded.adjusted() - digits + 1))


def _plain(value: Decimal) -> str:
    """`value` without exponent, in groups of thousands, with a real minus sign."""
    return f"{value:,f}".replace("-", MINUS)


def significant(value: Number, digits: int = DIGITS) -> str:
    """`value` to `digits` significant digits: "0.9080", "12,350", "0.000001200"."""
    return _plain(_rounded(exact(value), digits))


def shortest(value: Number, digits: int = 3) -> str:
    """`value` to at most `digits` significant digits, without zeros at its end: "12", "11.5"."""
    return _plain(_rounded(exact(value), digits).normalize())


def count(value: int) -> str:
    """A whole number, exact, in groups of thousands: "12,345"."""
    return _plain(Decimal(value))


def unit_for(greatest: Number, unit: str) -> PeopleUnit:
    """The unit in which to print values of the base unit `unit` up to `greatest`; another unit stays."""
    size = abs(_rounded(exact(greatest), DIGITS))
    scales = [PeopleUnit(name, Decimal(factor)) for name, factor in _SCALES.get(unit, ((unit, "1"),))]
    if not size:
        return next(scale for scale in scales if scale.size == 1)
    return next((scale for scale in scales if size >= scale.size), scales[-1])


def in_unit(value: Number, unit: PeopleUnit, digits: int = DIGITS) -> str:
    """`value` (base units) as a number in `unit`, without the unit: for the cells of a column that names its unit."""
    return significant(exact(value) / unit.size, digits)


def with_unit(number: str, unit: str) -> str:
    """A printed number and its unit: "41.20 ms", "12,350/s", "0.9080"."""
    joint = "" if not unit or unit.startswith("/") else SPACE
    return f"{number}{joint}{unit}"


def quantity(value: Number | None, unit: str) -> str:
    """A value of base unit `unit` in people's units: 0.0412 s is "41.20 ms"; None is "not measured"."""
    if value is None:
        return "not measured"
    scale = unit_for(value, unit)
    return with_unit(in_unit(value, scale), scale.name)


def size(octets: int) -> str:
    """A size in bytes: "512 B", "1.234 MB"; whole below 1 kB."""
    return with_unit(count(octets), "B") if abs(octets) < 1000 else quantity(octets, "B")


def percent(fraction: Number, digits: int = 3) -> str:
    """A fraction as a percentage, without sign for a gain: 0.95 is "95 %", 0.0125 is "1.25 %"."""
    number = _rounded(exact(fraction) * 100, digits).normalize()
    return with_unit(_plain(number), "%")


def percent_change(ratio: Number) -> str:
    """The change that a ratio candidate/baseline means: "−9.20 %", "+0.030 %", "0 %"; three significant digits."""
    change = _rounded((exact(ratio) - 1) * 100, 3)
    if not change:
        return with_unit("0", "%")
    return with_unit(f"{'+' if change > 0 else ''}{_plain(change)}", "%")


def change_in_words(ratio: Number) -> str:
    """The same change as words: "9.20 % lower", "4.00 % higher", "unchanged"."""
    change = _rounded((exact(ratio) - 1) * 100, 3)
    if not change:
        return "unchanged"
    return f"{with_unit(_plain(abs(change)), '%')} {'higher' if change > 0 else 'lower'}"


def confidence(level: Number) -> str:
    """A confidence level: "95 %", "98.75 %"."""
    return percent(level, digits=6)


def range_of(low: Number, high: Number, digits: int = DIGITS) -> str:
    """Two ends in brackets, to the nearest: "[0.8971, 0.9190]"."""
    return f"[{significant(low, digits)}, {significant(high, digits)}]"


def range_in(low: Number, high: Number, unit: str, digits: int = DIGITS) -> str:
    """Two ends of base unit `unit` in brackets, each with it in one people's unit: "[39.21 mJ, 45.95 mJ]"."""
    scale = unit_for(max(low, high, key=lambda one: abs(exact(one))), unit)
    return f"[{', '.join(with_unit(in_unit(one, scale, digits), scale.name) for one in (low, high))}]"


@dataclass(frozen=True, slots=True)
class IntervalWords:
    """What is printed of an interval besides its numbers.

    level: as a fraction, 0.95. method: name of the procedure. replicates: count of what was replicated, with its
    noun ("5 blocks"). scope: where it holds ("this placement only").
    """

    level: Number
    method: str
    replicates: str
    scope: str


def interval(estimate: Number, low: Number, high: Number, words: IntervalWords) -> str:
    """ "0.9080 [0.8971, 0.9190], 95 % confidence, paired_log, 5 blocks, this placement only"."""
    said = [f"{confidence(words.level)} confidence", words.method, words.replicates, words.scope]
    return ", ".join([f"{significant(estimate)} {range_of(low, high)}", *(part for part in said if part)])


def bounds(low: str, high: str) -> str:
    """Two ends that were rounded outward by the analysis, never rounded again; no confidence stands behind them."""
    return f"[{low}, {high}] (rounded outward), bounds; no confidence level"


def bits(value: float) -> str:
    """Expected information, to three decimals: "0.687"."""
    return f"{value:.3f}"


def plural(number: int, one: str, many: str = "") -> str:
    """A count with its noun: "1 block", "5 blocks"."""
    return f"{count(number)} {one if number == 1 else many or one + 's'}"


def digest_short(digest: str) -> str:
    """The first twelve characters of a digest; always beside or on top of the full one."""
    return digest.removeprefix("sha256:")[:12]


def digest_groups(digest: str) -> tuple[str, ...]:
    """A full digest in groups of eight, between which a line may break."""
    return tuple(digest[start : start + 8] for start in range(0, len(digest), 8))


def moment(value: datetime | str) -> datetime:
    """`value` in UTC, from a datetime or ISO 8601 text. Raises ValueError without a time zone."""
    time = datetime.fromisoformat(value) if isinstance(value, str) else value
    if time.tzinfo is None:
        raise ValueError(f"{value!r} has no time zone.")
    return time.astimezone(UTC)


def utc(value: datetime | str) -> str:
    """A time to the minute: "2026-03-01 14:05 UTC"."""
    return f"{moment(value):%Y-%m-%d %H:%M} UTC"


def utc_seconds(value: datetime | str) -> str:
    """A time to the second, for trails and records: "2026-03-01 14:05:09 UTC"."""
    return f"{moment(value):%Y-%m-%d %H:%M:%S} UTC"


def age(since: datetime | str, now: datetime) -> str:
    """How long ago, in the largest whole unit: "3 days", "2 hours", "5 minutes", "just now"."""
    passed = now - moment(since)
    for one, length in (("day", timedelta(days=1)), ("hour", timedelta(hours=1)), ("minute", timedelta(minutes=1))):
        if passed >= length:
            return plural(passed // length, one)
    return "just now"
