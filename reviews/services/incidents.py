"""Incidents: a memo opened by a production event, at whatever hour, so that a decision can ratify what was done."""

from django.contrib.auth.models import User
from django.utils import timezone

from reviews.errors import BadInput
from reviews.models import Decision, Memo, ProductionEvent, Ratification, Team, TemplateVersion
from reviews.sections import Change, Header, MemoContent, ProposedAction, Symptom
from reviews.services import events, revisions, wellformed
from reviews.services.numbers import next_memo_number
from reviews.vocabulary import Intent, ProductionEventKind, State

TITLE_LENGTH = BUILD_LENGTH = 300


def open_incident(actor: User, team: Team, build: str, text: str) -> Memo:
    """A draft that says what was rolled back, in the open transaction; the reporter is its author.

    Its template is that of the team's latest memo, else the first one there is.

    Raises:
        BadInput: this installation has no template.
    """
    version = _template(team)
    content = MemoContent(
        header=Header(
            title=f"Rolled back in production: {build.strip()}"[:TITLE_LENGTH],
            team=team.slug,
            intent=Intent.INCIDENT.value,
            template=version.template.slug,
            template_version=version.version,
        ),
        symptom=Symptom(failing_metric=text.strip() or "Rolled back in production; nobody has said yet why."),
        change=Change(candidate=build.strip()),
        action=ProposedAction(rollback_target="What ran before, to which production went back."),
    )
    wellformed.require_content(content)
    now = timezone.now()
    memo = Memo.objects.create(
        number=next_memo_number(now.year),
        title=content.header.title,
        team=team,
        template_version=version,
        intent=Intent.INCIDENT,
        state=State.DRAFT,
        created_by=actor,
        created_at=now,
    )
    template = f"{version.template.slug} {version.version}"
    events.append(memo, actor, "file", number=memo.number, template=template, opened_by="a production event")
    revisions.add(actor, memo, content, "Opened by a production event.", action="revise")
    return memo


def ratify(actor: User, memo: Memo, decision: int, note: str) -> tuple[Ratification, ...]:
    """Every reported rollback of the memo that nobody has ratified, ratified by that decision, in its transaction."""
    waiting = memo.production_events.filter(kind=ProductionEventKind.ROLLED_BACK, ratification__isnull=True)
    return tuple(_ratified(actor, memo, event.pk, decision, note) for event in waiting.order_by("pk"))


def note_rollback(actor: User, memo: Memo, build: str, decision: Decision) -> Ratification:
    """The production event that an emergency rollback is, by whom it was recorded, ratified by the decision itself."""
    event = ProductionEvent.objects.create(
        memo=memo,
        team=memo.team,
        kind=ProductionEventKind.ROLLED_BACK,
        build=build.strip()[:BUILD_LENGTH] or memo.number,
        text=decision.rationale,
        reported_by=actor,
        reported_by_name=events.name_of(actor),
        happened_at=decision.effective_at,
        recorded_at=decision.recorded_at,
    )
    events.append(memo, actor, "production_event", kind=event.kind, build=event.build, event=event.pk)
    return _ratified(actor, memo, event.pk, decision.number, decision.rationale)


def _ratified(actor: User, memo: Memo, event: int, decision: int, note: str) -> Ratification:
    row = Ratification.objects.create(
        production_event_id=event, note=note, by=actor, by_name=events.name_of(actor), at=timezone.now()
    )
    events.append(memo, actor, "ratify", event=event, decision=decision)
    return row


def _template(team: Team) -> TemplateVersion:
    latest = team.memos.select_related("template_version").order_by("-pk").first()
    versions = TemplateVersion.objects.select_related("template").order_by("template__slug", "-version")
    wanted = versions.filter(template=latest.template_version.template_id) if latest else versions
    found = wanted.first()
    if found is None:
        raise BadInput("This installation has no template yet.", needs="Publish one.", code="no_template")
    return found
