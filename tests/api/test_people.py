"""Objections, delegations and signatures that would go stale, over the API."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviews.digests import sha256_of
from reviews.passkeys import SignedWithPasskey, faults
from tests import cases
from tests.api.asking import as_person, as_token, good, of, problem
from tests.authenticators import SoftPasskey
from tests.services import deeds
from tests.services.test_passkeys import signed

pytestmark = pytest.mark.django_db
OWNER = "inference_platform_owner"


def test_a_preview_says_whose_signatures_a_revision_makes_stale_and_saves_nothing() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    symptom = {**deeds.sections_of(memo)["symptom"], "workload_slice": "elsewhere"}
    base = cases.base_of(memo)

    found = good(as_token("ann", "file").post(of(memo, "stale-after/"), {"sections": {"symptom": symptom}}))

    assert {one["signer"] for one in found} == set(cases.OWNERS)
    assert found[0]["because"][0]["after"] == "elsewhere"
    assert cases.base_of(memo) == base
    assert good(as_token("ann", "file").post(of(memo, "stale-after/"), {"sections": {}})) == []
    problem(as_person("olga").post(of(memo, "stale-after/"), {"sections": {}}), 403, "not_permitted")


def test_objections_are_listed_with_their_answers() -> None:
    memo = cases.a_memo_with_evidence()
    row = cases.sign(memo, "quin", cases.OWNERS["quin"], "object", text="One host only.")

    answer = as_token("ann", "file").post(of(memo, f"objections/{row.pk}/answers/"), {"text": "It is bounded."})

    assert good(answer, 201)["by"] == "Ann"
    (one,) = good(as_token("aud", "read").get(of(memo, "objections/")))
    assert (one["raised_by"], one["resolved_by"], one["answers"][0]["text"]) == ("Quin", None, "It is bounded.")
    problem(
        as_token("aud", "file").post(of(memo, f"objections/{row.pk}/answers/"), {"text": "x"}), 403, "not_permitted"
    )
    problem(as_person("quin").post(of(memo, "objections/"), {}), 405, "in_a_browser")


def test_a_person_delegates_and_ends_it_and_a_token_does_not() -> None:
    memo = cases.a_memo_with_evidence()
    end = timezone.now() + timedelta(days=9)
    body = {"role": OWNER, "delegate": "eve", "reason": "Leave.", "ends_at": end.isoformat()}
    problem(as_token("olga").post(of(memo, "delegations/"), body), 403, "person_needed")
    problem(
        as_person("olga").post(of(memo, "delegations/"), {**body, "delegate": "sam"}), 422, "delegate_is_no_stranger"
    )

    made = good(as_person("olga").post(of(memo, "delegations/"), body), 201)

    assert (made["holder"], made["delegate"], made["memo"], made["ended_at"]) == ("Olga", "Eve", memo.number, None)
    ended = good(as_person("olga").post(of(memo, f"delegations/{made['id']}/end/"), {"reason": "Back."}))
    assert ended["ended_at"]
    assert [one["id"] for one in good(as_token("aud", "read").get(of(memo, "delegations/")))] == [made["id"]]


def test_who_may_is_told_for_every_action_and_a_refusal_names_them() -> None:
    memo = cases.a_memo_in_review()

    found = {one["action"]: one["people"] for one in good(as_token("aud", "read").get(of(memo, "who-may/")))}

    assert found["ship"] == ["bea", "ben"]
    assert found["sign"] == sorted([*cases.OWNERS, "rob"])
    assert found["submit"] == found["advance_stage"] == []
    said = problem(as_person("olga").post(of(memo, "return/"), {"reason": "x"}), 403, "not_permitted")
    assert said["detail"].endswith("Ask bea or ben, or ask an administrator for the role.")
    problem(as_person("eve").get(of(memo, "who-may/")), 404, "not_found")


def test_a_signature_is_handed_out_with_what_was_signed_and_how_it_was_proved() -> None:
    memo, key = cases.a_memo_in_review(), SoftPasskey()
    key.enrolled_by(cases.person("olga"))
    signed(memo, key)

    (one,) = good(as_token("aud", "read").get(of(memo, "signatures/")))

    assert sha256_of(one["statement"].encode()) == one["statement_sha256"]
    kept = SignedWithPasskey.from_json(one["authentication"]["passkey"])
    assert faults(one["statement"].encode(), kept) == ()
