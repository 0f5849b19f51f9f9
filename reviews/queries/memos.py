"""The list of memos: filters that stand in the URL, and what a row says."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import django_filters
from django import forms
from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator
from django.db.models import CharField, Exists, ExpressionWrapper, F, OuterRef, Q, QuerySet, Subquery, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from django.http import QueryDict
from django.utils import timezone

from reviews.models import Assessment, Decision, Memo, MemoTemplate, Team, TemplateVersion
from reviews.queries import comparisons, people
from reviews.queries.comparisons import Compared, Headline
from reviews.queries.intervals import ShownInterval, shown
from reviews.queries.live import live_without_authority
from reviews.sections import MemoContent, content_from_json
from reviews.signs import SIGNS
from reviews.template_content import TemplateContent, template_from_json
from reviews.vocabulary import ComparisonRole, DecisionKind, Intent, State

ROWS_A_PAGE: Final = 25
OUTCOMES: Final = [(name, sign.word) for name, sign in SIGNS["outcome"].items() if name != "verdict"]
MATERIALITIES: Final = [(name, sign.word) for name, sign in SIGNS["materiality"].items()]
VERDICTS: Final = [*MATERIALITIES, *OUTCOMES]
UNDECIDED: Final = "none"


@dataclass(frozen=True, slots=True)
class MemoRow:
    """A row of the list. verdict: (kind of sign, value) of the primary comparison, None while there is none."""

    memo: Memo
    headline: Headline
    verdict: tuple[str, str] | None
    interval: ShownInterval | None
    decision: str
    decided_at: datetime | None
    live_without_authority: bool


class MemoFilters(django_filters.FilterSet):  # type: ignore[misc]  # it has no types
    """What the list can be narrowed to; every filter stands in the URL."""

    q = django_filters.CharFilter(label="Words", method="said")
    state = django_filters.ChoiceFilter(choices=State.choices, empty_label="any")
    team = django_filters.ModelChoiceFilter(
        label="Team", queryset=Team.objects.order_by("name"), to_field_name="slug", empty_label="any"
    )
    template = django_filters.ModelChoiceFilter(
        label="Topic",
        field_name="template_version__template",
        queryset=MemoTemplate.objects.order_by("title"),
        to_field_name="slug",
        empty_label="any",
    )
    intent = django_filters.ChoiceFilter(choices=Intent.choices, empty_label="any")
    verdict = django_filters.ChoiceFilter(
        label="Primary verdict", choices=VERDICTS, empty_label="any", method="concluded"
    )
    decision = django_filters.ChoiceFilter(
        label="Last decision",
        choices=[*DecisionKind.choices, (UNDECIDED, "none yet")],
        empty_label="any",
        method="decided",
    )
    author = django_filters.ChoiceFilter(label="Author", field_name="created_by__username", empty_label="any")
    since = django_filters.DateFilter(label="Filed from", field_name="created_at", lookup_expr="date__gte")
    until = django_filters.DateFilter(label="Filed to", field_name="created_at", lookup_expr="date__lte")

    class Meta:
        model = Memo
        fields: tuple[str, ...] = ()

    def __init__(self, data: QueryDict | None, *, queryset: QuerySet[Memo]) -> None:
        super().__init__(data, queryset=queryset)
        authors = queryset.order_by("created_by__username").values_list("created_by__username", flat=True).distinct()
        self.filters["author"].extra["choices"] = [(name, name) for name in authors]
        for name in ("since", "until"):
            self.filters[name].extra["widget"] = forms.DateInput(attrs={"type": "date"})

    def said(self, rows: QuerySet[Memo], _name: str, words: str) -> QuerySet[Memo]:
        """Number, title or the current text hold each of the words."""
        rows = rows.annotate(text=Cast("current_revision__sections", TextField()))
        for word in words.split():
            kept = json.dumps(word)[1:-1]
            rows = rows.filter(
                Q(number__icontains=word) | Q(title__icontains=word) | Q(text__icontains=word) | Q(text__icontains=kept)
            )
        return rows

    def concluded(self, rows: QuerySet[Memo], _name: str, verdict: str) -> QuerySet[Memo]:
        """The primary comparison of the current revision says so."""
        says = {"outcome": verdict} if verdict in dict(OUTCOMES) else {"result__verdict__materiality": verdict}
        if "outcome" not in says:
            says["outcome"] = "verdict"
        cited = KeyTextTransform("comparisons", "current_revision__sections")
        rows = rows.annotate(cited=Cast(cited, TextField()))
        primary = Assessment.objects.filter(memo=OuterRef("pk"), result__plan__role=ComparisonRole.PRIMARY, **says)
        outer = ExpressionWrapper(OuterRef("cited"), output_field=TextField())
        return rows.filter(Exists(primary.annotate(cited=outer).filter(cited__contains=F("digest"))))

    def decided(self, rows: QuerySet[Memo], _name: str, kind: str) -> QuerySet[Memo]:
        """The last decision is of that kind, or there is none."""
        last = Decision.objects.filter(memo=OuterRef("pk")).order_by("-number").values("kind")[:1]
        rows = rows.annotate(last_decision=Subquery(last, output_field=CharField()))
        return rows.filter(last_decision__isnull=True) if kind == UNDECIDED else rows.filter(last_decision=kind)


@dataclass(frozen=True, slots=True)
class MemoList:
    """A page of the list. page: of memos, for the links; rows: what it shows; query: the filters, for those links."""

    filters: MemoFilters
    page: Page[Memo]
    rows: tuple[MemoRow, ...]
    query: str


def memo_list(person: User, data: QueryDict) -> MemoList:
    """The memos that the person may see, narrowed by the filters in `data`; a filter that says nonsense finds none."""
    filters = MemoFilters(data, queryset=people.memos_visible_to(person))
    rows = filters.qs if filters.is_valid() else filters.queryset.none()
    page = Paginator(rows, ROWS_A_PAGE).get_page(data.get("page"))
    kept = data.copy()
    kept.pop("page", None)
    return MemoList(filters, page, _rows(list(page.object_list)), kept.urlencode())


def _rows(memos: list[Memo]) -> tuple[MemoRow, ...]:
    """A number of queries that stays, for all rows together: assessments, decisions, rollouts without authority."""
    contents = {memo.pk: content_from_json(memo.current_revision.sections) for memo in memos if memo.current_revision}
    known = _assessments(contents)
    last = {
        row["memo"]: row
        for row in Decision.objects.filter(memo__in=memos).order_by("number").values("memo", "kind", "recorded_at")
    }
    live = live_without_authority(list(contents), timezone.now())
    return tuple(_row(memo, contents[memo.pk], known, last.get(memo.pk), live=memo.pk in live) for memo in memos)


def _assessments(contents: Mapping[int, MemoContent]) -> Mapping[tuple[int, str], Assessment]:
    """(memo, digest) -> assessment, of the primary comparisons."""
    digests = [row.assessment for content in contents.values() for row in _primaries(content) if row.assessment]
    found = Assessment.objects.filter(memo__in=contents, digest__in=digests).defer("inputs")
    return {(row.memo_id, row.digest): row for row in found}


def _primaries(content: MemoContent) -> Iterable[Any]:
    return (row for row in content.comparisons.comparisons if row.role == ComparisonRole.PRIMARY)


def _row(
    memo: Memo,
    content: MemoContent,
    known: Mapping[tuple[int, str], Assessment],
    decision: Mapping[str, Any] | None,
    *,
    live: bool,
) -> MemoRow:
    compared = tuple(Compared(row, known.get((memo.pk, row.assessment))) for row in content.comparisons.comparisons)
    headline = comparisons.headline(compared)
    return MemoRow(
        memo=memo,
        headline=headline,
        verdict=verdict_of(headline),
        interval=shown(headline.result) if headline.result else None,
        decision=str(DecisionKind(decision["kind"]).label) if decision else "",
        decided_at=decision["recorded_at"] if decision else None,
        live_without_authority=live,
    )


def verdict_of(headline: Headline) -> tuple[str, str] | None:
    """(kind of sign, value) by which a headline is shown; None while nothing is computed."""
    if headline.result is None:
        return None
    if headline.outcome == "verdict":
        return "materiality", str(headline.result["verdict"]["materiality"])
    return "outcome", headline.outcome


def newest_templates() -> tuple[TemplateContent, ...]:
    """The newest version of every template, by title."""
    newest: dict[str, TemplateContent] = {}
    for version in TemplateVersion.objects.order_by("template__title", "version").values_list("content", flat=True):
        content = template_from_json(version)
        newest[content.slug] = content
    return tuple(newest.values())
