"""Units as files write them, and their exact factors to base units. Never inferred from magnitude.

Spelling is exact, because "mJ" and "MJ" differ by a factor of a thousand million.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from analysis.errors import Refused
from analysis.exact import Exact, Quantity, parse_exact

RATES: Final = (
    "1/s", "/s", "Hz", "tok/s", "token/s", "tokens/s", "tokens / s", "tokens/sec", "tok/sec", "req/s", "requests/s",
    "requests/sec", "requests / s", "it/s", "samples/s", "samples/sec", "items/s", "images/s", "images/sec", "steps/s",
    "infer/sec", "inferences/s", "queries/s", "qps", "FPS", "per sec", "tokens/sec/user", "B/s", "bytes/sec", "flop/s",
)  # fmt: skip
COUNTS: Final = (
    "1", "", "ratio", "count", "tokens", "requests", "samples", "steps", "items", "points", "images", "queries",
)  # fmt: skip
SCALED: Final[Mapping[str, Mapping[str, Fraction]]] = {
    "s": {
        "s": Fraction(1), "sec": Fraction(1), "seconds": Fraction(1),
        "ms": Fraction(1, 10**3), "msec": Fraction(1, 10**3), "milliseconds": Fraction(1, 10**3),
        "us": Fraction(1, 10**6), "µs": Fraction(1, 10**6), "μs": Fraction(1, 10**6), "usec": Fraction(1, 10**6),
        "microseconds": Fraction(1, 10**6),
        "ns": Fraction(1, 10**9), "nsec": Fraction(1, 10**9), "nsecond": Fraction(1, 10**9),
        "nanoseconds": Fraction(1, 10**9), "ps": Fraction(1, 10**12), "picoseconds": Fraction(1, 10**12),
        "min": Fraction(60), "minutes": Fraction(60), "h": Fraction(3600), "hours": Fraction(3600),
    },
    "1/s": {
        "1/ms": Fraction(10**3), "1/min": Fraction(1, 60),
        "kHz": Fraction(10**3), "MHz": Fraction(10**6), "GHz": Fraction(10**9),
        "kB/s": Fraction(10**3), "MB/s": Fraction(10**6), "GB/s": Fraction(10**9), "TB/s": Fraction(10**12),
        "MiB/s": Fraction(2**20), "GiB/s": Fraction(2**30),
        "bit/s": Fraction(1, 8), "Gbit/s": Fraction(10**9, 8), "Gbps": Fraction(10**9, 8),
        "Gflop/s": Fraction(10**9), "GFLOPS": Fraction(10**9), "Tflop/s": Fraction(10**12), "TFLOPS": Fraction(10**12),
    },
    "J": {
        "J": Fraction(1), "mJ": Fraction(1, 10**3), "uJ": Fraction(1, 10**6), "µJ": Fraction(1, 10**6),
        "kJ": Fraction(10**3), "MJ": Fraction(10**6), "Wh": Fraction(3600), "kWh": Fraction(3_600_000),
    },
    "W": {"W": Fraction(1), "mW": Fraction(1, 10**3), "kW": Fraction(10**3), "MW": Fraction(10**6)},
    "B": {
        "B": Fraction(1), "bytes": Fraction(1),
        "kB": Fraction(10**3), "KB": Fraction(10**3), "MB": Fraction(10**6), "GB": Fraction(10**9),
        "TB": Fraction(10**12),
        "KiB": Fraction(2**10), "MiB": Fraction(2**20), "GiB": Fraction(2**30), "TiB": Fraction(2**40),
    },
    "1": {"%": Fraction(1, 100), "percent": Fraction(1, 100), "ppm": Fraction(1, 10**6)},
}  # fmt: skip
FACTORS: Final[Mapping[str, tuple[str, Fraction]]] = {
    **{name: ("1/s", Fraction(1)) for name in RATES},
    **{name: ("1", Fraction(1)) for name in COUNTS},
    **{name: (base, factor) for base, named in SCALED.items() for name, factor in named.items()},
}


def factor_to_base(unit: str) -> tuple[str, Fraction]:
    """The base unit of `unit`, and the exact factor that leads there.

    Raises:
        Refused: unit_mismatch, when the unit has no exact conversion here.
    """
    try:
        return FACTORS[unit.strip()]
    except KeyError:
        raise Refused(
            "unit_mismatch",
            f"The unit {unit.strip()!r} has no exact conversion.",
            "Give the value in s, ms, us, ns, 1/s, J, Wh, W, B or 1, spelled like that.",
        ) from None


def to_base(value: Exact, unit: str) -> Quantity:
    """`value` in the base unit of `unit`, exactly.

    Raises:
        Refused: unit_mismatch, not_a_number, not_finite.
    """
    base, factor = factor_to_base(unit)
    return Quantity(parse_exact(value) * factor, base)
