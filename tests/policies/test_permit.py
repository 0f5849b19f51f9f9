"""Nothing is permitted by absence: a decision that stands permits it, and nothing has stopped the image since."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from reviews.policies.authorities import RolloutTimes, is_live_without_authority
from reviews.policies.permit import Authority, Permit, Wish, permit

from .contracts import HOUR, IN_STAGE_2, RUNNING, event, says
from .open_gate import NOW

IMAGE, OLD = "a" * 64, "b" * 64
SHIPPED = Authority(
    number="ARM-2026-0001",
    state="shipped",
    kind="ship",
    effective_at=NOW - 20 * HOUR,
    contract=None,
    escalated="esk by 2026-05-09",
    recalled=(),
    events=(),
    candidate=frozenset({IMAGE}),
    baseline=frozenset({OLD}),
)
ROLLING = replace(SHIPPED, state="rolling out", kind="bounded", contract=RUNNING, effective_at=RUNNING.began_at)
BACK = replace(SHIPPED, state="rolled back", kind="rollback")


def asked(*authorities: Authority, image: str = IMAGE, scope: str = "pool a", percent: str = "5") -> Permit:
    return permit(authorities, Wish(image=image, scope=scope, percent=Fraction(percent)))


def test_an_image_that_no_memo_names_is_not_permitted() -> None:
    found = asked(SHIPPED, image="f" * 64)

    assert not found.permitted
    assert found.reasons == (f"No memo that you can see names the image sha256:{'f' * 64} as its candidate.",)
    assert not asked().permitted


def test_what_shipped_is_permitted_everywhere() -> None:
    assert asked(SHIPPED, scope="anywhere", percent="100") == Permit(
        permitted=True, memo="ARM-2026-0001", reasons=("ARM-2026-0001 was shipped on 2026-05-03.",)
    )


@pytest.mark.parametrize(
    ("contract", "scope", "percent", "permitted"),
    [
        (RUNNING, "pool a", "5", True),
        (RUNNING, " Pool  A ", "1.5", True),
        (RUNNING, "pool a", "5.1", False),
        (RUNNING, "pool b", "1", False),
        (RUNNING, "pools a, b", "20", False),
        (IN_STAGE_2, "pools a, b", "20", True),
        (IN_STAGE_2, "pool a", "5", True),
        (IN_STAGE_2, "pool a", "20", False),
    ],
)
def test_a_rollout_permits_the_stages_that_it_has_reached(
    contract: Any, scope: str, percent: str, permitted: bool
) -> None:
    found = asked(replace(ROLLING, contract=contract), scope=scope, percent=percent)

    assert found.permitted is permitted
    if not permitted:
        assert "has reached 5 % of “pool a”" in found.reasons[0]
        assert f"{float(percent):g} % of “{scope}” was asked" in found.reasons[0]


@pytest.mark.parametrize(
    ("special", "reason"),
    [
        (
            {"contract": replace(RUNNING, now=NOW.replace(year=2027))},
            "The rollout of ARM-2026-0001 expired on 2026-06-01.",
        ),
        (
            {"contract": replace(RUNNING, thresholds=(says("abort"),))},
            "The rollout of ARM-2026-0001 has passed its abort threshold: latency p99 of C2.",
        ),
        (
            {"recalled": ("runs.json", "b.json")},
            "ARM-2026-0001 stands on evidence that was recalled: runs.json and b.json.",
        ),
        ({"contract": None}, f"No memo that you can see names the image sha256:{IMAGE} as its candidate."),
    ],
)
def test_a_rollout_that_expired_passed_a_threshold_or_lost_its_evidence_permits_nothing(
    special: dict[str, Any], reason: str
) -> None:
    assert asked(replace(ROLLING, **special)) == Permit(permitted=False, memo="", reasons=(reason,))


def test_no_stage_permits_more_than_was_decided() -> None:
    narrow = replace(ROLLING, contract=replace(RUNNING, scope_percent=Fraction(2)))

    assert asked(narrow, percent="2").permitted
    assert not asked(narrow, percent="3").permitted


def test_a_threshold_that_holds_lets_the_present_stage_be() -> None:
    assert asked(replace(ROLLING, contract=replace(RUNNING, thresholds=(says("hold"),)))).permitted


def test_a_ship_on_recalled_evidence_permits_nothing() -> None:
    assert not asked(replace(SHIPPED, recalled=("runs.json",))).permitted


@pytest.mark.parametrize(
    ("special", "reason"),
    [
        (
            {"kind": "", "state": "in review", "effective_at": None},
            "names the image and is in review: nothing is decided.",
        ),
        ({"kind": "escalate", "state": "escalated"}, "is escalated to esk by 2026-05-09."),
        ({"baseline": frozenset({IMAGE})}, "names the image on both sides: it is not what that memo varies."),
    ],
)
def test_a_memo_that_decides_nothing_for_the_image_says_why(special: dict[str, Any], reason: str) -> None:
    found = asked(replace(SHIPPED, **special))

    assert (found.permitted, found.reasons) == (False, (f"ARM-2026-0001 {reason}",))


def test_after_a_rollback_the_baseline_may_run_and_the_candidate_may_not() -> None:
    assert asked(BACK).reasons == ("ARM-2026-0001 was rolled back on 2026-05-03.",)
    assert not asked(BACK).permitted
    assert asked(BACK, image=OLD).reasons == ("ARM-2026-0001 was rolled back on 2026-05-03, to this image.",)
    assert asked(BACK, image=OLD).permitted
    assert not asked(SHIPPED, image=OLD).permitted


def test_a_rollback_stops_what_another_memo_had_permitted_and_a_later_decision_permits_again() -> None:
    later = replace(SHIPPED, number="ARM-2026-0002", effective_at=NOW - 10 * HOUR)

    assert not asked(SHIPPED, replace(BACK, effective_at=NOW - 5 * HOUR)).permitted
    assert asked(later, BACK).memo == "ARM-2026-0002"


def test_a_reported_rollback_stops_the_image_until_somebody_decides() -> None:
    reported = asked(replace(ROLLING, events=(event("deployed"), event("rolled_back", hours=3))))
    assert reported.reasons[0] == (
        "argo reported on 2026-05-04 that ARM-2026-0001 was rolled back, and nobody has decided since."
    )
    assert not reported.permitted
    assert asked(replace(ROLLING, events=(event("rolled_back"), event("deployed", hours=3)))).permitted
    assert asked(replace(ROLLING, events=(event("rolled_back", ratified_by="Rob"),))).permitted


OVER = RolloutTimes(began_at=RUNNING.began_at, ends_at=NOW, kinds_since=())


@pytest.mark.parametrize(
    ("rollout", "events", "live"),
    [
        (replace(OVER, ends_at=NOW + HOUR), (), False),
        (OVER, (), True),
        (OVER, (event("deployed"),), True),
        (OVER, (event("deployed"), event("rolled_back", hours=2)), False),
        (OVER, (event("rolled_back"), event("deployed", hours=2)), True),
        (OVER, (event("rolled_back", hours=-1),), True),
        (replace(OVER, kinds_since=("rollback",)), (), True),
        (replace(OVER, kinds_since=("ship",)), (), False),
    ],
)
def test_an_expired_rollout_is_live_until_production_ends_it_or_a_ship_takes_over(
    rollout: RolloutTimes, events: Any, live: bool
) -> None:
    assert is_live_without_authority(rollout, events, NOW) is live
