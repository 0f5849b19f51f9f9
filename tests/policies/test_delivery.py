"""When a mail is sent, and when something is tried again."""

from datetime import UTC, datetime, time, timedelta

import pytest

from reviews.policies.delivery import Wanted, after_quiet, default_way, mail_at, next_attempt, next_digest
from reviews.told_words import MailWay, Reason

NOW = datetime(2026, 7, 6, 12, tzinfo=UTC)
BERLIN = "Europe/Berlin"
NIGHT, NOON = (time(22), time(7)), (time(12), time(14))


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_what_waits_for_somebody_is_mailed_at_once_and_the_rest_once_a_day() -> None:
    assert default_way(Reason.SIGNATURE_WANTED) is MailWay.AT_ONCE
    assert default_way(Reason.SIGNED) is MailWay.DIGEST
    assert Wanted(mail={"mention": "never"}).way("mention") is MailWay.NEVER
    assert Wanted(mail={"mention": "never"}).way("comment") is MailWay.DIGEST


def test_a_mail_is_sent_now_with_the_daily_one_or_never() -> None:
    assert mail_at(Wanted(), "mention", NOW) == NOW
    assert mail_at(Wanted(), "comment", NOW) == at("2026-07-07 08:00")
    assert mail_at(Wanted(mail={"comment": "never"}), "comment", NOW) is None


@pytest.mark.parametrize(
    ("now", "hour", "sent"),
    [
        ("2026-07-06 05:59", 8, "2026-07-06 06:00"),
        ("2026-07-06 06:00", 8, "2026-07-07 06:00"),
        ("2026-10-24 12:00", 8, "2026-10-25 07:00"),  # the night in between has 25 hours
    ],
)
def test_the_daily_mail_comes_at_the_hour_of_the_persons_clock(now: str, hour: int, sent: str) -> None:
    assert next_digest(Wanted(zone=BERLIN, digest_hour=hour), at(now)) == at(sent)


@pytest.mark.parametrize(
    ("quiet", "wished", "sent"),
    [
        (NIGHT, "2026-07-06 19:59", "2026-07-06 19:59"),
        (NIGHT, "2026-07-06 20:00", "2026-07-07 05:00"),
        (NIGHT, "2026-07-07 04:59", "2026-07-07 05:00"),
        (NIGHT, "2026-07-07 05:00", "2026-07-07 05:00"),
        (NOON, "2026-07-06 09:59", "2026-07-06 09:59"),
        (NOON, "2026-07-06 10:00", "2026-07-06 12:00"),
        (None, "2026-07-06 20:00", "2026-07-06 20:00"),
    ],
)
def test_quiet_hours_are_those_of_the_persons_clock(quiet: tuple[time, time] | None, wished: str, sent: str) -> None:
    assert after_quiet(Wanted(zone=BERLIN, quiet=quiet), at(wished)) == at(sent)


def test_a_daily_mail_in_the_quiet_hours_waits_for_their_end() -> None:
    assert mail_at(Wanted(digest_hour=6, quiet=NIGHT), "comment", NOW) == at("2026-07-07 07:00")


def test_it_is_tried_again_after_twice_as_long_each_time_and_not_for_ever() -> None:
    waits = [next_attempt(attempts, NOW) for attempts in (1, 2, 3, 9)]

    assert [w - NOW for w in waits if w] == [timedelta(minutes=m) for m in (1, 2, 4, 256)]
    assert next_attempt(10, NOW) is None
