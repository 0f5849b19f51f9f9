"""A waiver names a gap that may be waived, ends, and is approved by somebody else on the board."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from reviews.errors import BadInput, NotPermitted, NotSignedIn, NotVisible, WrongState
from reviews.models import Memo, Waiver
from reviews.policies import gate as rule_table
from reviews.queries import gate
from reviews.services import waivers
from reviews.services.waivers import WaiverWish
from reviews.vocabulary import DecisionKind
from tests import cases
from tests.services import deeds
from tests.services.deeds import refused

pytestmark = pytest.mark.django_db


def wish(**special: Any) -> WaiverWish:
    usual = WaiverWish(
        requirement=cases.ENERGY, owner="tess", reason="No counter.", control="Rack power is watched.",
        expires_at=timezone.now() + timedelta(days=30),
    )  # fmt: skip
    return replace(usual, **special)


def ask(memo: Memo, name: str = "ann", **special: Any) -> Waiver:
    return waivers.request(actor=cases.person(name), memo_id=memo.pk, wish=wish(**special))


def approve(waiver: Waiver, name: str) -> Any:
    return waivers.approve(actor=cases.person(name), waiver_id=waiver.pk, note="", authentication=cases.proof())


@pytest.mark.parametrize(
    "requirement",
    ["", "the_symptom_is_complete", "the_symptom_is_complete: ", "nobody_objects:olga", "the_quorum_is_met:2",
     "required_owners_have_signed:sre_performance_owner", "no_such_rule:x", "evidence_reaches_the_scope:C1"],
)  # fmt: skip
def test_only_a_named_gap_of_a_rule_that_may_be_waived_is_waived(requirement: str) -> None:
    with refused(BadInput, "not_waivable", "requirement"):
        ask(cases.a_memo_with_evidence(), requirement=requirement)


@pytest.mark.parametrize(
    ("special", "kind", "code"),
    [
        ({"reason": " "}, BadInput, "no_reason"),
        ({"control": " "}, BadInput, "no_reason"),
        ({"owner": "nobody"}, NotVisible, ""),
        ({"expires_at": timezone.now() - timedelta(days=1)}, BadInput, "waiver_too_long"),
        ({"expires_at": timezone.now() + timedelta(days=91)}, BadInput, "waiver_too_long"),
        ({"requirement": f"the_symptom_is_complete:{'x' * 200}"}, BadInput, "too_long"),
    ],
)
def test_a_waiver_that_lacks_something_or_lasts_too_long_is_refused(special: Any, kind: Any, code: str) -> None:
    with refused(kind, code):
        ask(cases.a_memo_with_evidence(), **special)


@pytest.mark.parametrize("name", ["sam", "aud", "rob"])
def test_a_waiver_is_asked_for_by_author_board_or_owner(name: str) -> None:
    with refused(NotPermitted):
        ask(cases.a_memo_with_evidence(), name)


def test_a_waiver_counts_once_somebody_else_on_the_board_approves_it() -> None:
    memo = cases.a_memo_with_evidence()
    waiver = ask(memo, "bea")

    with refused(NotPermitted):
        approve(waiver, "bea")
    for name in ("ann", "olga"):
        with refused(NotPermitted):
            approve(waiver, name)
    with refused(NotVisible):
        approve(waiver, "eve")
    with refused(NotSignedIn, "step_up_needed"):
        waivers.approve(actor=cases.person("ben"), waiver_id=waiver.pk, note="", authentication=deeds.old_proof())
    assert approve(waiver, "ben").state == "approved"
    with refused(WrongState, "answered_already"):
        approve(waiver, "ben")
    assert Waiver.objects.get().state == "approved"


def test_an_unknown_waiver_is_refused() -> None:
    cases.set_up()
    with refused(NotVisible):
        waivers.decline(actor=cases.person("ben"), waiver_id=1, reason="No.")


def test_a_waiver_is_declined_with_a_reason() -> None:
    waiver = ask(cases.a_memo_with_evidence())

    with refused(BadInput, "no_reason"):
        waivers.decline(actor=cases.person("ben"), waiver_id=waiver.pk, reason=" ")
    assert waivers.decline(actor=cases.person("ben"), waiver_id=waiver.pk, reason="Measure it.").state == "declined"


def test_a_waiver_that_has_run_out_is_not_approved_any_more() -> None:
    memo = cases.a_memo_with_evidence()
    asked = timezone.now() - timedelta(days=9)
    waiver = Waiver.objects.create(
        memo=memo, requirement="the_symptom_is_complete", subject="energy_per_request.mean", owner=cases.person("tess"),
        owner_name="Tess", reason="x", control="x", expires_at=asked + timedelta(days=1),
        requested_by=cases.person("ann"), requested_by_name="Ann", requested_at=asked,
    )  # fmt: skip

    with refused(WrongState, "waiver_expired"):
        approve(waiver, "ben")
    assert waivers.decline(actor=cases.person("ben"), waiver_id=waiver.pk, reason="Too late.").state == "declined"


def test_a_waiver_that_has_expired_opens_the_gap_again() -> None:
    memo = cases.a_memo_with_waiver()

    def rules(days: int) -> set[str]:
        facts = gate.gate_facts(
            memo.pk, decider=None, requested_percent=None, now=timezone.now() + timedelta(days=days)
        )
        return {line.rule for line in rule_table.missing(rule_table.evaluate(facts, DecisionKind.BOUNDED))}

    assert "the_symptom_is_complete" not in rules(59)
    assert "the_symptom_is_complete" in rules(61)
