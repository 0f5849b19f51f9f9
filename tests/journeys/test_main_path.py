"""From a pasted text to each of the four decisions and to the outcome, through the services, on both databases."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from reviews.errors import GateClosed
from reviews.models import Assessment, Decision, Memo
from reviews.queries import gate
from reviews.services import assessments, decisions, events, evidence, memos, observations, plans, rechecks, waivers
from reviews.services.decisions import DecisionWish
from reviews.services.labels import Labels
from reviews.services.rechecks import RecheckWish
from reviews.vocabulary import DecisionKind, State
from tests import cases, databases
from tests.cases import Runs
from tests.services import deeds

HOSTS: Final = {"b1": "host-1", "b2": "host-2", "b3": "host-3"}
WORSE: Final = Runs(candidate=("940.5", "951.25", "935.75"))


def in_review(runs: Runs = cases.AS_MEASURED) -> Memo:
    """Filed, planned, submitted; runs on three hosts sealed and computed; energy waived."""
    memo = cases.a_memo_in_review()
    row = deeds.open_set(memo)
    data = deeds.on_hosts(HOSTS, runs)
    deeds.attach(row, deeds.file_of(data), *deeds.arms())
    deeds.attach(row, deeds.file_of(cases.CURVES, "curves.txt"), cases.labels("batch_policy_curve_pack"))
    deeds.attach(row, deeds.file_of(cases.PROCEDURE, "rollback.md"), cases.labels("rollback_procedure"))
    evidence.seal(actor=cases.person("sam"), set_id=row.pk)
    for key in ("C1", "C2"):
        assessments.compute(actor=cases.person("sam"), memo_id=memo.pk, comparison=key)
    waiver = cases.ask_for_waiver(memo)
    waivers.approve(actor=cases.person("ben"), waiver_id=waiver.pk, note="", authentication=cases.proof())
    return cases.again(memo)


def resolve_hypotheses(memo: Memo) -> None:
    """H1 is supported by its registered prediction; H2 stays open, with an owner and a date."""
    section = deeds.sections_of(memo)["hypotheses"]
    first, second = section["hypotheses"]
    first["resolution"] = {"state": "supported", "reason": "P1 held.", "owner": "", "due": ""}
    due = (timezone.now() + timedelta(days=30)).date().isoformat()
    second["resolution"] = {"state": "open", "reason": "", "owner": "ann", "due": due}
    deeds.revise(memo, {"hypotheses": section})


def decide(memo: Memo, kind: str, scope: str = "") -> Decision:
    wish = DecisionWish(kind=kind, scope_percent=scope, rationale="It is so.")
    return decisions.decide(
        actor=cases.person("bea"), memo_id=memo.pk, base=cases.base_of(memo), wish=wish, authentication=cases.proof()
    )


def close(memo: Memo) -> None:
    """Measured again in ordinary execution, and the outcome recorded."""
    again = deeds.on_hosts(HOSTS, start=timezone.now() + timedelta(minutes=1))
    files = tuple((deeds.file_of(again, "again.json").sha256, one) for one in deeds.arms())
    wish = RecheckWish(comparison="C1", title="A week later", text="Ordinary traffic.", files=files)
    rechecks.recheck(actor=cases.person("sam"), memo_id=memo.pk, wish=wish, token=None)
    observations.record_outcome(actor=cases.person("ann"), memo_id=memo.pk, text="It held.")
    assert cases.again(memo).state == State.CLOSED


def everything_holds(memo: Memo) -> None:
    assert events.verify(memo) == []
    assert all(assessments.recompute(row) for row in Assessment.objects.filter(memo=memo))
    assert [d.chain_head in {e.hash for e in events.chain_of(memo)} for d in memo.decisions.all()] == [True] * (
        memo.decisions.count()
    )


def test_a_change_is_shipped_and_its_outcome_closes_the_memo(either_database: str) -> None:
    memo = in_review()
    resolve_hypotheses(memo)
    deeds.sign_all(memo, ("ship", "rollback"))
    assert gate.preview(memo.pk).least_restrictive is DecisionKind.SHIP

    assert str(decide(memo, "ship").scope_percent) == "100"
    assert cases.again(memo).state == State.SHIPPED
    close(memo)
    everything_holds(memo)


def test_a_bounded_rollout_comes_to_a_ship_with_signatures_of_its_own(either_database: str) -> None:
    memo = in_review()
    deeds.sign_all(memo, ("bounded",), scope="10")
    cases.sign(memo, "rob", "rollback_owner")
    decide(memo, "bounded", "10")
    assert cases.again(memo).state == State.ROLLING_OUT
    with deeds.refused(GateClosed):
        decide(memo, "ship")

    resolve_hypotheses(memo)
    deeds.sign_all(memo, ("ship",))
    assert decide(memo, "ship").number == 2
    close(memo)
    everything_holds(memo)


def test_a_regression_is_rolled_back(either_database: str) -> None:
    memo = in_review(WORSE)
    assert gate.preview(memo.pk).supported is DecisionKind.ROLLBACK
    deeds.sign_all(memo, ("rollback",))

    assert decide(memo, "rollback").scope_percent is None
    assert cases.again(memo).state == State.ROLLED_BACK
    close(memo)
    everything_holds(memo)


def test_a_question_that_the_evidence_does_not_answer_is_escalated_and_comes_back(either_database: str) -> None:
    memo = in_review()
    section = deeds.sections_of(memo)["signoff"]
    due = (timezone.now() + timedelta(days=10)).date().isoformat()
    section["escalation"] = {"to": "the architects", "by": due, "question": "Is energy worth it?"}
    deeds.revise(memo, {"signoff": section})

    decide(memo, "escalate")
    assert cases.again(memo).state == State.ESCALATED
    back = memos.return_to_author(actor=cases.person("ben"), memo_id=memo.pk, reason="Answered: it is.")
    assert back.state == State.DRAFT
    memos.submit(actor=cases.person("ann"), memo_id=memo.pk, base=cases.base_of(memo))
    deeds.sign_all(memo, ("bounded",), scope="10")
    cases.sign(memo, "rob", "rollback_owner")
    assert decide(memo, "bounded", "5").number == 2
    everything_holds(memo)


@pytest.mark.postgres
@pytest.mark.usefixtures("prepared_postgresql")
def test_the_digests_of_a_case_depend_neither_on_the_database_nor_on_the_order_of_attachment(
    prepared_sqlite: Path, prepared_postgresql: str, django_db_blocker: DjangoDbBlocker, tmp_path: Path
) -> None:
    found = set()
    for database in (
        databases.copy_of_sqlite(prepared_sqlite, tmp_path),
        databases.copy_of_postgresql(prepared_postgresql),
    ):
        with django_db_blocker.unblock(), database:
            for labels in (deeds.arms(), tuple(reversed(deeds.arms()))):
                made = _computed(labels)
                found.add((made.outcome, made.inputs_digest, made.digest))

    ((outcome, *_),) = found
    assert outcome == "verdict"


def _computed(labels: tuple[Labels, ...]) -> Assessment:
    start = datetime(2026, 11, 1, tzinfo=UTC)
    memo = cases.a_draft()
    plans.register(
        actor=cases.person("ann"), memo_id=memo.pk, content=cases.plan_content(), nonce=f"plan-of-{memo.number}",
        registered_at=start,
    )  # fmt: skip
    deeds.sealed(memo, deeds.on_hosts(HOSTS, start=start), *labels)
    made: Assessment = deeds.compute(memo)
    return made
