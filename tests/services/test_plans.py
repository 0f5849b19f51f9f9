"""A plan comes before the runs, says when it was registered, and stays as it is."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from reviews.errors import BadInput, NotPermitted, NotVisible
from reviews.models import Memo, Plan
from reviews.plan_content import PlanContent, plan_to_json
from reviews.services import assessments, plans
from tests import cases
from tests.services import deeds
from tests.services.deeds import refused

pytestmark = pytest.mark.django_db
PLAN = cases.plan_content()


def register(
    memo: Memo, content: PlanContent = PLAN, *, name: str = "ann", nonce: str = "", at: datetime | None = None
) -> Plan:
    return plans.register(actor=cases.person(name), memo_id=memo.pk, content=content, nonce=nonce, registered_at=at)


def test_a_plan_registered_now_is_witnessed_and_has_a_nonce_of_its_own() -> None:
    memo = cases.a_draft()
    first, second = register(memo), register(cases.a_draft())

    assert first.witnessed
    assert first.registered_at == first.recorded_at
    assert len({first.nonce, second.nonce}) == 2


def test_an_imported_plan_keeps_its_time_and_says_that_nobody_witnessed_it() -> None:
    at = timezone.now() - timedelta(days=3)

    plan = register(cases.a_draft(), nonce="n1", at=at)

    assert (plan.witnessed, plan.registered_at, plan.nonce) == (False, at, "n1")
    assert plan.recorded_at > at


def test_registering_writes_comparisons_and_predictions_as_one_revision() -> None:
    memo = cases.a_draft()
    plan = register(memo)

    content = deeds.content(memo)
    assert [(c.key, c.plan) for c in content.comparisons.comparisons] == [
        ("C3", ""),
        ("C1", plan.nonce),
        ("C2", plan.nonce),
    ]
    (h1, h2) = content.hypotheses.hypotheses
    assert {p.plan for h in (h1, h2) for p in h.predictions} == {plan.nonce}
    assert h1.predictions[-1].registered_at == plan.registered_at.isoformat()
    assert cases.again(memo).current_revision.number == 2  # type: ignore[union-attr]


def test_registering_takes_away_assessments_that_did_not_know_its_predictions() -> None:
    memo = cases.a_memo_with_evidence()
    late = replace(PLAN.predictions[0], prediction=replace(PLAN.predictions[0].prediction, key="P7", low="1"))

    register(memo, replace(PLAN, comparisons=(), predictions=(late,), runs=()))

    assert assessments.comparison_of(deeds.content(memo), "C1").assessment == ""
    assert assessments.comparison_of(deeds.content(memo), "C2").assessment != ""


def test_a_planned_comparison_that_the_memo_defines_otherwise_is_refused() -> None:
    memo = cases.a_planned_draft()
    other = replace(PLAN.comparisons[0], margin="0.9")

    with refused(BadInput, "plan_differs", "comparisons.C1"):
        register(memo, replace(PLAN, comparisons=(other,), predictions=(), runs=()))


def test_a_second_plan_of_the_same_comparison_takes_its_evidence_away() -> None:
    memo = cases.a_memo_with_evidence()

    plan = register(memo, replace(PLAN, predictions=(), runs=()))

    row = assessments.comparison_of(deeds.content(memo), "C1")
    assert (row.plan, row.evidence_set, row.assessment) == (plan.nonce, 0, "")


def test_a_registered_prediction_stays_as_it_is() -> None:
    memo = cases.a_planned_draft()
    first = deeds.content(memo).hypotheses.hypotheses[0].predictions
    easier = replace(PLAN.predictions[0], prediction=replace(PLAN.predictions[0].prediction, low="1"))

    with refused(BadInput, "registered_prediction", "predictions.P1"):
        register(memo, replace(PLAN, comparisons=(), predictions=(easier,), runs=()))
    same = replace(PLAN, title="Again", comparisons=(), runs=(), predictions=PLAN.predictions[:1])
    with refused(BadInput, "nothing_changed"):
        register(memo, same)
    assert deeds.content(memo).hypotheses.hypotheses[0].predictions == first


def test_a_prediction_of_no_stated_hypothesis_is_refused() -> None:
    alien = replace(PLAN.predictions[0], hypothesis="H9")

    with refused(BadInput, "unknown_hypothesis"):
        register(cases.a_draft(), replace(PLAN, predictions=(alien,)))


@pytest.mark.parametrize(
    ("special", "code"),
    [({"nonce": "n" * 65}, "bad_plan"), ({"at": timezone.now() + timedelta(days=1)}, "future_time")],
)
def test_an_import_that_cannot_be_is_refused(special: dict[str, Any], code: str) -> None:
    with refused(BadInput, code):
        register(cases.a_draft(), **special)


def test_a_nonce_is_taken_once() -> None:
    register(cases.a_draft(), nonce="n1")

    with refused(BadInput, "nonce_taken"):
        register(cases.a_draft(), nonce="n1")


def test_only_the_author_registers_predictions() -> None:
    with refused(NotPermitted):
        register(cases.a_draft(), name="sam")


def test_a_plan_from_json_is_checked_by_path() -> None:
    assert plans.content_from(plan_to_json(PLAN)) == PLAN
    with refused(BadInput, "bad_plan") as caught:
        plans.content_from({**plan_to_json(PLAN), "looks": "many"})
    assert "$.looks" in caught.value.message


def test_a_run_that_is_not_attached_is_accounted_for_once() -> None:
    memo = cases.a_planned_draft()
    nonce = f"plan-of-{memo.number}"

    def account(run: str, reason: str, plan: str = nonce) -> Any:
        return plans.account_for_run(actor=cases.person("sam"), memo_id=memo.pk, plan=plan, run=run, reason=reason)

    assert account("b1-baseline", "The host went down.").by_name == "Sam"
    with refused(BadInput, "accounted_already"):
        account("b1-baseline", "It went down again.")
    for run, reason in ((" ", "x"), ("b2-baseline", " ")):
        with refused(BadInput, "no_reason"):
            account(run, reason)
    with refused(NotVisible, where="plan"):
        account("b2-baseline", "x", "no-such-plan")
