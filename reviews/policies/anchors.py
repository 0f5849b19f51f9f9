"""What became of the text that a comment is about, from the revision that it was written on to the present one.

A field is named by its path in the section: "rollback_target", "hypotheses.H1.statement", "stages.2.soak". An entry of
a list is found by what names it there (its key, its metric, its kind), else by its place, counted from 1.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final

from reviews.told_words import Anchored

NAMES: Final = ("key", "name", "metric", "kind", "setting", "role", "what", "title", "number")
NOTHING: Final = object()
OFFERED: Final = 40


@dataclass(frozen=True, slots=True)
class Standing:
    """was: the text as the comment had it, when it is another now; of a whole section, the lines that are gone."""

    word: Anchored
    was: str = ""

    @property
    def changed(self) -> bool:
        """Whether other words stand there now."""
        return self.word is Anchored.CHANGED

    @property
    def outdated(self) -> bool:
        """Whether nothing stands there any more."""
        return self.word is Anchored.OUTDATED


def standing(then: object, now: object, field: str, quote: str) -> Standing:
    """What became of the quote, else of the field, else of the whole section. then, now: the section's JSON."""
    was, present = text_at(then, field), text_at(now, field)
    if was == present or (quote and quote in present):
        return Standing(Anchored.STANDS)
    if not present:
        return Standing(Anchored.OUTDATED, quote or was)
    if quote or field:
        return Standing(Anchored.CHANGED, quote or was)
    kept = set(present.splitlines())
    return Standing(Anchored.CHANGED, "\n".join(line for line in was.splitlines() if line not in kept))


def has_field(section: object, field: str) -> bool:
    """Whether the section has such a field, filled or not."""
    return _walk(section, field) is not NOTHING


def fields(section: object) -> tuple[str, ...]:
    """The fields of the section that are filled, as paths; the first 40, so that a page of thousands stays a page."""
    return tuple(islice((path for path, _ in _leaves(section, "")), OFFERED))


def text_at(section: object, field: str) -> str:
    """The words at the field, of the whole section when it is ""; lines "name: value" where it has parts."""
    found = _walk(section, field)
    return "" if found is NOTHING else "\n".join(_lines(found, ""))


def _walk(section: object, field: str) -> object:
    found = section
    for step in field.split(".") if field else ():
        found = _step(found, step)
    return found


def _step(value: object, step: str) -> object:
    if isinstance(value, Mapping):
        return value.get(step, NOTHING)
    if not isinstance(value, list):
        return NOTHING
    named = [part for place, part in enumerate(value, start=1) if _called(part, place) == step]
    return named[0] if named else NOTHING


def _called(part: object, place: int) -> str:
    """How an entry of a list is named in a path."""
    if isinstance(part, Mapping):
        return next((str(part[name]) for name in NAMES if part.get(name)), str(place))
    return str(place)


def _lines(value: object, name: str) -> Iterator[str]:
    for path, text in _leaves(value, name):
        yield f"{path}: {text}" if path else text


def _leaves(value: object, path: str) -> Iterator[tuple[str, str]]:
    """(path, words) of everything below that says something."""
    match value:
        case Mapping():
            for key, part in value.items():
                yield from _leaves(part, f"{path}.{key}" if path else str(key))
        case list():
            for place, part in enumerate(value, start=1):
                name = _called(part, place)
                yield from _leaves(part, f"{path}.{name}" if path else name)
        case None | False | "":
            return
        case _:
            yield path, str(value)
