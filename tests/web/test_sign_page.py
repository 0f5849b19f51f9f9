"""The sign page: what is signed, what changed since, and what is refused."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from reviews.models import Memo, ObjectionResolution, Signature, SignatureWithdrawal
from reviews.services import assessments
from tests import cases, cast
from tests.web.asking import Answer, as_, follow, page

pytestmark = pytest.mark.django_db
OWNER = "inference_platform_owner"
SEEN = "| owner: sam | proof: a week of the dashboard"


def path(memo: Memo) -> str:
    return reverse("sign", args=[memo.number])


def form(memo: Memo, **said: Any) -> dict[str, Any]:
    """What Olga's form sends: an approval of a bounded rollout to 10 %."""
    return {
        "base": cases.base_of(memo),
        "role": OWNER,
        "position": "approve",
        "kinds": ["bounded", "rollback"],
        "scope_percent": "10",
        "text": "",
        "would_clear_if": "",
        "conditions": "",
        "password": cast.PASSWORD,
    } | said


def send(memo: Memo, who: str = "olga", **said: Any) -> Answer:
    return as_(who).post(path(memo), form(memo, **said))


def changed(memo: Memo) -> None:
    """A setting is stated and C1 computed again: it is not comparable any more."""
    ann = cases.person("ann")
    assessments.state_setting(
        actor=ann, memo_id=memo.pk, comparison="C1", setting="pinning", arm="baseline", value="yes"
    )
    assessments.compute(actor=ann, memo_id=memo.pk, comparison="C1")


def test_the_statement_names_memo_revision_role_and_every_section_with_its_digest() -> None:
    memo = cases.a_memo_with_evidence()
    revision = memo.current_revision
    assert revision is not None

    said = page("olga", path(memo))

    assert f"<strong>{memo.number}</strong>, revision {revision.number}" in said
    assert "inference platform owner" in said
    for name in ("header", "symptom", "change", "hypotheses", "evidence", "comparisons", "action", "rollout"):
        assert revision.section_digests[name] in said
    assert revision.section_digests["signoff"] not in said


def test_a_person_signs_with_the_password() -> None:
    memo = cases.a_memo_with_evidence()

    got = send(memo)

    assert follow(got) == f"{path(memo)}#signatures"
    signature = Signature.objects.get()
    assert (signature.signer_name, signature.role, signature.decision_kinds) == ("Olga", OWNER, ["bounded", "rollback"])
    assert "It counts." in page("olga", path(memo))


def test_a_wrong_password_signs_nothing() -> None:
    got = send(cases.a_memo_with_evidence(), password="wrong")

    assert got.status_code == 422
    assert "This is not your password." in got.content.decode()
    assert not Signature.objects.exists()


def test_a_stale_page_is_refused_and_shows_the_difference_in_numbers_and_records() -> None:
    memo = cases.a_memo_with_evidence()
    seen = form(memo, text="Fine by me.")
    changed(memo)

    got = as_("olga").post(path(memo), seen)

    said = got.content.decode()
    assert got.status_code == 409
    assert not Signature.objects.exists()
    assert "this page was older than the memo" in said
    assert "C1 throughput rate: the page showed" in said
    assert "1.041 [1.037, 1.044]" in said
    assert "not comparable" in said
    assert "Fine by me." in said
    assert cases.base_of(memo) in said


def test_a_change_outside_the_covered_sections_does_not_stop_a_signature() -> None:
    memo = cases.a_memo_with_evidence()
    seen = form(memo, role="rollback_owner")
    changed(memo)

    assert follow(as_("rob").post(path(memo), seen))


def test_a_page_of_another_memo_is_refused() -> None:
    got = send(cases.a_memo_with_evidence(), base="0" * 64)

    assert got.status_code == 409
    assert "not made from a revision of this memo" in got.content.decode()
    assert not Signature.objects.exists()


def test_signing_again_shows_what_was_signed_and_what_it_is_now() -> None:
    memo = cases.a_memo_with_evidence()
    cases.sign(memo, "olga", OWNER)
    assert "Nothing that your signature covers has changed." in page("olga", path(memo))
    changed(memo)

    said = page("olga", path(memo))

    assert "C1 throughput rate: you signed" in said
    assert "1.041 [1.037, 1.044]" in said
    assert "it is stale: comparisons changed since" in said
    assert "◆ changed" in said


def test_what_a_position_needs_is_said_at_the_form_and_what_was_typed_is_kept() -> None:
    got = send(cases.a_memo_with_evidence(), position="object", kinds=[], text="The tail grows.")

    said = got.content.decode()
    assert got.status_code == 422
    assert "An objection says what would clear it." in said
    assert "The tail grows." in said


