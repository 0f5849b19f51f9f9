"""The same thing reported, or the same stage begun, by several at the same moment, on both databases."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, Final

import pytest
from django.db import connection
from django.utils import timezone

from reviews.errors import Refusal
from reviews.models import Memo, ProductionEvent, StageAdvance
from reviews.services import events, production
from reviews.services.production import ProductionReport, Reporter
from tests import cases, rolling

TWINS: Final = 4


def at_once(deed: Callable[[int], Any]) -> list[Any]:
    """What each of the twins got, or the code of its refusal."""
    start = Barrier(TWINS)

    def twin(number: int) -> Any:
        start.wait(timeout=10)
        try:
            return deed(number)
        except Refusal as refused:
            return refused.code
        finally:
            connection.close()

    with ThreadPoolExecutor(TWINS) as pool:
        return list(pool.map(twin, range(TWINS)))


def test_a_rollback_that_is_reported_twice_at_once_is_one_event_of_one_incident(either_database: str) -> None:
    cases.set_up()
    reporter = Reporter(cases.person("sam"))
    report = ProductionReport(
        kind="rolled_back", build="vllm 0.7", scope="", scope_percent="", text="", happened_at=timezone.now(),
        event_id="e1",
    )  # fmt: skip

    told = at_once(lambda _: production.report(reporter=reporter, team="", report=report).pk)

    assert set(told) == {ProductionEvent.objects.get().pk}
    assert events.verify(Memo.objects.get()) == []


def test_a_stage_that_two_begin_at_once_begins_once(either_database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    memo = rolling.a_watched_memo(monkeypatch)
    people = ("rob", "bea", "ben", "rob")

    answers = at_once(lambda number: rolling.advance(memo, name=people[number]).pk)

    assert sorted(map(str, answers))[1:] == ["another_stage"] * (TWINS - 1)
    assert StageAdvance.objects.get().pk in answers
    assert events.verify(memo) == []
