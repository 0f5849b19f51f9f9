"""Energy from a registered plan to a record that can be computed again."""

from fractions import Fraction

import pytest

from analysis.metering import Metering
from reviews.errors import BadInput
from reviews.models import Assessment, Plan
from reviews.plan_content import PlannedMetering, plan_from_json
from reviews.services import assessments, requests
from tests import cases
from tests.services import deeds, metered
from tests.services.deeds import refused

pytestmark = pytest.mark.django_db


def test_the_plan_says_how_power_is_measured_and_the_record_computes_again() -> None:
    memo = metered.a_memo_with_energies()
    result = metered.assessed(memo)

    assert result["outcome"] == "verdict", result["refusal"]
    assert result["verdict"]["materiality"] == "better_than_margin"
    assert result["plan"]["metering"]["cap"] == "700"
    assert result["energy"]["runs"][0]["lower"]
    assert result["energy"]["ratio"]["direction"] == "below_one"
    assert result["widened"]["reasons"] == [result["energy"]["reason"]]
    assert [assessments.recompute(row) for row in Assessment.objects.filter(memo=memo)] == [True]


def test_the_declaration_reaches_the_analysis_exactly() -> None:
    memo = metered.a_memo_with_energies(PlannedMetering(source="counter", relative="0.015", absolute="0.5"))
    content = deeds.content(memo)
    prepared = requests.prepare(memo, content, assessments.comparison_of(content, "C1"))

    assert prepared.request.plan.metering == Metering("counter", relative=Fraction("0.015"), absolute=Fraction("0.5"))


def test_without_a_declaration_the_comparison_is_refused_and_says_the_way_out() -> None:
    result = metered.assessed(metered.a_memo_with_energies(None))

    assert (result["outcome"], result["refusal"]["code"]) == ("refused", "metering_not_declared")
    assert result["energy"] is None


def test_a_plan_whose_metering_does_not_fit_is_not_registered() -> None:
    memo = cases.a_draft()

    with refused(BadInput, "bad_envelope", "comparisons.C1.metering"):
        metered.registered(memo, metered.a_plan(PlannedMetering(source="samples", between="slew")))
    assert not Plan.objects.exists()


def test_a_plan_that_was_registered_without_the_field_is_read() -> None:
    memo = cases.a_planned_draft()
    plan = Plan.objects.get(memo=memo)
    old = {**plan.content, "comparisons": [{**row} for row in plan.content["comparisons"]]}
    for row in old["comparisons"]:
        del row["metering"]

    assert [row.metering for row in plan_from_json(old).comparisons] == [None, None]
