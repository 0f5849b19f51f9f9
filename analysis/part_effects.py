"""Effects on parts of runs, by the design of the comparison itself: the same runs, blocks and placements."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from analysis import effect
from analysis.claims import LARGEST_LOG
from analysis.decompose import Decomposition, varying
from analysis.design import Design
from analysis.errors import Refused
from analysis.inputs import ARMS, Arm, ComparisonPlan, Scale
from analysis.localise import Ends, ends_at
from analysis.parts import Basis, PartEffect, SplitAnswer, SplitKind
from analysis.procedures import ROUNDING, Spread
from analysis.runs import RunPoint

CONSTANT: Final = "does not vary between runs"
EXACT: Final[Mapping[str, str]] = {
    "difference": "The parts add up to the whole difference in every run: bookkeeping, and no cause.",
    "ratio": "The factors multiply to the ratio of the time in every run: bookkeeping, and no cause.",
}

Values = Mapping[str, float]
"""A number of every run, by the run's label."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The runs that an assessment used, as they were laid out. labels: of each arm, in the order of the blocks."""

    plan: ComparisonPlan
    points: tuple[RunPoint, ...]
    design: Design

    @property
    def labels(self) -> Mapping[Arm, tuple[str, ...]]:
        """The runs of each arm, in the order of their blocks."""
        ordered = sorted(self.points, key=lambda point: (point.block, point.label))
        return {arm: tuple(point.label for point in ordered if point.arm == arm) for arm in ARMS}

    @property
    def smaller_arm(self) -> int:
        """The runs of the arm that has fewer."""
        return min(len(labels) for labels in self.labels.values())

    def change(self, values: Values, scale: Scale) -> tuple[float, Spread | None]:
        """The centre on the scale where effects add, and its spread; None when the values do not vary.

        Raises:
            Refused: too_few_runs, too_few_blocks.
        """
        points = [replace(point, value=values[point.label]) for point in self.points]
        still = max(values.values()) - min(values.values()) <= ROUNDING * max(map(abs, values.values()))
        return varying(
            lambda: effect.spread_of(points, self.design, scale),
            lambda: 0.0 if still else effect.centre_of(points, self.design, scale),
        )

    def change_in_order(self, baseline: Sequence[float], candidate: Sequence[float]) -> tuple[float, Spread | None]:
        """The same, of values in the order of `labels` that lie on the additive scale already."""
        arms = (baseline, candidate)
        values = {
            label: value
            for arm, held in zip(ARMS, arms, strict=True)
            for label, value in zip(self.labels[arm], held, strict=True)
        }
        return self.change(values, "difference")


def require_declared_look(plan: ComparisonPlan) -> None:
    """Passes at a declared look: at another an interval must hold at every look, and those of parts do not.

    Raises:
        Refused: undeclared_look.
    """
    if plan.look > plan.looks:
        raise Refused(
            "undeclared_look",
            f"This is look {plan.look}, and the plan declared {plan.looks}: parts of runs have no interval that holds "
            "at every look.",
            "Register a plan that declares its looks, and run it afresh.",
        )


def units_of(layout: Layout, spread: Spread) -> int:
    """The independent units behind a spread; over a few placements alone, the runs of the smaller arm."""
    return layout.smaller_arm if spread.method == "stratified" else spread.units


def basis_of(
    layout: Layout, spreads: Sequence[Spread | None], *, scale: Scale, estimand: str, together: int
) -> Basis | None:
    """How the intervals of several parts are made; None when no part varies. together: so many hold at once, 0 alone.

    A family of `together` intervals shares the plan's level (Bonferroni).
    """
    spread = next((one for one in spreads if one is not None), None)
    if spread is None:
        return None
    level = layout.plan.level
    return Basis(
        level=1 - (1 - level) / together if together else level,
        together=level if together else None,
        method=f"{spread.method}_{'log' if scale == 'ratio' else 'difference'}",
        units=units_of(layout, spread),
        counted=layout.design.counted,
        scope=layout.design.scope,
        estimand=estimand,
        assumptions=effect.assumptions_of(spread, scale),
    )


def part_of(name: str, centre: float, ends: Ends | None, equal: Ends | None, *, scale: Scale, unit: str) -> PartEffect:
    """The effect on one part, from the scale where effects add back to its own. ends: None when it does not vary.

    Raises:
        Refused: unbounded.
    """
    lo, hi = _pair(ends, scale)
    equal_lo, equal_hi = _pair(equal, scale)
    reason = CONSTANT if ends is None else ""
    return PartEffect(name, scale, unit, _back(centre, scale), lo, hi, equal_lo, equal_hi, reason)


def _pair(ends: Ends | None, scale: Scale) -> tuple[float | None, float | None]:
    return (None, None) if ends is None else (_back(ends[0], scale), _back(ends[1], scale))


def _back(value: float, scale: Scale) -> float:
    if scale != "ratio":
        return value
    if abs(value) > LARGEST_LOG:
        raise Refused("unbounded", "The interval is too wide to be printed.", "Add runs.")
    return math.exp(value)


def split_answer(of: SplitKind, found: Decomposition, layout: Layout, estimand: str) -> SplitAnswer:
    """A decomposition with the interval of each part, every one at the plan's level alone.

    Raises:
        Refused: unbounded.
    """
    basis = basis_of(
        layout, [found.whole.spread, *(p.spread for p in found.parts)], scale=found.scale, estimand=estimand, together=0
    )
    unit, level = "1" if found.scale == "ratio" else "s", layout.plan.level
    whole, *parts = (
        part_of(
            part.name,
            part.change,
            None if part.spread is None else ends_at(part.spread, level),
            None,
            scale=found.scale,
            unit=unit,
        )
        for part in (found.whole, *found.parts)
    )
    return SplitAnswer(of, whole, tuple(parts), EXACT[found.scale], basis, None)
