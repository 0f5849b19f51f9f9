"""Signing with a passkey: enrolled by its person, over the statement that was shown, kept for everybody to check."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from reviews import passkeys
from reviews.authentication import Authentication
from reviews.errors import BadInput, NotSignedIn, NotVisible, StalePage
from reviews.models import Event, Memo, Passkey, PasskeyRemoval, Signature, WrittenOnce
from reviews.queries import second_steps
from reviews.services import passkeys as service
from reviews.services import signatures, verification
from tests import cases, cast
from tests.authenticators import SoftPasskey
from tests.services.deeds import refused, wish
from tests.services.test_verification import behind_the_triggers

pytestmark = pytest.mark.django_db
OLGA, ROLE = "olga", "inference_platform_owner"


def signed(memo: Memo, key: SoftPasskey, name: str = OLGA, **answered: Any) -> Signature:
    """Shown, signed by the passkey, and recorded. answered: what is otherwise in the passkey's answer."""
    said: dict[str, Any] = {
        "actor": cases.person(name),
        "memo_id": memo.pk,
        "base": cases.base_of(memo),
        "wish": wish(ROLE),
    }
    stated = signatures.statement_for(**said)
    given = replace(key.answer(stated.statement, stated.at), **answered)
    proof = Authentication("passkey", timezone.now(), given)
    return signatures.sign(**said, authentication=proof).signature


def test_a_statement_is_signed_as_it_was_shown_and_the_proof_is_kept() -> None:
    memo, key = cases.a_memo_in_review(), SoftPasskey()
    row = key.enrolled_by(cases.person(OLGA))

    signature = signed(memo, key)

    kept = signature.authentication["passkey"]
    assert signature.authentication["method"] == "passkey"
    assert kept["enrolled_at"] == row.enrolled_at.isoformat()
    statement = bytes(signature.statement)
    assert passkeys.faults(statement, passkeys.SignedWithPasskey.from_json(kept)) == ()
    assert json.loads(statement)["at"] == signature.signed_at.isoformat().replace("+00:00", "Z")
    assert verification.faults(cases.again(memo)) == ()


def test_showing_a_statement_records_nothing() -> None:
    memo = cases.a_memo_in_review()
    before = Event.objects.count()

    signatures.statement_for(actor=cases.person(OLGA), memo_id=memo.pk, base=cases.base_of(memo), wish=wish(ROLE))

    assert not Signature.objects.exists()
    assert Event.objects.count() == before


def test_what_may_not_be_signed_is_not_shown_for_it() -> None:
    memo = cases.a_memo_in_review()

    with refused(BadInput):
        signatures.statement_for(
            actor=cases.person(OLGA), memo_id=memo.pk, base=cases.base_of(memo), wish=wish("tea_maker")
        )


def test_a_passkey_of_somebody_else_signs_nothing() -> None:
    memo, key = cases.a_memo_in_review(), SoftPasskey()
    key.enrolled_by(cases.person("pat"))

    with refused(BadInput, "passkey_unknown", "passkey"):
        signed(memo, key)


def test_another_key_under_an_enrolled_name_signs_nothing() -> None:
    memo = cases.a_memo_in_review()
    SoftPasskey().enrolled_by(cases.person(OLGA))

    with refused(BadInput, "passkey_refused", "passkey"):
        signed(memo, SoftPasskey())


def test_an_answer_to_another_statement_is_refused_as_stale() -> None:
    memo, key = cases.a_memo_in_review(), SoftPasskey()
    key.enrolled_by(cases.person(OLGA))

    with refused(StalePage, "statement_changed"):
        signed(memo, key, client_data_json=b'{"challenge": "another"}')


def test_the_same_answer_signs_once() -> None:
    memo, key = cases.a_memo_in_review(), SoftPasskey()
    key.enrolled_by(cases.person(OLGA))
    said: dict[str, Any] = {
        "actor": cases.person(OLGA),
        "memo_id": memo.pk,
        "base": cases.base_of(memo),
        "wish": wish(ROLE),
    }
    stated = signatures.statement_for(**said)
    proof = Authentication("passkey", timezone.now(), key.answer(stated.statement, stated.at))
    signatures.sign(**said, authentication=proof)

    with refused(StalePage, "statement_changed"):
        signatures.sign(**said, authentication=proof)


