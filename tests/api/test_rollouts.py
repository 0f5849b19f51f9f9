"""Permits, production events, webhooks and the state of a rollout over the API."""

import json
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from reviews.models import ProductionEvent
from reviews.services import webhooks
from tests import cases, rolling
from tests.api.asking import as_person, as_token
from tests.services import deeds
from tests.services.test_webhooks import a_source, delivery

pytestmark = pytest.mark.django_db
IMAGE = "sha256:" + "a" * 64
WANTED = f"permit/?image={IMAGE}&scope=the measured host&percent=5"


def an_event(**special: Any) -> dict[str, Any]:
    return {"kind": "deployed", "build": IMAGE, "happened_at": timezone.now().isoformat(), **special}


def a_rollout_of_the_image() -> Any:
    """Rolling out, where the candidate is the image from the beginning."""
    memo = cases.a_memo_with_waiver()
    deeds.revise(memo, {"change": {**deeds.sections_of(memo)["change"], "candidate": IMAGE}})
    for name, role in (*cases.OWNERS.items(), cases.KEEPER):
        cases.sign(memo, name, role)
    cases.decide(memo)
    return memo


def test_a_permit_says_yes_for_what_was_decided_and_no_for_all_else() -> None:
    memo = a_rollout_of_the_image()
    asker = as_token("olga", "read")

    yes = asker.get(WANTED).json()
    assert (yes["permitted"], yes["memo"]) == (True, memo.number)
    assert yes["reasons"] == [f"{memo.number} is rolling out: 5 % of “the measured host”."]
    no = asker.get(WANTED.replace("percent=5", "percent=6"))
    assert (no.status_code, no.json()["permitted"]) == (200, False)
    assert "has reached 5 %" in no.json()["reasons"][0]
    unknown = asker.get(WANTED.replace("a" * 64, "b" * 64)).json()
    assert "No memo that you can see" in unknown["reasons"][0]
    assert as_person("eve").get(WANTED).json()["permitted"] is False


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("permit/?image=vllm:latest&scope=x&percent=5", "no_digest"),
        (f"permit/?image={IMAGE}&scope=x&percent=0", "bad_input"),
        (f"permit/?image={IMAGE}&scope=x&percent=+", "bad_input"),
        (f"permit/?image={IMAGE}&scope=x", "invalid"),
    ],
)
def test_a_question_that_is_none_is_refused(query: str, code: str) -> None:
    cases.set_up()
    answer = as_person("sam").get(query)

    assert answer.status_code == 422
    assert code in (answer.json()["code"], *(one.get("code") for one in answer.json().get("errors", [])), "invalid")


def test_an_event_is_reported_by_digest_and_listed() -> None:
    memo = a_rollout_of_the_image()
    asker = as_token("olga", "read", "report")

    told = asker.post("production-events/", an_event(event_id="e1", scope="the measured host", scope_percent="5"))
    assert (told.status_code, told.json()["memo"]) == (201, memo.number)
    other = asker.post("production-events/", an_event(build="sha256:" + "b" * 64))
    assert (other.json()["memo"], other.json()["team"]) == (None, "serving")
    assert [one["memo"] for one in asker.get("production-events/").json()] == [None, memo.number]
    assert as_person("eve").get("production-events/").json() == []
    assert as_token("olga", "read").post("production-events/", an_event()).status_code == 403


def test_deployments_show_what_no_memo_stands_behind_and_what_waits() -> None:
    cases.set_up()
    asker = as_person("olga")
    asker.post("production-events/", an_event(build="vllm 0.7"))
    rolled_back = asker.post("production-events/", an_event(kind="rolled_back")).json()

    page = asker.get("deployments/").json()

    assert [one["event"]["build"] for one in page["unknown"]] == ["vllm 0.7"]
    assert [one["memo"] for one in page["waiting"]] == [rolled_back["memo"]]
    assert (page["live"], page["emergencies"]) == ([], [])
    assert len(page["events"]) == 2


