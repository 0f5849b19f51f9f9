"""Who is what to a memo, for the rules of `policies/telling.py` and `policies/reminders.py`."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from django.contrib.auth.models import User

from reviews.memo_text.text import slug
from reviews.models import Comment, Delegation, Event, Memo, Revision, Waiver, in_force
from reviews.policies.mentions import mentioned
from reviews.policies.reminders import Clock, WaiverClock
from reviews.policies.telling import Circle
from reviews.queries import people
from reviews.queries.comments import writers_in_thread
from reviews.queries.queue_rows import Open, opened
from reviews.vocabulary import OPEN_STATES, State, WaiverState


def circle_of(memo: Memo, event: Event, now: datetime) -> Circle | None:
    """The circle of a memo after the event; None while the memo has no revision."""
    row = Memo.objects.select_related(*people.RELATIONS).get(pk=memo.pk)
    found = opened([row], now)
    if not found:
        return None
    one, detail = found[0], event.detail
    comment = Comment.objects.filter(pk=detail["comment"], memo=memo).first() if "comment" in detail else None
    return Circle(
        facts=one.facts,
        before=_digests_before(memo, detail.get("revision")),
        addressees=_addressees([one])[memo.pk],
        waiver=_waiver_people(memo, detail.get("requirement")),
        writer=comment.author.get_username() if comment else "",
        thread=tuple(sorted(writers_in_thread(comment))) if comment else (),
        mentioned=_newly_mentioned(comment) if comment else (),
    )


def clocks(now: datetime) -> tuple[tuple[Memo, Clock], ...]:
    """Every open memo beyond a draft with what the clock is asked about it; a number of queries that stays."""
    states = [state for state in OPEN_STATES if state != State.DRAFT]
    memos = list(Memo.objects.filter(state__in=states).select_related(*people.RELATIONS).order_by("pk"))
    found = opened(memos, now)
    lent, waivers, addressees = _delegates(memos, now), _waivers(memos), _addressees(found)
    return tuple(
        (
            one.memo,
            Clock(
                circle=Circle(facts=one.facts, before={}, addressees=addressees[one.memo.pk]),
                submitted_at=one.memo.submitted_at or one.memo.created_at,
                revised_at=one.revision.created_at,
                decided_at=one.memo.decided_at or one.revision.created_at,
                delegates=lent[one.memo.pk],
                waivers=waivers[one.memo.pk],
            ),
        )
        for one in found
    )


def _digests_before(memo: Memo, revision: object) -> Mapping[str, str]:
    """The section digests of the revision before that one; {} for a deed that made none, or the first."""
    if not isinstance(revision, int):
        return {}
    row = Revision.objects.filter(memo=memo, number=revision - 1).values_list("section_digests", flat=True).first()
    return row or {}


def _addressees(found: Iterable[Open]) -> Mapping[int, tuple[str, ...]]:
    """Memo -> the user names of whom its escalation names, by name, or by a role as it is called there."""
    found = tuple(found)
    named = {one.memo.pk: one.content.signoff.escalation.to.strip() for one in found}
    if not any(named.values()):
        return defaultdict(tuple)
    accounts = User.objects.filter(is_active=True).only("username", "first_name", "last_name")
    called: dict[str, list[str]] = defaultdict(list)
    for account in accounts:
        for name in {slug(account.get_username()), slug(account.get_full_name())} - {""}:
            called[name].append(account.get_username())
    return {one.memo.pk: _called(one, named[one.memo.pk], called) for one in found}


def _called(one: Open, said: str, accounts: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    if not said:
        return ()
    titles = {slug(rule.title): rule.role for asked in one.template.decisions.values() for rule in asked.roles}
    titles |= {slug(owner.title): owner.role for owner in one.content.signoff.required_owners}
    titles |= {slug(role): role for role in one.facts.role_holders}
    role = titles.get(slug(said), "")
    return (*accounts.get(slug(said), ()), *one.facts.role_holders.get(role, ()))


def _waiver_people(memo: Memo, requirement: object) -> tuple[str, ...]:
    """The owner of the latest waiver of that gap, and who asked for it."""
    if not isinstance(requirement, str):
        return ()
    rule, _, subject = requirement.partition(":")
    rows = Waiver.objects.filter(memo=memo, requirement=rule, subject=subject).order_by("pk")
    last = rows.select_related("owner", "requested_by").last()
    return (last.owner.get_username(), last.requested_by.get_username()) if last else ()


def _newly_mentioned(comment: Comment) -> tuple[str, ...]:
    """Whom the latest words name, and those before did not."""
    words = [comment.text, *comment.versions.order_by("number").values_list("text", flat=True)]
    before = set(mentioned(words[-2])) if len(words) > 1 else set()
    return tuple(name for name in mentioned(words[-1]) if name not in before)


def _delegates(memos: Collection[Memo], now: datetime) -> Mapping[int, Mapping[tuple[str, str], tuple[str, ...]]]:
    """Memo -> (holder, role) -> who may sign in that place now."""
    rows = Delegation.objects.filter(in_force(now), team__in={memo.team_id for memo in memos}).order_by("pk")
    lent = list(rows.select_related("holder", "delegate"))
    found: dict[int, dict[tuple[str, str], tuple[str, ...]]] = {memo.pk: {} for memo in memos}
    for memo in memos:
        for row in lent:
            if row.team_id == memo.team_id and row.memo_id in (None, memo.pk):
                key = (row.holder.get_username(), row.role)
                found[memo.pk][key] = (*found[memo.pk].get(key, ()), row.delegate.get_username())
    return found


def _waivers(memos: Collection[Memo]) -> Mapping[int, tuple[WaiverClock, ...]]:
    """Memo -> its approved waivers."""
    found: dict[int, tuple[WaiverClock, ...]] = defaultdict(tuple)
    rows = Waiver.objects.filter(memo__in=memos, approval__state=WaiverState.APPROVED).order_by("pk")
    for row in rows.select_related("approval", "owner", "requested_by"):
        gap = f"“{row.requirement.replace('_', ' ')}{': ' if row.subject else ''}{row.subject}”"
        people_of = (row.owner.get_username(), row.requested_by.get_username())
        clock = WaiverClock(
            id=row.pk, gap=gap, people=people_of, approved_at=row.approval.at, expires_at=row.expires_at
        )
        found[row.memo_id] = (*found[row.memo_id], clock)
    return found
