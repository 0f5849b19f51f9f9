"""The decide page: the four decisions, and that none passes a closed gate."""

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from reviews.models import Decision, DecisionPdf, FollowUp, Memo
from reviews.vocabulary import State
from tests import cases, cast
from tests.kept import built_anew
from tests.web.asking import Answer, as_, follow, page

pytestmark = pytest.mark.django_db


def path(memo: Memo) -> str:
    return reverse("decide", args=[memo.number])


def send(memo: Memo, who: str = "bea", **said: Any) -> Answer:
    """A form for a bounded rollout to 10 %, sent whether the page shows it or not."""
    values = {
        "base": cases.base_of(memo),
        "kind": "bounded",
        "scope_percent": "10",
        "rationale": "One host was measured.",
        "password": cast.PASSWORD,
    }
    return as_(who).post(path(memo), values | said)


def stop(memo: Memo, who: str = "rob", **said: Any) -> Answer:
    at = timezone.now() - timedelta(minutes=5)
    values = {"reason": "p99 doubled.", "effective_at": f"{at:%Y-%m-%dT%H:%M}", "password": cast.PASSWORD} | said
    return as_(who).post(reverse("decide-emergency", args=[memo.number]), values)


def test_the_four_decisions_stand_beside_each_other_with_what_is_missing_and_who() -> None:
    memo = cases.a_memo_with_evidence()

    said = page("bea", path(memo))

    for kind in ("ship", "bounded", "rollback", "escalate"):
        assert f'id="decide-{kind}"' in said
    assert "inference platform owner has not approved" in said
    assert "Who: olga" in said
    assert f'href="{reverse("sign", args=[memo.number])}"' in said
    assert f'href="{reverse("memo", args=[memo.number])}#signoff"' in said
    assert f"{reverse('waivers', args=[memo.number])}?requirement=the_symptom_is_complete%3Aenergy" in said


def test_only_an_open_gate_has_a_form_and_only_for_the_board() -> None:
    memo = cases.a_memo_ready_to_roll_out()

    said = page("bea", path(memo))

    assert "Record bounded rollout" in said
    for closed in ("Record ship", "Record rollback", "Record escalate"):
        assert closed not in said
    assert "Record bounded rollout" not in page("olga", path(memo))
    assert "The review board records decisions." in page("olga", path(memo))


def test_the_board_records_a_decision_that_is_then_shown_with_its_pdf() -> None:
    memo = cases.a_memo_ready_to_roll_out()

    got = send(memo)

    assert follow(got) == path(memo)
    decision = Decision.objects.get()
    assert (decision.kind, decision.decider_name, cases.again(memo).state) == ("bounded", "Bea", State.ROLLING_OUT)
    said = page("aud", path(memo))
    for words in (
        "Decision 1: bounded rollout, to 10",
        "One host was measured.",
        decision.dossier_sha256[:8],
        "waiting",
        "Independent signers: 4 of 4. Counted for: bounded rollout.",
        "not from this state",
    ):
        assert words in said


@pytest.mark.parametrize("kind", ["ship", "rollback", "escalate"])
def test_a_closed_gate_refuses_with_the_list_whatever_the_page_showed(kind: str) -> None:
    memo = cases.a_memo_ready_to_roll_out()

    got = send(memo, kind=kind, scope_percent="")

    said = got.content.decode()
    assert got.status_code == 409
    assert 'data-code="gate_closed"' in said
    assert said.count('class="requirement"') >= 1
    assert not Decision.objects.exists()


@pytest.mark.parametrize("owner", list(cases.OWNERS))
def test_without_a_required_owner_nothing_is_recorded(owner: str) -> None:
    memo = cases.a_memo_with_waiver()
    for name, role in (*cases.OWNERS.items(), cases.KEEPER):
        if name != owner:
            cases.sign(memo, name, role)

    got = send(memo)

    said = got.content.decode()
    assert got.status_code == 409
    assert f"Who: {owner}" in said
    assert f'href="{reverse("sign", args=[memo.number])}"' in said
    assert not Decision.objects.exists()


def test_without_a_required_artifact_nothing_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "CURVES", b"Only a picture of something else.\n")
    attach = cases.attach

    def without_the_curve_pack(row: Any, name: str, content: bytes, labels: Any) -> None:
        if name != "curve-pack.json":
            attach(row, name, content, labels)

    monkeypatch.setattr(cases, "attach", without_the_curve_pack)
    with built_anew():
        memo = cases.a_memo_ready_to_roll_out()

    got = send(memo)

    assert got.status_code == 409
    assert "required_artifacts_are_attached" in got.content.decode()
    assert not Decision.objects.exists()


