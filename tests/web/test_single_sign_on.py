"""Signing in through a provider of identities, which answers over real HTTP: who is believed, and who is not."""

import re
import time
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
import requests
from allauth.socialaccount.models import SocialAccount
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse

from config import oidc
from reviews.models import Assignment
from tests import cast
from tests.providers import CLIENT, SECRET, Provider, serving

pytestmark = pytest.mark.django_db
REFUSED = "The provider did not prove who you are"


@pytest.fixture
def provider(settings: LazySettings) -> Iterator[Provider]:
    """A provider that the installation trusts."""
    with serving() as one:
        trust(settings, one)
        yield one


def trust(settings: LazySettings, provider: Provider) -> None:
    """The settings as the environment would make them."""
    settings.OIDC_ISSUER, settings.OIDC_NAME = provider.address, "Example ID"
    settings.OIDC_PROVIDER_ID = oidc.provider_id(provider.address)
    settings.SOCIALACCOUNT_PROVIDERS = oidc.providers(
        provider.address, "Example ID", client_id=CLIENT, client_secret=SECRET
    )


def sent(client: Client, purpose: str = "login", **form: str) -> str:
    """The address of the provider to which the page leads."""
    page = client.post(reverse("provider", args=[purpose]), form).content.decode()
    found = re.search(r'href="([^"]+)">Go on', page)
    assert found, page
    return unescape(found[1])


def through(client: Client, purpose: str = "login", **form: str) -> Any:
    """To the provider and back, as a browser goes."""
    back = requests.get(sent(client, purpose, **form), allow_redirects=False, timeout=5).headers["Location"]
    url = urlsplit(back)
    assert url.path == reverse("provider-callback")
    return client.get(f"{url.path}?{url.query}")


def who(client: Client) -> str:
    """The user name of who is signed in, "" for nobody."""
    pk = client.session.get("_auth_user_id")
    return User.objects.get(pk=pk).get_username() if pk else ""


def test_a_subject_that_nobody_here_is_gets_an_account_without_a_role(provider: Provider, client: Client) -> None:
    answer = through(client, next="/memos/")

    assert answer.headers["Location"] == "/memos/"
    assert who(client) == "una"
    una = User.objects.get(username="una")
    assert not una.has_usable_password()
    assert (una.is_staff, una.is_superuser) == (False, False)
    assert not Assignment.objects.filter(person=una).exists()


def test_the_same_subject_is_the_same_person_whatever_it_is_called(provider: Provider, client: Client) -> None:
    through(client)
    provider.claims = {"preferred_username": "renamed", "email": "other@example.org", "groups": ["board", "admin"]}

    second = Client()
    through(second)

    assert who(second) == "una"
    assert User.objects.count() == 1
    assert not Assignment.objects.exists()


def test_an_address_and_a_name_that_are_somebodys_here_join_nobody(provider: Provider, client: Client) -> None:
    ann = cast.a_person("ann")
    ann.email = "ann@example.org"
    ann.save()
    provider.claims = {"preferred_username": "ann", "email": "ann@example.org", "email_verified": True}

    through(client)

    assert who(client) not in ("", "ann")
    assert SocialAccount.objects.get().user != ann


def test_the_same_subject_of_another_issuer_is_somebody_else(
    provider: Provider, client: Client, settings: LazySettings
) -> None:
    through(client)

    with serving() as other:
        trust(settings, other)
        second = Client()
        through(second)

    assert who(second) not in ("", "una")
    assert SocialAccount.objects.values("provider").distinct().count() == 2


def test_without_new_accounts_only_the_connected_come_in(
    provider: Provider, client: Client, settings: LazySettings
) -> None:
    settings.OIDC_NEW_ACCOUNTS = False

    assert "You have no account here" in through(client).content.decode()
    assert who(client) == ""
    assert not User.objects.exists()


def test_a_person_connects_the_provider_and_comes_in_by_it(
    provider: Provider, client: Client, settings: LazySettings
) -> None:
    settings.OIDC_NEW_ACCOUNTS = False
    client.force_login(cast.a_person("ann"))
    client.post(reverse("prove"), {"password": cast.PASSWORD})

    assert through(client, "connect").headers["Location"] == reverse("account")

    fresh = Client()
    through(fresh)
    assert who(fresh) == "ann"
    assert "Connected: it logs you in here." in fresh.get(reverse("account")).content.decode()


def test_connecting_needs_a_proof_and_takes_nobody_from_another(provider: Provider, client: Client) -> None:
    through(client)
    second = Client()
    second.force_login(cast.a_person("ann"))

    assert through(second, "connect").headers["Location"].startswith(reverse("prove"))
    second.post(reverse("prove"), {"password": cast.PASSWORD})
    through(second, "connect")

    assert SocialAccount.objects.get().user.get_username() == "una"


def other_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


@pytest.mark.parametrize(
    "otherwise",
    [
        {"signs": other_key()},
        {"claims": {"aud": "another client"}},
        {"claims": {"iss": "https://elsewhere.example"}},
        {"claims": {"exp": 1}},
        {"claims": {"exp": None}},
        {"claims": {"nonce": "of another session"}},
        {"claims": {"nonce": None}},
        {"claims": {"sub": None}},
        {"with_id_token": False},
        {"issuer_said": "https://elsewhere.example"},
        {"algorithm": "HS256", "signs": "a shared secret that is long enough for it"},
        {"algorithm": "none", "signs": ""},
    ],
)
def test_an_answer_that_does_not_hold_proves_nobody(
    provider: Provider, client: Client, otherwise: dict[str, Any]
) -> None:
    address = sent(client)
    for name, value in otherwise.items():
        setattr(provider, name, value)
    url = urlsplit(requests.get(address, allow_redirects=False, timeout=5).headers["Location"])

    answer = client.get(f"{url.path}?{url.query}")

    assert answer.status_code == 401
    assert REFUSED in answer.content.decode()
    assert who(client) == ""
    assert not User.objects.exists()


