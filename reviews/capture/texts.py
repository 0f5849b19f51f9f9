"""Prompts and generated texts in the JSON files of serving benchmarks: found, and taken out byte by byte.

Only the value of the field changes: a list becomes [], a text "". Every number stays as the file has it.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from reviews.errors import Refusal

FIELDS: Final = (
    "generated_texts", "generated_text", "prompts", "prompt", "prompt_text", "input_texts", "input_text",
    "output_texts", "output_text",
)  # fmt: skip
FIELD: Final = re.compile(rf'(?<!\\)"({"|".join(FIELDS)})"\s*:\s*(?=["\[])')
DECODER: Final = json.JSONDecoder(strict=False)
BYTES: Final = "latin-1"  # one character per byte: what JSON is built of is the same in it as in UTF-8


@dataclass(frozen=True, slots=True)
class _Value:
    """The value of a field of text: the field, and where the value begins and ends."""

    field: str
    start: int
    end: int


def fields_in(content: bytes) -> tuple[str, ...]:
    """The fields of prompts and generated texts that hold any, each once. A value that breaks off counts."""
    return tuple(dict.fromkeys(value.field for value in _values(content.decode(BYTES))))


def without(content: bytes, where: str) -> bytes:
    """The file without these texts. Raises Refusal(texts_not_dropped) for a value that has no end."""
    text = content.decode(BYTES)
    parts, place = [], 0
    for value in _values(text):
        if value.end < 0:
            raise Refusal(
                f"{value.field} cannot be taken out of {where}: its value breaks off or is no JSON.",
                needs="Take it out of the file, or send it with --keep-texts.",
                code="texts_not_dropped",
                where=where,
            )
        parts += [text[place : value.start], "[]" if text[value.start] == "[" else '""']
        place = value.end
    return "".join([*parts, text[place:]]).encode(BYTES)


def _values(text: str) -> Iterator[_Value]:
    place = 0
    while found := FIELD.search(text, place):
        try:
            value, end = DECODER.raw_decode(text, found.end())
        except (ValueError, RecursionError):
            yield _Value(found[1], found.end(), -1)
            place = found.end()
            continue
        if _holds_text(value):
            yield _Value(found[1], found.end(), end)
        place = end


def _holds_text(value: object) -> bool:
    """Whether there is a text in it: a list of lengths holds none, and neither does one that was emptied."""
    if isinstance(value, list):
        return any(_holds_text(inner) for inner in value)
    if isinstance(value, dict):
        return any(_holds_text(inner) for inner in value.values())
    return isinstance(value, str) and bool(value.strip())
