"""A service level: what every request must keep. It is a part of the identity of a goodput."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from analysis.errors import Refused


@dataclass(frozen=True, slots=True)
class ServiceLevel:
    """What a request must keep: greatest values by metric, in base units ({"ttft": 0.2, "tpot": 0.05} seconds).

    share: of all requests offered, that must keep every limit at a rate of a sweep, in (0, 1].
    """

    limits: Mapping[str, Fraction]
    share: Fraction

    @property
    def kept_said(self) -> str:
        """The limits in words, in one order: "requests with tpot <= 0.05 s, ttft <= 0.2 s"."""
        return "requests with " + ", ".join(
            f"{name} <= {float(limit):g} s" for name, limit in sorted(self.limits.items())
        )

    @property
    def said(self) -> str:
        """The service level in words, in one order: a part of the identity of a goodput."""
        return f"{100 * float(self.share):g} % of {self.kept_said}"


def require_level(level: ServiceLevel) -> None:
    """Passes when requests can be held to the level.

    Raises:
        Refused: bad_service_level.
    """
    if not level.limits or not 0 < level.share <= 1 or min(level.limits.values()) <= 0:
        raise Refused(
            "bad_service_level",
            "The service level names no limit above zero, or no share of requests.",
            "Give at least one limit, and a share above 0 and up to 1.",
        )
