"""Counters from a file to the result: which mechanism they speak for, and the time as work, cycles and clock."""

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from analysis.assess import AssessmentResult, assess
from analysis.counter_values import SOURCES
from analysis.mechanism import COUNTERS, SIGNATURES
from analysis.parts import MechanismsAnswer, SplitAnswer
from analysis.procedures import t_quantile, welch
from tests.analysis.props import a_plan, a_request
from tests.analysis.recorded import Row, assessed, row, runs_of

NOISE = np.random.default_rng(20370).standard_normal((2, 6, 9))
USUAL: Mapping[str, tuple[float, str]] = {
    "cycles": (2e9, "1"),
    "flops": (1e12, "1"),
    "dram_bytes": (40.0, "GB"),
    "memory_stall_share": (0.40, "1"),
    "idle_gap_share": (0.10, "1"),
    "queue_wait": (2.0, "ms"),
    "low_precision_share": (0.80, "1"),
    "clock": (1.5, "GHz"),
    "throttle_share": (0.05, "1"),
}
MOVED = {
    "compute": {"cycles": 1.1, "flops": 1.1},
    "memory": {"dram_bytes": 1.1, "memory_stall_share": 0.1},
    "scheduling": {"idle_gap_share": 0.1, "queue_wait": 1.1},
    "precision": {"low_precision_share": -0.1, "cycles": 1.1},
    "thermal": {"clock": 0.9, "throttle_share": 0.1},
}
"""What moves in the candidate: a factor, or a difference of a share."""


def counted(arm: int, run: int, moved: Mapping[str, float], *, only: Any = None) -> list[Row]:
    rows = [row("wall_time", (1.0 + 0.1 * arm) * (1 + 0.004 * float(NOISE[arm, run, 0])))]
    for place, (metric, (usual, unit)) in enumerate(USUAL.items()):
        change = moved.get(metric) if arm else None
        noise = 0.008 * float(NOISE[arm, run, place])
        if metric.endswith("_share"):
            value = usual + (change or 0.0) + 0.5 * noise
        else:
            value = usual * (change or 1.0) * (1 + noise)
        if only is None or metric in only:
            rows.append(row(metric, value, unit))
    return rows


def arms(moved: Mapping[str, float], count: int = 6, **more: Any) -> list[list[list[Row]]]:
    return [[counted(arm, run, moved, **more) for run in range(count)] for arm in (0, 1)]


def answered(result: AssessmentResult) -> MechanismsAnswer:
    assert result.mechanisms is not None
    return result.mechanisms


def the_split(result: AssessmentResult) -> SplitAnswer:
    (found,) = result.splits
    return found


def answers(found: MechanismsAnswer) -> dict[str, str]:
    return {answer.mechanism: answer.answer for answer in found.answers}


def why(found: MechanismsAnswer) -> dict[str, str]:
    return {absent.counter: absent.reason for absent in found.absent}


def test_every_counter_of_the_table_has_a_source() -> None:
    assert set(SOURCES) == COUNTERS


@pytest.mark.parametrize("mechanism", list(SIGNATURES))
def test_the_mechanism_whose_counters_move_in_the_files_is_the_dominant_one(mechanism: str) -> None:
    result = assessed(*arms(MOVED[mechanism]))
    found = answered(result)

    assert found.refusal is None
    assert found.dominant == mechanism
    assert found.sentence == (
        f"The counters are consistent with {mechanism}, and with no other mechanism of the table."
    )
    assert found.absent == ()
    assert result.ladder_rung <= 2


def test_counters_that_stay_support_nothing() -> None:
    found = answered(assessed(*arms({})))

    assert found.dominant is None
    assert set(answers(found).values()) == {"refuted"}
    assert found.sentence == "The counters support no mechanism of the table."


def test_two_supported_mechanisms_leave_none_dominant() -> None:
    found = answered(assessed(*arms(MOVED["memory"] | MOVED["scheduling"])))

    assert found.dominant is None
    assert found.sentence == "The counters are consistent with memory and scheduling: none is dominant."


