"""Refusals and errors as pages and as fragments."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reviews.errors import Refusal
from tests.web.base_urls import REFUSALS

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.web.base_urls")]
HTMX = {"HX-Request": "true"}


@pytest.fixture
def ann() -> User:
    return User.objects.create_user("ann", password="correct horse")


@pytest.fixture
def client(ann: User) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(ann)
    return client


@pytest.mark.parametrize("name", REFUSALS)
def test_every_refusal_is_a_page_with_its_status_words_and_way_out(client: Client, name: str) -> None:
    refusal: Refusal = REFUSALS[name]

    got = client.get(f"/refuse/{name}/")

    said = got.content.decode()
    assert got.status_code == refusal.status
    assert f"<h1>{refusal.title}</h1>" in said
    for words in (refusal.message, refusal.needs, refusal.where, f'data-code="{refusal.code}"'):
        assert words in said


def test_a_closed_gate_lists_what_is_missing_with_who_and_a_link(client: Client) -> None:
    said = client.get("/refuse/GateClosed/").content.decode()

    assert "The runtime owner has not signed." in said
    assert "Who: runtime owner" in said
    assert 'href="/memos/1/sign/"' in said
    assert "No curve pack is attached." in said


def test_htmx_gets_the_refusal_alone_for_its_place_in_the_page(client: Client) -> None:
    got = client.post("/refuse/GateClosed/", headers=HTMX)

    assert got.status_code == 409
    assert got.content.decode().lstrip().startswith("<section")
    assert got.headers["HX-Retarget"] == "#refusal"
    assert got.headers["HX-Reswap"] == "innerHTML"
    assert got.headers["HX-Reselect"] == ".refusal"


def test_a_boosted_request_gets_the_whole_page(client: Client) -> None:
    got = client.get("/refuse/GateClosed/", headers=HTMX | {"HX-Boosted": "true"})

    assert got.content.decode().lstrip().startswith("<!doctype html>")


def test_text_in_a_refusal_is_no_markup(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REFUSALS, "Refusal", Refusal("<script>x</script>"))

    assert b"<script>x" not in client.get("/refuse/Refusal/").content


@pytest.mark.parametrize(
    ("referer", "back"),
    [
        ("http://testserver/memos/?q=a", 'href="/memos/?q=a"'),
        ("http://testserver/memos/", 'href="/memos/"'),
    ],
)
def test_a_refusal_leads_back_to_the_page_before(client: Client, referer: str, back: str) -> None:
    assert back in client.post("/refuse/Refusal/", headers={"referer": referer}).content.decode()


@pytest.mark.parametrize("referer", ["", "http://elsewhere.example/memos/", "http://testserver/refuse/Refusal/"])
def test_a_refusal_leads_back_to_no_other_site_and_not_to_itself(client: Client, referer: str) -> None:
    assert b"Back to where you were" not in client.get("/refuse/Refusal/", headers={"referer": referer}).content


def test_a_refused_post_leads_back_to_its_own_form(client: Client) -> None:
    got = client.post("/refuse/Refusal/", headers={"referer": "http://testserver/refuse/Refusal/"})

    assert b"Back to where you were" in got.content


def test_a_fault_of_ours_says_so_and_tells_no_secret(client: Client) -> None:
    got = client.get("/fail/")

    assert got.status_code == 500
    assert b"A fault of ours" in got.content
    assert b"a secret of the machine" not in got.content


@pytest.mark.parametrize(
    ("path", "status", "title"), [("/nowhere/", 404, b"Not found"), ("/forbid/", 403, b"Not permitted")]
)
def test_what_is_not_there_or_not_permitted_has_a_page(client: Client, path: str, status: int, title: bytes) -> None:
    got = client.get(path)

    assert got.status_code == status
    assert title in got.content


def test_a_request_for_another_host_is_not_understood(client: Client) -> None:
    got = client.get("/who/", headers={"host": "elsewhere.example"})

    assert got.status_code == 400
    assert b"Not understood" in got.content


def test_a_form_without_its_token_is_refused_in_words(ann: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ann)

    got = client.post("/act/")

    assert got.status_code == 403
    assert b"The form is too old" in got.content


def test_every_answer_carries_the_content_policy(client: Client) -> None:
    for path in ("/who/", "/nowhere/", "/fail/", "/refuse/Refusal/"):
        policy = client.get(path).headers["Content-Security-Policy"]

        assert "script-src 'self'; style-src 'self';" in policy
        assert "img-src 'self' data: blob:" in policy
        assert "frame-ancestors 'none'" in policy


def test_only_pages_with_charts_may_set_styles(client: Client) -> None:
    policy = client.get("/charts/").headers["Content-Security-Policy"]

    assert "script-src 'self'; style-src 'self' 'unsafe-inline';" in policy