def test_an_answer_without_our_state_or_in_another_browser_proves_nobody(provider: Provider, client: Client) -> None:
    back = urlsplit(requests.get(sent(client), allow_redirects=False, timeout=5).headers["Location"])
    code = parse_qs(back.query)["code"][0]

    for asked, query in ((Client(), back.query), (client, f"code={code}&state=forged"), (client, "error=oops")):
        assert REFUSED in asked.get(f"{back.path}?{query}").content.decode()
    assert provider.tokens_given == 0
    assert not User.objects.exists()


def test_the_code_is_of_no_use_without_the_verifier(provider: Provider, client: Client) -> None:
    back = urlsplit(requests.get(sent(client), allow_redirects=False, timeout=5).headers["Location"])
    code = parse_qs(back.query)["code"][0]

    stolen = requests.post(
        f"{provider.address}/token",
        {"code": code, "client_secret": SECRET, "code_verifier": "guessed", "redirect_uri": "http://testserver/"},
        timeout=5,
    )

    assert stolen.status_code == 400


def test_a_person_who_turns_back_is_told_that_nothing_changed(provider: Provider, client: Client) -> None:
    state = parse_qs(urlsplit(sent(client)).query)["state"][0]

    answer = client.get(reverse("provider-callback"), {"error": "access_denied", "state": state}, follow=True)

    assert "You turned back" in answer.content.decode()


def test_a_provider_that_does_not_answer_is_said_not_to(client: Client, settings: LazySettings) -> None:
    with serving() as gone:
        trust(settings, gone)

    answer = client.post(reverse("provider", args=["login"]))

    assert (answer.status_code, REFUSED in answer.content.decode()) == (401, True)


def test_the_provider_leads_to_no_other_site(provider: Provider, client: Client) -> None:
    assert through(client, next="https://elsewhere.example/").headers["Location"] == "/"


def test_a_deactivated_person_does_not_come_in(provider: Provider, client: Client) -> None:
    through(client)
    User.objects.update(is_active=False)

    second = Client()
    assert through(second).headers["Location"] == reverse("account_inactive")
    assert "This account is deactivated" in second.get(reverse("account_inactive")).content.decode()
    assert who(second) == ""


def test_the_provider_asks_anew_for_an_act_and_then_the_act_is_open(provider: Provider, client: Client) -> None:
    through(client)
    assert client.get(reverse("mfa_add_webauthn")).status_code == 302

    asked = parse_qs(urlsplit(sent(client, "prove")).query)
    assert (asked["prompt"], asked["max_age"]) == (["login"], ["0"])
    answer = through(client, "prove", next=reverse("mfa_add_webauthn"))

    assert answer.headers["Location"] == reverse("mfa_add_webauthn")
    assert client.get(reverse("mfa_add_webauthn")).status_code == 200


@pytest.mark.parametrize(
    "claims",
    [
        {"auth_time": int(time.time()) - 200},
        {"auth_time": int(time.time()) + 3600},
        {"auth_time": None},
        {"auth_time": "now"},
        {"sub": "subject-2"},
    ],
)
def test_a_provider_that_did_not_ask_anew_or_names_another_proves_nothing(
    provider: Provider, client: Client, claims: dict[str, Any]
) -> None:
    through(client)
    provider.claims = claims

    answer = through(client, "prove")

    assert answer.headers["Location"] == reverse("prove")
    assert "Not proved: Example ID did not ask you anew" in client.get(reverse("prove")).content.decode()
    assert client.get(reverse("mfa_add_webauthn")).status_code == 302
    assert who(client) == "una"


def test_connecting_and_proving_are_for_people_who_are_signed_in(provider: Provider, client: Client) -> None:
    for purpose in ("connect", "prove"):
        assert client.post(reverse("provider", args=[purpose])).status_code == 401
    assert client.post(reverse("provider", args=["elsewhere"])).status_code == 404
    assert client.get(reverse("provider", args=["login"])).status_code == 405


def test_without_a_provider_there_is_no_such_door(client: Client) -> None:
    assert client.post(reverse("provider", args=["login"])).status_code == 404
    assert client.get(reverse("provider-callback")).status_code == 404
    assert "Log in with" not in client.get(reverse("login")).content.decode()


def test_half_a_provider_stops_the_start() -> None:
    assert oidc.providers("", "x", client_id="", client_secret="") == {}
    with pytest.raises(ImproperlyConfigured, match="COUNTERSIGN_OIDC_ISSUER needs COUNTERSIGN_OIDC_CLIENT_ID"):
        oidc.providers("https://id.example", "x", client_id="a", client_secret="")


def test_the_provider_of_the_tests_signs_as_the_library_reads(provider: Provider) -> None:
    (key,) = jwt.PyJWKSet.from_dict(provider.keys()).keys

    assert key.algorithm_name == "RS256"
