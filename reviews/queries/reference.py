"""The team's pinned reference build, and what was shipped since, for the gate: parts of its queries, and the facts."""

from collections.abc import Mapping
from typing import Any, Final

from django.db.models import Exists, F, OuterRef, QuerySet, Subquery
from django.db.models.fields.json import KeyTextTransform

from reviews.models import Assessment, Decision, Memo, ReferenceBuild
from reviews.policies.cumulative import Shipped, budgets
from reviews.policies.evidence_facts import AssessmentFacts, IntervalFacts
from reviews.policies.facts import ReferenceFacts
from reviews.queries.rows import Row, nested, part
from reviews.sections import Comparison, Comparisons, MemoContent, from_json
from reviews.template_content import template_from_json
from reviews.vocabulary import DecisionKind, SectionName

OURS: Final = "this memo"
KEPT: Final = ("interval", "widened")


def pinned(team_id: int) -> ReferenceBuild | None:
    """The reference build of the team that is in force: the last that was pinned."""
    return ReferenceBuild.objects.filter(team_id=team_id).order_by("-pk").first()


def parts(memo: Memo) -> tuple[QuerySet[Any], ...]:
    """The parts on the pinned build, on what was shipped since and not rolled back, and on the intervals of that."""
    builds = ReferenceBuild.objects.filter(team=memo.team)
    shipped = _shipped_since(memo, builds)
    return (
        part("reference", builds, build=F("build"), at=F("at")),
        part(
            "shipped",
            shipped,
            memo=F("memo__number"),
            comparisons=KeyTextTransform(SectionName.COMPARISONS.value, "revision__sections"),
        ),
        part(
            "moved",
            Assessment.objects.filter(memo__in=shipped.values("memo")),
            digest=F("digest"),
            **{name: KeyTextTransform(name, "result") for name in KEPT},
        ),
    )


def _shipped_since(memo: Memo, builds: QuerySet[Any]) -> QuerySet[Any]:
    later = Decision.objects.filter(memo=OuterRef("memo"), number__gt=OuterRef("number"))
    return Decision.objects.filter(
        ~Exists(later.filter(kind=DecisionKind.ROLLBACK)),
        kind=DecisionKind.SHIP,
        memo__team=memo.team,
        recorded_at__gte=Subquery(builds.order_by("-pk").values("at")[:1]),
    ).exclude(memo=memo)


def facts(
    memo: Memo, content: MemoContent, rows: Mapping[str, list[Row]], assessments: Mapping[str, AssessmentFacts]
) -> ReferenceFacts | None:
    """How far the metrics of the memo have moved since the pinned build; None when the team has pinned none."""
    if not rows["reference"]:
        return None
    template = template_from_json(memo.template_version.content)
    metrics = {(metric.metric, metric.stat): metric for metric in template.metrics}
    ours = {digest: found.interval for digest, found in assessments.items() if found.interval is not None}
    this = Shipped(OURS, content.comparisons.comparisons, ours)
    theirs = {row["digest"]: interval for row in rows["moved"] if (interval := _interval(row)) is not None}
    before = [Shipped(row["memo"], _comparisons(row), theirs) for row in rows["shipped"]]
    return ReferenceFacts(build=rows["reference"][-1]["build"], budgets=budgets(this, before, metrics))


def _comparisons(row: Row) -> tuple[Comparison, ...]:
    section: Comparisons = from_json(SectionName.COMPARISONS.value, nested(row["comparisons"]))
    return section.comparisons


def _interval(row: Row) -> IntervalFacts | None:
    """What of an interval the chain needs: its ends, the widened ones where there are any."""
    shown = nested(row["widened"] or "null") or nested(row["interval"] or "null")
    if shown is None:
        return None
    return IntervalFacts(
        low=shown["lo"], high=shown["hi"], kind="confidence", confidence="", method=shown["method"], n=0, scope="",
        widened=False,
    )  # fmt: skip
