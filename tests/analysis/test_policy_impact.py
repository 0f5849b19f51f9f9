"""The impact of a batch policy: waits, tails and throughput of two arms at the same offered load."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analysis.errors import Refused
from analysis.inputs import LabelledRun
from analysis.looking import Changes
from analysis.policy_impact import UNSTATED, LoadAnswer, queue_answer
from analysis.procedures import t_quantile
from tests.analysis.props import a_measurement
from tests.analysis.waited import a_run_of, rate_of

BASE, CAND = (0.10, 0.12, 0.14), (0.20, 0.21, 0.25)


def runs(arm: str, waits: tuple[float, ...], **more: Any) -> list[LabelledRun]:
    """Runs of two requests around these waits, each of which takes a second after it."""
    return [
        a_run_of(
            arm,
            n,
            {"queue_wait": (wait - 0.01, wait + 0.01), "latency": (1 + wait, 1 + wait)},
            rows=[rate_of(10 - 10 * wait)],
            **more,
        )
        for n, wait in enumerate(waits)
    ]


def changes(found: LoadAnswer) -> Changes:
    assert found.changes is not None
    return found.changes


def effect(found: LoadAnswer, name: str) -> Any:
    return {one.name: one.effect for one in changes(found).changes}[name]


def refusal(found: LoadAnswer, name: str) -> Any:
    return {one.name: one.refusal for one in changes(found).changes}[name]


def test_the_difference_of_the_mean_wait_has_welchs_interval_over_runs() -> None:
    (found,) = queue_answer(runs("baseline", BASE, rate="4"), runs("candidate", CAND, rate="4.0")).loads
    wait = effect(found, "queue wait, mean")
    a, b = (float(np.var(arm, ddof=1)) / 3 for arm in (BASE, CAND))
    df = (a + b) ** 2 / (a**2 / 2 + b**2 / 2)
    half = t_quantile(df, 0.95) * (a + b) ** 0.5

    assert found.load == "4 requests/s"
    assert (wait.scale, wait.unit) == ("difference", "s")
    assert wait.estimate == pytest.approx(0.1)
    assert (wait.lo, wait.hi) == pytest.approx((0.1 - half, 0.1 + half))
    basis = changes(found).basis
    assert basis is not None
    assert (basis.units, basis.counted) == (3, "runs per arm")


def test_throughput_is_a_ratio_and_a_tail_of_few_requests_is_not_recorded() -> None:
    (found,) = queue_answer(runs("baseline", BASE, rate="4"), runs("candidate", CAND, rate="4")).loads
    logs = [np.log([10 - 10 * wait for wait in arm]).mean() for arm in (BASE, CAND)]

    assert effect(found, "request_throughput rate").estimate == pytest.approx(np.exp(logs[1] - logs[0]))
    assert refusal(found, "latency p99").code == "not_measured"
    assert refusal(found, "queue wait, p95").message == ("Not recorded, or too few requests, in 6 of 6 runs.")


def test_each_load_is_answered_alone_and_a_load_of_one_arm_is_named() -> None:
    base = [*runs("baseline", BASE, rate="4"), *(_again(run) for run in runs("baseline", BASE, rate="8"))]
    found = queue_answer(base, runs("candidate", CAND, rate="8"))

    assert [one.load for one in found.loads] == ["8 requests/s"]
    assert found.notices == ("Only the baseline was offered: 4 requests/s. These runs are left out.",)


def _again(run: LabelledRun) -> LabelledRun:
    return replace(run, label=f"{run.label}'")


def test_a_load_that_nobody_states_is_a_notice() -> None:
    found = queue_answer(runs("baseline", BASE), runs("candidate", CAND))

    assert found.notices == (UNSTATED,)
    assert found.loads[0].load == "offered load not stated"


def test_runs_without_requests_and_loads_without_waits_are_named() -> None:
    power = a_run_of("baseline", 7, {"power": (300.0,)})
    other = [a_run_of("baseline", n, {"latency": (1.0,)}, rate="8") for n in (8, 9)]
    found = queue_answer([*runs("baseline", BASE, rate="4"), power, *other], ())

    assert [one.load for one in found.loads] == ["4 requests/s"]
    assert found.notices == (
        "Runs without any wait or latency are left out: b7.",
        "A queue wait is not recorded at: 8 requests/s.",
    )


def test_a_load_that_is_not_stated_needs_no_notice_where_nothing_waited() -> None:
    silent = a_run_of("baseline", 9, {"latency": (1.0,)})
    found = queue_answer([*runs("baseline", BASE, rate="4"), silent], ())

    assert found.notices == ("A queue wait is not recorded at: offered load not stated.",)


def test_one_arm_alone_is_a_profile_at_each_load() -> None:
    base = [*runs("baseline", BASE, rate="inf"), *runs("baseline", CAND, settings=[("max_concurrency", "8")])]
    found = queue_answer(base, ())

    assert [one.load for one in found.loads] == ["8 at once", "inf requests/s"]
    assert [one.changes for one in found.loads] == [None, None]
    assert found.notices == ()


def test_what_the_audit_finds_stands_beside_and_what_was_varied_does_not() -> None:
    base = runs("baseline", BASE, settings=[("max_num_seqs", "8"), ("model", "a")])
    cand = runs("candidate", CAND, settings=[("max_num_seqs", "64"), ("model", "b")])
    (found,) = queue_answer(base, cand, varied=("max_num_seqs", "image")).loads

    (said,) = found.work
    assert said.startswith("model differs")


def test_blocks_make_pairs_and_a_mixed_layout_is_said() -> None:
    base, cand = runs("baseline", BASE), runs("candidate", CAND)
    paired = [[_in_block(run, str(n)) for n, run in enumerate(arm)] for arm in (base, cand)]
    basis = changes(queue_answer(*paired).loads[0]).basis
    assert basis is not None
    assert basis.counted == "blocks"

    mixed = [_in_block(base[0], "1"), *base[1:]]
    (found,) = queue_answer(mixed, cand).loads
    assert found.changes is None
    assert found.refusal is not None
    assert found.refusal.code == "ambiguous_design"


def _in_block(run: LabelledRun, block: str) -> LabelledRun:
    return replace(run, block=block)


def test_waits_that_do_not_vary_have_no_interval() -> None:
    base, cand = runs("baseline", (0.1, 0.1)), runs("candidate", (0.1, 0.1))
    (found,) = queue_answer(base, cand).loads
    wait = effect(found, "queue wait, mean")

    assert (wait.estimate, wait.lo, wait.reason) == (0.0, None, "does not vary between runs")
    assert changes(found).basis is None


def test_percentiles_of_the_tool_are_not_held_against_computed_ones() -> None:
    tool = a_measurement(1.0, metric="latency", kind="aggregate", stat="p99", n=2000)
    base = [a_run_of("baseline", n, {"queue_wait": (w,)}, rows=[tool]) for n, w in enumerate(BASE)]
    many = (np.arange(1000) / 1000 + 0.5).tolist()
    cand = [a_run_of("candidate", n, {"queue_wait": (w,), "latency": many}) for n, w in enumerate(CAND)]
    (found,) = queue_answer(base, cand).loads

    assert refusal(found, "latency p99 computed from requests").message.endswith("in 3 of 6 runs.")
    told = [a_run_of("candidate", n, {"queue_wait": (w,)}, rows=[tool]) for n, w in enumerate(CAND)]
    (found,) = queue_answer(base, told).loads
    assert effect(found, "latency p99").estimate == 1.0


@pytest.mark.parametrize(
    ("base", "cand", "code"),
    [
        (runs("baseline", BASE, rate="4"), runs("candidate", CAND, rate="8"), "no_matched_load"),
        (runs("baseline", BASE, excluded="throttled"), [], "no_runs"),
        ([a_run_of("baseline", 0, {"latency": (1.0,)})], [], "no_queue_wait"),
        (runs("baseline", BASE), runs("candidate", CAND, excluded="throttled"), "no_matched_load"),
    ],
)
def test_what_has_no_answer_is_refused(base: Any, cand: Any, code: str) -> None:
    with pytest.raises(Refused) as refused:
        queue_answer(base, cand)

    assert refused.value.code == code
    assert refused.value.needs
