"""What an assessment says of the parts of its runs: stages, terms of a sum, counters. The types only.

Every answer holds its numbers, how they were made, and a sentence; or the refusal that stands in their place.
"""

from dataclasses import dataclass
from typing import Literal

from analysis.inputs import Scale, StageKind
from analysis.notices import Refusal

Answer = Literal["supported", "refuted", "undetermined"]
SplitKind = Literal["stages", "work, cycles and clock"]


@dataclass(frozen=True, slots=True)
class PartEffect:
    """The effect on one part of a run, candidate over baseline or minus it, by `scale` and `unit`.

    lo, hi: at the level of the answer. equal_lo, equal_hi: at 90 %, for what is shown to stay within a margin; None
    where nothing is excluded by them. All are None for a part that does not vary between runs; `reason` then says so.
    """

    name: str
    scale: Scale
    unit: str
    estimate: float
    lo: float | None
    hi: float | None
    equal_lo: float | None
    equal_hi: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class Basis:
    """How the intervals of an answer were made.

    level: of each. together: at which all of them hold at once, None where each stands alone.
    units: independent units behind each, `counted` in words.
    """

    level: float
    together: float | None
    method: str
    units: int
    counted: str
    scope: str
    estimand: str
    assumptions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StagesAnswer:
    """Where along ordered stages the difference begins.

    margin: how far a stage may move and still be excluded, a factor or a difference. found: the stages in which it may
    begin, of which the last is established; empty when not localised. excluded: the stages before them.
    """

    how: StageKind
    stages: tuple[PartEffect, ...]
    margin: float
    found: tuple[str, ...]
    excluded: tuple[str, ...]
    sentence: str
    basis: Basis | None
    refusal: Refusal | None


@dataclass(frozen=True, slots=True)
class SplitAnswer:
    """The difference of the time as a sum of parts, or its ratio as a product of factors; exact, and no cause."""

    of: SplitKind
    whole: PartEffect | None
    parts: tuple[PartEffect, ...]
    sentence: str
    basis: Basis | None
    refusal: Refusal | None


@dataclass(frozen=True, slots=True)
class MechanismAnswer:
    """What the counters say of one mechanism. against: counters that contradict it. missing: not recorded."""

    mechanism: str
    answer: Answer
    against: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Absent:
    """A counter that cannot be used, and why."""

    counter: str
    reason: str


@dataclass(frozen=True, slots=True)
class MechanismsAnswer:
    """Which mechanism the counters speak for.

    work: the unit of work by which they are divided. margin: what counts as a movement, relative, or as a difference
    of a share. dominant: the supported mechanism, when there is exactly one.
    """

    work: str
    margin: float
    counters: tuple[PartEffect, ...]
    absent: tuple[Absent, ...]
    answers: tuple[MechanismAnswer, ...]
    dominant: str | None
    sentence: str
    basis: Basis | None
    refusal: Refusal | None