def test_the_rollout_says_where_it_stands_and_no_program_advances_it(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = rolling.a_watched_memo(monkeypatch)
    asker = as_person("rob")

    found = asker.get(f"memos/{memo.number}/rollout/").json()

    assert (found["stage"], found["answer"], found["missing"], found["is_running"]) == (1, "continue", [], True)
    assert [one["comparison"] for one in found["thresholds"]] == ["C1", "C2"]
    assert found["thresholds"][0]["balances"][0]["state"] == "balanced"
    refused = asker.post(f"memos/{memo.number}/rollout/")
    assert (refused.status_code, refused.json()["detail"].split(".")[0]) == (405, "No program advances a rollout")


def test_a_memo_without_a_rollout_says_so() -> None:
    memo = cases.a_draft()

    answer = as_person("ann").get(f"memos/{memo.number}/rollout/")
    assert (answer.status_code, answer.json()["code"]) == (404, "no_rollout")


def test_a_recheck_in_a_rollout_states_its_share() -> None:
    memo = cases.a_memo_rolling_out()
    file = {"artifact": "f" * 64, "kind": "benchmark_run", "arm": "baseline", "use": "confirming"}
    body = {"comparison": "C1", "title": "x", "text": "x", "share_percent": "500", "files": [file]}

    answer = as_person("sam").post(f"memos/{memo.number}/rechecks/", body)
    assert (answer.status_code, answer.json()["where"]) == (422, "share_percent")


def test_webhooks_are_made_by_people_whose_secret_is_shown_once() -> None:
    cases.set_up()
    asker = as_person("sam")

    made = asker.post("event-sources/", {"team": "serving", "name": "argo"}, Idempotency_Key="k").json()
    again = asker.post("event-sources/", {"team": "serving", "name": "argo"}, Idempotency_Key="k").json()

    assert made["secret"].startswith("whsec_")
    assert (again["id"], again["secret"]) == (made["id"], "")
    assert [one["path"] for one in asker.get("event-sources/").json()] == [made["path"]]
    assert as_token("sam", "read", "report").get("event-sources/").status_code == 403
    gone = asker.ask("delete", f"event-sources/{made['id']}/").json()
    assert gone["revoked_at"] is not None


def test_a_delivery_needs_no_login_and_its_signature() -> None:
    source, secret = a_source()
    sent = delivery(secret)
    headers = {
        "webhook-id": sent.message_id,
        "webhook-timestamp": sent.timestamp,
        "webhook-signature": sent.signature,
    }
    path = f"/webhooks/production/{source.key}/"
    stranger = Client(enforce_csrf_checks=True)

    answer = stranger.post(path, sent.body, content_type="application/json", headers=headers)
    assert (answer.status_code, answer.json()["kind"]) == (200, "deployed")
    assert answer.json()["reported_by"] == "webhook argo of Sam"
    forged = stranger.post(path, sent.body + b" ", content_type="application/json", headers=headers)
    assert (forged.status_code, forged.json()["code"]) == (401, "bad_signature")
    assert stranger.get(path).status_code == 405
    assert ProductionEvent.objects.count() == 1
    assert json.loads(sent.body)["type"] == webhooks.TYPE + "deployed"


def test_a_file_is_recalled_by_a_person_and_its_recall_is_read_by_all_who_see_it() -> None:
    memo = cases.a_memo_with_evidence()
    sha256 = next(part.artifact for part in deeds.content(memo).evidence.sets[0].attachments if part.arm)
    path = f"artifacts/{sha256}/recalls/"

    assert as_token("ann").post(path, {"reason": "x"}).status_code == 403
    made = as_person("ann").post(path, {"reason": "Throttled."})
    assert (made.status_code, made.json()["by"]) == (201, "Ann")
    assert as_person("ann").post(path, {"reason": "x"}).json()["code"] == "recalled_already"
    assert [one["reason"] for one in as_token("olga", "read").get(path).json()] == ["Throttled."]
    assert as_person("eve").get(path).status_code == 404


def test_a_file_is_redacted_by_an_administrator_and_its_redaction_is_read_by_all_who_see_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("reviews.services.redactions.transaction.on_commit", lambda deed: deed())
    memo = cases.a_memo_with_evidence()
    sha256 = next(part.artifact for part in deeds.content(memo).evidence.sets[0].attachments if part.arm)
    path, body = f"artifacts/{sha256}/redactions/", {"kind": "secret", "reason": "The key of the pool."}

    assert as_token("adi").post(path, body).json()["code"] == "person_needed"
    assert as_person("ann").post(path, body).status_code == 403
    assert as_person("adi").post(path, {**body, "kind": "ugly"}).status_code == 422
    assert as_token("adi", "read").get(path).json() == []
    made = as_person("adi").post(path, body)
    assert made.status_code == 201
    assert made.json() | {"at": ""} == {
        "sha256": sha256, "size": made.json()["size"], "kind": "secret", "reason": "The key of the pool.", "by": "Adi",
        "at": "", "effects": [{"memo": memo.number, "comparisons": ["C1", "C2"], "undecided": True}],
    }  # fmt: skip
    assert as_person("adi").post(path, body).json()["code"] == "redacted_already"
    assert as_token("olga", "read").get(path).json() == [made.json()]
    assert as_person("eve").get(path).status_code == 404
    assert as_person("ann").get(f"artifacts/{sha256}/content/").json()["code"] == "bytes_redacted"
    assert as_person("ann").get(f"artifacts/{sha256}/").status_code == 200
