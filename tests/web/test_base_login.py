"""In, out, and proving again who one is."""

from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.sessions.backends.db import SessionStore
from django.db import OperationalError, connection
from django.http import HttpRequest
from django.template import engines
from django.test import Client, RequestFactory
from django.utils import timezone

from reviews.authentication import Authentication
from reviews.errors import BadInput, NotSignedIn
from reviews.web import door, step_up
from tests.web.base_urls import Act

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.web.base_urls")]
PASSWORD = "correct horse"


@pytest.fixture
def ann() -> User:
    return User.objects.create_user("ann", first_name="Ann", last_name="Author", password=PASSWORD)


@pytest.fixture
def request_of_ann(ann: User) -> HttpRequest:
    request = RequestFactory().get("/")
    request.user, request.session = ann, SessionStore()
    return request


def test_a_stranger_is_sent_to_the_login_and_comes_back(client: Client, ann: User) -> None:
    sent = client.get("/who/")
    back = client.post(sent.headers["location"], {"username": "ann", "password": PASSWORD, "next": "/who/"})

    assert sent.headers["location"] == "/login/?next=/who/"
    assert back.headers["location"] == "/who/"
    assert client.get("/who/").content == b"ann"


def test_a_wrong_password_is_answered_on_the_form_and_not_repeated(client: Client, ann: User) -> None:
    got = client.post("/login/", {"username": "ann", "password": "wrong-word"})

    assert b'role="alert"' in got.content
    assert b"Please enter a correct username and password" in got.content
    assert b"wrong-word" not in got.content


def test_the_login_leads_to_no_other_site(client: Client, ann: User, settings: LazySettings) -> None:
    settings.LOGIN_REDIRECT_URL = "/who/"

    got = client.post("/login/", {"username": "ann", "password": PASSWORD, "next": "https://elsewhere.example/"})

    assert got.headers["location"] == "/who/"


def test_a_person_who_may_not_see_a_page_is_told_so_at_the_login(client: Client, ann: User) -> None:
    client.force_login(ann)

    assert b"may not see that page" in client.get("/login/?next=/who/").content


def test_logging_out_needs_a_post_and_ends_the_session(client: Client, ann: User) -> None:
    client.force_login(ann)

    assert client.get("/logout/").status_code == 405
    assert client.post("/logout/").headers["location"] == "/login/"
    assert client.get("/who/").status_code == 302


def test_the_top_bar_names_the_person_and_offers_the_way_out(client: Client, ann: User) -> None:
    client.force_login(ann)

    said = client.get("/act/").content.decode()

    assert "Ann Author" in said
    assert 'action="/logout/"' in said


def test_nobody_is_no_actor() -> None:
    request = RequestFactory().get("/")
    request.user = AnonymousUser()

    with pytest.raises(NotSignedIn):
        door.actor_of(request)


def test_the_password_given_again_proves_who_one_is(request_of_ann: HttpRequest) -> None:
    given = step_up.confirm(request_of_ann, PASSWORD)

    assert given.method == "password"
    assert step_up.authentication_of(request_of_ann) == given


def test_a_wrong_password_proves_nothing(request_of_ann: HttpRequest) -> None:
    with pytest.raises(BadInput) as refusal:
        step_up.confirm(request_of_ann, "wrong")

    assert (refusal.value.code, refusal.value.where) == ("wrong_password", "password")
    with pytest.raises(NotSignedIn):
        step_up.authentication_of(request_of_ann)


def test_a_login_alone_is_no_proof_for_an_act(request_of_ann: HttpRequest) -> None:
    with pytest.raises(NotSignedIn) as refusal:
        step_up.authentication_of(request_of_ann)

    assert refusal.value.code == "step_up_needed"


def test_a_proof_ends_after_the_set_time(
    request_of_ann: HttpRequest, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = step_up.confirm(request_of_ann, PASSWORD)
    limit = timedelta(seconds=settings.STEP_UP_SECONDS)

    monkeypatch.setattr(timezone, "now", lambda: given.at + limit)
    assert step_up.authentication_of(request_of_ann) == Authentication("password", given.at)

    monkeypatch.setattr(timezone, "now", lambda: given.at + limit + timedelta(seconds=1))
    with pytest.raises(NotSignedIn):
        step_up.authentication_of(request_of_ann)


def test_the_proof_of_one_person_is_none_of_another(request_of_ann: HttpRequest) -> None:
    step_up.confirm(request_of_ann, PASSWORD)
    request_of_ann.user = User.objects.create_user("bob")

    with pytest.raises(NotSignedIn):
        step_up.authentication_of(request_of_ann)


def test_a_deactivated_person_proves_nothing(request_of_ann: HttpRequest, ann: User) -> None:
    ann.is_active = False
    ann.save()

    with pytest.raises(BadInput):
        step_up.confirm(request_of_ann, PASSWORD)


def test_a_form_for_an_act_asks_for_the_password_once(client: Client, ann: User) -> None:
    client.force_login(ann)
    act = {"reason": "measured", "sure": "on", "position": "a"}

    assert client.post("/act/", act).status_code == 422
    wrong = client.post("/act/", act | {"password": "wrong"})
    assert b"This is not your password." in wrong.content
    assert client.post("/act/", act | {"password": PASSWORD}).content == b"password"
    assert client.post("/act/", act).content == b"password"


def test_the_password_is_not_kept_in_the_form(request_of_ann: HttpRequest) -> None:
    form = Act(request_of_ann, {"password": PASSWORD, "reason": "r", "sure": "on", "position": "a"})

    assert form.is_valid()
    assert form.cleaned_data["password"] == ""


def test_the_health_page_answers_strangers(client: Client) -> None:
    got = client.get("/healthz")

    assert (got.status_code, got.content) == (200, b"ok")


def test_the_health_page_fails_with_the_database(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(connection, "cursor", broken)

    assert client.get("/healthz").status_code == 503


@pytest.mark.urls("tests.web.nav_urls")
def test_the_navigation_marks_the_current_page() -> None:
    said = engines["django"].from_string('{% include "reviews/partials/ui/nav_pages.html" with current="memos" %}')

    rendered = said.render()

    assert '<a href="/memos/" aria-current="page">Memos</a>' in rendered
    assert rendered.count("aria-current") == 1
