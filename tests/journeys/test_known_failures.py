"""Ways in which other tools let a decision through. Each is tried here, through the services."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from reviews.errors import BadInput, GateClosed, NotPermitted
from reviews.models import Decision, Memo, Waiver
from reviews.policies import gate as rules
from reviews.queries import gate
from reviews.services import delegations, evidence, teams, waivers
from reviews.services.delegations import DelegationWish
from reviews.services.waivers import WaiverWish
from reviews.vocabulary import DecisionKind, RequirementState
from tests import cases, cast
from tests.services import deeds
from tests.services.deeds import refused, wish

pytestmark = pytest.mark.django_db
BOUNDED = DecisionKind.BOUNDED


def lines(memo: Memo, days: int = 0) -> dict[str, RequirementState]:
    at = timezone.now() + timedelta(days=days)
    facts = gate.gate_facts(memo.pk, decider=None, requested_percent=None, now=at)
    return {line.rule: line.state for line in rules.missing(rules.evaluate(facts, BOUNDED))}


def test_probo_an_empty_list_of_approvers_is_no_approval() -> None:
    """There, a document without approvers was published at once."""
    memo = cases.a_memo_ready_to_roll_out()
    facts = gate.gate_facts(memo.pk, decider=None, requested_percent=None)
    nobody = {kind: replace(asked, roles=()) for kind, asked in facts.template.decisions.items()}
    hollow = replace(facts, template=replace(facts.template, decisions=nobody), signatures=())
    found = {line.rule: line.state for line in rules.missing(rules.evaluate(hollow, BOUNDED))}
    assert found["required_owners_have_signed"] == RequirementState.ERROR

    for row in memo.team.assignments.filter(role__in=cases.OWNERS.values()):
        teams.end_assignment(actor=cases.person("adi"), assignment_id=row.pk, reason="Everybody has left.")
    with refused(GateClosed):
        cases.decide(memo)
    assert not Decision.objects.exists()


def test_gitlab_a_reviewer_who_becomes_a_committer_is_no_independent_reviewer() -> None:
    """There, somebody approves first, then pushes to the branch, and the approval still counts."""
    memo = cases.a_memo_ready_to_roll_out()
    assert lines(memo) == {}
    procedure = deeds.file_of(cases.PROCEDURE, "rollback.md")
    for name in cases.OWNERS:
        cast.assign(memo.team, name, "contributor")
        row = evidence.open_set(actor=cases.person(name), memo_id=memo.pk, title="More", plan="")
        labels = cases.labels("rollback_procedure")
        evidence.attach(actor=cases.person(name), set_id=row.pk, artifact=procedure.sha256, labels=labels, token=None)

    assert lines(memo)["the_quorum_is_met"] == RequirementState.UNMET
    with refused(GateClosed):
        cases.decide(memo)


def test_defectdojo_no_path_makes_a_waiver_without_an_end_or_beyond_its_cap() -> None:
    """There, a risk accepted by an integration has no expiry."""
    memo = cases.a_memo_with_evidence()
    with pytest.raises(TypeError):
        WaiverWish(requirement=cases.ENERGY, owner="tess", reason="x", control="x")  # type: ignore[call-arg]
    far = WaiverWish(
        requirement=cases.ENERGY, owner="tess", reason="x", control="x",
        expires_at=timezone.now() + timedelta(days=3650),
    )  # fmt: skip
    with refused(BadInput, "waiver_too_long"):
        waivers.request(actor=cases.person("ann"), memo_id=memo.pk, wish=far)
    assert not Waiver._meta.get_field("expires_at").null


def test_a_waiver_that_runs_out_closes_the_gate_again_also_after_everybody_has_signed() -> None:
    memo = cases.a_memo_ready_to_roll_out()

    assert lines(memo, 59) == {}
    assert lines(memo, 61) == {
        "the_symptom_is_complete": RequirementState.UNMET,
        "the_rollout_is_bounded": RequirementState.UNMET,
    }


def test_servicenow_a_delegate_outside_the_period_signs_nothing() -> None:
    memo = cases.a_memo_with_waiver()
    soon = timezone.now() + timedelta(days=1)
    later = DelegationWish(
        role="inference_platform_owner", delegate="aud", starts_at=soon, ends_at=soon + timedelta(days=9), reason="x"
    )
    delegations.delegate_on(actor=cases.person("olga"), memo_id=memo.pk, wish=later)
    with refused(NotPermitted):
        deeds.sign(memo, "aud", wish("inference_platform_owner", acting_for="olga"))


def test_github_a_revision_makes_a_signature_stale_in_its_own_transaction_and_no_job_has_to_run() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    deeds.revise(memo, {"symptom": {**deeds.sections_of(memo)["symptom"], "workload_slice": "elsewhere"}})

    assert lines(memo)["required_owners_have_signed"] == RequirementState.UNMET
    with refused(GateClosed):
        cases.decide(memo)
