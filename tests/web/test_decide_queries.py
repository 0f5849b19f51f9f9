"""The pages of evidence, comparisons, signatures, decisions and waivers ask no more queries for more rows."""

import pytest
from django.urls import reverse

from reviews.models import Artifact, Memo
from tests import cases
from tests.web.test_query_counts import counted

pytestmark = pytest.mark.django_db


def counts(memo: Memo) -> dict[str, int]:
    """Page -> its queries."""
    number = memo.number
    file = Artifact.objects.filter(name=f"runs-of-{number}.json")[0]
    return {
        "evidence": counted("sam", reverse("evidence", args=[number])),
        "artifact": counted("sam", reverse("artifact", args=[file.sha256])),
        "comparison": counted("sam", reverse("comparison", args=[number, "C1"])),
        "sign": counted("olga", reverse("sign", args=[number])),
        "decide": counted("bea", reverse("decide", args=[number])),
        "waivers": counted("bea", reverse("waivers", args=[number])),
    }


def test_more_files_signatures_waivers_and_decisions_ask_no_more_queries() -> None:
    small = cases.a_memo_ready_to_roll_out("Small")
    large = cases.a_memo_ready_to_roll_out("Large")
    cases.ask_for_waiver(small)
    for name, role in cases.OWNERS.items():
        cases.sign(large, name, role, "approve_with_conditions")
        cases.sign(large, name, role)
    for _ in range(2):
        cases.ask_for_waiver(large)
    cases.an_open_set(large)

    assert counts(small) == counts(large)
    assert max(counts(small).values()) <= 25
