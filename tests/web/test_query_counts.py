"""How many queries a page asks: the numbers stand in query_counts.json, and do not grow with what is there.

Write the file anew after a change that is meant: `python -m pytest tests/web/test_query_counts.py --tb=short` says
what it found.
"""

import json
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reviews.models import Memo
from reviews.services import comments
from tests import cases
from tests.web.asking import as_

pytestmark = pytest.mark.django_db
GOLDEN = Path(__file__).with_name("query_counts.json")


def counted(name: str, path: str) -> int:
    """The queries of one GET, session and account included."""
    client = as_(name)
    client.get(path)
    with CaptureQueriesContext(
        connection,
    ) as found:
        assert client.get(path).status_code == 200
    return len(found)


def counts(memo: Memo) -> dict[str, int]:
    """Page -> its queries."""
    number = memo.number
    return {
        "queue": counted("bea", "/"),
        "memos": counted("bea", "/memos/"),
        "memos, filtered": counted("bea", "/memos/?q=batches&verdict=better_than_margin&decision=bounded"),
        "memo": counted("bea", f"/memos/{number}/"),
        "memo since 1": counted("bea", f"/memos/{number}/?since=1"),
        "memo-edit": counted("ann", f"/memos/{number}/edit/"),
        "memo-text": counted("ann", f"/memos/{number}/text/"),
        "trail": counted("aud", f"/memos/{number}/trail/"),
    }


def a_full_memo(title: str) -> Memo:
    """Rolling out, with a comment, an answer, conditions and an objection."""
    memo = cases.a_memo_ready_to_roll_out(title)
    cases.sign(memo, "pat", cases.OWNERS["pat"], "approve_with_conditions")
    cases.sign(memo, "pat", cases.OWNERS["pat"])
    cases.decide(memo)
    first = comments.comment(actor=cases.person("ann"), memo_id=memo.pk, anchor="symptom", text="Here.", answers=None)
    comments.comment(actor=cases.person("sam"), memo_id=memo.pk, anchor="symptom", text="There.", answers=first.pk)
    return cases.again(memo)


def test_the_pages_ask_as_many_queries_as_the_golden_file_says() -> None:
    memo = a_full_memo("Larger batches")

    assert counts(memo) == json.loads(GOLDEN.read_text())


def test_more_memos_signatures_runs_and_comments_ask_no_more_queries() -> None:
    memo = a_full_memo("Larger batches")
    cases.a_memo_with_evidence("Wider beams")
    cases.a_draft("A policy for the night")
    objected = cases.a_memo_with_waiver("A fused kernel")
    cases.sign(objected, "quin", cases.OWNERS["quin"], "object", text="One host only.")
    again = a_full_memo("Larger batches again")
    for name in ("olga", "quin", "tess"):
        cases.sign(again, name, cases.OWNERS[name])
        comments.comment(actor=cases.person(name), memo_id=again.pk, anchor="change", text="Seen.", answers=None)
    cases.an_open_set(again)

    assert counts(memo) == counts(again) == json.loads(GOLDEN.read_text())
