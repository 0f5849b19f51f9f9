"""How far an effect may be attributed: a rung of a ladder, read from recorded facts and never from a number alone.

0  a difference observed, or nothing established
1  a difference established between two periods or two systems
2  a difference established for the change: blocked or interleaved, with the same work

3  a mechanism supported: a registered prediction supported, and a rival refuted, by a controlled replay
4  the fix verified: without the cause the arms are equivalent within the margin, in ordinary execution

One comparison reaches rung 2 at most (`attribute`). Rungs 3 and 4 need run sets of their own, and the quality gate
(`climb`); no rung is reached without the one below it.
"""

from dataclasses import dataclass
from typing import Final, Literal

Rung = Literal[0, 1, 2, 3, 4]

INTERLEAVED: Final = 0.5
WORDS: Final[dict[Rung, str]] = {
    0: "A difference was observed; none is established.",
    1: "A difference is established between two periods or systems, not for the change.",
    2: "A difference is established for the change, if quality is no worse.",
    3: "A mechanism is supported by a controlled replay, which refutes a rival.",
    4: "The fix is verified: it restores equivalence within the margin in ordinary execution.",
}
QUALITY_PASSED: Final = "A difference is established for the change; quality is no worse."
QUALITY_FAILED: Final = "A difference is established, with other quality: it is not the same result."


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


@dataclass(frozen=True, slots=True)
class Replay:
    """What a controlled replay recorded. own_runs: none of its runs belongs to the comparison that it explains.

    supported: registered predictions that it supports, none of them post hoc. rivals_refuted: of the rivals.
    """

    controlled: bool
    own_runs: bool
    supported: int
    rivals_refuted: int


@dataclass(frozen=True, slots=True)
class FixCheck:
    """What the runs after a fix or a revert recorded. own_runs: as of a replay."""

    ordinary_execution: bool
    own_runs: bool
    within_margin: bool


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


def climb(facts: Facts, *, quality_passed: bool | None, replay: Replay | None, fix: FixCheck | None) -> Attribution:
    """The highest rung that the facts of the comparison, its quality gate, a replay and a fix allow together.

    Args:
        quality_passed: None when no quality gate is recorded; then rung 2 stays conditional, and is the highest.
    """
    found = attribute(facts)
    if found.rung < 2 or quality_passed is None:
        return found
    if not quality_passed:
        return Attribution(1, QUALITY_FAILED)
    if replay is None or not _supports(replay):
        return Attribution(2, QUALITY_PASSED)
    rung: Rung = 4 if fix is not None and _verifies(fix) else 3
    return Attribution(rung, WORDS[rung])


def _supports(replay: Replay) -> bool:
    return replay.controlled and replay.own_runs and replay.supported >= 1 and replay.rivals_refuted >= 1


def _verifies(fix: FixCheck) -> bool:
    return fix.ordinary_execution and fix.own_runs and fix.within_margin
