"""Strings of a trace as JSON wants them. Profilers write paths and names of functions without escaping them.

Leniences: those of json_reader for strings and constants, and quotes inside the name of an event.
"""

import re
from typing import Final

from analysis.evidence import json_reader

CP1252: Final = "the text is no UTF-8: read as Windows-1252"
QUOTES: Final = "a name holds quotes that are not escaped: taken as part of it"
NAME: Final = re.compile(
    r'("name"\s*:\s*")((?:(?!"\s*\}\s*[,\]}]).){0,2000}?)'
    r'("\s*,\s*"(?:ph|cat|cname|pid|tid|ts|tts|dur|tdur|id|args|bp|s|sf)"\s*:)'
)
PLAIN_QUOTE: Final = re.compile(r'(\\.)|"')
LONGEST_LETTER: Final = 4  # bytes of one character of UTF-8


def repaired(raw: bytes, *, names: bool) -> tuple[bytes, tuple[str, ...]]:
    """The text, cut off or not, with its strings repaired and null for NaN and Infinity, and what that took.

    names: also escape the quotes inside names of events, up to where the next field of an event begins.
    """
    leniences: dict[str, None] = {}
    text, rest = _text(raw, leniences)
    if names:
        text = NAME.sub(lambda found: _name(found, leniences), text)
    text, more = json_reader.repaired(text)
    return json_reader.WORDS.sub(_strict, text).encode() + rest, (*leniences, *more)


def _text(raw: bytes, leniences: dict[str, None]) -> tuple[str, bytes]:
    """The text, and the bytes of a character that is cut off at its end."""
    try:
        return raw.decode(), b""
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data" and len(raw) - error.start < LONGEST_LETTER:
            return raw[: error.start].decode(), raw[error.start :]
    leniences.setdefault(CP1252)
    return raw.decode("cp1252", errors="replace"), b""


def _name(found: re.Match[str], leniences: dict[str, None]) -> str:
    before, name, after = found.groups()
    escaped = PLAIN_QUOTE.sub(lambda part: part[1] or '\\"', name)
    if escaped != name:
        leniences.setdefault(QUOTES)
    return f"{before}{escaped}{after}"


def _strict(found: re.Match[str]) -> str:
    if found[2] is not None:
        return "null"
    return json_reader.CONTROL.sub(lambda letter: f"\\u{ord(letter[0]):04x}", found[0])
