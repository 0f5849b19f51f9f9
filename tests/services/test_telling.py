"""Notifications stand in the transaction of their event, for who sees the memo, and with the mail that is wanted."""

from datetime import time, timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import transaction
from django.utils import timezone
from pytest_django import Settings

from reviews.errors import BadInput, NotVisible
from reviews.models import Memo, Notification, Outbox
from reviews.queries.circle import clocks
from reviews.queries.notifications import notifications_of, unread, wanted_of
from reviews.services import comments, delegations, memos, notifications, outbox, recalls, reminders, teams
from reviews.services.delegations import DelegationWish
from reviews.services.notifications import PreferenceWish
from reviews.told_words import Reason
from reviews.vocabulary import State
from tests import cases, cast
from tests.clock import move_on
from tests.services import deeds
from tests.services.deeds import refused

pytestmark = pytest.mark.django_db
OLGA, PAT = "inference_platform_owner", "capacity_planning_engineer"


@pytest.fixture
def mailed(settings: Settings) -> None:
    settings.MAIL_FROM = "countersign@reviews.example"
    settings.SITE_ADDRESS = "https://reviews.example"


def told(name: str) -> list[str]:
    return list(notifications_of(cases.person(name)).values_list("reason", flat=True))


def with_mail(*names: str) -> None:
    for name in names:
        person = cast.a_person(name)
        person.email = f"{name}@reviews.example"
        person.save()


def prefer(name: str, **special: Any) -> None:
    usual: dict[str, Any] = {"mail": {}, "zone": "UTC", "digest_hour": 8, "quiet": None}
    notifications.prefer(actor=cases.person(name), wish=PreferenceWish(**{**usual, **special}))


def say(memo: Memo, text: str, name: str = "aud") -> None:
    comments.comment(actor=cases.person(name), memo_id=memo.pk, anchor="symptom", text=text, answers=None)


def test_a_submission_asks_for_signatures_with_its_event_or_not_at_all() -> None:
    memo = cases.a_draft()
    for name in ("olga", "bea", "ann"):
        assert told(name) == []

    with transaction.atomic():
        memos.submit(actor=cases.person("ann"), memo_id=memo.pk, base=cases.base_of(memo))
        assert told("olga") == [Reason.SIGNATURE_WANTED]
        transaction.set_rollback(True)
    assert told("olga") == []

    memos.submit(actor=cases.person("ann"), memo_id=memo.pk, base=cases.base_of(memo))
    assert (told("olga"), told("bea"), told("ann")) == ([Reason.SIGNATURE_WANTED], [Reason.DECISION], [])
    row = Notification.objects.get(person__username="olga")
    assert row.event is not None
    assert (row.event.action, row.place, row.memo) == ("submit", "sign", memo)


def test_nobody_is_told_of_a_memo_that_they_do_not_see() -> None:
    memo = cases.a_draft()

    say(memo, "@eve, @olga, @nobody, @aud: look.")
    assert (told("eve"), told("olga"), told("aud"), told("ann")) == ([], [Reason.MENTION], [], [Reason.COMMENT])

    assignment = memo.team.assignments.get(person__username="olga")
    teams.end_assignment(actor=cases.person("adi"), assignment_id=assignment.pk, reason="Moved.")
    assert told("olga") == []
    assert unread(cases.person("olga")) == 0
    say(memo, "@olga again")
    assert Notification.objects.filter(person__username="olga").count() == 1


def test_an_edit_tells_whose_signature_it_makes_stale_and_a_recall_who_signed() -> None:
    memo = cases.a_memo_with_evidence()
    cases.sign(memo, "olga", OLGA)
    deeds.revise(memo, {"action": {**deeds.sections_of(memo)["action"], "rollback_target": "build 40"}})
    assert Reason.SIGNATURE_STALE in told("olga")

    artifact = memo.evidence_sets.get().attachments.first()
    assert artifact is not None
    recalls.recall(actor=cases.person("sam"), sha256=artifact.artifact.sha256, reason="Wrong host.")
    for name in ("olga", "bea", "ann", "rob"):
        assert told(name)[0] == Reason.RECALL


def test_waivers_conditions_and_delegations_are_told() -> None:
    memo = cases.a_memo_with_waiver()
    assert Reason.WAIVER in told("bea")

    until = timezone.now() + timedelta(days=9)
    wish = DelegationWish(role=PAT, delegate="quin", starts_at=None, ends_at=until, reason="Away.")
    delegations.delegate_for_team(actor=cases.person("pat"), team=memo.team.slug, wish=wish)
    row = notifications_of(cases.person("quin"))[0]
    assert (row.memo, row.reason) == (None, Reason.DELEGATION)


def test_a_mail_is_sent_once_and_says_what_and_where(mailed: None) -> None:
    memo = cases.a_draft()
    with_mail("olga")
    say(memo, "@olga: which slice?")

    assert outbox.waits()
    assert outbox.deliver() == 1
    assert not outbox.waits()
    assert outbox.deliver() == 0
    [sent] = mail.outbox
    assert sent.to == ["olga@reviews.example"]
    assert sent.subject == f"{memo.number}: somebody names you in a comment"
    assert f"https://reviews.example/memos/{memo.number}/" in sent.body
    assert "Message-ID" in sent.extra_headers


def test_without_an_address_on_either_side_no_mail_is_written(settings: Settings) -> None:
    memo = cases.a_draft()
    with_mail("olga")
    settings.MAIL_FROM = ""
    say(memo, "@olga")
    settings.MAIL_FROM = "countersign@reviews.example"
    say(memo, "@pat")

    assert not Outbox.objects.exists()


