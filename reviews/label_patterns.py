"""Labels read from file names by a pattern, such as "b{block}-{arm}.json"; "*" stands for anything but a slash."""

import re
from collections.abc import Mapping
from typing import Final

from reviews.errors import BadInput
from reviews.vocabulary import Arm

FIELDS: Final[Mapping[str, str]] = {
    "arm": "|".join(Arm.values),
    "run": "[^/]+?",
    "block": "[^/]+?",
    "placement": "[^/]+?",
}
_PARTS: Final = re.compile(r"\{([^{}]*)\}|(\*)")


def labels_in(pattern: str, name: str) -> Mapping[str, str]:
    """The labels that the name carries; none for an empty pattern.

    Raises:
        BadInput: a pattern that names no label, an unknown one, or one twice; a name that does not fit it.
    """
    if not pattern:
        return {}
    found = _compiled(pattern).fullmatch(name)
    if found is None:
        raise BadInput(
            f"The name {name} does not fit the pattern {pattern}.",
            needs="Change the pattern, or attach the file by itself. A browser sends names without their folders.",
            code="name_does_not_fit",
            where="pattern",
        )
    return found.groupdict()


def _compiled(pattern: str) -> re.Pattern[str]:
    built, place, seen = "", 0, list[str]()
    for part in _PARTS.finditer(pattern):
        built += re.escape(pattern[place : part.start()])
        place = part.end()
        if part[2]:
            built += "[^/]*"
            continue
        seen.append(part[1])
        built += f"(?P<{part[1]}>{FIELDS.get(part[1], '')})" if part[1] in FIELDS and seen.count(part[1]) == 1 else ""
    if not seen or set(seen) - set(FIELDS) or len(seen) > len(set(seen)):
        raise BadInput(
            f"{pattern} is no pattern of labels.",
            needs=f"Name each label once, out of: {', '.join(f'{{{name}}}' for name in FIELDS)}.",
            code="bad_pattern",
            where="pattern",
        )
    return re.compile(built + re.escape(pattern[place:]))
