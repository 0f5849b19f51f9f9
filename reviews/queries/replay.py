"""The decisions that a version of a template is replayed over, with what became of each since."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
from django.db.models import QuerySet

from reviews.models import Decision, MemoTemplate, ProductionEvent, Recall
from reviews.policies import frozen
from reviews.policies.facts import GateFacts
from reviews.policies.replay import Past
from reviews.sections import content_from_json
from reviews.template_content import template_from_json
from reviews.vocabulary import DecisionKind, ProductionEventKind

NO_FACTS: Final = "Its record was made before the facts of the gate were kept with it."
NO_GATE: Final = "It was an emergency: the gate was not asked."
UNREADABLE: Final = "The facts in its record do not fit this installation: "


def past_of(template: MemoTemplate) -> tuple[Past, ...]:
    """Every decision on a memo of the template, the first first."""
    rows = list(_decisions(template))
    recalled = _recalled()
    events = _rolled_back(rows)
    return tuple(_past(row, rows, events, recalled) for row in rows)


def _decisions(template: MemoTemplate) -> QuerySet[Decision]:
    return Decision.objects.filter(memo__template_version__template=template).select_related("memo").order_by("pk")


def _recalled() -> list[Recall]:
    return list(Recall.objects.select_related("artifact").order_by("pk"))


def _rolled_back(rows: list[Decision]) -> list[ProductionEvent]:
    memos = {row.memo_id for row in rows}
    found = ProductionEvent.objects.filter(memo__in=memos, kind=ProductionEventKind.ROLLED_BACK)
    return list(found.order_by("pk"))


def _past(row: Decision, rows: list[Decision], events: list[ProductionEvent], recalled: list[Recall]) -> Past:
    record: dict[str, Any] = json.loads(row.dossier)
    facts, why_not = _facts(row, record)
    return Past(
        memo=row.memo.number,
        title=row.memo.title,
        decision=row.number,
        kind=row.kind,
        decided_on=row.recorded_at.date().isoformat(),
        dossier=row.dossier_sha256,
        facts=facts,
        why_not=why_not,
        later=tuple(_later(row, record, rows, events, recalled)),
    )


def _facts(row: Decision, record: Mapping[str, Any]) -> tuple[GateFacts | None, str]:
    """The facts that were frozen with the decision, or why there are none."""
    if row.emergency:
        return None, NO_GATE
    if "facts" not in record:
        return None, NO_FACTS
    try:
        template = template_from_json(record["template"])
        return frozen.from_json(record["facts"], content_from_json(record["sections"]), template), ""
    except (msgspec.ValidationError, TypeError) as error:
        return None, f"{UNREADABLE}{error}."


def _later(
    row: Decision,
    record: Mapping[str, Any],
    rows: list[Decision],
    events: list[ProductionEvent],
    recalled: list[Recall],
) -> Iterator[str]:
    """What became of the decision, in sentences."""
    for other in rows:
        if other.memo_id == row.memo_id and other.number > row.number and other.kind == DecisionKind.ROLLBACK:
            how = "rolled back as an emergency" if other.emergency else "rolled back"
            yield f"It was {how} on {other.recorded_at.date().isoformat()} (decision {other.number})."
    for event in events:
        if event.memo_id == row.memo_id and event.happened_at > row.recorded_at:
            yield f"Production rolled {event.build} back on {event.happened_at.date().isoformat()}."
    cited = {file["sha256"]: file["name"] for file in record.get("evidence", ())}
    for one in recalled:
        if one.artifact.sha256 in cited and one.at > row.recorded_at:
            name, on = cited[one.artifact.sha256], one.at.date().isoformat()
            yield f"{name}, which it cites, was recalled on {on}: {one.reason.rstrip('.')}."
