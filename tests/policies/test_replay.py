"""A version asked of the past: facts that were frozen come back whole, and what cannot be evaluated passes nowhere."""

import json
from dataclasses import replace
from fractions import Fraction

import rfc8785

from reviews.policies import frozen, replay
from reviews.policies.facts import GateFacts
from reviews.policies.replay import Past
from reviews.vocabulary import DecisionKind

from .open_gate import OPEN, TEMPLATE


def past(facts: GateFacts | None = OPEN, *, later: tuple[str, ...] = (), why_not: str = "") -> Past:
    return Past(
        memo="ARM-2026-0042", title="Batch 32", decision=1, kind=DecisionKind.SHIP.value, decided_on="2026-05-04",
        dossier="d" * 64, facts=facts, why_not=why_not, later=later,
    )  # fmt: skip


def test_frozen_facts_come_back_as_they_were() -> None:
    facts = replace(OPEN, requested_percent=Fraction(1, 3))
    text = rfc8785.dumps(frozen.to_json(facts)).decode()

    assert frozen.from_json(json.loads(text), OPEN.content, OPEN.template) == facts
    assert not {"content", "template"} & set(json.loads(text))


def test_the_version_that_decided_lets_its_memo_through_again() -> None:
    [row] = replay.replay([past()], TEMPLATE)

    assert (row.outcome, row.missing) == ("open", ())


def test_a_stricter_version_blocks_with_the_sentence_of_what_is_missing() -> None:
    rows = replay.replay([past(later=("It was rolled back.",)), past()], replace(TEMPLATE, evidence_days=4))
    found = replay.counts(rows)

    assert [row.outcome for row in rows] == ["blocked", "blocked"]
    assert rows[0].missing[0].code.startswith("required_artifacts_are_attached")
    assert any(one.code == "evidence_is_fresh:C1" for one in rows[0].missing)
    assert (found.decided, found.blocked, found.overturned, found.open) == (2, 2, 1, 0)
    assert found.sentence.startswith("Of 2 decision(s), this version would have blocked 2, of which 1 were later")


def test_what_cannot_be_evaluated_is_named_and_counted_with_neither() -> None:
    rows = replay.replay([past(None, why_not="The gate was not asked."), past()], TEMPLATE)
    found = replay.counts(rows)

    assert (rows[0].outcome, rows[0].why_not, rows[0].missing) == ("not_evaluable", "The gate was not asked.", ())
    assert (found.blocked, found.open, found.not_evaluable) == (0, 1, 1)


def test_what_was_added_up_under_another_margin_says_nothing_under_this_one() -> None:
    """The sums stand in the record as they were judged; their intervals do not."""
    (first, *rest) = TEMPLATE.metrics
    looser = replace(TEMPLATE, metrics=(replace(first, margin="0.97"), *rest))
    over = replace(OPEN.reference.budgets[0], within=False)  # type: ignore[union-attr]
    beyond = replace(OPEN, reference=replace(OPEN.reference, budgets=(over,)))  # type: ignore[type-var]

    rows = replay.replay([past(), past(beyond)], looser)

    assert [row.outcome for row in rows] == ["not_evaluable", "not_evaluable"]
    assert rows[0].why_not.startswith("What changes added up to was judged then by another margin of throughput rate")
    assert [row.outcome for row in replay.replay([past(beyond)], TEMPLATE)] == ["blocked"]
    stricter = replay.replay([past(beyond)], replace(looser, evidence_days=4))[0]
    assert (stricter.outcome, stricter.why_not) == ("blocked", "")
    assert not any(one.code.startswith(replay.CUMULATIVE) for one in stricter.missing)


def test_nothing_decided_is_nothing_replayed() -> None:
    assert replay.counts(()).sentence == "No memo of this template was decided yet, so there is nothing to replay."
