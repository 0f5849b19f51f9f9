"""Who asks: tokens and their scopes, sessions, jobs."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from reviews.models import ApiToken, Job, KeyedRequest
from tests import cases, cast
from tests.api.asking import ROOT, Asker, as_nobody, as_person, as_token, good, of, problem

pytestmark = pytest.mark.django_db


def new_token(*scopes: str) -> dict[str, object]:
    return {"name": "ci", "scopes": list(scopes), "expires_at": (timezone.now() + timedelta(days=1)).isoformat()}


def test_nobody_is_told_how_to_sign_in() -> None:
    response = as_nobody().get("memos/")

    problem(response, 401, "not_signed_in")
    assert response["WWW-Authenticate"] == 'Bearer realm="countersign"'


def test_a_token_that_is_none_is_refused() -> None:
    response = Asker(Client(), {"Authorization": "Bearer cs_nothing"}).get("memos/")

    problem(response, 401, "bad_token")
    assert response["WWW-Authenticate"] == 'Bearer realm="countersign"'


def test_another_scheme_is_nobody() -> None:
    problem(Asker(Client(), {"Authorization": "Basic YTpi"}).get("memos/"), 401, "not_signed_in")


def test_a_person_issues_uses_and_revokes_a_token() -> None:
    cast.the_team()
    ann = as_person("ann")

    issued = good(ann.post("tokens/", new_token("read")), 201)
    program = Asker(Client(), {"Authorization": f"bearer {issued['secret']}"})
    me = good(program.get("me/"))
    listed = good(ann.get("tokens/"))
    revoked = good(ann.ask("delete", f"tokens/{issued['id']}/"))

    assert (me["username"], me["name"], me["scopes"], me["roles"]) == ("ann", "Ann", ["read"], {"serving": ["author"]})
    assert issued["secret"].startswith("cs_")
    assert "secret" not in listed[0]
    assert revoked["revoked_at"]
    problem(program.get("me/"), 401, "bad_token")


def test_a_token_neither_issues_nor_sees_nor_revokes_tokens() -> None:
    cast.the_team()
    ann = as_token("ann")
    own = ApiToken.objects.get()

    problem(ann.post("tokens/", new_token("read")), 403, "person_needed")
    problem(ann.get("tokens/"), 403, "person_needed")
    problem(ann.ask("delete", f"tokens/{own.pk}/"), 403, "person_needed")


def test_the_token_of_another_is_not_there() -> None:
    cast.the_team()
    as_token("ann")

    problem(as_person("bea").ask("delete", f"tokens/{ApiToken.objects.get().pk}/"), 404, "not_found")


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"scopes": ["sign"]}, "bad_input"),
        ({"scopes": []}, "bad_input"),
        ({"expires_at": "2020-01-01T00:00:00Z"}, "end_in_the_past"),
    ],
)
def test_a_token_that_would_sign_or_do_nothing_or_has_ended_is_refused(wrong: dict[str, object], code: str) -> None:
    cast.the_team()

    problem(as_person("ann").post("tokens/", {**new_token("read"), **wrong}), 422, code)


def test_a_person_has_no_scopes() -> None:
    cast.the_team()

    assert good(as_person("ann").get("me/"))["scopes"] is None


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("get", "", "read"),
        ("get", "trail/", "read"),
        ("patch", "", "file"),
        ("put", "text/", "file"),
        ("post", "submit/", "file"),
        ("post", "withdraw/", "file"),
        ("post", "plans/", "file"),
        ("post", "comments/", "file"),
        ("post", "waivers/", "file"),
        ("post", "comparisons/C1/explanations/", "file"),
        ("post", "comparisons/C1/statements/", "file"),
        ("post", "comparisons/C1/absence/", "file"),
        ("post", "outcomes/", "file"),
        ("post", "comparisons/C1/compute/", "attach"),
        ("post", "evidence-sets/", "attach"),
        ("post", "evidence-sets/1/attachments/", "attach"),
        ("post", "evidence-sets/1/seal/", "attach"),
        ("post", "observations/", "report"),
        ("post", "production-events/", "report"),
    ],
)
def test_each_operation_asks_for_its_own_scope(method: str, path: str, scope: str) -> None:
    memo = cases.a_planned_draft()
    others = tuple(other for other in ("read", "file", "attach", "report") if other != scope)

    without = as_token("ann", *others).ask(method, of(memo, path), {})
    having = as_token("ann", scope).ask(method, of(memo, path), {})

    assert scope in problem(without, 403, "scope_missing")["detail"]
    assert having.status_code != 403 or having.json()["code"] != "scope_missing"


@pytest.mark.parametrize(
    ("path", "body"),
    [("return/", {"reason": "x"}), ("comparisons/C1/explanations/accept/", {"setting": "seed"})],
)
def test_what_is_said_in_a_persons_name_needs_the_person(path: str, body: dict[str, str]) -> None:
    memo = cases.a_memo_in_review()

    problem(as_token("bea").post(of(memo, path), body), 403, "person_needed")


def test_a_session_without_the_csrf_token_writes_nothing() -> None:
    memo = cases.a_draft()
    client = Client(enforce_csrf_checks=True)
    client.force_login(cases.person("ann"))

    response = client.post(f"{ROOT}{of(memo, 'withdraw/')}", {"reason": "x"}, content_type="application/json")

    problem(response, 403, "permission_denied")
    assert cases.again(memo).state == "draft"


def test_a_deactivated_owner_takes_the_token_along() -> None:
    cast.the_team()
    token, ann = as_token("ann"), cases.person("ann")
    ann.is_active = False
    ann.save()

    problem(token.get("me/"), 401, "bad_token")


def test_a_job_is_shown_to_who_asked_and_cancelled_once() -> None:
    cast.the_team()
    sam = as_token("sam", "attach", "read")
    job = good(sam.send_file(b"some runs"), 201)["job"]

    assert good(sam.get(f"jobs/{job}/"))["state"] == "waiting"
    problem(as_person("eve").get(f"jobs/{job}/"), 404, "not_found")
    problem(as_person("eve").post(f"jobs/{job}/cancel/"), 404, "not_found")
    assert good(sam.post(f"jobs/{job}/cancel/"))["state"] == "cancelled"
    problem(sam.post(f"jobs/{job}/cancel/"), 409, "wrong_state")


def test_the_job_of_a_file_that_one_sees_is_shown_and_not_cancelled() -> None:
    memo = cases.a_memo_with_evidence()
    job = Job.objects.filter(subject_kind="artifact", requested_by=cases.person("sam")).last()
    assert job is not None
    bea = as_person("bea")

    assert memo.evidence_sets.filter(attachments__artifact=job.subject_id).exists()
    good(bea.get(f"jobs/{job.pk}/"))
    problem(bea.post(f"jobs/{job.pk}/cancel/"), 404, "not_found")


def test_the_job_of_a_decision_is_shown_to_who_sees_the_memo() -> None:
    memo = cases.a_memo_rolling_out()
    job = Job.objects.get(kind="pdf", subject_id=memo.decisions.get().pk)

    good(as_person("aud").get(f"jobs/{job.pk}/"))
    problem(as_person("eve").get(f"jobs/{job.pk}/"), 404, "not_found")


def test_the_secret_of_a_token_is_not_kept_for_a_second_answer() -> None:
    cast.the_team()
    ann = as_person("ann")
    body = new_token("read")

    first = good(ann.post("tokens/", body, Idempotency_Key="k"), 201)
    second = good(ann.post("tokens/", body, Idempotency_Key="k"), 201)

    assert first["secret"]
    assert second == {**first, "secret": ""}
    assert first["secret"] not in str(KeyedRequest.objects.get().body)
    assert ApiToken.objects.count() == 1
