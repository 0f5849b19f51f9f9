"""Every error is a problem, in words and with a code."""

from typing import Any

import pytest
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404
from django.test import Client
from rest_framework.throttling import SimpleRateThrottle

from analysis.errors import Refused
from reviews.api import parsers
from reviews.queries import comments, records
from tests import cases, cast
from tests.api.asking import ROOT, as_nobody, as_person, good, of, problem

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
def test_an_address_that_leads_nowhere(method: str) -> None:
    problem(as_nobody().ask(method, "nowhere/at/all"), 404, "not_found")


def test_a_method_that_is_none_here() -> None:
    cast.the_team()

    problem(as_person("ann").ask("delete", "memos/"), 405, "method_not_allowed")


def test_a_body_that_is_no_json_we_read() -> None:
    cast.the_team()
    response = as_person("ann").client.post(f"{ROOT}memos/", "<memo/>", content_type="application/xml")

    problem(response, 415, "unsupported_media_type")


@pytest.mark.parametrize("raw", ["{", "NaN", '{"text": Infinity}', "[" * 100_000, b"\xff"])
def test_a_body_that_is_no_json(raw: str | bytes) -> None:
    cast.the_team()
    response = as_person("ann").client.post(f"{ROOT}memos/", raw, content_type="application/json")

    problem(response, 400, "parse_error")


@pytest.mark.parametrize(
    "raw",
    ['{"text": "a\\u0000b"}', '{"a\\u0000b": 1}', '{"text": "\\ud800"}', '{"sections": {"a": [9007199254740993]}}'],
)
def test_json_that_cannot_be_kept_as_it_is(raw: str) -> None:
    cast.the_team()
    response = as_person("ann").client.post(f"{ROOT}memos/", raw, content_type="application/json")

    problem(response, 422, "bad_json")


def test_a_body_that_is_no_object() -> None:
    cast.the_team()

    problem(as_person("ann").post("memos/", []), 422, "bad_input")


def test_a_body_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    cast.the_team()
    monkeypatch.setattr(parsers, "GREATEST_JSON_BYTES", 10)

    problem(as_person("ann").post("memos/", {"text": "x" * 100}), 413, "too_large")


def test_the_faults_of_a_body_are_named_by_pointer() -> None:
    memo = cases.a_memo_rolling_out()
    body = {"comparison": "C1", "title": "t", "text": "t", "files": [{"artifact": "nope", "kind": "k", "use": "u"}]}

    refused = problem(as_person("sam").post(of(memo, "rechecks/"), body), 422, "bad_input")

    assert {fault["pointer"] for fault in refused["errors"]} == {"/files/0/artifact", "/files/0/use"}
    assert refused["where"] in {"/files/0/artifact", "/files/0/use"}


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Http404(), 404, "not_found"),
        (PermissionDenied(), 403, "permission_denied"),
        (RequestDataTooBig(), 413, "too_large"),
        (SuspiciousOperation(), 400, "bad_request"),
        (Refused("too_few_runs", "One run is too few.", "Run again."), 422, "too_few_runs"),
    ],
)
def test_errors_of_the_frameworks_and_the_analysis(
    error: Exception, status: int, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memo = cases.a_draft()
    monkeypatch.setattr(comments, "said_on", _raising(error))

    problem(as_person("ann").get(of(memo, "comments/")), status, code)


def test_an_error_of_ours_is_logged_and_says_nothing_of_its_inner_side(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    memo = cases.a_draft()
    monkeypatch.setattr(comments, "said_on", _raising(ZeroDivisionError("secret")))
    ann = as_person("ann")
    ann.client.raise_request_exception = False

    response = ann.get(of(memo, "comments/"))

    problem(response, 500, "server_error")
    assert b"secret" not in response.content
    assert "ZeroDivisionError: secret" in caplog.text


def _raising(error: Exception) -> Any:
    def raises(*_: object) -> None:
        raise error

    return raises


def test_who_asks_too_often_is_told_when_to_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    cast.the_team()
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", {"user": "2/min"})
    ann = as_person("ann")
    for _ in range(2):
        good(ann.get("me/"))

    response = ann.get("me/")

    problem(response, 429, "throttled")
    assert 0 < int(response["Retry-After"]) <= 61


def test_an_answer_is_json_whatever_is_accepted() -> None:
    cast.the_team()
    client = Client(headers={"Accept": "image/png"})

    problem(client.get(f"{ROOT}me/"), 401, "not_signed_in")


def test_a_problem_says_what_is_missing_who_and_where() -> None:
    cast.the_team()
    memo = cases.a_draft()
    header = {**records.revision_of(memo).sections["header"], "unfilled": []}
    sections = {"symptom": {}, "header": header}
    ann = as_person("ann")
    seen = ann.get(of(memo))["ETag"]
    changed = ann.patch(of(memo), {"sections": sections, "said": "Emptied."}, If_Match=seen)

    body = problem(ann.post(of(memo, "submit/"), If_Match=changed["ETag"]), 422, "incomplete")

    assert {"who": "ann (author)", "where": "#symptom"}.items() <= body["missing"][0].items()
