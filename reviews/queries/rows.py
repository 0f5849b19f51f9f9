"""Rows of several tables in one query: each part names itself and gives its columns as one JSON object.

A part that the databases spell differently (a JSON column inside JSON, a truth value, a time) is read back here.
"""

import json
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.db.models import CharField, QuerySet, Value
from django.db.models.functions import JSONObject

Row = Mapping[str, Any]


def part(name: str, rows: QuerySet[Any], /, **columns: Any) -> QuerySet[Any]:
    """The rows as (name, {column: value}); `id` is their primary key."""
    return rows.order_by().values_list(Value(name, output_field=CharField()), JSONObject(id="pk", **columns))


def union(*parts: QuerySet[Any]) -> Mapping[str, list[Row]]:
    """The rows of all parts by name, each in the order of the primary key, read in one query."""
    first, *rest = parts
    found: dict[str, list[Row]] = defaultdict(list)
    for name, row in first.union(*rest, all=True):
        found[name].append(row)
    for rows in found.values():
        rows.sort(key=_primary_key)
    return found


def nested(value: Any) -> Any:
    """A JSON column inside a JSON object; SQLite hands it over as text."""
    return json.loads(value) if isinstance(value, str) else value


def moment(value: str) -> datetime:
    """A time inside a JSON object; SQLite leaves the zone out, which is UTC."""
    at = datetime.fromisoformat(value)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def moment_or_none(value: str | None) -> datetime | None:
    """A time inside a JSON object, or none."""
    return moment(value) if value else None


def _primary_key(row: Row) -> int:
    return int(row["id"])
