"""Lists and single memos take a constant number of queries."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reviews.models import Memo
from reviews.services import evidence
from tests import cases
from tests.api.asking import Asker, as_token, good, of

pytestmark = pytest.mark.django_db

PARTS = (
    "",
    "revisions/",
    "plans/",
    "evidence-sets/",
    "comparisons/",
    "hypotheses/",
    "signatures/",
    "decisions/",
    "waivers/",
    "comments/",
    "observations/",
    "production-events/",
    "outcomes/",
    "trail/",
    "gate/",
)


def queries(ask: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as seen:
        ask()
    return len(seen)


def counted(memo: Memo, bea: Asker) -> dict[str, int]:
    """Part -> how many queries it takes."""

    def ask(part: str) -> Callable[[], object]:
        return lambda: good(bea.get(of(memo, part)))

    return {part: queries(ask(part)) for part in PARTS}


def filled(memo: Memo, bea: Asker, title: str) -> None:
    """One more of everything that grows: sets, waivers, comments, signatures, observations, production events."""
    row = evidence.open_set(actor=cases.person("sam"), memo_id=memo.pk, title=title, plan="")
    cases.attach(row, f"{title}.md", title.encode(), [cases.labels("rollback_procedure")])
    cases.ask_for_waiver(memo)
    comment = good(bea.post(of(memo, "comments/"), {"anchor": "symptom", "text": "More?"}), 201)
    good(bea.post(of(memo, f"comments/{comment['id']}/resolve/"), {}))
    cases.sign(memo, "olga", "inference_platform_owner", "approve_with_conditions")
    good(bea.post(of(memo, "observations/"), {"text": "Calm."}), 201)
    event = {"kind": "deployed", "build": "sha256:1", "happened_at": "2026-01-02T00:00:00Z"}
    good(bea.post(of(memo, "production-events/"), event), 201)


def test_the_list_takes_as_many_queries_for_three_memos_as_for_one() -> None:
    cases.a_memo_with_evidence()
    bea = as_token("bea")
    one = queries(lambda: good(bea.get("memos/")))
    for title in ("Two", "Three"):
        cases.a_memo_with_evidence(title)

    assert queries(lambda: good(bea.get("memos/"))) == one <= 8


def test_each_part_of_a_memo_takes_as_many_queries_when_there_is_more_of_it() -> None:
    memo, bea = cases.a_memo_rolling_out(), as_token("bea")
    filled(memo, bea, "One")
    before = counted(memo, bea)

    for title in ("Two", "Three"):
        filled(memo, bea, title)

    assert counted(memo, bea) == before
    assert max(before.values()) <= 14
