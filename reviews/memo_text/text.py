"""Characters and lines of a pasted text: what is refused, what is tidied, and what stays as it was written."""

import re
from typing import Final

from reviews.errors import BadInput, TooLarge

LIMIT_BYTES: Final = 1 << 20
LIMIT_LINES: Final = 20_000

_LINE_BREAK: Final = re.compile("\r\n|[\n\r\v\f\x85\u2028\u2029]")
_INVISIBLE: Final = re.compile("[\ufeff\u200b\u00ad]")
_REFUSED: Final = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]"  # also: reorders what is shown
)
_QUOTED: Final = re.compile(r"\s*>\s?")
_DASHES: Final = re.compile(r"[\s_‐-―−-]+")


def lines_of(text: str) -> list[str]:
    """The lines of a text, without invisible characters and trailing blanks; `lines[i]` is line i + 1.

    A text of which every line is quoted ("> …") loses that mark.

    Raises:
        TooLarge: more than LIMIT_BYTES (UTF-8) or LIMIT_LINES.
        BadInput: a control character, half a character, or a mark that reorders what is shown.
    """
    lines = [line.rstrip() for line in _LINE_BREAK.split(_INVISIBLE.sub("", text))]
    _refuse_what_is_no_text(lines)
    _refuse_what_is_too_long(lines)
    while _is_quoted(lines):
        lines = [_QUOTED.sub("", line, count=1) for line in lines]
    return lines


def _refuse_what_is_no_text(lines: list[str]) -> None:
    for number, line in enumerate(lines, start=1):
        if found := _REFUSED.search(line):
            raise BadInput(
                f"Line {number} holds the character U+{ord(found.group()):04X}, which is no text.",
                needs="Paste the memo as plain text, without that character.",
                code="not_text",
                where=f"line {number}",
            )


def _refuse_what_is_too_long(lines: list[str]) -> None:
    size = 0
    for number, line in enumerate(lines, start=1):
        size += len(line.encode()) + 1
        if size > LIMIT_BYTES + 1 or number > LIMIT_LINES:
            raise TooLarge(
                f"The text passes the limit of {LIMIT_BYTES} bytes or {LIMIT_LINES} lines on line {number}.",
                needs="Paste the memo alone; attach long material as evidence.",
                code="text_too_large",
                where=f"line {number}",
            )


def _is_quoted(lines: list[str]) -> bool:
    said = [line for line in lines if line]
    return bool(said) and all(_QUOTED.match(line) for line in said)


def tidy(text: str) -> str:
    """The words of one paragraph with single spaces between them."""
    return " ".join(text.split())


def paragraphs_of(text: str) -> list[str]:
    """The tidy, non-empty paragraphs of a field."""
    return [said for line in text.split("\n") if (said := tidy(line))]


def fold(text: str) -> str:
    """The words as they are compared: lower case; dashes, underscores and blanks are one blank."""
    return _DASHES.sub(" ", text.casefold()).strip()


def slug(text: str) -> str:
    """The words as a name for programs: "SRE performance owner" -> "sre_performance_owner"."""
    return re.sub(r"\W+", "_", text.casefold()).strip("_")
