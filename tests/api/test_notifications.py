"""Notifications, preferences and channels over the API, and comments as they stand."""

from typing import Any

import pytest

from reviews.models import Outbox
from tests import cases
from tests.api.asking import as_person, as_token, good, of, problem
from tests.services import deeds

pytestmark = pytest.mark.django_db
CHANNEL = {"team": "serving", "kind": "webhook", "name": "ours", "address": "https://hooks.example/in"}


def test_a_comment_is_carried_reworded_and_reopened() -> None:
    memo = cases.a_draft()
    target = deeds.sections_of(memo)["action"]
    deeds.revise(memo, {"action": {**target, "rollback_target": "build 41"}})
    bea, ann = as_person("bea"), as_person("ann")
    body = {"anchor": "action.rollback_target", "text": "@ann @eve: why?", "quote": "build 41"}
    first = good(bea.post(of(memo, "comments/"), body), 201)
    assert (first["mentions"], first["anchored"], first["quote"]) == (["ann"], "stands", "build 41")

    deeds.revise(memo, {"action": {**target, "rollback_target": "build 40"}})
    [row] = good(ann.get(of(memo, "comments/")))
    assert (row["anchored"], row["was"], row["revision"]) == ("changed", "build 41", 2)

    reworded = good(bea.put(of(memo, f"comments/{first['id']}/"), {"text": "Why?"}))
    assert (reworded["text"], reworded["former"]) == ("Why?", ["@ann @eve: why?"])
    problem(ann.put(of(memo, f"comments/{first['id']}/"), {"text": "x"}), 403, "not_permitted")
    problem(bea.post(of(memo, f"comments/{first['id']}/reopen/"), {"reason": "x"}), 409, "not_resolved")
    assert good(ann.post(of(memo, f"comments/{first['id']}/resolve/"), {}))["resolved_by"] == "Ann"
    assert good(bea.post(of(memo, f"comments/{first['id']}/reopen/"), {"reason": "No."}))["resolved_by"] is None
    problem(bea.post(of(memo, "comments/"), {**body, "anchor": "action.x"}), 422, "no_such_field")
    problem(bea.post(of(memo, "comments/"), body), 422, "quote_not_found")


def test_notifications_are_listed_and_read_by_their_person() -> None:
    memo = cases.a_draft()
    good(as_person("bea").post(of(memo, "comments/"), {"anchor": "symptom", "text": "@olga"}), 201)
    olga = as_person("olga")

    [row] = good(olga.get("notifications/?unread=true"))
    assert (row["memo"], row["reason"], row["read_at"]) == (memo.number, "mention", None)
    assert good(as_person("eve").get("notifications/")) == []
    problem(as_person("eve").post("notifications/read/", {"notifications": [row["id"]]}), 404, "not_found")
    problem(as_token("olga").post("notifications/read/", {}), 403, "person_needed")
    assert good(olga.post("notifications/read/", {"notifications": [row["id"]]})) == {"read": 1}
    assert good(olga.get("notifications/?unread=true")) == []
    assert len(good(olga.get("notifications/"))) == 1
    assert good(olga.post("notifications/read/", {})) == {"read": 0}


def test_preferences_are_kept_and_what_is_none_is_refused() -> None:
    cases.set_up()
    olga = as_person("olga")
    before = good(olga.get("notification-preferences/"))
    assert (before["mail"]["mention"], before["mail"]["comment"], before["quiet"]) == ("at_once", "digest", None)

    wish: dict[str, Any] = {
        "mail": {"mention": "never"}, "zone": "Europe/Berlin", "digest_hour": 7,
        "quiet": {"begins": "22:00", "ends": "07:00"},
    }  # fmt: skip
    after = good(olga.put("notification-preferences/", wish))
    assert (after["mail"]["mention"], after["zone"], after["quiet"]["begins"]) == ("never", "Europe/Berlin", "22:00:00")
    assert good(olga.get("notification-preferences/")) == after
    problem(olga.put("notification-preferences/", {**wish, "zone": "Atlantis"}), 422, "bad_preference")


def test_a_channel_is_made_with_a_secret_that_is_shown_once_and_logs_what_was_sent() -> None:
    memo = cases.a_draft()
    adi = as_person("adi")
    made = good(adi.post("channels/", CHANNEL), 201)
    assert made["secret"].startswith("whsec_")
    assert "address" not in made
    good(as_person("bea").post(of(memo, "comments/"), {"anchor": "symptom", "text": "x"}), 201)

    [row] = good(adi.get(f"channels/{made['id']}/deliveries/"))
    assert (row["payload"]["data"]["memo"], row["attempts"], row["id"]) == (memo.number, 0, Outbox.objects.get().key)
    problem(as_person("eve").get(f"channels/{made['id']}/deliveries/"), 404, "not_found")
    problem(as_person("ann").post("channels/", CHANNEL), 403, "not_permitted")
    problem(adi.post("channels/", {**CHANNEL, "address": "https://127.0.0.1/"}), 422, "private_address")
    problem(adi.post("channels/", {**CHANNEL, "address": "ftp://x"}), 422, "bad_address")
    assert good(adi.ask("delete", f"channels/{made['id']}/"))["ended_at"] is not None
    assert [one["id"] for one in good(adi.get("channels/"))] == [made["id"]]