def test_a_scope_that_the_page_filled_in_says_nothing_of_an_objection() -> None:
    memo = cases.a_memo_with_evidence()

    send(memo, position="object", kinds=[], text="The tail grows.", would_clear_if="It is measured again.")

    assert Signature.objects.get().greatest_scope_percent is None


def test_a_scope_that_somebody_typed_is_not_dropped() -> None:
    got = send(cases.a_memo_with_evidence(), position="abstain", kinds=[], scope_percent="5")

    assert got.status_code == 422
    assert "has a greatest scope" in got.content.decode()


def test_conditions_are_one_a_line() -> None:
    memo = cases.a_memo_with_evidence()

    send(memo, position="approve_with_conditions", conditions=f"Watch the queue. {SEEN}\n\n Page me. {SEEN}\n")

    signature = Signature.objects.get()
    assert [row.text for row in signature.conditions.order_by("number")] == ["Watch the queue.", "Page me."]
    assert "it waits for “Watch the queue” and “Page me”" in page("olga", path(memo))


def test_only_roles_that_one_holds_and_the_memo_asks_for_are_offered() -> None:
    memo = cases.a_memo_with_evidence()
    cast.assign(memo.team, "olga", "rollback_owner")

    said = page("olga", path(memo))

    assert "?role=rollback_owner" in said
    assert "?role=sre_performance_owner" not in said
    assert "accepts the rollout" in page("olga", f"{path(memo)}?role=rollback_owner")


def test_who_holds_no_role_sees_why_and_gets_no_form() -> None:
    memo = cases.a_memo_with_evidence()

    said = page("aud", path(memo))

    assert "You hold no role whose signature this memo asks for." in said
    assert 'name="position"' not in said
    assert send(memo, who="aud").status_code == 403


def test_a_draft_is_not_signed() -> None:
    memo = cases.a_draft()

    assert "Nothing is signed while the memo is draft." in page("olga", path(memo))
    assert send(memo).status_code == 409


def test_own_work_is_said_before_and_after() -> None:
    memo = cases.a_memo_with_evidence()
    cast.assign(memo.team, "sam", "sre_performance_owner")
    client: Client = as_("sam")
    assert "printed “own work”" in client.get(path(memo)).content.decode()

    client.post(path(memo), form(memo, role="sre_performance_owner"))

    assert "Own work: this signature stands" in client.get(path(memo)).content.decode()


def test_a_signature_is_withdrawn_by_its_signer_alone() -> None:
    memo = cases.a_memo_with_evidence()
    row = cases.sign(memo, "olga", OWNER)
    where = reverse("signature-withdraw", args=[memo.number, row.pk])
    assert "Withdraw my signature" not in page("pat", path(memo))
    assert as_("pat").post(where, {"reason": "x"}).status_code == 403
    assert as_("olga").post(where, {"reason": ""}).status_code == 422

    got = as_("olga").post(where, {"reason": "I misread C1."})

    assert follow(got) == path(memo)
    assert SignatureWithdrawal.objects.get().reason == "I misread C1."
    assert "I misread C1." in page("pat", path(memo))


def test_an_objection_is_resolved_by_its_raiser() -> None:
    who = "quin"
    memo = cases.a_memo_with_evidence()
    row = cases.sign(memo, "quin", "sre_performance_owner", "object", text="The tail grows.")
    where = reverse("objection-resolve", args=[memo.number, row.pk])
    assert "Resolve the objection" not in page("olga", path(memo))
    assert as_("olga").post(where, {"reason": "x"}).status_code == 403
    assert "Resolve the objection" in page(who, path(memo))

    as_(who).post(where, {"reason": "The runs were repeated."})

    assert ObjectionResolution.objects.get().by == cases.person(who)
    assert "The runs were repeated." in page("aud", path(memo))


def test_a_replaced_signature_says_so() -> None:
    memo = cases.a_memo_with_evidence()
    cases.sign(memo, "olga", OWNER)
    cases.sign(memo, "olga", OWNER, "abstain")

    assert "Replaced by a later signature" in page("olga", path(memo))


def test_a_stranger_finds_nothing() -> None:
    memo = cases.a_memo_with_evidence()
    row = cases.sign(memo, "olga", OWNER)

    assert as_("eve").get(path(memo)).status_code == 404
    assert send(memo, who="eve").status_code == 404
    assert (
        as_("eve").post(reverse("signature-withdraw", args=[memo.number, row.pk]), {"reason": "x"}).status_code == 404
    )
