"""Authenticator apps, recovery codes, and what a proof opens; nothing that is not ours can be reached."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from reviews.models import Signature
from tests import cases, cast
from tests.authenticators import SoftPasskey
from tests.web.asking import as_
from tests.web.test_sign_page import form, path

pytestmark = pytest.mark.django_db
WAYS = ("account", "prove", "mfa_add_webauthn", "mfa_activate_totp", "mfa_view_recovery_codes")


def code_of(secret: str, *, later: int = 0) -> str:
    """What the app shows now, or so many steps later."""
    counter = list(auth.yield_hotp_counters_from_time())[1] + later
    return str(auth.format_hotp_value(auth.hotp_value(secret, counter)))


def proved(client: Client) -> Client:
    client.post(reverse("prove"), {"password": cast.PASSWORD})
    return client


def with_an_app(name: str = "olga") -> tuple[str, list[str]]:
    """The person sets an app up as one does: the key that the page shows, and the recovery codes that follow."""
    cast.a_person(name)
    client = proved(as_(name))
    page = client.get(reverse("mfa_activate_totp")).content.decode()
    (secret,) = re.findall(r"<code>([A-Z2-7]+)</code>", page)
    made = client.post(reverse("mfa_activate_totp"), {"code": code_of(secret, later=-1)}, follow=True)
    return secret, re.findall(r"<code>([0-9]{8})</code>", made.content.decode())


def log_in(client: Client, password: str = cast.PASSWORD) -> Any:
    return client.post(reverse("login"), {"username": "olga", "password": password})


def is_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_the_key_of_an_app_is_sealed_in_the_database() -> None:
    secret, codes = with_an_app()

    kept = json.dumps(list(Authenticator.objects.values_list("data", flat=True)))
    assert secret not in kept
    assert len(codes) == 10
    assert not any(code in kept for code in codes)


def test_the_password_alone_does_not_let_in_who_has_an_app(client: Client) -> None:
    secret, _ = with_an_app()

    assert log_in(client).headers["Location"] == reverse("mfa_authenticate")
    assert not is_in(client)
    assert client.get(reverse("memos")).status_code == 302
    wrong = client.post(reverse("mfa_authenticate"), {"code": "000000"})
    assert "Incorrect code." in wrong.content.decode()
    assert not is_in(client)

    client.post(reverse("mfa_authenticate"), {"code": code_of(secret)})
    assert is_in(client)


def test_a_recovery_code_lets_in_once(client: Client) -> None:
    _, codes = with_an_app()
    log_in(client)
    client.post(reverse("mfa_authenticate"), {"code": codes[0]})
    assert is_in(client)

    second = Client()
    log_in(second)
    second.post(reverse("mfa_authenticate"), {"code": codes[0]})

    assert not is_in(second)
    assert "9 of them are unused." in client.get(reverse("account")).content.decode()


def test_a_code_proves_the_signer_and_the_record_says_so() -> None:
    memo = cases.a_memo_with_evidence()
    secret, codes = with_an_app()
    client = as_("olga")

    page = client.get(path(memo)).content.decode()
    assert "Your password, or a code" in page
    code = code_of(secret)
    assert client.post(path(memo), form(memo, password=code)).status_code == 302
    assert Signature.objects.get().authentication["method"] == "totp"

    again = as_("olga").post(path(memo), form(memo, password=code))
    assert "neither your password nor a code that counts now" in again.content.decode()
    assert as_("olga").post(path(memo), form(memo, password=codes[0])).status_code == 302
    assert Signature.objects.order_by("-pk")[0].authentication["method"] == "recovery_code"


def test_a_code_of_somebody_else_proves_nobody() -> None:
    memo = cases.a_memo_with_evidence()
    secret, _ = with_an_app("pat")

    answer = as_("olga").post(path(memo), form(memo, password=code_of(secret)))

    assert answer.status_code == 422
    assert not Signature.objects.exists()


def test_too_many_wrong_proofs_are_refused_unread() -> None:
    cast.a_person("olga")
    client = as_("olga")
    for _ in range(10):
        assert client.post(reverse("prove"), {"password": "wrong"}).status_code == 422

    answer = client.post(reverse("prove"), {"password": cast.PASSWORD})

    assert "Too many tries." in answer.content.decode()
    assert client.get(reverse("mfa_add_webauthn")).status_code == 302


def test_too_many_wrong_passwords_close_the_door_for_that_name_alone(client: Client) -> None:
    cast.a_person("olga")
    cast.a_person("pat")
    for _ in range(5):
        log_in(client, "wrong")

    assert "Too many failed tries." in log_in(client).content.decode()
    assert not is_in(client)
    client.post(reverse("login"), {"username": "pat", "password": cast.PASSWORD})
    assert is_in(client)


def test_right_passwords_do_not_wear_the_door_out(client: Client) -> None:
    cast.a_person("olga")

    for _ in range(7):
        assert log_in(Client()).status_code == 302


@pytest.mark.parametrize("name", ["mfa_add_webauthn", "mfa_activate_totp", "mfa_generate_recovery_codes"])
def test_what_proves_a_person_changes_after_a_proof_alone(name: str) -> None:
    with_an_app("pat")
    client = as_("pat")
    if name == "mfa_activate_totp":
        name = "mfa_deactivate_totp"

    sent = client.get(reverse(name))
    assert sent.headers["Location"] == f"{reverse('prove')}?next={reverse(name).replace('/', '%2F')}"
    assert client.post(reverse("prove"), {"password": cast.PASSWORD, "next": reverse(name)}).headers[
        "Location"
    ] == reverse(name)
    assert client.get(reverse(name)).status_code == 200


def test_a_proof_leads_to_no_other_site() -> None:
    cast.a_person("olga")

    answer = as_("olga").post(reverse("prove"), {"password": cast.PASSWORD, "next": "https://elsewhere.example/"})

    assert answer.headers["Location"] == reverse("account")


def test_a_proof_ends_for_the_account_too(monkeypatch: pytest.MonkeyPatch) -> None:
    cast.a_person("olga")
    client = proved(as_("olga"))
    assert client.get(reverse("mfa_add_webauthn")).status_code == 200
    later = timezone.now() + timedelta(minutes=6)
    monkeypatch.setattr(timezone, "now", lambda: later)

    assert client.get(reverse("mfa_add_webauthn")).status_code == 302


def test_without_an_app_its_recovery_codes_go_too() -> None:
    with_an_app()
    client = proved(as_("olga"))

    client.post(reverse("mfa_deactivate_totp"))

    assert not Authenticator.objects.exists()
    assert "You have no passkey." in client.get(reverse("account")).content.decode()


def test_new_recovery_codes_replace_the_old() -> None:
    _, codes = with_an_app()
    client = proved(as_("olga"))

    made = client.post(reverse("mfa_generate_recovery_codes"), follow=True).content.decode()

    assert "10 of 10 are unused." in made
    assert codes[0] not in made


def test_a_passkey_is_removed_after_a_proof_and_a_question() -> None:
    row = SoftPasskey().enrolled_by(cast.a_person("olga"))
    client, address = as_("olga"), reverse("passkey-remove", args=[row.pk])
    assert client.post(address).headers["Location"].startswith(reverse("prove"))

    assert "Remove laptop?" in proved(client).get(address).content.decode()
    client.post(address)

    assert "You have no passkey." in client.get(reverse("account")).content.decode()
    assert client.get(address).status_code == 404
    assert as_("olga").get(reverse("passkey-remove", args=[10**6])).status_code == 404


@pytest.mark.parametrize("said", ["", "null", "[]", "{}", "no json", '"x"', '{"id": 1, "rawId": 1, "response": {}}'])
def test_what_is_no_answer_of_a_passkey_is_refused_wherever_it_is_sent(client: Client, said: str) -> None:
    memo = cases.a_memo_with_evidence()
    olga = proved(as_("olga"))

    assert olga.post(reverse("sign-passkey", args=[memo.number]), {"credential": said}).status_code == 422
    assert olga.post(reverse("prove"), {"credential": said}).status_code == 422
    assert olga.post(reverse("mfa_add_webauthn"), {"credential": said, "name": "x"}).status_code == 200
    assert client.post(reverse("mfa_login_webauthn"), {"credential": said}).headers["Location"] == reverse("login")
    assert not is_in(client)


def test_an_answer_for_which_no_statement_waits_signs_nothing() -> None:
    memo = cases.a_memo_with_evidence()
    said = json.dumps(
        {
            "id": "AA",
            "rawId": "AA",
            "type": "public-key",
            "response": {"clientDataJSON": "e30", "authenticatorData": "A" * 50, "signature": "AA"},
        }
    )

    answer = as_("olga").post(reverse("sign-passkey", args=[memo.number]), {"credential": said})

    assert answer.status_code in (401, 422)
    assert not Signature.objects.exists()


def test_a_form_that_does_not_fit_is_not_shown_to_a_passkey() -> None:
    memo = cases.a_memo_with_evidence()
    SoftPasskey().enrolled_by(cases.person("olga"))

    answer = as_("olga").post(path(memo), form(memo, by="passkey", scope_percent=""))

    assert answer.status_code == 422
    assert "names its greatest scope" in answer.content.decode()


def test_a_fitting_form_is_shown_to_a_passkey_with_the_challenge_of_its_statement() -> None:
    memo = cases.a_memo_with_evidence()
    row = SoftPasskey().enrolled_by(cases.person("olga"))
    asked = form(memo, by="passkey", password="", text="Fine by me.")

    said = as_("olga").post(path(memo), asked).content.decode()

    assert "What your passkey signs" in said
    assert row.credential_id in said
    assert "Fine by me." in said
    assert not Signature.objects.exists()


@pytest.mark.parametrize("name", WAYS)
def test_strangers_are_sent_to_the_login(client: Client, name: str) -> None:
    assert client.get(reverse(name)).headers["Location"].startswith(reverse("login"))


@pytest.mark.parametrize(
    "name", ["account_signup", "account_email", "account_reset_password", "account_change_password", "mfa_trust"]
)
def test_pages_of_the_library_that_are_not_ours_are_not_there(name: str) -> None:
    with pytest.raises(NoReverseMatch):
        reverse(name)


def test_the_admin_has_no_door_of_its_own_and_shows_no_secrets(client: Client) -> None:
    assert client.get("/admin/login/").headers["Location"].startswith(reverse("login"))
    assert {model._meta.app_label for model in admin.site._registry} == {"auth", "reviews"}


def test_a_login_is_silent_and_leads_on(client: Client) -> None:
    User.objects.create_user("olga", password=cast.PASSWORD)

    page = client.post(
        reverse("login"), {"username": "olga", "password": cast.PASSWORD, "next": reverse("account")}, follow=True
    )

    assert page.redirect_chain == [(reverse("account"), 302)]
    assert "uccessfully signed in" not in page.content.decode()
