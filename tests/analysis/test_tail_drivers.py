"""The tail-latency drivers: what the slowest requests spend beside all of them, run by run."""

from typing import Any

import numpy as np
import pytest

from analysis.errors import Refused
from analysis.inputs import LabelledRun
from analysis.request_drivers import LONGER, OF_SOME, ONE_CORE, request_drivers
from analysis.tail_drivers import Edge, TailDrivers
from tests.analysis.props import a_measurement
from tests.analysis.waited import a_run_of

WAITS = [[0.1] * 18 + [1.1, 0.9], [0.1] * 18 + [1.3, 0.9]]
LATENCIES = [[1.0] * 18 + [3.0, 2.0], [1.0] * 18 + [2.0, 3.0]]


def a_run(arm: str, n: int, **columns: Any) -> LabelledRun:
    return a_run_of(arm, n, {"queue_wait": WAITS[n % 2], "latency": LATENCIES[n % 2], **columns})


def edges(found: TailDrivers, arm: int = 0) -> dict[str, Edge]:
    return {edge.driver: edge for edge in found.arms[arm].edges}


def value(one: Any) -> float:
    assert one is not None
    return float(one.estimate)


def test_the_excess_of_the_slowest_is_their_mean_less_the_mean_of_all() -> None:
    found = request_drivers([a_run("baseline", 0)], ())
    wait, service, whole = edges(found)["queueing delay"], edges(found)["service time"], found.arms[0].whole

    assert (found.unit, found.share, found.arms[0].units, found.arms[0].fewest) == ("request", 0.05, 20, 1)
    assert value(whole.everyone) == pytest.approx(23 / 20)
    assert value(whole.slowest) == 3.0  # the one request of 3 s
    assert value(wait.everyone) == pytest.approx(0.19)
    assert value(wait.excess) == pytest.approx(1.1 - 0.19)
    assert value(wait.share) == pytest.approx((1.1 - 0.19) / (3.0 - 1.15))
    assert value(wait.excess) + value(service.excess) == pytest.approx(value(whole.excess))
    assert (wait.leads_to, service.leads_to) == ("the tail", "the tail")
    assert found.changes is None


def test_a_larger_share_takes_more_of_the_slowest() -> None:
    found = request_drivers([a_run("baseline", 1)], (), share=0.1)

    assert found.arms[0].fewest == 2
    assert value(edges(found)["queueing delay"].slowest) == pytest.approx(1.1)


def test_intervals_are_students_over_the_runs() -> None:
    wait = edges(request_drivers([a_run("baseline", n) for n in range(2)], ()))["queueing delay"].excess
    each = (1.1 - 0.19, 0.9 - 0.2)
    half = 12.706204736432095 * np.std(each, ddof=1) / 2**0.5

    assert wait is not None
    assert wait.estimate == pytest.approx(np.mean(each))
    assert (wait.lo, wait.hi) == pytest.approx((np.mean(each) - half, np.mean(each) + half))


def test_the_imbalance_is_the_busiest_core_less_the_mean_of_the_cores() -> None:
    cores = {"core_busy/core 0": [0.2] * 20, "core_busy/core 1": [0.4] * 18 + [1.2, 0.4]}
    imbalance = edges(request_drivers([a_run("baseline", 0, **cores)], ()))["core imbalance"]

    assert value(imbalance.slowest) == pytest.approx(0.5)
    assert value(imbalance.everyone) == pytest.approx((19 * 0.1 + 0.5) / 20)
    assert imbalance.leads_to == "service time"


def test_the_fallback_is_the_time_that_is_recorded_for_it() -> None:
    fallback = edges(request_drivers([a_run("baseline", 0, mapping_fallback=[0.0] * 18 + [0.4, 0])], ()))

    assert value(fallback["mapping fallback"].excess) == pytest.approx(0.4 - 0.02)


def test_the_wait_in_the_client_is_added_to_the_latency() -> None:
    found = request_drivers([a_run_of("baseline", 0, {"queue_time": WAITS[0], "e2e_latency": LATENCIES[0]})], ())

    assert value(found.arms[0].whole.slowest) == pytest.approx(4.1)
    assert value(edges(found)["service time"].slowest) == 3.0