def test_a_counter_is_the_total_per_unit_of_work_with_its_interval_at_the_level_that_all_share() -> None:
    found = answered(assessed(*arms(MOVED["memory"]), work={"output_tokens": 100}))
    part = next(part for part in found.counters if part.name == "dram_bytes_per_work")
    rows = [[next(r for r in rows if r["metric"] == "dram_bytes") for rows in arm] for arm in arms(MOVED["memory"])]
    spread = welch(*([math.log(float(str(r["value"])) * 1e9 / 100) for r in arm] for arm in rows))
    half = t_quantile(spread.df, 1 - 0.05 / 9) * spread.se

    assert found.basis is not None
    assert found.basis.together == 0.95
    assert found.basis.level == pytest.approx(1 - 0.05 / 9)
    assert (part.estimate, part.lo) == pytest.approx(
        (math.exp(spread.centre), math.exp(spread.centre - half)), rel=1e-9
    )
    assert found.work == "output_tokens"
    assert "per output_tokens" in found.basis.estimand
    assert "the cause is one of the table" in found.basis.assumptions


def test_twice_the_work_with_twice_the_counts_is_no_movement() -> None:
    baseline, candidate = arms(dict.fromkeys(("cycles", "flops", "dram_bytes"), 2.0))
    runs = [*runs_of("baseline", baseline), *runs_of("candidate", candidate, work={"output_tokens": 20_000})]
    plan = a_plan(required=(), tolerances={}, varied=("image", "output_tokens"))
    found = answered(assess(a_request(runs, plan)))

    moved = {part.name: part.estimate for part in found.counters if part.name.endswith("_per_work")}
    assert moved == pytest.approx({"cycles_per_work": 1, "dram_bytes_per_work": 1, "flops_per_work": 1}, abs=0.02)
    assert set(answers(found).values()) == {"refuted"}


def test_shares_are_differences_and_may_be_zero() -> None:
    measured = arms({})
    for rows in measured[0]:
        rows[-1]["value"] = 0
    found = answered(assessed(*measured))
    part = next(part for part in found.counters if part.name == "throttle_share")

    assert (part.scale, part.unit) == ("difference", "1")
    assert part.estimate == pytest.approx(0.05, abs=0.01)


def test_what_the_program_fixes_is_known_exactly_and_other_counters_that_stand_still_are_not_used() -> None:
    measured = arms({"clock": 0.9, "throttle_share": 0.1})
    for arm in measured:
        for rows in arm:
            for one in rows:
                if one["metric"] in ("flops", "queue_wait"):
                    one["value"] = 7
    found = answered(assessed(*measured))
    flops = next(part for part in found.counters if part.name == "flops_per_work")

    assert (flops.estimate, flops.lo, flops.reason) == (1.0, None, "does not vary between runs")
    assert why(found) == {"queue_wait": "does not vary between runs"}
    assert found.dominant == "thermal"


def test_flops_alone_that_stand_still_have_an_answer_without_an_interval() -> None:
    measured = arms({}, only=("flops",))
    for rows in (*measured[0], *measured[1]):
        rows[-1]["value"] = 7
    found = answered(assessed(*measured))

    assert found.basis is None
    assert answers(found)["compute"] == "refuted"


def test_counters_that_are_missing_are_named_and_leave_mechanisms_undetermined() -> None:
    found = answered(assessed(*arms(MOVED["memory"], only=("dram_bytes", "memory_stall_share"))))

    assert answers(found)["memory"] == "undetermined"
    memory = next(answer for answer in found.answers if answer.mechanism == "memory")
    assert memory.missing == ("clock", "flops_per_work")
    assert why(found)["clock"] == "not recorded"


def test_a_counter_that_one_run_lacks_is_not_used_and_the_run_is_named() -> None:
    measured = arms(MOVED["memory"])
    measured[1][2] = [one for one in measured[1][2] if one["metric"] != "clock"]
    found = answered(assessed(*measured))

    assert why(found)["clock"].startswith("Run c2: clock mean was not measured")
    assert answers(found)["memory"] == "undetermined"


@pytest.mark.parametrize(
    ("metric", "value", "said"),
    [
        ("cycles", 0, "Run c1: cycles is 0."),
        ("memory_stall_share", 1.5, "Run c1: memory_stall_share is 1.5. A proportion lies"),
    ],
)
def test_a_counter_that_cannot_be_is_not_used(metric: str, value: float, said: str) -> None:
    measured = arms(MOVED["memory"])
    next(one for one in measured[1][1] if one["metric"] == metric)["value"] = value

    assert said in " ".join(why(answered(assessed(*measured))).values())


