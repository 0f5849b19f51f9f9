"""The pages of being told, and comments on the page of a memo, without JavaScript."""

import pytest
from django.urls import reverse
from pytest_django import Settings

from reviews.models import Memo, Notification, TeamChannel
from reviews.queries.notifications import wanted_of
from reviews.told_words import Reason
from tests import cases
from tests.services import deeds
from tests.web.asking import as_, follow, page

pytestmark = pytest.mark.django_db
INBOX, HOW, CHANNELS = (reverse(name) for name in ("notifications", "notification-preferences", "team-channels"))


def comment(memo: Memo, text: str, name: str = "bea", **special: str) -> str:
    said = {"anchor": "action", "text": text, **special}
    return follow(as_(name).post(reverse("comment", args=[memo.number]), said))


def test_what_one_is_told_stands_in_the_bar_and_on_the_page_until_it_is_read() -> None:
    memo = cases.a_draft()
    for text in ("@olga: why?", "@olga: why now?"):
        comment(memo, text)

    shown = page("olga", INBOX)
    assert "2 not read" in shown
    assert "Bea names olga in a comment." in shown
    assert '<span class="top__count">2' in page("olga", "/")
    row = Notification.objects.filter(person__username="olga").earliest("pk")
    read = reverse("notification-read")
    assert follow(as_("olga").post(read, {"notification": row.pk, "go": "1"})) == f"/memos/{memo.number}/{row.place}"
    assert "1 not read" in page("olga", INBOX)
    assert "; read " in page("olga", f"{INBOX}?all=1")
    assert as_("pat").post(read, {"notification": row.pk}).status_code == 404
    assert follow(as_("olga").post(read)) == INBOX
    assert "Nothing new" in page("olga", INBOX)
    assert "top__count" not in page("olga", "/")


def test_preferences_are_kept_or_refused_at_their_field(settings: Settings) -> None:
    cases.set_up()
    assert "sends no mail" in page("olga", HOW)
    settings.MAIL_FROM = "countersign@reviews.example"
    assert "no mail address" in page("olga", HOW)
    form = dict.fromkeys(Reason.values, "at_once")
    form |= {"zone": "Europe/Berlin", "digest_hour": "7", "quiet_from": "22:00", "quiet_until": "07:00"}

    assert follow(as_("olga").post(HOW, form)) == HOW
    wanted = wanted_of(cases.person("olga"))
    assert (wanted.zone, wanted.digest_hour, wanted.way("comment")) == ("Europe/Berlin", 7, "at_once")
    assert wanted.quiet is not None
    assert 'value="22:00"' in page("olga", HOW)
    for special, said in (
        ({"zone": "Atlantis"}, "is no time zone"),
        ({"quiet_until": ""}, "Give both ends"),
        ({"quiet_until": "22:00"}, "at another time"),
    ):
        answer = as_("olga").post(HOW, {**form, **special})
        assert answer.status_code == 422
        assert said in answer.content.decode()
    assert follow(as_("olga").post(HOW, {**form, "quiet_from": "", "quiet_until": ""})) == HOW
    assert wanted_of(cases.person("olga")).quiet is None


def test_a_channel_is_made_shows_its_secret_once_and_ends() -> None:
    memo = cases.a_draft()
    form = {"team": "serving", "kind": "webhook", "name": "ours", "address": "https://hooks.example/in"}
    assert "Make the channel" not in page("ann", CHANNELS)
    made = as_("adi").post(CHANNELS, form)
    assert made.status_code == 200
    assert "whsec_" in made.content.decode()
    comment(memo, "Look.")

    shown = page("adi", CHANNELS)
    assert "whsec_" not in shown
    assert "hooks.example" not in shown
    assert "to be sent at" in shown
    refused = as_("adi").post(CHANNELS, {**form, "address": "https://10.0.0.1/"})
    assert refused.status_code == 422
    assert "10.0.0.1 is no public address" in refused.content.decode()
    assert follow(as_("adi").post(CHANNELS, {**form, "kind": "slack"})) == CHANNELS
    end = reverse("team-channel-end", args=[TeamChannel.objects.earliest("pk").pk])
    assert as_("ann").post(end).status_code == 404
    assert follow(as_("adi").post(end)) == CHANNELS
    assert "; ended" in page("adi", CHANNELS)


def test_a_comment_on_the_page_says_what_became_of_its_text() -> None:
    memo = cases.a_draft()
    path = reverse("memo", args=[memo.number])
    target = deeds.sections_of(memo)["action"]
    deeds.revise(memo, {"action": {**target, "rollback_target": "build 41"}})
    bea = as_("bea")
    said = {"anchor": "action", "field": "rollback_target", "quote": "build 41", "text": "@eve and @olga"}
    shown = bea.post(reverse("comment", args=[memo.number]), said, follow=True).content.decode()
    assert "nobody of that name sees this memo: eve" in shown
    assert "1 open comment" in shown
    assert "<option>rollback_target</option>" in shown

    deeds.revise(memo, {"action": {**target, "rollback_target": "build 40"}})
    assert "The text has changed since." in page("bea", path)
    deeds.revise(memo, {"action": {**target, "rollback_target": ""}})
    shown = page("bea", path)
    assert "Outdated: what it was about is gone." in shown
    assert "build 41" in shown


def test_a_comment_is_reworded_resolved_and_reopened_on_the_page() -> None:
    memo = cases.a_draft()
    path = reverse("memo", args=[memo.number])
    comment(memo, "Wy?")
    row = memo.comments.get()

    def act(name: str, who: str, **said: str) -> int:
        return as_(who).post(reverse(name, args=[memo.number, row.pk]), said).status_code

    assert act("comment-edit", "bea", text="Why?") == 302
    assert act("comment-edit", "ann", text="x") == 403
    shown = page("bea", path)
    assert "Worded before" in shown
    assert "Reword" in shown
    assert "Reword" not in page("ann", path)
    assert act("comment-resolve", "ann") == 302
    assert "open comment" not in page("bea", path)
    assert act("comment-reopen", "bea", reason="") == 422
    assert act("comment-reopen", "bea", reason="Not so.") == 302
    assert act("comment-reopen", "eve", reason="x") == 404
    assert "1 open comment" in page("bea", path)
