"""Comparisons with their assessments, what they say in a sentence, and what the gate may know of a result."""

import json
from dataclasses import replace
from typing import Any

import pytest

from reviews.models import Assessment, Memo
from reviews.queries import comparisons, rows
from reviews.queries.assessment_facts import assessment_facts
from reviews.queries.comparisons import Compared, compared, headline, sentence_of
from reviews.sections import Comparisons
from tests import cases
from tests.services import deeds

pytestmark = pytest.mark.django_db


def result() -> dict[str, Any]:
    return json.loads(json.dumps(Assessment.objects.get(comparison="C1").result))  # type: ignore[no-any-return]


def of(memo: Memo) -> tuple[Compared, ...]:
    return compared(memo, deeds.content(memo))


def test_each_comparison_stands_with_its_assessment_or_with_none() -> None:
    found = {one.row.key: one for one in of(cases.a_memo_with_evidence())}

    assert found["C1"].result is not None
    assert found["C1"].result["outcome"] == "verdict"
    assert (found["C3"].assessment, found["C3"].result) == (None, None)


def test_the_headline_is_what_the_primary_comparison_says() -> None:
    memo = cases.a_memo_with_evidence()
    said = headline(of(memo))

    assert (said.comparison, said.outcome, said.sentence) == ("C1", "verdict", result()["verdict"]["headline"])


def test_without_a_primary_or_a_computation_the_headline_says_so() -> None:
    draft, planned = cases.a_draft(), cases.a_planned_draft()

    assert headline(of(draft)) == comparisons.Headline("", "No primary comparison yet.", "", None)
    assert headline(of(planned)) == comparisons.Headline("C1", "C1 is not computed yet.", "", None)


def test_a_result_without_a_verdict_says_why() -> None:
    cases.a_memo_with_evidence()
    refused = {
        **result(),
        "outcome": "refused",
        "refusal": {"code": "x", "message": "Two arms are needed.", "needs": ""},
    }
    failed = {
        **result(),
        "outcome": "failed_to_serve",
        "failures": [{"arm": "baseline", "runs": 3, "failed": 0}, {"arm": "candidate", "runs": 3, "failed": 2}],
    }

    assert sentence_of(refused) == "Two arms are needed."
    assert sentence_of(failed) == "0 of 3 baseline runs failed to serve; 2 of 3 candidate runs failed to serve"


def test_the_gate_knows_the_interval_that_every_statement_rests_on() -> None:
    cases.a_memo_with_evidence()
    shown = result()
    plain = assessment_facts("d", shown)
    widened = assessment_facts("d", {**shown, "widened": {**shown["interval"], "lo": "1.0", "hi": "1.1"}})

    assert plain.interval is not None
    assert (plain.interval.low, plain.interval.widened) == (shown["interval"]["lo"], False)
    assert widened.interval is not None
    assert (widened.interval.low, widened.interval.high, widened.interval.widened) == ("1.0", "1.1", True)
    assert widened.interval.scope == shown["interval"]["scope"]


def test_the_gate_never_knows_the_interval_that_is_valid_only_at_an_only_look() -> None:
    cases.a_memo_with_evidence()
    shown = result()
    every = {**shown["interval"], "method": "anytime_paired_log", "lo": "0.9", "hi": "1.2"}
    found = assessment_facts("d", {**shown, "interval": every, "single_look": shown["interval"]})
    none = assessment_facts("d", {**shown, "interval": None, "single_look": shown["interval"]})

    assert found.interval is not None
    assert (found.interval.method, found.interval.low) == ("anytime_paired_log", "0.9")
    assert none.interval is None


def test_the_gate_knows_a_refusal_without_verdict_and_interval() -> None:
    cases.a_memo_with_evidence()
    refusal = {"code": "x", "message": "m", "needs": "n"}
    found = assessment_facts(
        "d", {**result(), "verdict": None, "interval": None, "widened": None, "overlap": "0", "refusal": refusal}
    )

    assert (found.direction, found.interval, found.order_confounded) == ("", None, True)
    assert found.refusal is not None
    assert (found.refusal.code, found.refusal.needs) == ("x", "n")


def test_an_unlabelled_placement_is_unknown_and_counts_as_one() -> None:
    cases.a_memo_with_evidence()
    shown = result()
    for run in shown["runs"][:2]:
        run.update(placement="", placement_verified=False)

    assert [(p.label, p.host, p.verified) for p in assessment_facts("d", shown).placements] == [
        ("unknown", "", False), ("host-1", "host-1", True),
    ]  # fmt: skip


def test_an_assessment_of_another_memo_is_none_of_this_one() -> None:
    first, second = cases.a_memo_with_evidence(), cases.a_planned_draft()
    content = deeds.content(first)
    (found, *_) = compared(
        second, replace(content, comparisons=Comparisons(comparisons=content.comparisons.comparisons[1:]))
    )

    assert found.assessment is None


@pytest.mark.parametrize(("value", "expected"), [('{"a": 1}', {"a": 1}), ({"a": 1}, {"a": 1}), ([1], [1])])
def test_a_json_column_is_read_however_the_database_hands_it_over(value: Any, expected: Any) -> None:
    assert rows.nested(value) == expected


def test_a_time_without_a_zone_is_utc() -> None:
    assert rows.moment("2026-11-30 12:00:00.5") == rows.moment("2026-11-30T13:00:00.5+01:00")
    assert rows.moment_or_none(None) is None


@pytest.mark.parametrize(
    ("role", "said"),
    [("claim", "Taken alone, before its family is judged: "), ("screening", "Screening, to be confirmed by a new run")],
)
def test_a_claim_and_a_screening_say_that_they_are_taken_alone(role: str, said: str) -> None:
    cases.a_memo_with_evidence()
    found = result()

    assert sentence_of({**found, "plan": {**found["plan"], "role": role}}).startswith(said)
    assert sentence_of(found) == found["verdict"]["headline"]
