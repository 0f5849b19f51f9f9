"""What a list shows beside a memo's state, computed."""

from dataclasses import replace

import pytest

from reviews.policies.facts import GateFacts
from reviews.policies.facts import ProductionEventFacts as Event
from reviews.policies.flags import Flags, flags
from reviews.policies.preview import preview

from .open_gate import CURVES, DAY, NOW, OLGA, OPEN, an_artifact


def of(facts: GateFacts) -> Flags:
    return flags(facts, preview(facts))


def test_an_open_memo_is_ready_and_nothing_else() -> None:
    assert of(OPEN) == Flags(ready=True, stale=False, flagged_by_recall=False, still_live_without_authority=False)


def test_ready_is_that_some_decision_is_open() -> None:
    assert not of(replace(OPEN, role_holders={})).ready


@pytest.mark.parametrize(("withdrawn", "stale"), [(False, True), (True, False)])
def test_stale_is_that_a_standing_signature_is(withdrawn: bool, stale: bool) -> None:
    old = replace(OLGA, covered={"symptom": "older"}, withdrawn=withdrawn)

    assert of(replace(OPEN, signatures=(old,))).stale is stale


def test_recalled_bytes_flag_every_memo_that_cites_them() -> None:
    assert of(replace(OPEN, artifacts={CURVES: an_artifact(recalled=True)})).flagged_by_recall


@pytest.mark.parametrize(
    ("kinds", "live"),
    [((), True), (("rolled_back",), False), (("rolled_back", "deployed"), True), (("deployed", "rolled_back"), False)],
)
def test_an_expired_rollout_is_live_until_production_says_otherwise(kinds: tuple[str, ...], live: bool) -> None:
    events = tuple(
        Event(kind=kind, what="pool a", by="kim", ratified_by="", at=NOW + n * DAY) for n, kind in enumerate(kinds)
    )
    facts = replace(OPEN, expired_rollouts=("old",), production_events=events[::-1])

    assert of(facts).still_live_without_authority is live


def test_a_rollout_that_has_not_expired_has_its_authority() -> None:
    assert not of(replace(OPEN, production_events=())).still_live_without_authority
