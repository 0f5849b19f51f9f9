"""When something leaves the house: at once, with the daily mail, after the quiet hours, and again after a failure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from reviews.told_words import MailWay, Reason

GREATEST_ATTEMPTS: Final = 10
FIRST_WAIT: Final = timedelta(minutes=1)
LONGEST_WAIT: Final = timedelta(hours=6)
BY_DIGEST: Final = frozenset({Reason.DECISION, Reason.SIGNED, Reason.COMMENT})
DIGEST_HOUR: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How a person wants to be told by mail. mail: reason -> way. quiet: from and until, in the zone; None for none."""

    mail: Mapping[str, str] = field(default_factory=dict)
    zone: str = "UTC"
    digest_hour: int = DIGEST_HOUR
    quiet: tuple[time, time] | None = None

    def way(self, reason: str) -> MailWay:
        """The way for the reason: the person's, else the house's own."""
        return MailWay(self.mail.get(reason) or default_way(reason))


def default_way(reason: str) -> MailWay:
    """What waits for somebody is mailed at once; what is only good to know, once a day."""
    return MailWay.DIGEST if reason in BY_DIGEST else MailWay.AT_ONCE


def mail_at(wanted: Wanted, reason: str, now: datetime) -> datetime | None:
    """When the mail for the reason may be sent, outside the quiet hours; None for never."""
    way = wanted.way(reason)
    if way is MailWay.NEVER:
        return None
    return after_quiet(wanted, next_digest(wanted, now) if way is MailWay.DIGEST else now)


def next_digest(wanted: Wanted, now: datetime) -> datetime:
    """The next time that the person's clock shows the hour of the daily mail, after `now`."""
    zone = ZoneInfo(wanted.zone)
    today = datetime.combine(now.astimezone(zone).date(), time(wanted.digest_hour), zone)
    # Both in the zone: a day later by its clock, whatever the day's length.
    return (today if today > now else today + timedelta(days=1)).astimezone(UTC)


def after_quiet(wanted: Wanted, at: datetime) -> datetime:
    """`at`, or the end of the quiet hours that it falls into."""
    if wanted.quiet is None:
        return at
    begins, ends = wanted.quiet
    local = at.astimezone(ZoneInfo(wanted.zone))
    clock = local.time()
    over_midnight = begins > ends
    quiet = (clock >= begins or clock < ends) if over_midnight else begins <= clock < ends
    if not quiet:
        return at
    day = local.date() + timedelta(days=1 if over_midnight and clock >= begins else 0)
    return datetime.combine(day, ends, local.tzinfo).astimezone(UTC)


def next_attempt(attempts: int, now: datetime) -> datetime | None:
    """When to try again after so many failures: 1, 2, 4, … minutes, at most 6 hours; None after the tenth."""
    if attempts >= GREATEST_ATTEMPTS:
        return None
    wait: timedelta = FIRST_WAIT * 2 ** (attempts - 1)
    return now + min(wait, LONGEST_WAIT)
