from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analysis.errors import Refused
from analysis.mechanism import COUNTERS, SIGNATURES, Counter, Mechanisms, classify_mechanism, counter_of
from analysis.procedures import welch


def a_counter(name: str, effect: float, *, width: float = 0.01, margin: float = 0.03) -> Counter:
    return Counter(name, (effect - width, effect + width), (effect - width / 2, effect + width / 2), margin)


def counters(**moved: float) -> list[Counter]:
    """All of the counters; those not named stay where they were."""
    return [a_counter(name, moved.get(name, 0.0)) for name in sorted(COUNTERS)]


def answers(found: Mechanisms) -> Mapping[str, str]:
    return {answer.mechanism: answer.answer for answer in found.answers}


def test_there_are_nine_counters() -> None:
    assert len(COUNTERS) == 9


@pytest.mark.parametrize("mechanism", list(SIGNATURES))
def test_a_mechanism_that_alone_shows_its_signature_is_dominant(mechanism: str) -> None:
    moved = {name: 0.1 * sign for name, sign in SIGNATURES[mechanism].required.items()}

    found = classify_mechanism(counters(**moved))

    assert found.dominant == mechanism
    assert [name for name, answer in answers(found).items() if answer == "supported"] == [mechanism]


def test_still_counters_support_nothing() -> None:
    found = classify_mechanism(counters())

    assert found.dominant is None
    assert set(answers(found).values()) == {"refuted"}


def test_two_supported_mechanisms_leave_none_dominant() -> None:
    found = classify_mechanism(counters(clock=-0.1, throttle_share=0.1, idle_gap_share=0.1, queue_wait=0.1))

    assert answers(found)["thermal"] == "supported"
    assert answers(found)["scheduling"] == "refuted"
    both = counters(dram_bytes_per_work=0.1, memory_stall_share=0.1, idle_gap_share=0.1, queue_wait=0.1)
    assert answers(classify_mechanism(both))["memory"] == answers(classify_mechanism(both))["scheduling"] == "supported"
    assert classify_mechanism(both).dominant is None


def compute(**changes: Counter) -> Any:
    rows = [changes.get(c.name, c) for c in counters(cycles_per_work=0.1, flops_per_work=0.1)]
    return next(a for a in classify_mechanism(rows).answers if a.mechanism == "compute")


def test_a_required_counter_that_moves_the_other_way_refutes() -> None:
    assert compute(flops_per_work=a_counter("flops_per_work", -0.1)).against == ("flops_per_work",)


def test_a_required_counter_that_is_shown_to_stay_refutes_even_when_it_moved_a_little() -> None:
    small = replace(a_counter("flops_per_work", 0.02), simultaneous=(0.001, 0.039))

    assert compute(flops_per_work=small).answer == "refuted"


def test_a_counter_that_must_stay_refutes_only_beyond_its_margin() -> None:
    assert compute(clock=a_counter("clock", 0.02)).answer == "supported"
    assert compute(clock=a_counter("clock", 0.1)).against == ("clock",)
    assert compute(clock=a_counter("clock", -0.1)).against == ("clock",)


def test_a_required_counter_that_may_have_moved_decides_nothing() -> None:
    assert compute(flops_per_work=a_counter("flops_per_work", 0.05, width=0.06)).answer == "undetermined"


def test_missing_counters_are_named_and_nothing_is_supported_without_them() -> None:
    rows = [c for c in counters(cycles_per_work=0.1, flops_per_work=0.1) if c.name not in ("clock", "queue_wait")]

    found = {a.mechanism: a for a in classify_mechanism(rows).answers}

    assert (found["compute"].answer, found["compute"].missing) == ("undetermined", ("clock",))
    assert (found["scheduling"].answer, found["scheduling"].missing) == ("refuted", ("queue_wait", "clock"))


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([a_counter("clok", 0)], "unknown_counter"),
        ([a_counter("clock", 0), a_counter("clock", 0)], "duplicate_counter"),
        ([a_counter("clock", 0, margin=0)], "not_positive"),
    ],
)
def test_counters_that_cannot_be_read_are_refused(rows: list[Counter], code: str) -> None:
    with pytest.raises(Refused) as refused:
        classify_mechanism(rows)
    assert refused.value.code == code
    assert refused.value.needs


@pytest.mark.parametrize("mechanism", ["memory", None])
def test_the_dominant_mechanism_is_the_true_one_or_none(mechanism: str | None) -> None:
    """9 counters, 5 runs per arm, run sd 2 %, effect 10 %, margin 3 %: 200 experiments."""
    rng = np.random.default_rng(20370)
    names = sorted(COUNTERS)
    required = SIGNATURES[mechanism].required if mechanism else {}
    shift = np.array([[0.1 * required.get(name, 0)] for name in names])
    found = []
    for _ in range(200):
        runs = rng.normal(0, 0.02, (2, 9, 5))
        runs[1] += shift
        rows = [
            counter_of(name, welch(*runs[:, i].tolist()), counters=9, margin=0.03, confidence=0.95)
            for i, name in enumerate(names)
        ]
        found.append(classify_mechanism(rows).dominant)

    assert set(found) <= {mechanism, None}
    assert mechanism is None or found.count(mechanism) >= 0.95 * 200
