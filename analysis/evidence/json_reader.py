"""JSON as files really hold it: strict first, then only the named leniencies, each recorded in words.

Leniencies: bare NaN and Infinity, `nan` and `-inf`, values one after the other (JSON Lines), text before the first or
after the last value, a cut-off end (complete elements are kept, and the result says `incomplete`), bad escapes and
control characters in strings. Nothing else is guessed.
"""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import limits, text_reader
from analysis.evidence.format import Document
from analysis.evidence.truncated import closed
from analysis.evidence.values import Json, Numeral

SPACE: Final = re.compile(r"\s*")
WORDS: Final = re.compile(r'"(?:[^"\\]|\\.)*"|(?<![\w"])([-+]?)(nan|inf(?:inity)?)(?![\w"])', re.DOTALL | re.IGNORECASE)
BAD_ESCAPE: Final = re.compile(r'\\(?:u(?![0-9a-fA-F]{4})|[^"\\/bfnrtu])', re.DOTALL)
CONTROL: Final = re.compile(r"[\x00-\x1f]")
START: Final = re.compile(r"^[ \t]*(\{|\[\s*[\[{])", re.MULTILINE)

CONSTANTS = "bare NaN or Infinity stands for a number"
LOWER_CASE = "nan or inf stands for a number"
ESCAPES = "a string holds a backslash that is no JSON escape: taken as a plain backslash"
CONTROLS = "a string holds a control character"
BEFORE = "there is text before the first value: passed over"
AFTER = "there is text after the last value: passed over"
CUT = "the file is cut off: only its complete elements were read"
LAST_CUT = "the file is cut off: its last value was left out"


@dataclass(frozen=True, slots=True)
class JsonText:
    """The values of a file, one or several.

    leniences: each departure from strict JSON, in words.
    incomplete: the end of the file is missing.
    """

    values: tuple[Json, ...]
    leniences: tuple[str, ...]
    incomplete: bool

    def only(self, where: str) -> Json:
        """The one value of a file that holds no more. Raises MalformedEvidence(several_files)."""
        if len(self.values) > 1:
            raise MalformedEvidence("there is more than one result in it", where=where, code="several_files")
        return self.values[0]


def read(document: Document) -> JsonText:
    """The values of a file.

    Raises:
        MalformedEvidence: malformed_json, duplicate_key, too_deep, too_many_rows, and those of text_reader.decode.
    """
    decoded = text_reader.decode(document)
    try:
        found = JsonText((strict(decoded.text, document.name),), (), incomplete=False)
    except json.JSONDecodeError:
        found = _lines(decoded.text, document.name) or _lenient(decoded.text, document.name)
    refuse_deep(found.values, document.name)
    return JsonText(found.values, decoded.leniences + found.leniences, found.incomplete)


def refuse_deep(values: Iterable[Json], where: str) -> None:
    """Nothing; or too_deep."""
    level = list(values)
    for _ in range(limits.DEPTH):
        level = [inner for outer in level for inner in _inside(outer) if isinstance(inner, list | dict)]
        if not level:
            return
    raise limits.too_deep(where)


def _inside(value: Json) -> Iterable[Json]:
    if isinstance(value, list):
        return value
    return value.values() if isinstance(value, dict) else ()


def value_at_start(text: str, where: str) -> tuple[Json, tuple[str, ...]]:
    """The value that a text begins with, and the leniences that it took. Raises MalformedEvidence(malformed_json)."""
    whole, leniences = repaired(text)
    try:
        value, _ = _decoder(where).raw_decode(whole)
    except json.JSONDecodeError as error:
        raise _malformed(where, error) from error
    except RecursionError as error:
        raise limits.too_deep(where) from error
    refuse_deep((value,), where)
    return value, leniences


def strict(text: str, where: str) -> Json:
    """The value of a text that is strictly JSON. Raises JSONDecodeError, MalformedEvidence(duplicate_key, too_deep)."""

    def refused(constant: str) -> Json:
        raise json.JSONDecodeError(constant, text, 0)

    try:
        value: Json = json.loads(
            text, parse_float=Numeral, parse_int=Numeral, parse_constant=refused, object_pairs_hook=_unique(where)
        )
    except RecursionError as error:
        raise limits.too_deep(where) from error
    return value


