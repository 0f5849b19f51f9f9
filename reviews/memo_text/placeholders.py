"""Placeholders of a text: `<name>`, TBD and their like, which are fields that nobody has filled."""

import re
from typing import Final

_PLACEHOLDER: Final = re.compile(r"(?<![\w<])<\s?([^\W\d_](?:[^<>\n]{0,300}[^<>\s])?)\s?>(?![\w>])")
_TO_DO: Final = re.compile(
    r"(?i)(?:tbd|tba|tbc|todo|to do|to be (?:done|defined|determined)|fill me|fill in|x{3,}|\?+)\.?"
)
_NONE: Final = re.compile(r"(?i)(?:none(?: known| identified)?|n/?a|not applicable|nothing|no|[-–—]+)\.?")
_TAGS: Final = re.compile(
    r"/?(?:a|b|br|code|del|div|em|h[1-6]|i|img|ins|li|ol|p|pre|s|span|strong|su[bp]|table|t[dhr]|u|ul)", re.IGNORECASE
)


def placeholders(text: str) -> list[str]:
    """What the placeholders in a text want, in order; links and HTML tags are none."""
    return [wanted for m in _PLACEHOLDER.finditer(text) if _is_wanted(wanted := m.group(1))]


def _is_wanted(inside: str) -> bool:
    return "://" not in inside and "@" not in inside and not _TAGS.fullmatch(inside.split()[0].rstrip("/"))


def only_placeholders(text: str) -> list[str]:
    """What a text wants that says nothing else ("<name>", "TBD"); empty when the text says something."""
    if _TO_DO.fullmatch(text):
        return [text.rstrip(".")] if text.strip("?") else ["an answer"]
    wanted = placeholders(text)
    rest = _PLACEHOLDER.sub(lambda m: "" if _is_wanted(m.group(1)) else m.group(), text)
    return wanted if wanted and not any(c.isalnum() for c in rest) else []


def says_none(text: str) -> bool:
    """Whether a list says that it has no rows ("none", "n/a", "-")."""
    return _NONE.fullmatch(text) is not None