def test_deciding_twice_is_refused() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    send(memo)

    got = send(memo)

    assert got.status_code == 409
    assert "is not possible while the memo is rolling out" in got.content.decode()
    assert Decision.objects.count() == 1


def test_a_stale_page_decides_nothing() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    revision = memo.revisions.order_by("number")[0]

    got = send(memo, base=revision.digest)

    assert got.status_code == 409
    assert "came after the revision 1 that you saw" in got.content.decode()
    assert not Decision.objects.exists()


def test_a_decision_needs_rationale_scope_and_password_and_says_so_at_the_form() -> None:
    memo = cases.a_memo_ready_to_roll_out()

    assert "This field is required." in send(memo, rationale="").content.decode()
    assert "This field is required." in send(memo, scope_percent="").content.decode()
    assert "This is not your password." in send(memo, password="wrong").content.decode()
    wide = send(memo, scope_percent="much")
    assert wide.status_code == 422
    assert "is no percentage" in wide.content.decode()
    assert not Decision.objects.exists()


def test_a_scope_beyond_the_contract_or_the_signatures_is_refused() -> None:
    got = send(cases.a_memo_ready_to_roll_out(), scope_percent="20")

    assert got.status_code == 409
    assert "approves at most 10" in got.content.decode()


def test_who_is_not_on_the_board_decides_nothing() -> None:
    memo = cases.a_memo_ready_to_roll_out()

    for name in ("ann", "olga", "rob", "aud"):
        assert send(memo, who=name).status_code == 403
    assert not Decision.objects.exists()


def test_a_kind_that_is_none_is_refused() -> None:
    got = send(cases.a_memo_ready_to_roll_out(), kind="later", scope_percent="")

    assert got.status_code == 422
    assert not Decision.objects.exists()


def test_a_stranger_finds_nothing() -> None:
    memo = cases.a_memo_ready_to_roll_out()

    assert as_("eve").get(path(memo)).status_code == 404
    assert send(memo, who="eve").status_code == 404
    assert stop(memo, who="eve").status_code == 404


def test_the_contract_is_shown_as_it_is_signed() -> None:
    memo = cases.a_memo_with_waiver()
    said = page("bea", path(memo))
    for words in (
        "5 %",
        "10 %",
        "is established beyond 0.98",
        "rollback-procedure.md",
        "not accepted by signature yet",
    ):
        assert words in said

    cases.sign(memo, *cases.KEEPER)

    assert "rob, accepted by signature" in page("bea", path(memo))


def test_dissent_is_shown_until_it_is_resolved() -> None:
    memo = cases.a_memo_with_waiver()
    assert "None." in page("bea", path(memo))

    row = cases.sign(memo, "quin", cases.OWNERS["quin"], "object", text="The tail grows.")
    assert "The tail grows." in page("bea", path(memo))
    as_("quin").post(reverse("objection-resolve", args=[memo.number, row.pk]), {"reason": "Measured again."})

    assert "The tail grows." not in page("bea", path(memo))


def test_an_emergency_rollback_is_recorded_and_leaves_what_is_to_be_done() -> None:
    memo = cases.a_memo_rolling_out()
    assert "Record the emergency rollback" in page("rob", path(memo))

    got = stop(memo)

    assert follow(got) == path(memo)
    assert cases.again(memo).state == State.ROLLED_BACK
    said = page("aud", path(memo))
    assert "emergency" in said
    assert FollowUp.objects.count() > 0
    assert "Still to be done" in said


def test_an_emergency_needs_a_reason_and_a_time_that_has_passed() -> None:
    memo = cases.a_memo_rolling_out()
    later = timezone.now() + timedelta(hours=2)

    assert stop(memo, reason="").status_code == 422
    got = stop(memo, effective_at=f"{later:%Y-%m-%dT%H:%M}")

    assert got.status_code == 422
    assert "lies in the past" in got.content.decode()
    assert cases.again(memo).state == State.ROLLING_OUT


def test_an_emergency_is_for_the_board_and_the_rollback_owner() -> None:
    memo = cases.a_memo_rolling_out()

    assert "Emergency rollback" not in page("olga", path(memo))
    assert stop(memo, who="olga").status_code == 403


def test_a_decided_memo_says_what_can_no_longer_be_recorded() -> None:
    said = page("bea", path(cases.a_memo_rolling_out()))

    assert "“roll out” is not possible while the memo is rolling out." in said
    assert "Record bounded rollout" not in said


def test_a_finished_pdf_shows_its_digest() -> None:
    memo = cases.a_memo_rolling_out()
    DecisionPdf.objects.create(
        decision=Decision.objects.get(), pdf_sha256="ab" * 32, size=1, rendered_at=timezone.now()
    )

    assert "<wbr>abababab" in page("bea", path(memo))
