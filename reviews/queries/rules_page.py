"""Templates with their versions and drafts, what a draft changes in words, and its replay over the past."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet

from reviews.errors import NotVisible
from reviews.models import MemoTemplate, ReferenceBuild, Team, TemplateDraft, TemplateVersion
from reviews.policies import replay
from reviews.policies.replay import Counts, Replayed
from reviews.queries import people
from reviews.queries import replay as past
from reviews.sections import digest_of
from reviews.template_content import LATER, template_from_json
from reviews.template_words import FieldChange, changes
from reviews.vocabulary import StandingRole

PINNERS = frozenset({StandingRole.BOARD.value, StandingRole.ADMINISTRATOR.value})


@dataclass(frozen=True, slots=True)
class Replay:
    """A draft over the past. document: what is kept of it when it is activated; digest: of that."""

    rows: tuple[Replayed, ...]
    counts: Counts
    document: dict[str, Any]
    digest: str


@dataclass(frozen=True, slots=True)
class VersionLine:
    """A version or a draft. standing: draft, outdated draft, active or retired, in words."""

    row: TemplateVersion | TemplateDraft
    standing: str
    is_draft: bool


@dataclass(frozen=True, slots=True)
class TemplateLines:
    template: MemoTemplate
    lines: tuple[VersionLine, ...]


@dataclass(frozen=True, slots=True)
class DraftPage:
    """A draft. hidden: how many replayed decisions stand on memos that the reader does not see."""

    draft: TemplateDraft
    standing: str
    changes: tuple[FieldChange, ...]
    replay: Replay
    shown: tuple[Replayed, ...]
    hidden: int
    why_not: str


@dataclass(frozen=True, slots=True)
class ReferenceLine:
    """A team with its pinned build, None when there is none. may_pin: for the reader."""

    team: Team
    build: ReferenceBuild | None
    may_pin: bool


def may_draft(person: User) -> bool:
    """Whether the person operates this installation, or administers a team."""
    roles = people.roles_by_team(person).values()
    return person.is_superuser or any(StandingRole.ADMINISTRATOR.value in held for held in roles)


def active_of(slug: str) -> TemplateVersion | None:
    """The active version: the newest one; None for a template that is not there yet."""
    return TemplateVersion.objects.filter(template__slug=slug).order_by("-version").first()


def whole_of(version: TemplateVersion) -> dict[str, Any]:
    """The content of a version, with the fields that it leaves at their default."""
    return {**version.content, **{name: version.content.get(name, value) for name, value in LATER.items()}}


def drafts_of(slug: str) -> QuerySet[TemplateDraft]:
    """The drafts of a template, activated ones too, the newest first."""
    return TemplateDraft.objects.filter(template__slug=slug).select_related("template", "activation").order_by("-pk")


def draft_of(draft_id: int) -> TemplateDraft:
    """The draft. Raises NotVisible."""
    row = TemplateDraft.objects.select_related("template", "base", "activation").filter(pk=draft_id).first()
    if row is None:
        raise NotVisible(f"There is no draft {draft_id}.")
    return row


def all_templates() -> tuple[TemplateLines, ...]:
    """Every template with its versions and the drafts that wait, the newest first."""
    rows = MemoTemplate.objects.prefetch_related("versions", "drafts__activation").order_by("title")
    return tuple(TemplateLines(row, tuple(_lines(row))) for row in rows)


def _lines(template: MemoTemplate) -> Iterable[VersionLine]:
    versions = sorted(template.versions.all(), key=lambda row: -row.version)
    active = versions[0].pk if versions else None
    for draft in sorted(template.drafts.all(), key=lambda row: -row.pk):
        if not hasattr(draft, "activation"):
            yield VersionLine(draft, "draft" if draft.base_id == active else "outdated draft", is_draft=True)
    for version in versions:
        yield VersionLine(version, "active" if version.pk == active else "retired", is_draft=False)


def standing_of(draft: TemplateDraft) -> str:
    """Where a draft stands, in words."""
    active = active_of(draft.template.slug)
    if hasattr(draft, "activation"):
        return "active" if active and active.pk == draft.activation.version_id else "retired"
    return "draft" if (active.pk if active else None) == draft.base_id else "outdated draft"


def changes_of(draft: TemplateDraft) -> tuple[FieldChange, ...]:
    """What the draft changes against the version that was active when it was drafted."""
    return changes(draft.base.content if draft.base else {}, draft.content)


def replay_of(draft: TemplateDraft) -> Replay:
    """The draft over every decision on memos of its template, as they were frozen then."""
    rows = replay.replay(past.past_of(draft.template), template_from_json(draft.content))
    found = replay.counts(rows)
    document = {"draft": draft.digest, "counts": asdict(found), "decisions": [_row(row) for row in rows]}
    return Replay(rows, found, document, digest_of(document))


def _row(row: Replayed) -> dict[str, Any]:
    said = asdict(row)
    return {**said, "missing": [dict(one) for one in said["missing"]], "later": list(row.later)}


def draft_page(person: User, draft_id: int) -> DraftPage:
    """A draft with what it changes and its replay, for this person. Raises NotVisible."""
    draft = draft_of(draft_id)
    found = replay_of(draft)
    seen = None if person.is_superuser else set(people.memos_visible_to(person).values_list("number", flat=True))
    shown = tuple(row for row in found.rows if seen is None or row.memo in seen)
    return DraftPage(
        draft,
        standing_of(draft),
        changes_of(draft),
        found,
        shown,
        len(found.rows) - len(shown),
        _why_not(person, draft),
    )


def _why_not(person: User, draft: TemplateDraft) -> str:
    """Why the person does not activate the draft, "" when they may."""
    if hasattr(draft, "activation"):
        return f"{draft.activation.approver_name} activated it."
    if standing_of(draft) != "draft":
        return "Another version became active since it was drafted; draft it again from that one."
    if not person.is_superuser:
        return "An operator of this installation activates it."
    return "Who wrote a draft does not activate it; another operator does." if draft.author_id == person.pk else ""


def reference_lines(person: User) -> tuple[ReferenceLine, ...]:
    """The teams in which the person holds a role, with their pinned builds."""
    roles = people.roles_by_team(person)
    rows = Team.objects.filter(slug__in=roles).order_by("name").prefetch_related("reference_builds")
    return tuple(
        ReferenceLine(
            team,
            max(team.reference_builds.all(), key=lambda row: row.pk, default=None),
            bool(roles[team.slug] & PINNERS),
        )
        for team in rows
    )


def references_of(person: User, slug: str) -> QuerySet[ReferenceBuild]:
    """The builds that the team ever pinned, the newest first. Raises NotVisible."""
    team = Team.objects.filter(slug=slug).first()
    if team is None or not people.roles_held(person, team):
        raise NotVisible(f"There is no team {slug} in which you hold a role.", needs="Ask its administrators.")
    return ReferenceBuild.objects.filter(team=team).order_by("-pk")