def _decoder(where: str) -> json.JSONDecoder:
    return json.JSONDecoder(
        parse_float=Numeral,
        parse_int=Numeral,
        parse_constant=Numeral,
        object_pairs_hook=_unique(where),
        strict=False,
    )


def _unique(where: str) -> Callable[[list[tuple[str, Json]]], dict[str, Json]]:
    """What builds an object, and refuses a key that stands twice: which of the two is meant cannot be known."""

    def build(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise MalformedEvidence("a key stands twice in one object", where=where, code="duplicate_key")
        return found

    return build


def _lines(text: str, where: str) -> JsonText | None:
    """The objects of JSON Lines when each line is strictly one: the same as the lenient reading finds, in less time."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2 or not all(line.startswith("{") for line in lines):
        return None
    limits.refuse_many_rows(len(lines), where)
    try:
        found = tuple(strict(line, where) for line in lines)
    except json.JSONDecodeError:
        return None
    return JsonText(found, (several(len(found)),), incomplete=False)


def several(count: int) -> str:
    """The lenience of a file with so many values."""
    return f"{count} values stand one after the other"


def _lenient(text: str, where: str) -> JsonText:
    start = START.search(text)
    if start is None:
        raise MalformedEvidence("there is no JSON object or list in it", where=where, code="malformed_json")
    fixed, leniences = repaired(text[start.start(1) :])
    leniences = ((BEFORE,) if text[: start.start(1)].strip() else ()) + leniences
    values, rest, error = _values(fixed, where)
    incomplete = False
    if error is not None:
        completed = closed(rest) if rest[0] in "{[" else None
        whole = _values(completed, where)[0] if completed else []
        if whole:
            values.extend(whole)
            incomplete = True
            leniences += (CUT,)
        elif not values or (completed is None and START.search(rest)):
            raise _malformed(where, error) from error
        else:
            leniences += (AFTER if completed is None else LAST_CUT,)
    if len(values) > 1:
        leniences += (several(len(values)),)
    return JsonText(tuple(values), leniences, incomplete)


def _values(text: str, where: str) -> tuple[list[Json], str, json.JSONDecodeError | None]:
    """The values at the start of a text, what is left of it, and the error that stopped the reading."""
    decoder, at = _decoder(where), 0
    values: list[Json] = []
    while (at := _past_space(text, at)) < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            return values, text[at:], error
        except RecursionError as error:
            raise limits.too_deep(where) from error
        values.append(value)
        limits.refuse_many_rows(len(values), where)
    return values, "", None


def _past_space(text: str, at: int) -> int:
    found = SPACE.match(text, at)
    return found.end() if found else at


def repaired(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with its strings and constants as JSON wants them, and what that took."""
    leniences: dict[str, None] = {}

    def repair(found: re.Match[str]) -> str:
        whole = found.group(0)
        if found.group(2) is None:
            return _string(whole, leniences)
        word = "NaN" if found.group(2).lower() == "nan" else "Infinity"
        leniences.setdefault(CONSTANTS if found.group(2) == word else LOWER_CASE)
        return f"-{word}" if found.group(1) == "-" and word == "Infinity" else word

    return WORDS.sub(repair, text), tuple(leniences)


def _string(quoted: str, leniences: dict[str, None]) -> str:
    if CONTROL.search(quoted):
        leniences.setdefault(CONTROLS)
    if "\\" not in quoted:
        return quoted
    escaped = re.sub(r"\\\\|" + BAD_ESCAPE.pattern, _doubled, quoted, flags=re.DOTALL)
    if escaped != quoted:
        leniences.setdefault(ESCAPES)
    return escaped


def _doubled(found: re.Match[str]) -> str:
    return found.group(0) if found.group(0) == "\\\\" else "\\" + found.group(0)


def _malformed(where: str, error: json.JSONDecodeError) -> MalformedEvidence:
    return MalformedEvidence(f"it is no JSON: {error.msg}", where=where, code="malformed_json")
