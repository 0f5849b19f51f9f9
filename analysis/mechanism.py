"""Which mechanism the counters speak for: a table of signatures, per unit of work, and three answers.

The counters lie on the scale where effects add, neutral at 0. A supported mechanism is consistent with its signature;
a cause outside the table shows as none supported, and no rung of attribution above 2 comes from counters alone.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from analysis.errors import Refused
from analysis.localise import EQUIVALENCE, Ends, ends_at
from analysis.multiplicity import simultaneous_confidence
from analysis.parts import MechanismAnswer
from analysis.procedures import Spread


@dataclass(frozen=True, slots=True)
class Signature:
    """required: counters and the sign in which each must move. still: counters that must not move."""

    required: Mapping[str, int]
    still: tuple[str, ...]


SIGNATURES: Final[Mapping[str, Signature]] = {
    "compute": Signature({"cycles_per_work": 1, "flops_per_work": 1}, ("clock", "dram_bytes_per_work")),
    "memory": Signature({"dram_bytes_per_work": 1, "memory_stall_share": 1}, ("clock", "flops_per_work")),
    "scheduling": Signature({"idle_gap_share": 1, "queue_wait": 1}, ("cycles_per_work", "clock")),
    "precision": Signature({"low_precision_share": -1, "cycles_per_work": 1}, ("clock", "flops_per_work")),
    "thermal": Signature({"clock": -1, "throttle_share": 1}, ("cycles_per_work", "flops_per_work")),
}
COUNTERS: Final = frozenset().union(*({*s.required, *s.still} for s in SIGNATURES.values()))


@dataclass(frozen=True, slots=True)
class Counter:
    """The effect on one counter. simultaneous: at the level that all counters share. ordinary: at 90 %.

    margin: what counts as a movement of this counter, above 0.
    """

    name: str
    simultaneous: Ends
    ordinary: Ends
    margin: float


@dataclass(frozen=True, slots=True)
class Mechanisms:
    """The answer of every mechanism. dominant: the supported one when there is exactly one."""

    answers: tuple[MechanismAnswer, ...]
    dominant: str | None


def counter_of(name: str, spread: Spread, *, counters: int, margin: float, confidence: float) -> Counter:
    """One of `counters` counters, whose simultaneous intervals hold together at `confidence`.

    Raises:
        Refused: no_claims.
    """
    together = simultaneous_confidence(counters, confidence=confidence)
    return Counter(name, ends_at(spread, together), ends_at(spread, EQUIVALENCE), margin)


def classify_mechanism(counters: Collection[Counter]) -> Mechanisms:
    """What the counters say of every mechanism of the table.

    Raises:
        Refused: not_positive (a margin), unknown_counter, duplicate_counter.
    """
    known = {counter.name: counter for counter in counters}
    strange = sorted(set(known) - COUNTERS)
    if strange:
        raise Refused("unknown_counter", f"No signature knows {strange[0]}.", f"Use {', '.join(sorted(COUNTERS))}.")
    if len(known) < len(counters):
        raise Refused("duplicate_counter", "A counter is given twice.", "Give each counter once.")
    if not all(0 < counter.margin < math.inf for counter in counters):
        raise Refused("not_positive", "A margin must be above 0.", "Give it on the scale of its counter.")
    answers = tuple(_answer(name, signature, known) for name, signature in SIGNATURES.items())
    supported = [answer.mechanism for answer in answers if answer.answer == "supported"]
    return Mechanisms(answers, supported[0] if len(supported) == 1 else None)


def _answer(mechanism: str, signature: Signature, known: Mapping[str, Counter]) -> MechanismAnswer:
    missing = tuple(name for name in (*signature.required, *signature.still) if name not in known)
    required = {name: sign for name, sign in signature.required.items() if name in known}
    against = tuple(
        [name for name, sign in required.items() if _contradicts(known[name], sign)]
        + [name for name in signature.still if name in known and _moved_beyond(known[name])]
    )
    if against:
        return MechanismAnswer(mechanism, "refuted", against, missing)
    moved = not missing and all(_moved(known[name], sign) for name, sign in required.items())
    return MechanismAnswer(mechanism, "supported" if moved else "undetermined", (), missing)


def _moved(counter: Counter, sign: int) -> bool:
    lo, hi = counter.simultaneous
    return lo > 0 if sign > 0 else hi < 0


def _contradicts(counter: Counter, sign: int) -> bool:
    """Whether a required counter is shown to stay within its margin, or moved the other way."""
    lo, hi = counter.ordinary
    return _moved(counter, -sign) or (-counter.margin < lo and hi < counter.margin)


def _moved_beyond(counter: Counter) -> bool:
    lo, hi = counter.simultaneous
    return lo > counter.margin or hi < -counter.margin
