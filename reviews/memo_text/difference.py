"""What changed between two contents, by record and field, in words; numbers are given as numbers.

Records are matched by what names them (a hypothesis by its key, a risk by its kind), so that a row that only moved
is no change.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Final

from reviews.sections import MemoContent
from reviews.vocabulary import SectionName

_NAMED_BY: Final[Mapping[str, tuple[str, ...]]] = {
    "AbortThreshold": ("comparison", "metric", "stat"),
    "AttachmentRow": ("artifact", "run"),
    "ChangeRow": ("name",),
    "Comparison": ("key",),
    "EvidenceNote": ("refers_to",),
    "ExpectedMovement": ("metric", "stat", "said"),
    "Explanation": ("setting",),
    "FailingMetric": ("said",),
    "Hypothesis": ("key",),
    "KeptText": ("line",),
    "MissingEvidence": ("what",),
    "Prediction": ("key",),
    "QualityCheck": ("name",),
    "RequiredOwner": ("title",),
    "Risk": ("kind",),
    "RolloutStage": ("where",),
    "SealedSet": ("number",),
    "StatedSetting": ("setting", "arm"),
    "Stratum": ("sku", "driver", "firmware"),
    "Unfilled": ("field", "wanted"),
}
_UNITS: Final = {"percent": " %", "soak_hours": " h"}
_NOTHING: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class RecordChange:
    """One change. record: which record and field, in words. before, after: as people read them, "" for nothing."""

    section: str
    record: str
    before: str
    after: str


def difference(
    old: MemoContent, new: MemoContent, *, numbers: Mapping[str, str] = _NOTHING
) -> tuple[RecordChange, ...]:
    """The changes from `old` to `new`, in the order of the page; empty when the contents are equal.

    numbers: what an assessment's digest says, in numbers; a digest that is not in it is shown shortened.
    """
    return tuple(
        RecordChange(section, record, before, after)
        for section in SectionName.values
        for record, before, after in _section_changes(getattr(old, section), getattr(new, section), numbers)
    )


def _section_changes(old: Any, new: Any, numbers: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    before, after = _flat(old, "", numbers), _flat(new, "", numbers)
    moved = before == after and old != new
    for record in dict.fromkeys((*before, *after)):
        if before.get(record, "") != after.get(record, ""):
            yield record, before.get(record, ""), after.get(record, "")
    if moved:
        yield "order of the rows", _order(old), _order(new)


def _flat(value: Any, record: str, numbers: Mapping[str, str]) -> dict[str, str]:
    """Every filled field of a record, by its name in words."""
    flat: dict[str, str] = {}
    for field in fields(value):
        name = f"{record} {field.name.replace('_', ' ')}".strip()
        inner = getattr(value, field.name)
        if isinstance(inner, tuple):
            flat.update(_flat_rows(inner, name, record, numbers))
        elif is_dataclass(inner):
            flat.update(_flat(inner, name, numbers))
        elif said := _spoken(field.name, inner, numbers):
            flat[name] = said
    return flat


def _flat_rows(rows: tuple[Any, ...], name: str, record: str, numbers: Mapping[str, str]) -> dict[str, str]:
    flat: dict[str, str] = {}
    times: dict[str, int] = {}
    for row in rows:
        called = _name_of(row)
        times[called] = times.get(called, 0) + 1
        again = f" ({times[called]})" if times[called] > 1 else ""
        keyed = "key" in _NAMED_BY[type(row).__name__]
        title = f"{record} {called}".strip() if keyed else f"{name}: {called}"
        inner = _flat(row, f"{title}{again}", numbers)
        flat.update(inner)
    return flat


def _name_of(row: Any) -> str:
    return " ".join(str(getattr(row, part)) for part in _NAMED_BY[type(row).__name__])


def _spoken(name: str, value: str | int, numbers: Mapping[str, str]) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name == "assessment" and value:
        return numbers.get(str(value), f"assessment {str(value)[:12]}")
    return f"{value}{_UNITS.get(name, '')}" if value else ""


def _order(section: Any) -> str:
    rows = (getattr(section, field.name) for field in fields(section))
    return ", ".join(_name_of(row) for value in rows if isinstance(value, tuple) for row in value)
