"""What one line of a memo text is, whatever marks it carries: the table of the line kinds.

A line that would be taken for something else than the words it says is written with a backslash before it.
"""

import re
from dataclasses import dataclass, replace
from typing import Final, Literal

from reviews.memo_text.labels import HEADINGS, NAMES, SECTIONS, Label, label_named
from reviews.memo_text.text import fold, tidy

Kind = Literal["blank", "rule", "memo", "heading", "label", "trailer", "bullet", "title", "text"]

_RULE: Final = re.compile(r"[-*_=~`#>|:+\s]+")
_TABLE_ROW: Final = re.compile(r"\|(.*)\|")
_MARKS: Final = re.compile(
    r"(?P<bullet>[-*+•–—·‣▪◦●]\s+)?"
    r"(?P<hash>#{1,6}\s+)?"
    r"(?P<number>(?:\(?\d{1,2}(?:\.\d{1,2})*[.):]|\(?[A-Za-z][.)]|\d{1,2}(?:\.\d{1,2})+)\s+)?"
    r"(?P<box>\[[ xX]\]\s+)?"  # dropped before a label, part of the words elsewhere
)
_EMPHASIS: Final = r"\*{1,3}|_{1,2}|`"
_LABEL: Final = re.compile(
    rf"(?P<open>{_EMPHASIS})?(?P<name>{NAMES})(?P<close>{_EMPHASIS})?"
    r"(?P<sep>\s*[:：=|]|\t|\s*—\s*|\s*[‒-―]+\s+|\s+[‒-―]+|\s*-+\s+)"
    rf"(?P<late>(?:{_EMPHASIS})(?=\s|$))?\s*(?P<value>.*)",
    re.IGNORECASE,
)
_BARE_LABEL: Final = re.compile(rf"(?:{_EMPHASIS})?(?P<name>{NAMES})(?:{_EMPHASIS})?", re.IGNORECASE)
_MEMO: Final = re.compile(
    rf"(?:#+\s*)?(?P<open>{_EMPHASIS})?(?:accelerator\s+)?review\s+memo"
    r"(?:(?:\s+[-‐-―−]{1,3}\s+|\s*[:–—|]\s*|\s*-\s*)(?P<title>.+))?",
    re.IGNORECASE,
)
_TRAILER: Final = re.compile(
    r"(?:Base:\s*(?P<base>[0-9a-f]{64})|Template:\s*(?P<slug>[a-z0-9-]+)\s+(?P<version>\d{1,6}))"
)
_BOLD_ALONE: Final = re.compile(r"(\*\*|__)(?=\S)[^*_]+\1:?")


@dataclass(frozen=True, slots=True)
class Line:
    """What a line is. indent: columns before it; text: the words that count; marked: it carries a bullet or number.

    number: the number of a numbered bullet, which a list drops and prose keeps.
    section: of a heading. label: of a label, with `text` its value and `alone` when none stands beside it.
    """

    kind: Kind
    text: str = ""
    indent: int = 0
    marked: bool = False
    number: str = ""
    hashed: bool = False
    alone: bool = False
    section: str = ""
    label: Label | None = None


def classify(raw: str, section: str) -> Line:
    """What the line is when it stands in `section` ("" before the first heading)."""
    expanded = raw.replace("\u00a0", " ").expandtabs(4)
    said = expanded.strip()
    indent = len(expanded) - len(expanded.lstrip())
    if not said:
        return Line("blank")
    if _RULE.fullmatch(said):
        return Line("rule", said, indent)
    if _TRAILER.fullmatch(said):
        return Line("trailer", said, indent)
    if memo := _MEMO.fullmatch(said):
        return Line("memo", _title_of(memo), indent)
    return _marked_line(raw.replace("\u00a0", " ").strip(), indent, section)


def _marked_line(said: str, indent: int, section: str) -> Line:
    if row := _TABLE_ROW.fullmatch(said):
        inner = _plain_line(row.group(1).strip(), section)
        return _at(inner, indent) if inner.kind == "label" else Line("text", tidy(said), indent)
    marks = _MARKS.match(said)
    assert marks is not None  # noqa: S101 - every part of the pattern is optional
    body, hashed = said[marks.end() :], bool(marks["hash"])
    line = _plain_line(body, section)
    if line.kind in ("heading", "label"):
        return _at(line, indent, marked=bool(marks["bullet"] or (marks["number"] and not hashed)), hashed=hashed)
    if hashed or _BOLD_ALONE.fullmatch(body):
        return Line("title", tidy(body.strip("*_# ")), indent)
    if marks["bullet"] or marks["number"]:
        return Line(
            "bullet", tidy((marks["box"] or "") + body), indent, marked=True, number=(marks["number"] or "").strip()
        )
    return Line("text", tidy(said), indent)


def _at(line: Line, indent: int, *, marked: bool = False, hashed: bool = False) -> Line:
    return replace(line, indent=indent, marked=marked, hashed=hashed)


def _plain_line(body: str, section: str) -> Line:
    bare = body.rstrip("#").strip().rstrip(":：").strip()
    words = bare.strip("*_`").rstrip(":：").strip()
    if heading := HEADINGS.get(fold(words)):
        return Line("heading", words, section=heading)
    if (m := _LABEL.fullmatch(body)) and (label := label_named(m["name"], section)):
        return Line("label", _value_of(m), alone=not m["value"].strip(), label=label)
    if (
        (m := _BARE_LABEL.fullmatch(words))
        and (label := label_named(m["name"], section))
        and _may_stand_alone(label, body)
    ):
        return Line("label", "", alone=True, label=label)
    return Line("text", tidy(body))


def _may_stand_alone(label: Label, body: str) -> bool:
    return bool(label.names) or body.rstrip("*_` ").endswith((":", "："))


def _value_of(m: re.Match[str]) -> str:
    """The value beside a label, without the second half of an emphasis that began before the label."""
    value = tidy(m["value"])
    if m["open"] and not m["close"] and not m["late"]:
        return value.removesuffix(m["open"]).strip()
    return value


def _title_of(memo: re.Match[str]) -> str:
    title = tidy(memo["title"] or "")
    return title.removesuffix(memo["open"]).strip() if memo["open"] else title


def trailer_of(line: Line) -> tuple[str, str]:
    """(base digest, "") or ("", "slug version") of a trailer line."""
    m = _TRAILER.fullmatch(line.text)
    assert m is not None  # noqa: S101 - a trailer line is one
    return (m["base"], "") if m["base"] else ("", f"{m['slug']} {m['version']}")


def _is_special(said: str) -> bool:
    """Whether a line of these words would be read as something else than these words, in some section."""
    words = said.lstrip("\\")
    return bool(words) and any(
        classify(words, section).kind != "text" for section in ("", *(name for name, _ in SECTIONS))
    )


def escape(said: str) -> str:
    """The words as they are written where a line could be taken for something else."""
    return f"\\{said}" if _is_special(said) else said


def unescape(said: str) -> str:
    """The inverse of `escape`; every other text stays as it is."""
    return said[1:] if said.startswith("\\") and _is_special(said[1:]) else said
