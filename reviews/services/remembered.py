"""Answers remembered by what they are made of: the bytes of the evidence, its labels, what was asked, and the code.

A page that reads evidence does so once: the next view with the same files, labels and wish takes the answer from the
folder of answers. Plain refusals are remembered too. Nothing rests on it: without the folder the answer is made again.
"""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

from django.core.cache import caches

import analysis
import reviews
from analysis.errors import Refused
from reviews.sections import digest_of

STORE: Final = "answers"
Answer = TypeVar("Answer")


def remembered(kind: str, inputs: object, make: Callable[[], Answer]) -> Answer:
    """The answer that `make` gives, made once for the same inputs. inputs: JSON values that determine it.

    Raises:
        Refused: what `make` refuses, whether now or when it was first asked.
    """
    key = digest_of({"kind": kind, "code": code_digest(), "inputs": inputs})
    known: tuple[Answer | None, tuple[str, str, str] | None] | None = caches[STORE].get(key)
    if known is None:
        known = _made(make)
        caches[STORE].set(key, known)
    answer, refused = known
    if refused is not None:
        raise Refused(*refused)
    assert answer is not None  # noqa: S101 -- one of the two is set
    return answer


def forget() -> None:
    """Nothing is remembered any more: an answer may hold words of a file whose bytes must go."""
    caches[STORE].clear()


def _made(make: Callable[[], Answer]) -> tuple[Answer | None, tuple[str, str, str] | None]:
    try:
        return make(), None
    except Refused as refused:
        if type(refused) is not Refused:
            raise
        return None, (refused.code, refused.message, refused.needs)


@cache
def code_digest() -> str:
    """Of all source that computes answers: other code gives other answers, and may not even read the old ones."""
    found = hashlib.sha256()
    for package in (analysis, reviews):
        for root in package.__path__:
            for path in sorted(Path(root).rglob("*.py")):
                found.update(path.read_bytes())
    return found.hexdigest()
