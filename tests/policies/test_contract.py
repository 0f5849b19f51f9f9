"""A rollout goes by the contract that was decided: stages, soak, thresholds, and what is not known is hold."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from reviews.errors import Missing
from reviews.policies.contract import Contract, answer_of, stands_in_words, why_not_advance
from reviews.sections import RolloutStage

from .contracts import HOUR, IN_STAGE_2, RUNNING, says
from .open_gate import NOW


def codes(contract: Contract) -> list[str]:
    return [one.code for one in why_not_advance(contract)]


def without(**parts: Any) -> Contract:
    return replace(RUNNING, rollout=replace(RUNNING.rollout, **parts))


def test_nothing_stands_before_the_next_stage_of_a_soaked_and_observed_one() -> None:
    assert why_not_advance(RUNNING) == ()
    assert (RUNNING.stage, RUNNING.following) == (1, RUNNING.rollout.stages[1])
    assert RUNNING.reached == RUNNING.rollout.stages[:1]
    assert stands_in_words(RUNNING) == "stage 1 of 2, 5 % of “pool a”, until 2026-06-01"


@pytest.mark.parametrize(
    ("contract", "expected"),
    [
        (replace(RUNNING, superseded=True), ["superseded"]),
        (replace(RUNNING, scope_percent=Fraction(10)), ["scope"]),
        (replace(RUNNING, began_at=NOW - 11 * HOUR), ["soak"]),
        (replace(RUNNING, thresholds=(says("hold"),)), ["threshold:C2"]),
        (replace(RUNNING, refused_by=(Missing("objection", "No.", "olga", ""),)), ["objection"]),
        (without(ends_at="2026-05-04T12:00:00Z"), ["expired"]),
        (without(ends_at="some day"), ["contract"]),
        (without(stages=(RolloutStage(percent="5", where="pool a", soak_hours="long"),)), ["last_stage", "contract"]),
        (IN_STAGE_2, ["last_stage", "soak"]),
    ],
)
def test_each_thing_alone_holds_the_next_stage(contract: Contract, expected: list[str]) -> None:
    assert codes(contract) == expected


def test_an_expired_rollout_says_so_in_words() -> None:
    assert stands_in_words(without(ends_at="2026-05-01")).endswith(", expired on 2026-05-01")


def test_the_sentences_say_what_was_decided_and_until_when_it_soaks() -> None:
    far = why_not_advance(replace(RUNNING, scope_percent=Fraction(10)))[0]
    assert far.sentence == "Stage 2 reaches 20 %; 10 % was decided."
    soak = why_not_advance(replace(RUNNING, began_at=NOW - 11 * HOUR))[0]
    assert soak.sentence == "Stage 1 soaks until 2026-05-04 13:00 UTC."


@pytest.mark.parametrize(("answer", "who"), [("continue", None), ("hold", "a contributor"), ("abort", "kim")])
def test_a_threshold_that_does_not_continue_holds_the_next_stage(answer: str, who: str | None) -> None:
    found = why_not_advance(replace(RUNNING, thresholds=(says(answer),)))

    assert [(one.who, one.sentence) for one in found] == (
        [(who, f"latency p99 of C2: {answer}. So it is.")] if who else []
    )


def test_the_stage_at_a_time_is_the_one_that_was_reached_then() -> None:
    assert [IN_STAGE_2.stage_at(NOW - hours * HOUR) for hours in (2, 1, 0)] == [1, 2, 2]


def test_all_thresholds_together_continue_only_if_each_does_and_none_is_hold() -> None:
    one = says("continue")
    assert answer_of((one, one)) == "continue"
    assert answer_of((one, says("hold"))) == "hold"
    assert answer_of((says("hold"), says("abort"), one)) == "abort"
    assert answer_of(()) == "hold"