def test_a_daily_mail_gathers_what_came_until_then(mailed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    memo = cases.a_draft()
    with_mail("ann")
    for text in ("One.", "Two."):
        say(memo, text)
    prefer("ann", mail={"comment": "digest"}, digest_hour=13)
    say(memo, "Another hour, another mail.")
    assert outbox.deliver() == 0

    move_on(monkeypatch, hours=25)
    assert outbox.deliver() == 2
    assert sorted(sent.subject for sent in mail.outbox) == [
        f"{memo.number}: a comment on your memo or in your thread",
        "Countersign: 2 things",
    ]


def test_a_daily_mail_that_is_on_its_way_is_not_joined(mailed: None) -> None:
    memo = cases.a_draft()
    with_mail("ann")
    say(memo, "One.")
    Outbox.objects.update(attempts=1)
    say(memo, "Two.")

    assert Outbox.objects.count() == 2


def test_quiet_hours_hold_a_mail_back(mailed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    memo = cases.a_draft()
    with_mail("olga")
    now = timezone.now()
    quiet = (time((now.hour - 1) % 24), time((now.hour + 2) % 24))
    prefer("olga", quiet=quiet)
    say(memo, "@olga")

    assert outbox.deliver() == 0
    assert told("olga") == [Reason.MENTION], "the page says it at once"
    move_on(monkeypatch, hours=3)
    assert outbox.deliver() == 1


def test_a_mail_to_who_does_not_see_the_memo_any_more_is_given_up(mailed: None) -> None:
    memo = cases.a_draft()
    with_mail("olga", "pat")
    say(memo, "@olga @pat")
    assignment = memo.team.assignments.get(person__username="olga")
    teams.end_assignment(actor=cases.person("adi"), assignment_id=assignment.pk, reason="Moved.")
    pat = cases.person("pat")
    pat.is_active = False
    pat.save()

    assert outbox.deliver() == 0
    assert {row.last_error for row in Outbox.objects.all()} == {"There is nobody to tell any more."}
    assert mail.outbox == []


def test_never_is_never_and_the_houses_own_way_is_not_kept(mailed: None) -> None:
    memo = cases.a_draft()
    with_mail("olga")
    prefer("olga", mail={"mention": "never", "comment": "digest"})
    say(memo, "@olga")

    assert not Outbox.objects.exists()
    assert wanted_of(cases.person("olga")).mail == {"mention": "never"}


@pytest.mark.parametrize(
    ("where", "special"),
    [
        ("mail", {"mail": {"weather": "never"}}),
        ("mail", {"mail": {"mention": "by pigeon"}}),
        ("zone", {"zone": "Atlantis"}),
        ("digest_hour", {"digest_hour": 24}),
        ("quiet", {"quiet": (time(22), time(22))}),
    ],
)
def test_a_preference_that_is_none_is_refused(where: str, special: dict[str, Any]) -> None:
    cases.set_up()
    with refused(BadInput, "bad_preference", where):
        prefer("olga", **special)


def test_notifications_are_read_by_their_person_alone() -> None:
    memo = cases.a_draft()
    say(memo, "@olga @pat")
    say(memo, "@olga again")
    mine = notifications_of(cases.person("olga"))[0]

    with refused(NotVisible):
        notifications.mark_read(actor=cases.person("pat"), notifications=[mine.pk])
    assert notifications.mark_read(actor=cases.person("olga"), notifications=[mine.pk]) == 1
    assert unread(cases.person("olga")) == 1
    assert notifications.mark_read(actor=cases.person("olga"), notifications=None) == 1
    assert notifications.mark_read(actor=cases.person("olga"), notifications=None) == 0
    assert unread(cases.person("pat")) == 1


def test_the_clock_reminds_once_for_each_level_and_goes_up(monkeypatch: pytest.MonkeyPatch) -> None:
    cases.a_memo_in_review()
    asked = {"olga": 1, "adi": 0, "esk": 0}

    def reminded() -> dict[str, int]:
        return {name: len(told(name)) for name in asked}

    before = reminded()
    assert reminders.sweep() == 0
    move_on(monkeypatch, hours=3 * 24 + 1)
    assert reminders.sweep() >= 1
    assert reminders.sweep() == 0
    assert reminded() == {**before, "olga": before["olga"] + 1}
    move_on(monkeypatch, hours=7 * 24 + 1)
    assert reminders.sweep() >= 2
    assert reminders.sweep() == 0
    after = reminded()
    assert after["adi"] > before["adi"]
    assert told("esk")[0] == Reason.ESCALATION
    assert set(Notification.objects.filter(event__isnull=True).values_list("place", flat=True)) == {"sign"}


def test_the_clock_knows_waivers_delegates_and_whom_an_escalation_names() -> None:
    memo = cases.a_memo_with_waiver()
    until = timezone.now() + timedelta(days=9)
    wish = DelegationWish(role=OLGA, delegate="ben", starts_at=None, ends_at=until, reason="Away.")
    delegations.delegate_on(actor=cases.person("olga"), memo_id=memo.pk, wish=wish)
    for to in ("Vera", "Esk", "Review board", "board"):
        signoff = deeds.sections_of(memo)["signoff"]
        escalation = {"to": to, "by": "2099-01-01", "question": "Ship?"}
        deeds.revise(memo, {"signoff": {**signoff, "escalation": escalation}})
        [(_, clock)] = clocks(timezone.now())
        expected = {"Vera": (), "Esk": ("esk",), "board": ("bea", "ben")}.get(to, ())
        assert clock.circle.addressees == expected
    assert clock.delegates == {("olga", OLGA): ("ben",)}
    [waiver] = clock.waivers
    assert "bea" not in waiver.people
    deeds.put_into(memo, State.DRAFT)
    assert clocks(timezone.now()) == ()
