"""What the steps of traces launch, wait for and copy, and what the slowest of them spend, over runs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analysis.notices import Refusal
from analysis.procedures import welch
from analysis.step_effects import StepEffects, StepNumber, step_drivers
from analysis.tail_drivers import Edge, TailDrivers
from analysis.trace_answer import VERSION, answer, from_json, to_json
from analysis.traced_runs import TracedRun
from analysis.traces.events import Events, Kind, Lane
from analysis.traces.stages import windows
from analysis.traces.step_work import at_once, began, imbalance, reaching, work_of
from tests.analysis import tabled, traced

MS = 1_000_000
APART: list[traced.Made] = [
    (Kind.OPERATOR, "aten::mul", 0, 2 * MS), (Kind.LAUNCH, "cudaLaunchKernel", MS, MS // 2),
    (Kind.OPERATOR, "aten::add", 3 * MS, 2 * MS), (Kind.LAUNCH, "cudaLaunchKernel", 4 * MS, MS // 2),
    (Kind.KERNEL, "mul", 2 * MS, 2 * MS), (Kind.KERNEL, "add", 5 * MS, 2 * MS),
    (Kind.MEMORY, "Memcpy HtoD", 7 * MS, MS),
]  # fmt: skip
FUSED: list[traced.Made] = [
    (Kind.OPERATOR, "fused_mul_add", 0, 2 * MS), (Kind.LAUNCH, "cudaLaunchKernel", MS, MS // 2),
    (Kind.KERNEL, "fused", 2 * MS, 3 * MS),
    (Kind.MEMORY, "Memcpy HtoD", 6 * MS, MS), (Kind.MEMORY, "Memset", 6 * MS + 1000, MS),
]  # fmt: skip


def a_trace(label: str, inside: Sequence[traced.Made], *, steps: int = 6, longer: int = 0) -> TracedRun:
    """Steps of 10 ms; the last kernel of each takes longer by so many ns."""
    kept = [
        (kind, name, start, length + (longer if kind == Kind.KERNEL else 0)) for kind, name, start, length in inside
    ]
    return TracedRun(label, traced.events(traced.steps(steps, every=10 * MS, inside=kept)))


def pair(**more: Any) -> tuple[list[TracedRun], list[TracedRun]]:
    """Two runs of each arm, of which the second is a little longer."""
    return (
        [a_trace(f"a{n}", APART, longer=n * 1000, **more) for n in range(2)],
        [a_trace(f"b{n}", FUSED, longer=n * 2000, **more) for n in range(2)],
    )


def effects(*arms: Sequence[TracedRun]) -> StepEffects:
    found = answer(*arms).effects
    assert found is not None
    return found


def by_name(found: StepEffects) -> dict[str, StepNumber]:
    return {one.name: one for one in found.numbers}


def drivers(*arms: Sequence[TracedRun], **more: Any) -> TailDrivers:
    found = step_drivers({"baseline": arms[0], "candidate": arms[1]}, **more)
    assert isinstance(found, TailDrivers)
    return found


def edges(found: TailDrivers, arm: int) -> dict[str, Edge]:
    return {edge.driver: edge for edge in found.arms[arm].edges}


def test_the_numbers_of_a_step_are_those_of_its_events() -> None:
    found = by_name(effects([a_trace("a", APART)], [a_trace("b", FUSED)]))

    assert {name: (one.baseline, one.candidate) for name, one in found.items()} == {
        "time of a step": (0.01, 0.01),
        "p95 of the time of a step": (None, None),  # 5 steps are too few
        "kernels": (2, 1),
        "time without work of a device": (pytest.approx(0.005), pytest.approx(0.010 - 0.003 - 0.001001)),
        "launch calls": (2, 1),
        "host time in launch calls": (0.001, 0.0005),
        "copies and fills of memory": (1, 2),
        "time in copies and fills": (0.001, pytest.approx(0.001001)),
        "copies and fills at once": (1, 2),
    }
    assert found["kernels"].unit == "1"
    assert found["launch calls"].change is None


def test_kernels_that_vanished_and_appeared_are_named() -> None:
    found = effects([a_trace("a", APART)], [a_trace("b", FUSED)])

    assert (found.gone, found.new) == (("add", "mul"), ("fused",))
    assert found.refusal is not None
    assert found.refusal.code == "too_few_runs"


def test_a_kernel_of_another_vendor_has_not_vanished() -> None:
    arms = [[a_trace(name, [(Kind.KERNEL, f"{name}_gemm", 0, 5)])] for name in ("cublas", "hipblas")]

    assert (effects(*arms).gone, effects(*arms).new) == ((), ())


def test_with_several_runs_every_number_has_its_change_over_runs() -> None:
    before, after = pair()
    found = effects(before, after)
    gaps = by_name(found)["time without work of a device"].change
    busy = [[5 * MS + n * 1000 for n in range(2)], [3 * MS + MS + 1000 + n * 2000 for n in range(2)]]
    logs = [[float(np.log(10 * MS - one)) for one in arm] for arm in busy]

    assert gaps is not None
    assert gaps.effect is not None
    assert gaps.effect.scale == "ratio"
    assert gaps.effect.estimate == pytest.approx(np.exp(welch(*logs).centre))
    kernels = by_name(found)["kernels"].change
    assert kernels is not None
    assert kernels.effect is not None
    assert (kernels.effect.estimate, kernels.effect.reason) == (0.5, "does not vary between runs")
    assert found.basis is not None
    assert found.basis.units == 2


def test_p95_stands_where_a_run_has_enough_steps() -> None:
    found = by_name(effects([a_trace("a", APART, steps=201)], [a_trace("b", FUSED, steps=201)]))

    assert found["p95 of the time of a step"].baseline == 0.01


def test_numbers_that_one_arm_lacks_are_differences_and_not_recorded() -> None:
    still = [(kind, name, start, length) for kind, name, start, length in APART if kind != Kind.LAUNCH]
    before, _ = pair()
    found = by_name(effects(before, [a_trace(f"c{n}", still, longer=n) for n in range(2)]))
    launches = found["launch calls"]

    assert (launches.baseline, launches.candidate) == (2, None)
    assert launches.change is not None
    assert launches.change.refusal is not None
    assert launches.change.refusal.code == "not_measured"
    quiet = [one for one in APART if one[0] != Kind.MEMORY]
    copies = by_name(effects(before, [a_trace(f"c{n}", quiet) for n in range(2)]))["copies and fills of memory"].change
    assert copies is not None
    assert copies.effect is not None
    assert (copies.effect.scale, copies.effect.unit, copies.effect.estimate) == ("difference", "1", -1)


def test_a_host_trace_has_neither_kernels_nor_gaps() -> None:
    host = [a_trace("a", [(Kind.OPERATOR, "aten::mul", 0, MS)])], [a_trace("b", [(Kind.OPERATOR, "aten::mul", 0, MS)])]

    assert list(by_name(effects(*host))) == ["time of a step", "p95 of the time of a step"]
    assert edges(drivers(*host), 0)["core imbalance"].reason == "the trace holds no work of a device"


def test_a_table_of_times_has_no_events() -> None:
    table = tabled.table({"compute": [1.0]})

    with pytest.raises(TypeError, match="t is a table of times and has no events"):
        _ = tabled.run("t", table).events


def test_ranks_of_one_job_have_no_interval() -> None:
    before, after = pair()
    ranked = [TracedRun(run.label, run.events, rank=str(n)) for n, run in enumerate(before)]
    found = effects(ranked, after)

    assert found.basis is None
    assert found.refusal is not None
    assert found.refusal.code == "ranks_are_no_runs"
    assert drivers(ranked, after).refusal == found.refusal


def test_operators_that_left_the_device_are_named_and_their_time_is_a_fallback() -> None:
    slow = [(Kind.OPERATOR, "aten::mul", 0, 2 * MS), *(one for one in APART[2:] if one[1] != "mul")]
    found = answer([a_trace("a", APART)], [a_trace("b", slow)])
    assert found.effects is not None
    assert found.drivers is not None

    assert found.effects.moved == (("aten::mul", "candidate"),)
    assert value(edges(found.drivers, 1)["mapping fallback"].everyone) == pytest.approx(0.002)
    assert value(edges(found.drivers, 0)["mapping fallback"].everyone) == 0


def test_an_operator_that_says_that_it_falls_back_is_one() -> None:
    named = [a_trace("a", [*APART, (Kind.OPERATOR, "mps_fallback", 8 * MS, MS)])]

    assert value(edges(drivers(named, [a_trace("b", APART)]), 0)["mapping fallback"].everyone) == pytest.approx(0.001)


def value(one: Any) -> float:
    assert one is not None
    return float(one.estimate)


def test_the_imbalance_is_that_of_devices_and_else_of_streams() -> None:
    made: list[traced.Made] = [
        (Kind.STEP, "ProfilerStep#1", 0, 100),
        (Kind.KERNEL, "k", 0, 40),
        (Kind.KERNEL, "k", 0, 10),
    ]
    streams = traced.events(made, lanes=[traced.HOST, Lane("0", "7"), Lane("0", "8")])
    devices = traced.events(
        [*made, (Kind.KERNEL, "k", 50, 20)], lanes=[traced.HOST, Lane("0", "7"), Lane("1", "7"), Lane("1", "8")]
    )

    assert _told(streams) == [15]  # 40 of one stream, 25 on average
    assert _told(devices) == [5]  # 40 of one device, 30 of the other
    assert imbalance(traced.events(made[:2]), windows(streams)) == (None, "the trace holds one stream of one device")


def _told(events: Events) -> list[float]:
    found, why = imbalance(events, windows(events))
    assert found is not None
    assert not why
    return [float(one) for one in found]


def test_copies_at_once_are_counted_from_before_the_step_on() -> None:
    events = traced.events(
        [
            (Kind.STEP, "ProfilerStep#1", 0, 100), (Kind.STEP, "ProfilerStep#2", 100, 100),
            (Kind.MEMORY, "a", 50, 100), (Kind.MEMORY, "b", 150, 10), (Kind.MEMORY, "c", 155, 10),
        ]
    )  # fmt: skip
    memory, steps = events.of(Kind.MEMORY), windows(events)

    assert at_once(memory, steps).tolist() == [1, 2]
    assert began(memory, steps).tolist() == [1, 2]
    assert at_once(events.of(Kind.KERNEL), steps).tolist() == [0, 0]


def test_an_operator_reaches_the_device_when_one_of_its_calls_does() -> None:
    twice = traced.events([*APART[:2], (Kind.OPERATOR, "aten::mul", 8 * MS, MS), (Kind.OPERATOR, "host", 9 * MS, 10)])

    assert [sorted(names) for names in reaching(twice)] == [["aten::mul"], ["host"]]


def test_the_slowest_steps_are_held_beside_all() -> None:
    kernels = [(Kind.KERNEL, "k", at, 10) for at in (0, 100, 200, 300, 400)]
    steps: list[traced.Made] = [(Kind.STEP, f"ProfilerStep#{n}", n * 100, 100 if n < 4 else 200) for n in range(5)]
    lanes = [*[traced.HOST] * 5, *[Lane("0", "1")] * 5, Lane("0", "2")]
    events = traced.events([*steps, *kernels, (Kind.KERNEL, "k", 450, 60)], lanes=lanes)
    found = drivers([TracedRun("a", events)], [TracedRun("b", events)], share=0.25)
    imbalance_of = edges(found, 0)["core imbalance"]

    assert value(imbalance_of.slowest) == pytest.approx(25e-9)  # (60 - 10) / 2
    assert value(imbalance_of.everyone) == pytest.approx((3 * 5 + 25) / 4 * 1e-9)
    assert edges(found, 0)["queueing delay"].reason == "a trace of steps records no arrivals"
    assert found.refusal is not None


def test_two_runs_of_each_arm_have_the_change_of_each_excess() -> None:
    found = drivers(*pair())
    assert found.changes is not None

    assert [one.name for one in found.changes.changes] == ["excess of step time", "excess of mapping fallback"]


def test_traces_of_a_few_steps_have_no_tail_and_say_so() -> None:
    few = [a_trace("a", APART, steps=3)], [a_trace("b", FUSED, steps=3)]
    found = answer(*few)

    assert found.drivers is None
    assert isinstance(found.no_drivers, Refusal)
    assert found.no_drivers.code == "too_few_units"


def test_the_answer_is_kept_as_json_and_an_older_one_is_still_read() -> None:
    found = answer(*pair())
    kept = to_json(found)

    assert VERSION == "2"
    assert from_json(kept) == found
    for name in ("effects", "drivers", "no_drivers"):
        del kept[name]
    assert from_json(kept).effects is None


def test_bytes_stand_where_every_copy_records_them() -> None:
    steps = [(Kind.STEP, f"ProfilerStep#{n}", n * 100, 100) for n in range(2)]
    events = traced.events([*steps, (Kind.MEMORY, "a", 10, 5), (Kind.MEMORY, "b", 20, 5), (Kind.MEMORY, "c", 110, 5)])
    octets = np.full(len(events), -1)
    octets[events.kind == Kind.MEMORY] = (100, 200, 50)

    told = work_of(replace(events, octets=octets), windows(events))
    assert told["bytes copied and filled"].tolist() == [300, 50]
    octets[-1] = -1
    assert "bytes copied and filled" not in work_of(replace(events, octets=octets), windows(events))
    kept = replace(events, octets=octets).of(Kind.MEMORY).octets
    assert kept is not None
    assert kept.tolist() == [100, 200, -1]
