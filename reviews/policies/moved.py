"""Whether a margin or a limit moved into an interval, or out of it, since somebody signed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Ends:
    """The two ends of an interval."""

    low: Fraction
    high: Fraction

    def hold(self, value: Fraction) -> bool:
        """Whether the value lies inside, ends included."""
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Mark:
    """A margin or limit beside an interval, then and now; said: as people read it. None for what was not there."""

    name: str
    then: Fraction | None
    now: Fraction | None
    said_then: str
    said_now: str
    ends_then: Ends | None
    ends_now: Ends | None


def sentences(marks: Iterable[Mark]) -> tuple[str, ...]:
    """What became of each: in words, the marks in their order."""
    return tuple(said for mark in marks for said in _said(mark))


def _said(mark: Mark) -> Iterator[str]:
    if mark.then is not None and mark.now is not None and mark.then != mark.now:
        yield f"{mark.name} was {mark.said_then}, and is {mark.said_now}."
    before = _where(mark.then, mark.ends_then)
    after = _where(mark.now, mark.ends_now)
    if after == "inside":
        since = {"inside": "as when you signed", "outside": "and lay outside when you signed"}.get(before, "")
        yield f"{mark.name} {mark.said_now} lies inside the interval now{', ' + since if since else ''}."
    elif before == "inside" and after == "outside":
        yield f"{mark.name} {mark.said_now} lies outside the interval now, and lay inside when you signed."


def _where(value: Fraction | None, ends: Ends | None) -> str:
    if value is None or ends is None:
        return ""
    return "inside" if ends.hold(value) else "outside"
