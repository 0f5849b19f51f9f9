"""What the gate may know of a claim: what its family makes of it, never what it says alone."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from reviews.models import Memo
from reviews.policies import gate as rules
from reviews.policies.evidence_facts import AssessmentFacts
from reviews.queries import gate
from reviews.queries.assessment_facts import as_claimed, claims_of
from reviews.services import rechecks, waivers
from reviews.services.rechecks import RecheckWish
from reviews.vocabulary import DecisionKind
from tests import cases, families
from tests.services import deeds

pytestmark = pytest.mark.django_db


def facts_of(memo: Memo, key: str) -> AssessmentFacts:
    facts = gate.gate_facts(memo.pk, decider=None, requested_percent=None)
    row = next(row for row in facts.content.comparisons.comparisons if row.key == key)
    return facts.assessments[row.assessment]


def harm(memo: Memo) -> list[str]:
    """What the gate of a bounded rollout says of harm."""
    facts = gate.gate_facts(memo.pk, decider=None, requested_percent=None)
    lines = rules.evaluate(facts, DecisionKind.BOUNDED)
    return [line.sentence for line in lines if line.rule == "no_harm_is_established" and line.blocks]


def test_a_claim_is_judged_by_its_family_and_the_primary_alone() -> None:
    memo = families.a_memo_with_claims()

    assert facts_of(memo, "C1").headline == "Improvement beyond the 2% margin established"
    assert facts_of(memo, "C4").headline == "Improvement established among 2 declared claims (Holm)"
    assert facts_of(memo, "C4").direction == "improvement_established"


def test_a_claim_that_is_not_computed_stays_in_the_family() -> None:
    """Three blocks: alone the margin is reached, in a family of two it is not known to be."""
    alone = cases.Runs(candidate=("963.48", "977.88", "966.87"))
    memo = families.a_memo_with_claims(computed=("C4",), runs=alone)
    claim = facts_of(memo, "C4")

    assert facts_of(memo, "C1").materiality == "worse_than_margin"
    assert "2 declared claims" in claim.headline
    assert claim.materiality != "worse_than_margin"
    assert not any(said.startswith("C4") for said in harm(memo))


def test_established_harm_of_a_claim_closes_a_bounded_rollout_and_a_screening_never_does() -> None:
    said = harm(families.a_memo_with_claims(runs=families.SLOWER))

    assert any(one == "C4 (throughput rate): Regression established among 2 declared claims (Holm)." for one in said)
    assert not any(one.startswith("C6") for one in said)


@pytest.mark.parametrize(("key", "harms"), [("C4", True), ("C6", False)])
def test_what_was_observed_of_a_claim_is_one_of_its_family_too(key: str, harms: bool) -> None:
    memo = families.a_memo_with_claims()
    for name, role in (*cases.OWNERS.items(), cases.KEEPER):
        cases.sign(memo, name, role)
    cases.ask_for_waiver(memo)
    waiver = memo.waivers.get()
    waivers.approve(actor=cases.person("ben"), waiver_id=waiver.pk, note="", authentication=cases.proof())
    cases.decide(memo)
    content = cases.runs_file(families.SLOWER, timezone.now() + timedelta(minutes=1))
    again = deeds.file_of(content, "again.json")
    wish = RecheckWish(comparison=key, title="x", text="x", files=tuple((again.sha256, one) for one in deeds.arms()))
    rechecks.recheck(actor=cases.person("sam"), memo_id=memo.pk, wish=wish, token=None)

    said = harm(cases.again(memo))
    assert any("observed" in one and "among 2 declared claims" in one for one in said) is harms


def test_a_claim_without_a_verdict_keeps_its_own_words() -> None:
    facts = replace(facts_of(families.a_memo_with_claims(), "C4"), outcome="withheld", headline="Add runs")
    (claim,) = claims_of([("C4", None)])

    assert as_claimed(facts, claim) is facts
