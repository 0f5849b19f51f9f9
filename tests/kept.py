"""A case is built once a minute; in between, what its building wrote is written again, statement by statement.

Building a memo by the services costs a second, most of it for reading; the rows that it writes cost milliseconds.
The triggers of the tables judge them each time, because they come in the order in which the services wrote them.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any, Final, ParamSpec

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from reviews.models import Memo

FRESH: Final = 60.0
"""Seconds for which a case is written again: a test that asks how old its memo is, sees none older."""

_REAL_NOW: Final = timezone.now
_kept: dict[str, "_Kept"] = {}
_anew: ContextVar[bool] = ContextVar("anew", default=False)

Counters = tuple[tuple[str, int], ...]
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class _Kept:
    """statements: (SQL, parameters, whether many), in order. files: of the artifact store.

    before, after: the last keys given out in each table. until: by the monotonic clock.
    """

    memo: int
    statements: list[tuple[str, Any, bool]]
    files: dict[str, bytes]
    before: Counters
    after: Counters
    until: float


@dataclass(slots=True)
class _Recorder:
    """An execute wrapper that notes what is written."""

    statements: list[tuple[str, Any, bool]] = field(default_factory=list)
    undone: bool = False

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        result = execute(sql, params, many, context)
        if sql.startswith(("INSERT", "UPDATE", "DELETE")):
            self.statements.append((sql, params, many))
        elif sql.startswith("ROLLBACK TO"):
            self.undone = True
        return result


def kept(build: Callable[P, Memo]) -> Callable[P, Memo]:
    """The builder; in an empty database inside a test's transaction, its rows are kept for a minute."""

    @wraps(build)
    def built(*args: P.args, **named: P.kwargs) -> Memo:
        if not _can_be_kept():
            return build(*args, **named)
        key = f"{build.__name__} {args} {named}"
        known = _kept.get(key)
        if known is None or known.until < time.monotonic() or known.before != _last_keys():
            return _record(key, lambda: build(*args, **named))
        return _write_again(known)

    return built


@contextmanager
def built_anew() -> Iterator[None]:
    """Within it every case is built: for a test that changes how."""
    token = _anew.set(True)
    try:
        yield
    finally:
        _anew.reset(token)


def _can_be_kept() -> bool:
    """SQLite in a transaction that is rolled back, with nobody in it, no artifact, and at the real time."""
    return (
        not _anew.get()
        and connection.vendor == "sqlite"
        and connection.in_atomic_block
        and not connection.execute_wrappers
        and timezone.now is _REAL_NOW
        and not Path(settings.ARTIFACT_ROOT).exists()
        and not User.objects.exists()
    )


def _record(key: str, build: Callable[[], Memo]) -> Memo:
    seen = _Recorder()
    before = _last_keys()
    with connection.execute_wrapper(seen):
        memo = build()
    if not seen.undone:
        store = Path(settings.ARTIFACT_ROOT)
        files = {str(one.relative_to(store)): one.read_bytes() for one in store.rglob("*") if one.is_file()}
        until = time.monotonic() + FRESH
        _kept[key] = _Kept(memo.pk, seen.statements, files, before, _last_keys(), until)
    return memo


def _write_again(known: _Kept) -> Memo:
    store = Path(settings.ARTIFACT_ROOT)
    for name, content in known.files.items():
        (store / name).parent.mkdir(parents=True, exist_ok=True)
        (store / name).write_bytes(content)
    with connection.cursor() as cursor:
        for sql, params, many in known.statements:
            (cursor.executemany if many else cursor.execute)(sql, params)
    assert _last_keys() == known.after, "what was written again is not what was written"
    return Memo.objects.select_related("team", "current_revision", "template_version__template", "created_by").get(
        pk=known.memo
    )


def _last_keys() -> Counters:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, seq FROM sqlite_sequence WHERE seq > 0 ORDER BY name")
        return tuple(cursor.fetchall())
