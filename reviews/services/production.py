"""Production events: what was deployed, advanced or rolled back, as people, deployers and webhooks report it.

An event belongs to the memo whose candidate it names by digest. Without one, a deployment is kept all the same, and
listed; a rollback opens a memo of the intent *incident*, which somebody ratifies by a decision.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.errors import BadInput, NotPermitted, NotVisible
from reviews.models import ApiToken, EventSource, Memo, ProductionEvent, Team
from reviews.queries import people
from reviews.queries.images import memo_of_build
from reviews.services import events, incidents, revisions, wellformed
from reviews.services.percents import decimal_of, percent_of
from reviews.vocabulary import ProductionEventKind, StandingRole

READERS: Final = frozenset({StandingRole.AUDITOR.value, StandingRole.ADMINISTRATOR.value})
LONGEST_ID: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductionReport:
    """What somebody or a deployer reports. build: image digest or another name; scope_percent: decimal text or "".

    event_id: the reporter's own name for it: reported again under the same one, it is kept once. "" for none.
    """

    kind: str
    build: str
    scope: str
    scope_percent: str
    text: str
    happened_at: datetime
    event_id: str = ""


@dataclass(frozen=True, slots=True)
class Reporter:
    """Who reports: a person, through a token or a webhook or by themselves."""

    person: User
    token: ApiToken | None = None
    source: EventSource | None = None

    @property
    def name(self) -> str:
        """How history names the reporter."""
        if self.source:
            return f"webhook {self.source.name} of {events.name_of(self.person)}"
        return events.name_of(self.token or self.person)

    @property
    def key(self) -> str:
        """Whose names of events are told apart."""
        if self.source:
            return f"source {self.source.pk}"
        return f"token {self.token.pk}" if self.token else f"person {self.person.pk}"


@transaction.atomic
def report(*, reporter: Reporter, team: str, report: ProductionReport) -> ProductionEvent:
    """The event, with the memo that it belongs to, if any; the known one when it was reported before.

    Args:
        team: slug of the team for a build that no memo names; "" when the reporter works for one team alone.

    Raises:
        NotVisible: there is no such team in which the reporter holds a role.
        NotPermitted: the reporter only reads there, or works for another team than that of the memo.
        BadInput: an unknown kind, no build, a time in the future, no team, or an event id of another event.
    """
    _check(report)
    memo = memo_of_build(reporter.person, report.build)
    owner = memo.team if memo else _team(reporter.person, team)
    _require_work(reporter.person, owner)
    _wait_for_turn(owner)
    if known := _known(reporter, report):
        return known
    memo = memo_of_build(reporter.person, report.build)
    if memo is None and report.kind == ProductionEventKind.ROLLED_BACK:
        memo = incidents.open_incident(reporter.person, owner, report.build, report.text)
    elif memo is not None:
        memo = revisions.locked(reporter.person, memo.pk)
    return _keep(reporter, memo, owner, report)


@transaction.atomic
def report_for_memo(*, reporter: Reporter, memo_id: int, report: ProductionReport) -> ProductionEvent:
    """What was deployed, advanced or rolled back under this memo; the known event when it was reported before.

    Raises:
        NotVisible: no such memo.
        NotPermitted: the reporter works for another team, or only reads.
        BadInput: as `report`.
    """
    memo = revisions.locked(reporter.person, memo_id)
    _require_work(reporter.person, memo.team)
    _check(report)
    return _known(reporter, report) or _keep(reporter, memo, memo.team, report)


def works_for(person: User, team: Team) -> bool:
    """Whether the person does more than read for the team."""
    return bool(people.roles_held(person, team) - READERS)


def _require_work(person: User, team: Team) -> None:
    if not works_for(person, team):
        raise NotPermitted(
            f"What happens in production is reported by those who work for {team.name}.", needs="Ask one of them."
        )


def _wait_for_turn(team: Team) -> None:
    """One report of a team goes after the other, so that twins are one event, and open one incident."""
    Team.objects.select_for_update(no_key=True).get(pk=team.pk)


def _check(report: ProductionReport) -> None:
    if report.kind not in ProductionEventKind.values:
        known = ", ".join(ProductionEventKind.values)
        raise BadInput(f"{report.kind!r} is no production event.", needs=f"Choose one of: {known}.", where="kind")
    wellformed.require_text(report.build, "build", longest=300, code="no_build")
    wellformed.require_fits(report.scope, "scope", longest=300)
    wellformed.require_fits(report.event_id, "event_id", longest=LONGEST_ID)
    percent_of(report.scope_percent)
    if report.happened_at > timezone.now():
        raise BadInput("What happened lies in the past.", code="future_time", where="happened_at")


def _team(person: User, slug: str) -> Team:
    """The team of that slug, or the only one that the person works for."""
    roles = people.roles_by_team(person)
    if slug:
        found = Team.objects.filter(slug=slug, slug__in=roles).first()
        if found is None:
            raise NotVisible(f"There is no team {slug} in which you hold a role.", where="team")
        return found
    mine = sorted(team for team, held in roles.items() if held - READERS)
    if len(mine) != 1:
        raise BadInput(
            "No memo names this build, so that its team has to be named.",
            needs=f"Name one of: {', '.join(mine)}." if mine else "Ask a team for a role.",
            code="no_team",
            where="team",
        )
    return Team.objects.get(slug=mine[0])


def _known(reporter: Reporter, report: ProductionReport) -> ProductionEvent | None:
    """The event that this reporter reported under the same name before. Raises BadInput when it was another one."""
    found = ProductionEvent.objects.filter(delivery=_delivery(reporter, report)).first() if report.event_id else None
    if found and _told(found) != (report.kind, report.build, report.scope, report.happened_at):
        raise BadInput(
            f"You reported another event under the id {report.event_id}.",
            needs="Give each event an id of its own.",
            code="event_id_reused",
            where="event_id",
        )
    return found


def _told(row: ProductionEvent) -> tuple[str, str, str, datetime]:
    return row.kind, row.build, row.scope, row.happened_at


def _delivery(reporter: Reporter, report: ProductionReport) -> str | None:
    return f"{reporter.key}: {report.event_id}" if report.event_id else None


def _keep(reporter: Reporter, memo: Memo | None, team: Team, report: ProductionReport) -> ProductionEvent:
    percent = percent_of(report.scope_percent)
    by_machine = reporter.token or reporter.source
    row = ProductionEvent.objects.create(
        memo=memo,
        team=team,
        kind=report.kind,
        build=report.build.strip(),
        scope=report.scope,
        scope_percent=None if percent is None else decimal_of(percent),
        text=report.text,
        reported_by=None if by_machine else reporter.person,
        reported_by_name=reporter.name,
        happened_at=report.happened_at,
        recorded_at=timezone.now(),
        delivery=_delivery(reporter, report),
    )
    events.append(
        memo or team,
        reporter.token or reporter.person,
        "production_event",
        kind=row.kind,
        build=row.build,
        scope=row.scope,
        event=row.pk,
        by=reporter.name,
    )
    return row
