"""One step as a picture shows it: exact times, and segments that are no finer than the picture."""

import numpy as np
import pytest

from analysis.traces.events import Events, Kind, Lane
from analysis.traces.intervals import Union, union
from analysis.traces.stages import windows
from analysis.traces.timeline import MOST_SEGMENTS, Timeline, both, inside, middle, outside, resolution, timeline
from tests.analysis import traced

INSIDE: list[traced.Made] = [
    (Kind.OPERATOR, "aten::mm", 0, 300),
    (Kind.LAUNCH, "launch", 250, 100),
    (Kind.SYNCHRONISATION, "wait", 900, 50),
    (Kind.KERNEL, "gemm", 400, 200),
    (Kind.COMMUNICATION, "nccl", 500, 200),
    (Kind.MEMORY, "copy", 800, 300),
]


def drawn(events: Events, gap: int = 1) -> Timeline:
    return timeline("run", events, windows(events), gap)


def spans(*pairs: tuple[int, int]) -> Union:
    starts, ends = (np.array([pair[at] for pair in pairs], dtype=np.int64) for at in (0, 1))
    return union(starts, ends - starts)


def pairs(busy: Union) -> list[tuple[int, int]]:
    return list(zip(busy.start.tolist(), busy.end.tolist(), strict=True))


def test_the_lanes_of_a_step_are_exact_and_cut_at_its_end() -> None:
    found = drawn(traced.events(traced.steps(1, every=1000, inside=INSIDE)))

    assert {(lane.where, lane.what): round(lane.busy * 1e9) for lane in found.lanes} == {
        ("host", "work"): 350, ("host", "waits"): 50,
        ("device 1", "compute"): 200, ("device 1", "communication"): 200, ("device 1", "memory"): 200,
        ("device 1", "overlap"): 100, ("device 1", "idle"): 500,
    }  # fmt: skip
    assert [list(segment) for segment in found.lanes[0].segments] == [pytest.approx([0.0, 350e-9])]
    assert (found.step, found.devices) == ("ProfilerStep#10", 1)
    assert found.length == pytest.approx(1e-6)


def test_what_lies_closer_together_than_the_picture_shows_is_one_segment() -> None:
    many: list[traced.Made] = [(Kind.KERNEL, "k", 4 * n, 1) for n in range(250)]
    events = traced.events(traced.steps(1, every=1000, inside=many))

    fine, coarse = drawn(events, 1), drawn(events, resolution(1000))

    assert [len(found.lanes[0].segments) for found in (fine, coarse)] == [250, 1]
    assert fine.lanes[0].busy == coarse.lanes[0].busy == pytest.approx(250e-9)
    assert list(coarse.lanes[0].segments[0]) == pytest.approx([0.0, 997e-9])


def test_no_lane_has_more_segments_than_a_picture_holds() -> None:
    many: list[traced.Made] = [(Kind.KERNEL, "k", 7 * n, 1) for n in range(14_000)]
    events = traced.events(traced.steps(1, every=100_000, inside=many))

    assert all(len(lane.segments) <= MOST_SEGMENTS + 1 for lane in drawn(events, resolution(100_000)).lanes)


def test_the_step_of_middle_length_is_shown() -> None:
    steps = windows(traced.events([(Kind.STEP, f"s#{n}", 1000 * n, length) for n, length in enumerate((9, 5, 7, 8))]))

    assert steps.names[middle(steps)] == "s#2"


def test_the_first_two_devices_are_shown_and_all_are_counted() -> None:
    rows: list[traced.Made] = [(Kind.KERNEL, "k", n, 5) for n in range(3)]

    found = drawn(traced.events(rows, lanes=[Lane(str(n), "7") for n in range(3)]))

    assert found.devices == 3
    assert {lane.where for lane in found.lanes} == {"device 1", "device 2"}


def test_unions_in_a_window() -> None:
    busy = spans((5, 15), (20, 40), (45, 50))

    assert pairs(inside(busy, 10, 30)) == [(10, 15), (20, 30)]
    assert pairs(outside(inside(busy, 10, 30), 10, 30)) == [(15, 20)]
    assert pairs(outside(spans(), 10, 30)) == [(10, 30)]
    assert pairs(both(spans((0, 10), (20, 30)), spans((5, 25)), 0, 30)) == [(5, 10), (20, 25)]
    assert pairs(both(spans((0, 10)), spans((10, 20)), 0, 20)) == []