@pytest.mark.parametrize(
    ("columns", "driver", "reason"),
    [
        ({}, "queueing delay", "not recorded"),
        ({}, "service time", "without a queueing delay it is not told from the latency"),
        ({}, "core imbalance", "not recorded"),
        ({"core_busy/core 0": [0.1] * 20}, "core imbalance", ONE_CORE),
        ({"core_busy/a": [0.1] * 20, "core_busy/b": [0.1] * 19}, "core imbalance", OF_SOME),
        ({"mapping_fallback": [0.1]}, "mapping fallback", OF_SOME),
        ({"queue_wait": [0.1] * 3}, "queueing delay", OF_SOME),
        ({"queue_wait": [9.0] * 20}, "queueing delay", LONGER),
        ({"queue_wait": [9.0] * 20}, "service time", LONGER),
    ],
)
def test_what_is_not_recorded_is_said_and_not_guessed(columns: Any, driver: str, reason: str) -> None:
    run = a_run_of("baseline", 0, {"latency": LATENCIES[0], **columns})
    edge = edges(request_drivers([run], ()))[driver]

    assert (edge.excess, edge.share, edge.reason) == (None, None, reason)


def test_what_some_runs_do_not_record_is_named() -> None:
    runs = [a_run("baseline", 0), a_run_of("baseline", 1, {"latency": LATENCIES[1]})]

    assert edges(request_drivers(runs, ()))["queueing delay"].reason == "not recorded (in b1)"


def test_requests_that_are_all_alike_have_no_share_of_an_excess() -> None:
    run = a_run_of("baseline", 0, {"queue_wait": [0.1] * 20, "latency": [1.0] * 20})
    wait = edges(request_drivers([run], ()))["queueing delay"]

    assert value(wait.excess) == pytest.approx(0)
    assert wait.share is None


def test_the_change_of_each_excess_is_a_difference_over_runs() -> None:
    fell = {"mapping_fallback": [0.0] * 20}
    more = [a_run("candidate", n, queue_wait=[0.1] * 18 + [1.5, 1.6 + n / 10], **fell) for n in range(3)]
    found = request_drivers([a_run("baseline", n) for n in range(2)], more)
    assert found.changes is not None
    changes = {one.name: one for one in found.changes.changes}
    wait = changes["excess of queueing delay"].effect

    assert wait is not None
    assert wait.estimate == pytest.approx(
        value(edges(found, 1)["queueing delay"].excess) - value(edges(found)["queueing delay"].excess)
    )
    fallback = changes["excess of mapping fallback"].refusal
    assert fallback is not None
    assert fallback.code == "not_measured"
    assert "excess of latency" in changes
    assert "excess of core imbalance" not in changes


def test_what_differs_by_rounding_alone_has_no_excess() -> None:
    waits = [0.1] * 19 + [0.7]
    run = a_run_of("baseline", 0, {"queue_wait": waits, "latency": [1.1 + wait for wait in waits]})

    assert value(edges(request_drivers([run], ()))["service time"].excess) == 0.0


def test_a_mixed_layout_stands_in_the_place_of_the_changes() -> None:
    placed = [a_run_of("candidate", 0, {"latency": LATENCIES[0]}, placement="host-2")]
    found = request_drivers([a_run_of("baseline", 0, {"latency": LATENCIES[0]})], placed)

    assert found.changes is None
    assert found.refusal is not None
    assert found.refusal.code == "arm_confounded_with_placement"


def test_runs_without_the_time_of_single_requests_are_left_out_and_named() -> None:
    power = a_run_of("candidate", 9, {"power": (300.0,)}, placement="host-2")
    found = request_drivers([a_run("baseline", 0)], [a_run("candidate", 0), power])

    assert found.left_out == ("c9",)
    assert found.arms[1].runs == ("c0",)
    assert found.refusal is None


def test_steps_are_called_steps() -> None:
    assert request_drivers([a_run_of("baseline", 0, {"step_time": LATENCIES[0]})], ()).unit == "step"


@pytest.mark.parametrize(
    ("runs", "more", "code"),
    [
        ([a_run_of("baseline", 0, {"queue_wait": (0.1,)})], {}, "no_unit_times"),
        (
            [a_run_of("baseline", 0, {"latency": (0.1,)}, rows=[a_measurement(0.1, metric="latency", index=0)])],
            {},
            "no_unit_times",
        ),
        ([a_run_of("baseline", 0, {"latency": (0.1,) * 19})], {}, "too_few_units"),
        ([a_run("baseline", 0)], {"share": 0.0}, "bad_share"),
        ([a_run("baseline", 0)], {"share": 0.6}, "bad_share"),
        ([a_run("baseline", 0)], {"warmup": 20}, "no_unit_times"),
        ([a_run_of("baseline", 0, {}, excluded="throttled")], {}, "no_runs"),
        ([], {}, "no_runs"),
    ],
)
def test_what_has_no_tail_is_refused(runs: Any, more: Any, code: str) -> None:
    with pytest.raises(Refused) as refused:
        request_drivers(runs, (), **more)

    assert refused.value.code == code
    assert refused.value.needs
