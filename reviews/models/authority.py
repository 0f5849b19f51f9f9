"""Rows that a decision stands on are written by services alone: elsewhere, also in a shell, they cannot be made.

This keeps an ordinary mistake from becoming a decision. Somebody who writes Python or SQL against the database on
purpose meets the triggers of `reviews.models.guards`, and is found by the chain: see docs/security.md.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from django.db import models

_writing: Final[ContextVar[frozenset[type[models.Model]]]] = ContextVar("writing", default=frozenset())


class OnlyByService(TypeError):
    """The row is made by a service, which asks who may, and whether the gate is open. Raised at everybody else."""


@contextmanager
def writing(*kinds: type[models.Model]) -> Iterator[None]:
    """Meanwhile rows of these models can be made. For services that have asked the policies."""
    token = _writing.set(_writing.get() | frozenset(kinds))
    try:
        yield
    finally:
        _writing.reset(token)


def require(kind: type[models.Model]) -> None:
    """Raises OnlyByService when no service has the word for rows of this model."""
    if kind not in _writing.get():
        raise OnlyByService(f"A row of {kind.__name__} is made by its service alone, which asks the rules first.")
