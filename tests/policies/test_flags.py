"""What a list shows beside a memo's state, computed."""

from dataclasses import replace

import pytest

from reviews.policies.facts import GateFacts
from reviews.policies.flags import Flags, flags
from reviews.policies.preview import preview

from .open_gate import CURVES, OLGA, OPEN, an_artifact


def of(facts: GateFacts) -> Flags:
    return flags(facts, preview(facts), live_without_authority=False)


def test_an_open_memo_is_ready_and_nothing_else() -> None:
    assert of(OPEN) == Flags(
        ready=True, stale=False, flagged_by_recall=False, flagged_by_redaction=False, still_live_without_authority=False
    )


def test_ready_is_that_some_decision_is_open() -> None:
    assert not of(replace(OPEN, role_holders={})).ready


@pytest.mark.parametrize(("withdrawn", "stale"), [(False, True), (True, False)])
def test_stale_is_that_a_standing_signature_is(withdrawn: bool, stale: bool) -> None:
    old = replace(OLGA, covered={"symptom": "older"}, withdrawn=withdrawn)

    assert of(replace(OPEN, signatures=(old,))).stale is stale


def test_recalled_bytes_flag_every_memo_that_cites_them() -> None:
    assert of(replace(OPEN, artifacts={CURVES: an_artifact(recalled=True)})).flagged_by_recall


def test_redacted_bytes_flag_every_memo_that_cites_them() -> None:
    redacted = an_artifact(redacted="redacted by Adi on 2026-12-01 (a secret: a key)")

    assert of(replace(OPEN, artifacts={CURVES: redacted})).flagged_by_redaction


@pytest.mark.parametrize("live", [True, False])
def test_a_rollout_without_authority_is_shown(live: bool) -> None:
    assert flags(OPEN, preview(OPEN), live_without_authority=live).still_live_without_authority is live
