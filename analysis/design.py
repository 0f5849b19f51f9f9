"""How the runs were laid out, read from their labels: it decides the procedure, never the data do.

0  a block with a failed or excluded run is dropped whole and counted
1  an arm without runs                                        refused: no_runs
2  no shared placement, and an arm on a single one            refused: arm_confounded_with_placement,
   but when the plan varies the hardware itself               two_systems
3  every block holds one run per arm on one placement         blocked
4  two or more placements, each holding both arms             crossed
5  arms on disjoint placements, two or more each              nested
6  one placement, no blocks                                   independent
7  anything else                                              refused: ambiguous_design
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from analysis.errors import Refused
from analysis.inputs import ARMS, Arm
from analysis.notices import named
from analysis.runs import WITHOUT, RunPoint

Kind = Literal["two_systems", "blocked", "crossed", "nested", "independent", "items"]

ONE_PLACEMENT: Final = "this placement only"
BROKEN = ("failed", "excluded", "partial")


@dataclass(frozen=True, slots=True)
class Design:
    """The layout of the used runs.

    placements: distinct labels, "" for the unknown one. blocks: whole ones; dropped_blocks: those with a broken run.
    scope: to which placements an effect speaks. placements_verified: all were captured, none typed or unknown.
    counted: what the independent units are, in words.
    """

    kind: Kind
    placements: tuple[str, ...]
    blocks: tuple[str, ...]
    dropped_blocks: tuple[str, ...]
    scope: str
    placements_verified: bool
    counted: str


def drop_broken_blocks(points: Collection[RunPoint]) -> tuple[RunPoint, ...]:
    """The points, with the used runs of every block that also holds a failed, partial or excluded run set apart."""
    broken = {point.block for point in points if point.status in BROKEN and point.block}
    return tuple(
        replace(point, status="dropped_with_block", reason=f"block {point.block} lost its other run")
        if point.block in broken and point.status == "used"
        else point
        for point in points
    )


def used(points: Collection[RunPoint]) -> tuple[RunPoint, ...]:
    """The points whose value enters the effect."""
    return tuple(point for point in points if point.status == "used")


def require_both_arms(points: Collection[RunPoint]) -> None:
    """Passes when each arm has a run left, with or without a usable value.

    Raises:
        Refused: no_runs.
    """
    for arm in ARMS:
        if not any(point.arm == arm and point.status in ("used", *WITHOUT) for point in points):
            raise Refused("no_runs", f"No {arm} run is left.", f"Attach at least two completed {arm} runs.")


def infer_design(points: Collection[RunPoint], *, hardware_varied: bool) -> Design:
    """The design of the used runs, by the table at the top.

    Raises:
        Refused: no_runs, arm_confounded_with_placement, ambiguous_design.
    """
    require_both_arms(points)
    taken = used(points)
    kind = _kind(taken, hardware_varied=hardware_varied)
    placements = tuple(sorted({point.placement for point in taken}))
    dropped = {point.block for point in points if point.status == "dropped_with_block"}
    return Design(
        kind,
        placements,
        tuple(sorted({point.block for point in taken if point.block})),
        tuple(sorted(dropped | {point.block for point in points if point.status in BROKEN and point.block})),
        _scope(kind, len(placements)),
        all(point.placement and point.placement_verified for point in taken),
        _counted(kind, len(placements)),
    )


def _kind(taken: Sequence[RunPoint], *, hardware_varied: bool) -> Kind:
    """The row of the table. Unknown placements are one, unless the hardware varies: then each arm has its own."""
    by_arm = {arm: {point.placement for point in taken if point.arm == arm} for arm in ARMS}
    unknown = {""} if hardware_varied else set()
    shared = (by_arm["baseline"] & by_arm["candidate"]) - unknown
    if not shared and min(len(placements) for placements in by_arm.values()) == 1:
        if hardware_varied:
            return "two_systems"
        raise Refused(
            "arm_confounded_with_placement",
            "The arms ran on different placements, one of them on a single one: the placement may be the whole effect.",
            "Run both arms on the same placement, or each on several; or declare that the hardware is what varies.",
        )
    if _odd_blocks(taken) == []:
        return "blocked"
    if not shared:
        return "nested"
    if any(point.block for point in taken):
        raise _ambiguous(_odd_blocks(taken), "do not form blocks of one run per arm on one placement")
    lone = [point.label for point in taken if point.placement not in shared]
    if lone:
        raise _ambiguous(lone, "ran on a placement that the other arm did not use")
    return "crossed" if len(shared) > 1 else "independent"


def _odd_blocks(taken: Sequence[RunPoint]) -> list[str]:
    """The labels of runs outside a block of exactly one run per arm on one placement."""
    members: defaultdict[str, list[RunPoint]] = defaultdict(list)
    for point in taken:
        members[point.block].append(point)
    return sorted(
        point.label
        for block, inside in members.items()
        for point in inside
        if not block or sorted(p.arm for p in inside) != sorted(ARMS) or len({p.placement for p in inside}) > 1
    )


def _ambiguous(labels: list[str], what: str) -> Refused:
    return Refused(
        "ambiguous_design",
        f"The layout is a mixture: {named(labels)} {what}.",
        "Give these runs their block and placement, or exclude them by a rule of the plan.",
    )


def _scope(kind: Kind, placements: int) -> str:
    if kind == "two_systems":
        return "these two systems only"
    if placements == 1:
        return ONE_PLACEMENT
    return "these 2 placements only" if placements == 2 and kind != "nested" else "placements like these"


def _counted(kind: Kind, placements: int) -> str:
    if kind == "nested":
        return "placements per arm"
    if placements >= 3 and kind != "two_systems":
        return "placements"
    return "blocks" if kind == "blocked" else "runs per arm"


def too_few_for_verdict(design: Design, points: Collection[RunPoint]) -> str:
    """Why the interval may be shown but not judged, or "": two of whatever counts is too little.

    Items are counted by their interval.
    """
    if design.kind == "items":
        return ""
    taken = used(points)
    smallest = min(sum(point.arm == arm for point in taken) for arm in ARMS)
    if design.kind == "nested":
        smallest = min(len(values) for values in by_placement(taken).values())
    if design.counted == "placements" or smallest >= 3:
        return ""
    return f"{smallest} {design.counted} carry an interval, but no verdict: it needs 3."


def by_placement(taken: Collection[RunPoint]) -> Mapping[Arm, Mapping[str, list[RunPoint]]]:
    """The runs of each arm, by placement."""
    found: dict[Arm, dict[str, list[RunPoint]]] = {arm: {} for arm in ARMS}
    for point in taken:
        found[point.arm].setdefault(point.placement, []).append(point)
    return found
