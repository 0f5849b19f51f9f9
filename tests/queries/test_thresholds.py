"""Abort thresholds on what was observed: harm aborts, and what is not known holds."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from analysis.hosts import HostRun
from reviews.policies.contract import Contract
from reviews.queries.thresholds import Judged, SeenFacts, TrafficFacts, judged
from tests.policies.contracts import HOUR, IN_STAGE_2, RUNNING

USUAL = (1.0, 1.01, 0.99, 1.005)


def seen(factor: float = 1.0, *, hours: float = 12, **special: Any) -> SeenFacts:
    """C2 (latency, lower is better, limit 1.05) observed so many hours after the rollout began."""
    usual = SeenFacts(
        comparison="C2",
        outcome="verdict",
        refusal_code="",
        refusal="",
        runs=tuple(
            HostRun(arm, f"{arm}{i}", value * (factor if arm == "candidate" else 1))
            for arm in ("baseline", "candidate")
            for i, value in enumerate(USUAL)
        ),
        traffic=(
            TrafficFacts(arm="baseline", host="b", requests=9500),
            TrafficFacts(arm="candidate", host="c", requests=500),
        ),
        share_percent=None,
        at=RUNNING.began_at + hours * HOUR,
    )
    return replace(usual, **special)


def only(contract: Contract, *observed: SeenFacts) -> Judged:
    """What the one threshold of the contract says."""
    (one,) = judged(contract, {"C2": "lower"}, observed)
    return one


@pytest.mark.parametrize(("factor", "answer"), [(1.0, "continue"), (1.05, "hold"), (1.3, "abort")])
def test_a_threshold_continues_holds_or_aborts(factor: float, answer: str) -> None:
    found = only(RUNNING, seen(factor))

    assert found.answer == answer
    assert found.facts.name == "latency p99 of C2"
    assert (found.facts.answer, found.facts.sentence) == (answer, found.sentence)


def test_a_metric_that_is_better_when_higher_is_judged_in_its_direction() -> None:
    (found,) = judged(RUNNING, {"C2": "higher"}, [seen(0.7)])

    assert found.answer == "abort"


def test_unobserved_it_holds_whatever_other_comparisons_say() -> None:
    assert only(RUNNING, seen(comparison="C1")).sentence == "Nothing was observed in this rollout."


def test_the_looks_are_counted_and_all_runs_of_all_looks_are_judged_together() -> None:
    found = only(RUNNING, seen(1.01, hours=5), seen(1.0)).interval

    assert found is not None
    assert found.look == 2
    assert found.estimate == pytest.approx(1.01**0.5)


def test_a_candidate_that_failed_to_serve_aborts_at_any_look() -> None:
    found = only(RUNNING, seen(outcome="failed_to_serve", runs=(), hours=2), seen())

    assert (found.answer, found.sentence) == (
        "abort",
        "The candidate failed to serve on 2026-05-04.",
    )


@pytest.mark.parametrize(
    ("special", "usable"),
    [
        ({"outcome": "verdict"}, True),
        ({"outcome": "withheld", "refusal_code": "rate_limited"}, True),
        ({"outcome": "refused", "refusal_code": "ambiguous_design"}, True),
        ({"outcome": "refused", "refusal_code": "unequal_requests", "refusal": "Unequal."}, False),
        ({"outcome": "not_comparable", "refusal_code": "work_mismatch", "refusal": "Other work."}, False),
    ],
)
def test_only_values_that_are_alike_are_used_and_the_last_look_has_to_be_usable(
    special: dict[str, Any], usable: bool
) -> None:
    last = only(RUNNING, seen(hours=2), seen(**special))
    first = only(RUNNING, seen(hours=2, **special), seen())
    alone = only(RUNNING, seen(**special))

    assert last.answer == ("continue" if usable else "hold")
    assert first.answer == "continue"
    if not usable:
        assert f"cannot be used: {special['refusal']}" in last.sentence
        assert (alone.answer, alone.interval) == ("hold", None)


def test_harm_aborts_although_the_last_look_cannot_be_used() -> None:
    assert only(RUNNING, seen(1.3, hours=2), seen(outcome="not_comparable")).answer == "abort"


@pytest.mark.parametrize(
    ("requests", "share", "answer", "state"),
    [
        ((9500, 500), None, "continue", "balanced"),
        ((5000, 5000), None, "hold", "mismatch"),
        ((5000, 5000), Fraction(50), "continue", "balanced"),
        ((9500, None), None, "hold", "not_recorded"),
    ],
)
def test_traffic_that_was_split_otherwise_holds(
    requests: tuple[int, int | None], share: Fraction | None, answer: str, state: str
) -> None:
    traffic = tuple(
        TrafficFacts(arm=arm, host=arm, requests=count)  # type: ignore[arg-type]
        for arm, count in zip(("baseline", "candidate"), requests, strict=True)
    )
    found = only(RUNNING, seen(traffic=traffic, share_percent=share))

    assert (found.answer, found.balances[0].state) == (answer, state)


def test_an_observation_without_any_traffic_is_not_balanced() -> None:
    found = only(RUNNING, seen(traffic=()))

    assert (found.answer, found.balances[0].state) == ("hold", "not_recorded")


def test_the_share_meant_is_that_of_the_stage_in_which_it_was_observed() -> None:
    moved = only(IN_STAGE_2, seen(hours=2), seen(hours=13.5))

    assert [one.intended for one in moved.balances] == [Fraction(1, 20), Fraction(1, 5)]
    assert moved.answer == "hold"


def test_what_was_observed_in_an_earlier_stage_does_not_let_a_later_one_go_on() -> None:
    found = only(IN_STAGE_2, seen())

    assert (found.answer, found.sentence) == ("hold", "Nothing was observed in stage 2 yet.")
