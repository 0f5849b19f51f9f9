"""What a benchmark tells: ratios of two times measured in turns, so that noise disturbs both alike, and lines."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

NO_BUDGET: Final = float("inf")


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as long ours takes as the peer's; the budget is the most that we allow ourselves."""

    name: str
    ours_s: float
    peer_s: float
    peer: str
    budget: float

    @property
    def value(self) -> float:
        """Ours over the peer's; below 1 we are faster."""
        return self.ours_s / self.peer_s

    @property
    def held(self) -> bool:
        return self.value <= self.budget


@dataclass(frozen=True, slots=True)
class Said:
    """A line of a table, or a remark; not `held` when it breaks a budget."""

    text: str
    held: bool


Measured = Ratio | Said


def remark(text: str) -> Said:
    """A line without a budget."""
    return Said(text, held=True)


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one call, in s."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def in_turns(ours: Callable[[], object], peer: Callable[[], object], *, rounds: int) -> tuple[float, float]:
    """The median times of both in s, after one unmeasured call each; they alternate within every round."""
    ours()
    peer()
    pairs = [(seconds(ours), seconds(peer)) for _ in range(rounds)]
    return statistics.median(o for o, _ in pairs), statistics.median(p for _, p in pairs)
