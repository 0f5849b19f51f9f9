"""To who may not see a memo it is not there, by any operation."""

import pytest

from tests import cases
from tests.api.asking import as_person, problem, tag
from tests.api.test_schema import operations

pytestmark = pytest.mark.django_db


def test_no_operation_shows_a_memo_to_a_stranger() -> None:
    memo = cases.a_memo_with_evidence()
    waiver = cases.ask_for_waiver(memo)
    places = {
        "number": memo.number,
        "digest": memo.assessments.earliest("pk").digest,
        "hypothesis": "H1",
        "key": "C1",
        "nonce": f"plan-of-{memo.number}",
        "evidence_set": 1,
        "revision": 1,
        "decision": 1,
        "comment": 1,
        "waiver": waiver.pk,
        "delegation": 1,
        "objection": 1,
        "kind": "ship",
        "replay": 1,
    }
    eve = as_person("eve")
    asked = [(method, path.format(**places)) for method, path, _ in operations() if "{number}" in path]

    assert len(asked) > 45
    for method, path in asked:
        problem(eve.ask(method.lower(), path, None if method == "GET" else {}, If_Match=tag(memo)), 404, "not_found")
