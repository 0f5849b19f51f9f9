from collections.abc import Sequence
from typing import Any

import pytest

from analysis.design import Design, drop_broken_blocks, infer_design, too_few_for_verdict, used
from analysis.errors import Refused
from analysis.runs import RunPoint


def a_point(arm: Any, label: str, **changes: Any) -> RunPoint:
    ordinary: dict[str, Any] = {
        "block": "", "placement": "host-1", "placement_verified": True, "order": None, "started_ns": None,
        "value": 1.0, "unit": "s", "n_inner": None, "left_out": 0, "computed": "ours", "status": "used",
        "reason": "", "problem": None,
    }  # fmt: skip
    return RunPoint(label=label, arm=arm, **{**ordinary, **changes})


def lay_out(*cells: tuple[str, str, str]) -> tuple[RunPoint, ...]:
    """Points from (arm, block, placement)."""
    names = {"b": "baseline", "c": "candidate"}
    return tuple(a_point(names[a], f"{a}{i}", block=k, placement=p) for i, (a, k, p) in enumerate(cells))


def on(placement: str, baseline: int, candidate: int) -> list[tuple[str, str, str]]:
    return [("b", "", placement)] * baseline + [("c", "", placement)] * candidate


def in_blocks(placement: str, blocks: int) -> list[tuple[str, str, str]]:
    return [(arm, f"{placement}-{i}", placement) for i in range(blocks) for arm in "bc"]


def design_of(cells: Sequence[tuple[str, str, str]], *, hardware_varied: bool = False) -> Design:
    return infer_design(lay_out(*cells), hardware_varied=hardware_varied)


@pytest.mark.parametrize(
    ("cells", "kind", "scope", "counted"),
    [
        (on("h", 3, 4), "independent", "this placement only", "runs per arm"),
        (in_blocks("h", 3), "blocked", "this placement only", "blocks"),
        (in_blocks("h", 2) + in_blocks("i", 2), "blocked", "these 2 placements only", "blocks"),
        (in_blocks("h", 1) + in_blocks("i", 1) + in_blocks("j", 1), "blocked", "placements like these", "placements"),
        (on("h", 2, 2) + on("i", 2, 2), "crossed", "these 2 placements only", "runs per arm"),
        (on("h", 1, 1) + on("i", 1, 1) + on("j", 1, 2), "crossed", "placements like these", "placements"),
        (
            on("h", 2, 0) + on("i", 1, 0) + on("j", 0, 1) + on("k", 0, 1),
            "nested",
            "placements like these",
            "placements per arm",
        ),
    ],
)
def test_the_labels_decide_the_design(cells: Any, kind: str, scope: str, counted: str) -> None:
    found = design_of(cells)

    assert (found.kind, found.scope, found.counted) == (kind, scope, counted)


@pytest.mark.parametrize("cells", [on("h", 3, 0), on("h", 0, 3), []])
def test_an_arm_without_runs_is_refused(cells: Any) -> None:
    with pytest.raises(Refused) as refused:
        design_of(cells)
    assert refused.value.code == "no_runs"


@pytest.mark.parametrize(
    "cells",
    [
        on("h", 3, 0) + on("i", 0, 3),
        on("h", 3, 0) + on("i", 0, 2) + on("j", 0, 2),
        [("b", "k1", "h"), ("c", "k1", "i"), ("b", "k2", "h"), ("c", "k2", "i")],
        on("", 3, 0) + on("i", 0, 3),
    ],
    ids=["one each", "one against two", "blocked over hosts", "unknown against known"],
)
def test_an_arm_alone_on_its_placement_is_confounded_unless_the_hardware_is_compared(cells: Any) -> None:
    with pytest.raises(Refused) as refused:
        design_of(cells)
    assert refused.value.code == "arm_confounded_with_placement"

    found = design_of(cells, hardware_varied=True)
    assert (found.kind, found.scope) == ("two_systems", "these two systems only")


@pytest.mark.parametrize(
    ("cells", "named"),
    [
        (in_blocks("h", 2) + on("h", 1, 0), "b4"),
        ([*in_blocks("h", 2), ("b", "h-0", "h")], "b0, b4, c1"),
        ([*in_blocks("h", 2), ("b", "k", "h"), ("c", "k", "i")], "b4, c5"),
        (on("h", 2, 2) + on("i", 2, 0), "b4, b5"),
        (on("h", 2, 2) + on("i", 2, 2) + on("j", 0, 1), "c8"),
        ([("b", "k", "h"), ("c", "m", "h")], "b0, c1"),
    ],
    ids=[
        "a run without block",
        "three in a block",
        "a block over hosts",
        "a lone placement",
        "a third placement",
        "halves",
    ],
)
def test_a_mixture_is_refused_and_names_the_runs(cells: Any, named: str) -> None:
    with pytest.raises(Refused) as refused:
        design_of(cells)
    assert refused.value.code == "ambiguous_design"
    assert f"mixture: {named} " in refused.value.message


def test_unknown_placements_count_as_one() -> None:
    found = design_of(on("", 3, 3))

    assert (found.kind, found.scope, found.placements_verified) == ("independent", "this placement only", False)


def test_a_typed_placement_is_not_verified() -> None:
    typed = (*lay_out(*on("h", 2, 1)), a_point("candidate", "x", placement="h", placement_verified=False))

    assert not infer_design(typed, hardware_varied=False).placements_verified
    assert design_of(on("h", 2, 2)).placements_verified


@pytest.mark.parametrize("status", ["failed", "excluded", "partial"])
def test_a_block_with_a_broken_run_is_dropped_whole_and_counted(status: Any) -> None:
    cells = lay_out(*in_blocks("h", 3))
    broken = (a_point("baseline", "b0", block="h-0", placement="h", status=status), *cells[1:])

    points = drop_broken_blocks(broken)
    found = infer_design(points, hardware_varied=False)

    assert [p.label for p in points if p.status == "dropped_with_block"] == ["c1"]
    assert (found.dropped_blocks, found.blocks) == (("h-0",), ("h-1", "h-2"))
    assert len(used(points)) == 4


def test_broken_runs_without_a_block_drop_nothing_else() -> None:
    points = drop_broken_blocks((a_point("baseline", "x", status="failed"), *lay_out(*on("host-1", 2, 2))))

    assert len(used(points)) == 4


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        (on("h", 2, 5), "2 runs per arm carry an interval, but no verdict: it needs 3."),
        (on("h", 3, 3), ""),
        (in_blocks("h", 2), "2 blocks carry an interval, but no verdict: it needs 3."),
        (in_blocks("h", 3), ""),
        (in_blocks("h", 2) + in_blocks("i", 2), ""),
        (on("h", 2, 2) + on("i", 2, 2), ""),
        (on("h", 1, 1) + on("i", 1, 1) + on("j", 1, 1), ""),
        (
            [("b", "", "h"), ("b", "", "i"), ("c", "", "j"), ("c", "", "k"), ("c", "", "l")],
            "2 placements per arm carry an interval, but no verdict: it needs 3.",
        ),
        ([(a, "", f"{a}{i}") for a in "bc" for i in range(3)], ""),
    ],
)
def test_two_of_what_counts_carry_an_interval_and_no_verdict(cells: Any, why: str) -> None:
    points = lay_out(*cells)

    assert too_few_for_verdict(infer_design(points, hardware_varied=False), points) == why


def test_unknown_placements_are_one_unless_the_hardware_is_what_varies() -> None:
    unknown = on("", 3, 3)

    assert design_of(unknown).kind == "independent"
    assert design_of(unknown, hardware_varied=True).kind == "two_systems"
