"""Whom a comment names: @user, as accounts of this installation are called."""

import re
from typing import Final

MENTION: Final = re.compile(r"(?<![\w.@+-])@([\w.@+-]{1,150})")
TRAILING: Final = ".-+@"


def mentioned(text: str) -> tuple[str, ...]:
    """The user names after an @, each once, in order. A full stop at the end of a sentence is none of the name."""
    names = (found.rstrip(TRAILING) for found in MENTION.findall(text))
    return tuple(dict.fromkeys(name for name in names if name))
