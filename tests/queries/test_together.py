"""All comparisons of a memo together, from its frozen results."""

from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reviews.models import Memo
from reviews.queries.comparisons import Compared, compared
from reviews.queries.together import Together, together
from reviews.sections import Comparison, Comparisons, MemoContent
from tests import cases, families
from tests.services import deeds

pytestmark = pytest.mark.django_db


def of(memo: Memo) -> Together:
    content = deeds.content(memo)
    return together(content, compared(memo, content))


def changed(memo: Memo, key: str, **fields: Any) -> Together:
    """The same with some fields of a comparison replaced."""
    content = deeds.content(memo)
    rows = tuple(replace(r, **fields) if r.key == key else r for r in content.comparisons.comparisons)
    return _of(memo, content, rows)


def _of(memo: Memo, content: MemoContent, rows: tuple[Comparison, ...]) -> Together:
    known = {one.row.key: one.assessment for one in compared(memo, content)}
    new = replace(content, comparisons=Comparisons(comparisons=rows))
    return together(new, tuple(Compared(row, known.get(row.key)) for row in rows))


def test_every_role_has_its_part_and_a_comparison_without_one_is_named() -> None:
    found = of(families.a_memo_with_claims())

    assert [(one.key, one.name, one.passes) for one in found.guardrails] == [("C2", "C2 (e2e_latency p99)", True)]
    assert (found.ships, found.ship) == (True, "Not worse by more than its margin on any guardrail.")
    assert [one.key for one in found.claims] == ["C4", "C5"]
    assert [one.key for one in found.screened] == ["C6", "C7"]
    assert found.screened[0].name == "C6 (throughput rate), segment C6"
    assert found.screening == "Screening: to be confirmed by a new run set."
    assert found.set_aside == ("C3 (energy_per_request mean): it has no role, and takes no part.",)
    assert found.notices == ()


def test_a_family_has_adjusted_p_values_and_simultaneous_intervals() -> None:
    claim = of(families.a_memo_with_claims()).claims[0]
    assert claim.interval is not None

    assert (claim.direction, claim.interval.level) == ("improvement_established", "0.975")
    assert float(claim.p_value) < float(claim.adjusted_p) <= 2 * float(claim.p_value) * 1.000001
    assert float(claim.interval.low) < float(claim.interval.estimate) < float(claim.interval.high)
    assert (claim.interval.method, claim.interval.replicates) == ("paired_log", "3 blocks")


def test_a_claim_that_nobody_computed_is_named_and_counted() -> None:
    memo = families.a_memo_with_claims(computed=("C4",))
    first, missing = of(memo).claims

    assert float(first.adjusted_p) == pytest.approx(2 * float(first.p_value), rel=1e-8)
    assert (missing.adjusted_p, missing.interval) == ("1", None)
    assert missing.sentence.startswith("It is not computed yet.")
    absent = changed(memo, "C5", absent_reason="the counter is broken.").claims[1]
    assert absent.sentence.startswith("There will be no number: the counter is broken. It stays in the family of 2")


def test_a_guardrail_that_fails_is_named_in_the_ship_statement() -> None:
    memo = families.a_memo_with_claims()
    found = changed(memo, "C5", role="guardrail", assessment="")
    known = {one.key: one for one in found.guardrails}

    assert (found.ships, known["C2"].passes) == (True, True)
    assert len(found.notices) == 1
    assert found.family.startswith("One further claim is declared")
    lost = changed(memo, "C3", role="guardrail")
    assert (lost.ships, lost.ship) == (False, "Not shown to be within its margin: C3 (energy_per_request mean).")
    said = {one.key: one.sentence for one in lost.guardrails}
    assert said["C3"] == "There will be no number: the machine shows no power counter."


def test_a_fix_check_takes_the_place_of_an_earlier_guardrail_and_a_recheck_has_none() -> None:
    memo = families.a_memo_with_claims()
    rows = deeds.content(memo).comparisons.comparisons
    c2 = next(row for row in rows if row.key == "C2")
    earlier, later = replace(c2, key="C8", purpose="symptom"), replace(c2, key="C9", purpose="recheck")
    found = _of(memo, deeds.content(memo), (*rows, earlier, later))

    assert [one.key for one in found.guardrails] == ["C2"]
    assert found.set_aside[:2] == (
        "C8 (e2e_latency p99): the fix check of the same metric and slice takes its place.",
        "C9 (e2e_latency p99): it is a recheck, which belongs to the outcome.",
    )


def test_nothing_declared_is_said_to_be_nothing() -> None:
    memo = cases.a_draft()
    found = of(memo)

    assert (found.ships, found.ship) == (None, "No guardrail is declared.")
    assert (found.family, found.screening) == ("No further claim is declared.", "Nothing was screened.")
    assert found.attribution.rung == 0


def test_the_attribution_is_that_of_the_primary_comparison() -> None:
    found = of(families.a_memo_with_claims()).attribution

    assert (found.comparison, found.rung) == ("C1", 2)
    assert found.lifts[0] == "Compare quality as a guardrail of the same purpose."


def test_it_asks_no_query_of_its_own() -> None:
    memo = families.a_memo_with_claims()
    content = deeds.content(memo)
    rows = compared(memo, content)

    with CaptureQueriesContext(connection) as asked:
        together(content, rows)

    assert len(asked) == 0


def test_a_widened_claim_says_so() -> None:
    memo = families.a_memo_with_claims()
    content = deeds.content(memo)
    rows = compared(memo, content)
    c4 = next(one for one in rows if one.row.key == "C4")
    assert c4.assessment is not None
    interval = c4.assessment.result["interval"]
    c4.assessment.result["widened"] = {
        **interval, "kind": "widened_interval", "statistical": interval, "allowance": "0.001", "reasons": ["clock"],
    }  # fmt: skip
    shown = together(content, rows).claims[0].interval

    assert shown is not None
    assert shown.method == "paired_log widened"


def test_a_memo_climbs_to_a_verified_fix_by_a_replay_and_runs_of_their_own() -> None:
    found = of(families.a_memo_that_climbs()).attribution

    assert (found.comparison, found.rung, found.lifts) == ("C4", 4, ()), found
    said = {one.what: one.said for one in found.facts}
    assert said["replay"] == "C6: supports P1 of H1 and refutes H2, of the registered predictions."
    assert said["quality"].startswith("C5 (answer_accuracy mean): ")
    assert said["fix check"].startswith("C7 (throughput rate): Equivalent within 2%.")