def test_a_counter_in_another_unit_is_not_used() -> None:
    runs = [run for arm, measured in zip(("baseline", "candidate"), arms({}), strict=True)
            for run in runs_of(arm, measured)]  # fmt: skip
    table = runs[0].reading.measurements
    turned = type(table).of(replace(m, unit="1") if m.metric == "clock" else m for m in table)
    runs = [replace(run, reading=replace(run.reading, measurements=turned)) if run.arm == "baseline" else run
            for run in runs]  # fmt: skip
    found = answered(assess(a_request(runs, a_plan(required=(), tolerances={}))))

    assert why(found)["clock"] == "Run b0: clock is in 1. Record it in 1/s."


def test_several_kinds_of_work_need_the_plan_to_say_which() -> None:
    work = {"output_tokens": 10_000, "requests": 100}
    plain = answered(assessed(*arms(MOVED["compute"]), work=work))
    said = answered(assessed(*arms(MOVED["compute"]), work=work, unit_of_work="requests"))

    assert "several kinds of work: output_tokens, requests" in why(plain)["cycles_per_work"]
    assert answers(plain)["compute"] == "undetermined"
    assert (said.work, said.dominant) == ("requests", "compute")


@pytest.mark.parametrize("work", [{}, {"output_tokens": 0}])
def test_without_work_nothing_is_divided(work: Mapping[str, object]) -> None:
    found = answered(assessed(*arms(MOVED["compute"]), work=work))

    assert "Not every run records its work as one number above 0." in why(found)["cycles_per_work"]
    assert found.work == ""


def test_work_that_no_run_names_is_refused_by_its_name() -> None:
    found = answered(assessed(*arms(MOVED["compute"]), unit_of_work="samples"))

    assert "Not every run records samples as one number above 0." in why(found)["flops_per_work"]


def test_work_that_is_no_number_is_none() -> None:
    runs = [run for arm, measured in zip(("baseline", "candidate"), arms({}), strict=True)
            for run in runs_of(arm, measured)]  # fmt: skip
    settings = tuple(replace(s, value="many") if s.role == "work" else s for s in runs[0].reading.settings)
    runs = [replace(run, reading=replace(run.reading, settings=settings)) if run.arm == "baseline" else run
            for run in runs]  # fmt: skip
    found = assess(a_request(runs, a_plan(required=(), tolerances={}, varied=("image", "output_tokens"))))

    assert "Not every run records its work" in why(answered(found))["cycles_per_work"]


def test_a_warmup_in_seconds_cuts_nothing_of_counters() -> None:
    """They are of the whole run, and as aggregates or without a clock they could not be cut."""
    measured = arms({}, only=("clock",))
    for rows in (*measured[0], *measured[1]):
        rows.append({**rows[0]})
    found = answered(assessed(*measured, stat="mean", warmup_seconds=Fraction("0.5")))

    assert [part.name for part in found.counters] == ["clock"]


def test_where_no_counter_can_be_used_the_reasons_are_given() -> None:
    refusal = answered(assessed(*arms({}, only=("cycles",)), work={})).refusal

    assert refusal is not None
    assert refusal.code == "no_counters"
    assert refusal.message == (
        "No counter can be used. cycles_per_work: Not every run records its work as one number above 0."
    )
    assert refusal.needs == "Record the same work in every run, for example requests_completed."


def test_a_reason_that_several_counters_share_is_given_once() -> None:
    measured = arms({}, only=("cycles", "flops", "dram_bytes"))
    refusal = answered(assessed(*measured, work={})).refusal

    assert refusal is not None
    assert refusal.message.count("Not every run records its work") == 1
    assert "cycles_per_work, dram_bytes_per_work, flops_per_work: Not every" in refusal.message
    assert refusal.needs.count("Record the same work in every run") == 1


@pytest.mark.parametrize(("count", "code"), [(1, "too_few_runs"), (2, "too_few_for_verdict")])
def test_few_runs_answer_nothing(count: int, code: str) -> None:
    refusal = answered(assessed(*arms(MOVED["memory"], count))).refusal

    assert refusal is not None
    assert refusal.code == code


def test_a_look_that_nobody_declared_answers_nothing() -> None:
    result = assessed(*arms(MOVED["memory"]), look=2)

    for refusal in (answered(result).refusal, the_split(result).refusal):
        assert refusal is not None
        assert refusal.code == "undeclared_look"


def test_the_margin_of_counters_is_the_plans() -> None:
    wide = answered(assessed(*arms(MOVED["compute"] | {"clock": 1.06})))
    wider = answered(assessed(*arms(MOVED["compute"] | {"clock": 1.06}), counter_margin=Fraction("0.1")))

    assert answers(wide)["compute"] == "refuted"
    assert (answers(wider)["compute"], wider.margin) == ("supported", 0.1)


