"""Counters from a file to the result: which mechanism they speak for."""

import math
from fractions import Fraction

import pytest

from analysis.assess import assess
from analysis.counter_values import SOURCES
from analysis.mechanism import COUNTERS, SIGNATURES
from analysis.procedures import t_quantile, welch
from tests.analysis.counted import MOVED, answered, answers, arms, why
from tests.analysis.props import a_plan, a_request
from tests.analysis.recorded import assessed, runs_of, the_split


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
