"""Workers beside each other, on both databases: the outbox is shared out, and twins among clocks remind once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection
from pytest_django import Settings

from reviews.models import Memo, Notification, Outbox
from reviews.services import channels, comments, outbox, reminders
from reviews.services.channels import ChannelWish
from tests import cases, cast
from tests.clock import move_on
from tests.services import listening

WORKERS = 3


def at_once(deed: Callable[[], int]) -> list[int]:
    start = Barrier(WORKERS)

    def one(_: int) -> int:
        start.wait(timeout=10)
        try:
            return deed()
        finally:
            connection.close()

    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(one, range(WORKERS)))


def say(memo: Memo, text: str) -> None:
    comments.comment(actor=cast.a_person("aud"), memo_id=memo.pk, anchor="symptom", text=text, answers=None)


@pytest.mark.usefixtures("either_database")
def test_each_message_is_sent_by_one_worker(settings: Settings) -> None:
    settings.PRIVATE_NETWORKS = ["127.0.0.0/8"]
    memo = cases.a_draft()
    with listening.webhooks() as taken:
        wish = ChannelWish(kind="webhook", name="ours", address=f"http://127.0.0.1:{taken.port}/", reasons=())
        channels.make_channel(actor=cast.a_person("adi"), team="serving", wish=wish)
        for number in range(6):
            say(memo, f"{number}")

        done = at_once(outbox.deliver)

    keys = [headers["webhook-id"] for headers, _ in taken.requests]
    assert sum(done) == len(keys) == len(set(keys)) == 6
    assert not Outbox.objects.filter(delivered_at__isnull=True).exists()


@pytest.mark.usefixtures("either_database")
def test_clocks_that_look_at_the_same_time_remind_once(monkeypatch: pytest.MonkeyPatch) -> None:
    cases.a_memo_in_review()
    move_on(monkeypatch, hours=3 * 24 + 1)

    done = at_once(reminders.sweep)

    reminded = Notification.objects.filter(event__isnull=True)
    assert sum(done) == reminded.count() >= 1


@pytest.mark.usefixtures("either_database")
def test_what_is_said_at_the_same_time_goes_out_with_one_daily_mail(settings: Settings) -> None:
    settings.MAIL_FROM = "countersign@reviews.example"
    memos = [cases.a_draft(title) for title in ("One", "Two", "Three")]
    ann = cast.a_person("ann")
    ann.email = "ann@reviews.example"
    ann.save()

    def one() -> int:
        say(memos.pop(), "Seen.")
        return 1

    at_once(one)

    assert Outbox.objects.count() == 1
    assert Notification.objects.filter(person=ann, mail__isnull=False).count() == 3
