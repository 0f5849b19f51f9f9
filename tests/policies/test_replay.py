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


def test_nothing_decided_is_nothing_replayed() -> None:
    assert replay.counts(()).sentence == "No memo of this template was decided yet, so there is nothing to replay."
