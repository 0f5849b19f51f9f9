from dataclasses import replace

import pytest

from analysis.attribution import Facts, FixCheck, Replay, attribute, climb


@pytest.mark.parametrize(
    ("established", "blocked", "two_systems", "overlap", "rung"),
    [
        (False, True, False, 1.0, 0),
        (True, False, True, 1.0, 1),
        (True, True, False, 0.0, 1),
        (True, False, False, 0.3, 1),
        (True, False, False, None, 1),
        (True, False, False, 0.5, 2),
        (True, True, False, None, 2),
        (True, True, False, 0.3, 2),
    ],
)
def test_recorded_facts_decide_the_rung(
    established: bool, blocked: bool, two_systems: bool, overlap: float | None, rung: int
) -> None:
    facts = Facts(established=established, blocked=blocked, two_systems=two_systems, overlap=overlap)

    assert attribute(facts).rung == rung


BLOCKED = Facts(established=True, blocked=True, two_systems=False, overlap=1.0)
REPLAY = Replay(controlled=True, own_runs=True, supported=1, rivals_refuted=1)
FIX = FixCheck(ordinary_execution=True, own_runs=True, within_margin=True)


def rung(
    facts: Facts = BLOCKED, *, quality: bool | None = True, replay: Replay | None = REPLAY, fix: FixCheck | None = FIX
) -> int:
    return climb(facts, quality_passed=quality, replay=replay, fix=fix).rung


def test_a_verified_fix_is_the_highest_rung() -> None:
    assert rung() == 4


@pytest.mark.parametrize(
    "fix",
    [None, replace(FIX, ordinary_execution=False), replace(FIX, own_runs=False), replace(FIX, within_margin=False)],
)
def test_a_fix_counts_in_ordinary_execution_with_runs_of_its_own_within_the_margin(fix: FixCheck | None) -> None:
    assert rung(fix=fix) == 3


@pytest.mark.parametrize(
    "replay",
    [
        None,
        replace(REPLAY, controlled=False),
        replace(REPLAY, own_runs=False),
        replace(REPLAY, supported=0),
        replace(REPLAY, rivals_refuted=0),
    ],
)
def test_a_mechanism_needs_a_controlled_replay_that_supports_it_and_refutes_a_rival(replay: Replay | None) -> None:
    assert rung(replay=replay) == 2


def test_the_quality_gate_decides_whether_the_change_made_the_difference() -> None:
    assert (rung(quality=False), rung(quality=None)) == (1, 2)
    assert "if quality" in climb(BLOCKED, quality_passed=None, replay=REPLAY, fix=FIX).sentence
    assert "if quality" not in climb(BLOCKED, quality_passed=True, replay=None, fix=None).sentence
    assert "quality" in climb(BLOCKED, quality_passed=False, replay=None, fix=None).sentence


@pytest.mark.parametrize(
    ("facts", "expected"), [(replace(BLOCKED, established=False), 0), (replace(BLOCKED, overlap=0.0), 1)]
)
def test_no_rung_is_reached_without_the_one_below_it(facts: Facts, expected: int) -> None:
    assert rung(facts) == expected