def test_a_statement_that_was_shown_too_long_ago_is_not_signed() -> None:
    memo, key = cases.a_memo_in_review(), SoftPasskey()
    key.enrolled_by(cases.person(OLGA))

    for moved in (-timedelta(minutes=6), timedelta(minutes=1)):
        with refused(NotSignedIn, "step_up_needed"):
            signed(memo, key, stated_at=timezone.now() + moved)


def test_a_removed_passkey_signs_no_more_and_what_it_signed_still_holds() -> None:
    memo, key, olga = cases.a_memo_in_review(), SoftPasskey(), cases.person(OLGA)
    row = key.enrolled_by(olga)
    signed(memo, key)

    service.remove(actor=olga, passkey_id=row.pk, authentication=cases.proof())

    assert second_steps.passkeys_in_use(olga) == ()
    assert verification.faults(cases.again(memo)) == ()
    with refused(BadInput, "passkey_unknown"):
        signed(memo, key)
    with refused(NotVisible):
        service.remove(actor=olga, passkey_id=row.pk, authentication=cases.proof())


def test_enrolling_and_removing_stand_in_the_trail_of_the_person() -> None:
    olga = cast.a_person(OLGA)
    row = SoftPasskey().enrolled_by(olga)
    service.remove(actor=olga, passkey_id=row.pk, authentication=cases.proof())

    last = list(Event.objects.order_by("pk"))[-2:]
    assert [event.action for event in last] == ["enrol_passkey", "remove_passkey"]
    assert {event.detail["credential_id"] for event in last} == {row.credential_id}


def test_nobody_removes_the_passkey_of_another() -> None:
    row = SoftPasskey().enrolled_by(cast.a_person(OLGA))

    with refused(NotVisible):
        service.remove(actor=cast.a_person("pat"), passkey_id=row.pk, authentication=cases.proof())
    assert not PasskeyRemoval.objects.exists()


def test_a_passkey_is_enrolled_once_with_a_name_and_a_fresh_proof() -> None:
    olga, key = cast.a_person(OLGA), SoftPasskey()
    key.enrolled_by(olga)

    with refused(BadInput, "passkey_known"):
        key.enrolled_by(cast.a_person("pat"))
    new = service.NewPasskey(
        name=" ", credential_id=b"x", public_key=b"", rp_id="localhost", attestation_object=b"", client_data_json=b""
    )
    with refused(BadInput, "no_name", "name"):
        service.enrol(actor=olga, new=new, authentication=cases.proof())
    old = Authentication("password", timezone.now() - timedelta(minutes=6))
    with refused(NotSignedIn, "step_up_needed"):
        service.enrol(actor=olga, new=replace(new, name="x"), authentication=old)


def test_enrolments_are_written_once() -> None:
    row = SoftPasskey().enrolled_by(cast.a_person(OLGA))

    with pytest.raises(WrittenOnce):
        Passkey.objects.filter(pk=row.pk).delete()
    with transaction.atomic(), pytest.raises(IntegrityError):
        Passkey._base_manager.raw("DELETE FROM reviews_passkey RETURNING id")[0]


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        (
            """UPDATE reviews_signature SET authentication = json_remove(authentication, '$.passkey.signature')""",
            "the passkey of Olga cannot be checked: it has no signature",
        ),
        (
            """UPDATE reviews_signature SET authentication = json_set(authentication, '$.passkey.rp_id', 'no.org')""",
            "the passkey of Olga did not sign the statement: the page that asked for it is not one of no.org",
        ),
        (
            "UPDATE reviews_passkey SET person_id = (SELECT id FROM auth_user WHERE username = 'pat')",
            "the passkey that signed was not enrolled by Olga",
        ),
        ("UPDATE reviews_passkey SET public_key = x'00'", "the passkey that signed was not enrolled by Olga"),
    ],
)
def test_a_passkey_that_was_changed_behind_the_triggers_is_named(sql: str, sentence: str) -> None:
    memo, key = cases.a_memo_in_review(), SoftPasskey()
    key.enrolled_by(cases.person(OLGA))
    signed(memo, key)

    behind_the_triggers(sql)

    assert sentence in verification.faults(cases.again(memo))
