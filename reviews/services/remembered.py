"""Answers remembered by what they are made of: the bytes of the evidence, its labels, what was asked, and the code.

A page that reads evidence does so once: the next view with the same files, labels and wish takes the answer from the
folder of answers. Plain refusals are remembered too. Nothing rests on it: without the folder the answer is made again.
"""

import hashlib
import uuid
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
SINCE: Final = "since"
Answer = TypeVar("Answer")


def remembered(kind: str, inputs: object, make: Callable[[], Answer]) -> Answer:
    """The answer that `make` gives, made once for the same inputs. inputs: JSON values that determine it.

    Raises:
        Refused: what `make` refuses, whether now or when it was first asked.
    """
    key = digest_of({"kind": kind, "code": code_digest(), "inputs": inputs})
    known: tuple[Answer | None, tuple[str, str, str] | None] | None = caches[STORE].get(key)
    if known is None:
        since = caches[STORE].get_or_set(SINCE, _anew)
        known = _made(make)
        caches[STORE].set(key, known)
        if caches[STORE].get(SINCE) != since:  # forgotten while it was made: it may hold what had to go
            caches[STORE].delete(key)
    answer, refused = known
    if refused is not None:
        raise Refused(*refused)
    assert answer is not None  # noqa: S101 -- one of the two is set
    return answer


def forget() -> None:
    """Nothing is remembered any more: an answer may hold words of a file whose bytes must go."""
    caches[STORE].clear()


def _anew() -> str:
    """The name of the time since nothing was forgotten; `forget` takes it away with the answers."""
    return uuid.uuid4().hex


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
