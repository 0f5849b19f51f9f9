"""The page of waivers: what could be waived, asking, and the board's answers."""

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from reviews.models import Memo, Waiver, WaiverApproval
from tests import cases, cast
from tests.web.asking import Answer, as_, follow, page

pytestmark = pytest.mark.django_db


def path(memo: Memo) -> str:
    return reverse("waivers", args=[memo.number])


def ask(memo: Memo, who: str = "ann", **said: Any) -> Answer:
    end = timezone.now() + timedelta(days=30)
    values = {
        "requirement": cases.ENERGY,
        "owner": "tess",
        "reason": "There is no counter.",
        "control": "Rack power is watched.",
        "expires_at": f"{end:%Y-%m-%d}",
    }
    return as_(who).post(path(memo), values | said)


def test_open_gaps_that_may_be_waived_are_offered_with_what_they_stand_in_the_way_of() -> None:
    memo = cases.a_memo_with_evidence()

    said = page("ann", f"{path(memo)}?requirement={cases.ENERGY}")

    assert "energy_per_request mean is not compared" in said
    assert "It stands in the way of: ship, bounded rollout, escalate." in said
    assert f'value="{cases.ENERGY}" required id="id_requirement_0" checked' in said
    assert "has not approved" not in said


def test_a_waiver_is_asked_for_and_does_not_count_yet() -> None:
    memo = cases.a_memo_with_evidence()

    got = ask(memo)

    assert follow(got) == path(memo)
    row = Waiver.objects.get()
    assert (row.subject, row.owner, row.expires_at.hour) == ("energy_per_request.mean", cases.person("tess"), 0)
    said = page("bea", path(memo))
    assert "There is no counter." in said
    assert "no: it is not approved" in said


def test_an_end_beyond_the_cap_is_said_at_its_field() -> None:
    memo = cases.a_memo_with_evidence()

    got = ask(memo, expires_at="2099-01-01")

    assert got.status_code == 422
    assert "ends within 90 days" in got.content.decode()
    assert not Waiver.objects.exists()


@pytest.mark.parametrize("field", ["requirement", "owner", "reason", "control", "expires_at"])
def test_each_field_is_needed(field: str) -> None:
    memo = cases.a_memo_with_evidence()

    got = ask(memo, **{field: ""})

    assert got.status_code == 422
    assert "This field is required." in got.content.decode()


def test_a_gap_that_cannot_be_waived_is_no_choice() -> None:
    memo = cases.a_memo_with_evidence()

    assert ask(memo, requirement="nobody_objects:quin").status_code == 422
    assert not Waiver.objects.exists()


def test_the_board_approves_with_the_password_and_then_it_counts() -> None:
    memo = cases.a_memo_with_evidence()
    row = cases.ask_for_waiver(memo)
    where = reverse("waiver-approve", args=[memo.number, row.pk])
    wrong = as_("ben").post(where, {"note": "", "password": "wrong"})
    assert wrong.status_code == 422
    assert "This is not your password." in wrong.content.decode()

    got = as_("ben").post(where, {"note": "Once.", "password": cast.PASSWORD})

    assert follow(got) == path(memo)
    assert WaiverApproval.objects.get().by == cases.person("ben")
    said = page("ann", path(memo))
    assert "Ben: Once." in said
    assert "<dd>yes</dd>" in said
    assert "No gap is open that could be waived." in said


def test_the_board_declines_with_a_reason() -> None:
    memo = cases.a_memo_with_evidence()
    where = reverse("waiver-decline", args=[memo.number, cases.ask_for_waiver(memo).pk])
    assert as_("ben").post(where, {"reason": ""}).status_code == 422

    as_("ben").post(where, {"reason": "Borrow a meter."})

    assert "Ben: Borrow a meter." in page("ann", path(memo))


def test_nobody_answers_their_own_request_or_without_a_seat() -> None:
    memo = cases.a_memo_with_evidence()
    ask(memo, who="ben")
    where = reverse("waiver-approve", args=[memo.number, Waiver.objects.get().pk])
    assert "Approve the waiver" not in page("ben", path(memo))
    assert "Approve the waiver" not in page("ann", path(memo))
    assert "Approve the waiver" in page("bea", path(memo))

    for name in ("ben", "ann"):
        assert as_(name).post(where, {"password": cast.PASSWORD}).status_code == 403
    assert not WaiverApproval.objects.exists()


def test_a_reader_sees_the_gaps_and_no_form() -> None:
    memo = cases.a_memo_with_evidence()

    said = page("aud", path(memo))

    assert "energy_per_request mean is not compared" in said
    assert "Ask for the waiver" not in said
    assert ask(memo, who="aud").status_code == 403


def test_a_stranger_finds_nothing() -> None:
    memo = cases.a_memo_with_evidence()
    row = cases.ask_for_waiver(memo)

    assert as_("eve").get(path(memo)).status_code == 404
    assert ask(memo, who="eve").status_code == 404
    for name in ("waiver-approve", "waiver-decline"):
        assert as_("eve").post(reverse(name, args=[memo.number, row.pk]), {"reason": "x"}).status_code == 404
