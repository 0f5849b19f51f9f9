"""Twins under one Idempotency-Key, at the same time, on both databases."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, Final

import pytest
from django.db import connection

from reviews.errors import WrongState
from reviews.models import Comment
from reviews.services import comments, idempotency
from reviews.services.idempotency import Answer
from tests import cases

TWINS: Final = 4


@pytest.mark.usefixtures("either_database")
def test_twins_do_it_once_and_get_one_answer_or_are_told_to_wait() -> None:
    memo, bea = cases.a_draft(), cases.person("bea")
    start = Barrier(TWINS)

    def act() -> Answer:
        row = comments.comment(actor=bea, memo_id=memo.pk, anchor="symptom", text="Which slice?", answers=None)
        return Answer(201, {}, row.pk)

    def twin(_: int) -> Any:
        start.wait(timeout=10)
        try:
            return idempotency.once(actor=bea, key="k", digest="d" * 64, act=act).body
        except WrongState as refused:
            return refused.code
        finally:
            connection.close()

    with ThreadPoolExecutor(TWINS) as pool:
        answers = list(pool.map(twin, range(TWINS)))

    made = Comment.objects.get()
    assert made.pk in answers
    assert set(answers) <= {made.pk, "key_in_use"}
