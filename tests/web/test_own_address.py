"""An act goes by the address of its own memo: another memo's address leads nowhere."""

import pytest
from django.utils import timezone

from reviews.services import decisions
from tests import cases
from tests.web.asking import as_

pytestmark = pytest.mark.django_db


def test_a_waiver_is_answered_at_its_own_memo() -> None:
    memo, other = cases.a_memo_with_evidence(), cases.a_draft("Another")
    waiver = cases.ask_for_waiver(memo)

    for act in ("approve", "decline"):
        form = {"note": "", "reason": "no", "password": "x"}
        assert as_("ben").post(f"/memos/{other.number}/waivers/{waiver.pk}/{act}/", form).status_code == 404


def test_a_signature_is_withdrawn_and_an_objection_resolved_at_their_own_memo() -> None:
    memo, other = cases.a_memo_with_evidence(), cases.a_draft("Another")
    signature = cases.sign(memo, "olga", cases.OWNERS["olga"], "object", text="One host.")

    for act in ("withdraw", "resolve"):
        address = f"/memos/{other.number}/sign/{signature.pk}/{act}/"
        assert as_("olga").post(address, {"reason": "because"}).status_code == 404


def test_a_follow_up_is_met_at_its_own_memo() -> None:
    memo, other = cases.a_memo_in_review(), cases.a_draft("Another")
    decisions.emergency_rollback(
        actor=cases.person("bea"),
        memo_id=memo.pk,
        reason="p99 doubled.",
        effective_at=timezone.now(),
        authentication=cases.proof(),
    )
    owed = memo.follow_ups.earliest("pk")

    address = f"/memos/{other.number}/follow-ups/{owed.pk}/meet/"
    assert as_("ben").post(address, {"note": "done"}).status_code == 404
