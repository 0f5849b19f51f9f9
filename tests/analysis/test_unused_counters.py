"""Counters that are not used: which they are, and why."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import pytest

from analysis.assess import assess
from tests.analysis.counted import MOVED, answered, answers, arms, why
from tests.analysis.props import a_plan, a_request
from tests.analysis.recorded import assessed, row, runs_of


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


def test_a_metric_that_the_table_knows_and_only_the_warmup_holds_is_no_counter() -> None:
    measured = [[[row("wall_time", 1.0 + 0.01 * i), row("clock", 1.5, "GHz", phase="warmup")] for i in range(4)]
                for _ in (0, 1)]  # fmt: skip

    assert assessed(*measured).mechanisms is None