@pytest.mark.parametrize("margin", [Fraction(0), Fraction(1)])
def test_a_margin_of_counters_that_is_none_is_refused(margin: Fraction) -> None:
    refusal = assessed(*arms({}), counter_margin=margin).refusal

    assert refusal is not None
    assert refusal.code == "bad_counter_margin"


def test_the_time_is_work_times_cycles_per_work_over_the_clock() -> None:
    measured = [[[row("wall_time", (1.1 if arm else 1.0) * (1 + 0.001 * i)),
                  row("cycles", (1.045e9 if arm else 1e9) * (1 + 0.001 * i), "1")] for i in range(5)]
                for arm in (0, 1)]  # fmt: skip
    split = the_split(assessed(*measured))
    factors = {part.name: part.estimate for part in split.parts}

    assert split.whole is not None
    assert split.basis is not None
    assert math.log(split.whole.estimate) == pytest.approx(0.0953101798043248, rel=1e-9)
    assert factors == pytest.approx({"work": 1, "cycles per work": 1.045, "1 / clock": 1 / 0.95}, rel=1e-9)
    assert math.prod(factors.values()) == pytest.approx(split.whole.estimate, rel=1e-12)
    assert (split.parts[0].lo, split.parts[0].reason) == (None, "does not vary between runs")
    assert (split.basis.method, split.basis.level, split.basis.together) == ("welch_log", 0.95, None)
    assert split.sentence.startswith("The factors multiply to the ratio of the time")


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"stat": "mean", "warmup_steps": 0}, ""),
        ({"stat": "total", "warmup_steps": 1}, "not_the_whole_time"),
        ({"stat": "total", "warmup_seconds": Fraction("0.5")}, "not_the_whole_time"),
        ({"stat": "median"}, "not_the_whole_time"),
        ({"unit_of_work": "samples"}, "no_work"),
        ({"work": {"output_tokens": 10_000, "requests": 100}}, "ambiguous_work"),
    ],
)
def test_only_the_time_of_the_whole_run_is_split(changes: dict[str, Any], code: str) -> None:
    measured = arms({}, only=("cycles",))
    steps = 2 if code == "not_the_whole_time" else 1
    for rows in (*measured[0], *measured[1]):
        rows[:1] = [rows[0]] * steps
    refusal = the_split(assessed(*measured, **changes)).refusal

    assert (refusal.code if refusal else "") == code


@pytest.mark.parametrize(
    ("changes", "said", "needs"),
    [
        ({"warmup_seconds": Fraction("0.5")}, "after a warmup of 0.5 s is not", "without a warmup"),
        ({"warmup_steps": 1}, "after a warmup of 1 step is not", "without a warmup"),
        ({}, "The mean of wall_time is of one step among many", "Compare the total of wall_time"),
    ],
)
def test_a_time_that_is_not_the_whole_says_what_makes_it_so(changes: dict[str, Any], said: str, needs: str) -> None:
    measured = arms({}, only=("cycles",))
    for rows in (*measured[0], *measured[1]):
        rows[:1] = [rows[0]] * 2
    refusal = the_split(assessed(*measured, stat="mean", **changes)).refusal

    assert refusal is not None
    assert said in refusal.message
    assert needs in refusal.needs


def test_a_rate_is_no_time() -> None:
    measured = [[[row("throughput", 100.0 + i + arm, "1/s"), row("cycles", 1e9 + i, "1")] for i in range(4)]
                for arm in (0, 1)]  # fmt: skip
    result = assessed(*measured, metric="throughput", better="higher", margin=Fraction("0.98"))

    refusal = the_split(result).refusal
    assert refusal is not None
    assert refusal.code == "not_a_time"


def test_a_run_without_cycles_leaves_the_time_whole() -> None:
    measured = arms({}, only=("cycles",))
    del measured[1][3][1]
    refusal = the_split(assessed(*measured)).refusal

    assert refusal is not None
    assert refusal.message.startswith("Run c3: cycles total was not measured")


def test_a_metric_that_the_table_knows_and_only_the_warmup_holds_is_no_counter() -> None:
    measured = [[[row("wall_time", 1.0 + 0.01 * i), row("clock", 1.5, "GHz", phase="warmup")] for i in range(4)]
                for _ in (0, 1)]  # fmt: skip

    assert assessed(*measured).mechanisms is None
