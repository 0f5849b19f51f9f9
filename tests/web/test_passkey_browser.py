"""Passkeys in a real browser, with an authenticator that Chromium plays: enrol, sign, and log in."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import expect

from reviews import passkeys
from reviews.models import Passkey, Signature
from reviews.services import verification
from tests import cases, cast
from tests.authenticators import SoftPasskey
from tests.web.conftest import Opened, OpenPage

pytestmark = pytest.mark.browser
ACCOUNT_PAGES = ("account", "prove", "mfa_add_webauthn", "mfa_activate_totp", "login")


def with_an_authenticator(opened: Opened, *, verifies: bool = True) -> None:
    """An authenticator inside the device, whose owner touches it whenever it asks."""
    devtools = opened.page.context.new_cdp_session(opened.page)
    devtools.send("WebAuthn.enable")
    wanted = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": verifies,
        "automaticPresenceSimulation": True,
    }
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": wanted})


def enrol(opened: Opened, olga: User) -> Passkey:
    """Olga proves who she is, and enrols a passkey, from her account."""
    page = opened.page
    page.get_by_role("link", name="Add a passkey").click()
    page.get_by_label("Your password").fill(cast.PASSWORD)
    page.get_by_role("button", name="Prove it").click()
    page.get_by_label("Name").fill("laptop")
    page.get_by_role("button", name="Make a passkey").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    return Passkey.objects.get(person=olga)


def test_a_person_enrols_a_passkey_signs_with_it_and_anybody_can_check_the_signature(open_page: OpenPage) -> None:
    memo = cases.a_memo_with_evidence()
    olga = cases.person("olga")
    opened = open_page(reverse("account"), person=olga)
    with_an_authenticator(opened)
    passkey = enrol(opened, olga)

    page = opened.page
    page.goto(f"http://localhost{reverse('sign', args=[memo.number])}")
    page.get_by_label("approve", exact=True).check()
    page.get_by_label("bounded rollout").check()
    page.get_by_label("Greatest rollout scope").fill("10")
    page.get_by_role("button", name="Sign with a passkey").click()
    expect(page.get_by_role("heading", name="What your passkey signs")).to_be_visible()
    assert not Signature.objects.exists()
    opened.is_accessible()
    page.get_by_role("button", name="Sign", exact=True).click()
    expect(page.get_by_text("Signed with your passkey")).to_be_visible()

    signature = Signature.objects.get(signer=olga)
    kept = passkeys.SignedWithPasskey.from_json(signature.authentication["passkey"])
    assert signature.authentication["method"] == "passkey"
    assert kept.credential_id == passkey.credential_id
    assert passkeys.faults(bytes(signature.statement), kept) == ()
    assert passkeys.faults(bytes(signature.statement).replace(b'"10"', b'"50"'), kept) == (
        "the challenge is not the digest of the statement",
    )
    assert verification.faults(memo) == ()
    assert opened.complaints == []


def test_a_passkey_logs_its_person_in_and_brings_them_where_they_were_going(open_page: OpenPage) -> None:
    olga = cast.a_person("olga")
    opened = open_page(reverse("account"), person=olga)
    with_an_authenticator(opened)
    enrol(opened, olga)
    page = opened.page
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()

    page.goto(f"http://localhost{reverse('login')}?next={reverse('account')}")
    page.get_by_role("button", name="Use a passkey").click()

    expect(page.get_by_role("heading", name="Your account")).to_be_visible()
    expect(page.get_by_text("laptop").first).to_be_visible()


def test_an_authenticator_that_does_not_check_who_uses_it_enrols_nothing(open_page: OpenPage) -> None:
    olga = cast.a_person("olga")
    opened = open_page(reverse("account"), person=olga)
    with_an_authenticator(opened, verifies=False)
    page = opened.page
    page.get_by_role("link", name="Add a passkey").click()
    page.get_by_label("Your password").fill(cast.PASSWORD)
    page.get_by_role("button", name="Prove it").click()
    page.get_by_role("button", name="Make a passkey").click()

    expect(page.get_by_text("No passkey answered.")).to_be_visible()
    assert not Passkey.objects.exists()


def test_without_javascript_a_person_proves_it_with_the_password_and_is_offered_no_passkey(open_page: OpenPage) -> None:
    olga = cast.a_person("olga")
    SoftPasskey().enrolled_by(olga)
    address = f"{reverse('prove')}?next={reverse('mfa_activate_totp')}"
    opened = open_page(address, person=olga, javascript=False)
    expect(opened.page.get_by_role("button", name="Use a passkey")).not_to_be_visible()

    opened.page.get_by_label("Your password").fill(cast.PASSWORD)
    opened.page.get_by_role("button", name="Prove it").click()

    expect(opened.page.get_by_label("Authenticator code")).to_be_visible()


@pytest.mark.parametrize("name", ACCOUNT_PAGES)
def test_a_page_of_the_account_is_accessible_and_fits(open_page: OpenPage, name: str) -> None:
    person = None if name == "login" else cast.a_person("olga")
    if person:
        SoftPasskey().enrolled_by(person)
    for width, dark in ((1280, False), (320, True)):
        opened = open_page(reverse(name), person=person, width=width, dark=dark)

        opened.is_accessible()
        opened.fits()
        assert opened.complaints == []
        assert opened.site.refused == []
