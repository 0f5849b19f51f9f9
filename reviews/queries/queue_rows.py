"""What the queue is made from: the person's open memos with their people, in a number of queries that stays."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Count, Prefetch, Q

from reviews.models import (
    Assignment,
    Condition,
    Delegation,
    EvidenceSet,
    FollowUp,
    Memo,
    Revision,
    Signature,
    Waiver,
    in_force,
)
from reviews.policies.facts import Contribution, GateFacts
from reviews.queries import contracts, people
from reviews.queries.contracts import Standing
from reviews.queries.live import Live, live_without_authority
from reviews.queries.people_facts import PeopleFacts, facts_without_evidence
from reviews.queries.recalled import Cited, cited_losses
from reviews.sections import MemoContent, content_from_json
from reviews.template_content import TemplateContent, template_from_json
from reviews.vocabulary import OPEN_STATES, SetState, State


@dataclass(frozen=True, slots=True)
class Open:
    """An open memo of one of the person's teams, with what of it can wait for somebody."""

    memo: Memo
    revision: Revision
    content: MemoContent
    template: TemplateContent
    facts: GateFacts
    signatures: tuple[Signature, ...]


@dataclass(frozen=True, slots=True)
class Waiting:
    """Everything that the queue looks through. roles: team slug -> roles of the person."""

    person: User
    now: datetime
    roles: Mapping[str, frozenset[str]]
    memos: tuple[Open, ...]
    waivers: tuple[Waiver, ...]
    follow_ups: tuple[FollowUp, ...]
    open_sets: tuple[EvidenceSet, ...]
    standings: Mapping[int, Standing]
    live: Mapping[int, Live]
    lost: tuple[Cited, ...]
    lent: tuple[Delegation, ...]

    def lent_for(self, memo: Memo) -> tuple[Delegation, ...]:
        """What the person may sign on the memo in another's place."""
        return tuple(row for row in self.lent if row.team_id == memo.team_id and row.memo_id in (None, memo.pk))

    def held(self, memo: Memo) -> frozenset[str]:
        """The roles of the person in the memo's team."""
        return self.roles.get(memo.team.slug, frozenset())


def waiting(person: User, now: datetime) -> Waiting:
    """What may wait for the person; a number of queries that stays, however many memos there are."""
    roles = people.roles_by_team(person, now)
    visible = people.memos_visible_to(person)
    lent = tuple(Delegation.objects.filter(in_force(now), delegate=person).select_related("holder").order_by("pk"))
    of_mine = Q(team__slug__in=roles) | Q(created_by=person) | Q(pk__in=[row.memo_id for row in lent if row.memo_id])
    of_mine |= Q(team__in=[row.team_id for row in lent if not row.memo_id])
    memos = list(visible.filter(state__in=OPEN_STATES).filter(of_mine))
    keys = [memo.pk for memo in memos]
    return Waiting(
        person=person,
        now=now,
        roles=roles,
        memos=opened(memos, now),
        waivers=tuple(
            Waiver.objects.filter(memo__in=visible.values("pk"), memo__state__in=OPEN_STATES)
            .select_related("memo__team", "approval")
            .order_by("expires_at", "pk")
        ),
        follow_ups=tuple(
            FollowUp.objects.filter(owner=person, done__isnull=True).select_related("memo__team").order_by("due_at")
        ),
        open_sets=tuple(
            EvidenceSet.objects.filter(opened_by=person, state=SetState.OPEN, memo__state__in=OPEN_STATES)
            .select_related("memo__team")
            .annotate(files=Count("attachments", filter=Q(attachments__detachment__isnull=True)))
            .order_by("opened_at")
        ),
        standings=contracts.standings(keys, now),
        live=live_without_authority(keys, now),
        lost=cited_losses([*memos, *visible.filter(state=State.SHIPPED, team__slug__in=roles)]),
        lent=lent,
    )


def opened(memos: list[Memo], now: datetime) -> tuple[Open, ...]:
    """The memos with what of them can wait for somebody; a number of queries that stays, however many memos."""
    given, holders, wrote = _signatures(memos), _holders(memos, now), _contributions(memos)
    found = []
    for memo in memos:
        revision = memo.current_revision
        if revision is not None:
            said = PeopleFacts(tuple(given[memo.pk]), holders[memo.team_id], tuple(wrote[memo.pk]), now)
            content, template = content_from_json(revision.sections), template_from_json(memo.template_version.content)
            facts = facts_without_evidence(memo, revision, content, template, said)
            found.append(Open(memo, revision, content, template, facts, said.signatures))
    return tuple(found)


def _signatures(memos: list[Memo]) -> Mapping[int, list[Signature]]:
    """Memo -> its signatures, oldest first."""
    found: dict[int, list[Signature]] = defaultdict(list)
    rows = (
        Signature.objects.filter(memo__in=memos)
        .select_related("signer", "acting_for", "withdrawal", "resolution", "hearing__by")
        .prefetch_related(Prefetch("conditions", Condition.objects.select_related("clearance__by", "owner")), "answers")
        .defer("statement")
        .order_by("pk")
    )
    for row in rows:
        found[row.memo_id].append(row)
    return found


def _holders(memos: list[Memo], now: datetime) -> Mapping[int, Mapping[str, tuple[str, ...]]]:
    """Team -> role -> who holds it."""
    found: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    teams = {memo.team_id for memo in memos}
    rows = Assignment.objects.filter(in_force(now), team__in=teams, person__is_active=True).order_by("pk")
    for team, role, name in rows.values_list("team", "role", "person__username"):
        found[team][role].append(name)
    return defaultdict(
        dict, {team: {role: tuple(names) for role, names in roles.items()} for team, roles in found.items()}
    )


def _contributions(memos: list[Memo]) -> Mapping[int, list[Contribution]]:
    """Memo -> who wrote which revision."""
    found: dict[int, list[Contribution]] = defaultdict(list)
    rows = Revision.objects.filter(memo__in=memos).order_by("number")
    for memo, name, number in rows.values_list("memo", "contributor__username", "number"):
        found[memo].append(Contribution(name=name, revision=number))
    return found
