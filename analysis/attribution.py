"""How far an effect may be attributed: a rung of a ladder, read from recorded facts and never from a number alone.

0  a difference observed, or nothing established
1  a difference established between two periods or two systems
2  a difference established for the change: blocked or interleaved, with the same work

Rungs 3 (a mechanism supported by a replay) and 4 (the fix verified) need run sets of their own. Rung 2 also asks for
the quality gate, which lies outside one comparison.
"""

from dataclasses import dataclass
from typing import Final, Literal

Rung = Literal[0, 1, 2]

INTERLEAVED: Final = 0.5
WORDS: Final[dict[Rung, str]] = {
    0: "A difference was observed; none is established.",
    1: "A difference is established between two periods or systems, not for the change.",
    2: "A difference is established for the change, if quality is no worse.",
}


@dataclass(frozen=True, slots=True)
class Attribution:
    """The rung, and what it says."""

    rung: Rung
    sentence: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What was recorded. overlap: of the arms in time, 0 to 1, None when starts are unknown."""

    established: bool
    blocked: bool
    two_systems: bool
    overlap: float | None


def attribute(facts: Facts) -> Attribution:
    """The highest rung that the facts allow."""
    rung = _rung(facts)
    return Attribution(rung, WORDS[rung])


def _rung(facts: Facts) -> Rung:
    if not facts.established:
        return 0
    if facts.two_systems or facts.overlap == 0:
        return 1
    interleaved = facts.overlap is not None and facts.overlap >= INTERLEAVED
    return 2 if facts.blocked or interleaved else 1
