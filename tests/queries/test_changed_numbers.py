"""The numbers behind a signature, then and now, with the margin and the limit."""

from dataclasses import replace
from typing import Any

import pytest

from reviews.models import Memo
from reviews.queries.changed_numbers import number_changes, results_of
from reviews.sections import Comparison, Comparisons, MemoContent
from tests import cases
from tests.services import deeds

pytestmark = pytest.mark.django_db


def with_first(content: MemoContent, **fields: Any) -> MemoContent:
    """The content with some fields of C1 replaced."""
    rows = [replace(row, **fields) if row.key == "C1" else row for row in content.comparisons.comparisons]
    return replace(content, comparisons=Comparisons(comparisons=tuple(rows)))


def first_of(content: MemoContent) -> Comparison:
    return next(row for row in content.comparisons.comparisons if row.key == "C1")


def a_memo() -> tuple[Memo, MemoContent]:
    memo = cases.a_memo_with_evidence()
    return memo, deeds.content(memo)


def test_a_margin_that_moved_into_the_interval_is_said() -> None:
    memo, now = a_memo()
    results = results_of(memo, now)
    then = with_first(now, margin="0.98")

    [one] = number_changes(then, with_first(now, margin="1.04"), results)

    assert (one.key, one.what) == ("C1", "throughput rate")
    assert one.then == one.now
    assert one.moved == (
        "The margin was 0.98, and is 1.04.",
        "The margin 1.04 lies inside the interval now, and lay outside when you signed.",
    )
    assert number_changes(now, now, results) == ()


def test_a_comparison_that_is_new_or_gone_shows_what_there_is() -> None:
    memo, now = a_memo()
    results = results_of(memo, now)
    rest = tuple(row for row in now.comparisons.comparisons if row.key != "C1")
    without = replace(now, comparisons=Comparisons(comparisons=rest))

    [new] = number_changes(without, now, results)
    [gone] = number_changes(now, without, results)

    assert (new.then, gone.now) == ("", "")
    assert new.now == gone.then != ""


def test_a_limit_that_lies_inside_now_is_said() -> None:
    memo, now = a_memo()
    results = results_of(memo, now)
    digest = first_of(now).assessment

    def held_to(near: str, far: str) -> Any:
        answer = {"limit": "0.045", "typical_near": near, "typical_far": far, "unit": "s"}
        return {**results[digest], "slo": answer}

    both = {**results, digest: held_to("0.0401", "0.0426"), "b" * 64: held_to("0.0419", "0.0463")}
    [one] = number_changes(now, with_first(now, assessment="b" * 64), both)

    assert one.moved == (
        "The limit 45.00\N{NO-BREAK SPACE}ms lies inside the interval now, and lay outside when you signed.",
    )
    refused = {**results, "b" * 64: {**results[digest], "slo": {"limit": "45", "refusal": {}}}}
    assert not any(
        "limit" in said for said in number_changes(now, with_first(now, assessment="b" * 64), refused)[0].moved
    )
