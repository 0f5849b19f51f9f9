"""What a draft of a template changes, field by field, in words that a reader of the page understands."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from reviews.template_content import LATER

KEYS: Final = ("metric", "role", "kind", "name")
NONE: Final = "none"
MARKED: Final = re.compile(r"([●○·] ){4}[◇·]")
MARKS: Final[Mapping[str, str]] = {"●": "required", "○": "only shown", "·": "not asked"}
DECISIONS: Final = ("ship", "bounded rollout", "rollback", "escalate")


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One change. before, after: "" for what was not there, or is no more."""

    field: str
    before: str
    after: str

    @property
    def sentence(self) -> str:
        """The change in one sentence."""
        if not self.before:
            return f"{self.field}: {self.after} is new."
        if not self.after:
            return f"{self.field}: {self.before} is gone."
        return f"{self.field}: {self.before} becomes {self.after}."


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[FieldChange, ...]:
    """Every field that differs, in the order of the new template. A field that a version leaves out has its default."""
    before = {**LATER, **old} if old else {}
    return tuple(_changes("", before, {**LATER, **new}))


def _changes(path: str, old: Any, new: Any) -> Iterator[FieldChange]:
    old, new = (list(one) if isinstance(one, tuple) else one for one in (old, new))
    if old == new:
        return
    if isinstance(new, Mapping) and isinstance(old, Mapping):
        for name in dict.fromkeys([*new, *old]):
            if name != "version":
                yield from _changes(_under(path, name), old.get(name), new.get(name))
    elif _are_rows(new) or _are_rows(old):
        before, after = _by_name(old), _by_name(new)
        for name in dict.fromkeys([*after, *before]):
            yield from _changes(_under(path, name), before.get(name), after.get(name))
    elif _are_lines(new) and _are_lines(old):
        yield from (FieldChange(path, "", _said(line)) for line in new if line not in old)
        yield from (FieldChange(path, _said(line), "") for line in old if line not in new)
        if sorted(old) == sorted(new):
            yield FieldChange(path, "the order", "another order")
    else:
        yield FieldChange(path, _said(old), _said(new))


def _under(path: str, name: str) -> str:
    plain = name.replace("_", " ")
    return f"{path}, {plain}" if path else plain.capitalize()


def _are_rows(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(row, Mapping) for row in value)


def _are_lines(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(line, str) for line in value)


def _by_name(rows: Sequence[Mapping[str, Any]] | None) -> dict[str, Mapping[str, Any]]:
    return {_name(row): row for row in rows or ()}


def _name(row: Mapping[str, Any]) -> str:
    said = next((str(row[key]) for key in KEYS if key in row), "row")
    return f"{said} {row['stat']}" if "stat" in row else said


def _said(value: Any) -> str:
    """A value as people read it: nothing is "", a row is told by its title."""
    if isinstance(value, str) and MARKED.fullmatch(value):
        *marks, waivable = value.split()
        asked = [f"{MARKS[mark]} for {kind}" for mark, kind in zip(marks, DECISIONS, strict=True)]
        return f"{', '.join(asked)}, {'waivable' if waivable == '◇' else 'not waivable'}"
    if isinstance(value, Mapping):
        return str(value.get("title") or _name(value)) if value else NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(_said(one) for one in value) or NONE
    return "" if value is None else (str(value) or NONE)
