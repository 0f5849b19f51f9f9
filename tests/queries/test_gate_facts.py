"""The facts of the gate: read in five queries, the same on both databases."""

from dataclasses import fields, replace
from datetime import UTC, timedelta
from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reviews.models import (
    Artifact,
    ConditionClearance,
    Delegation,
    FollowUp,
    FollowUpDone,
    Memo,
    Ratification,
    Recall,
    authority,
)  # fmt: skip
from reviews.policies.facts import Decider, GateFacts
from reviews.queries import gate, gate_people
from reviews.services import decisions, evidence, objections, parsing, plans, production, rechecks, signatures, teams
from reviews.services.production import ProductionReport, Reporter
from reviews.services.rechecks import RecheckWish
from reviews.vocabulary import DecisionKind
from tests import cases, cast, databases
from tests.services import deeds


def a_rich_memo() -> Memo:
    """A memo in which something of every kind of fact is true."""
    memo = cases.a_memo_with_waiver()
    cases.ask_for_waiver(memo)
    wished = deeds.wish(
        "inference_platform_owner", "approve_with_conditions", conditions=deeds.waits("Watch it.", "Ask Pat.")
    )
    first = deeds.sign(memo, "olga", replace(wished, scope_percent="12.5"))
    with authority.writing(ConditionClearance):
        ConditionClearance.objects.create(
            condition=first.conditions.get(number=1), note="Done.", by=cases.person("pat"), by_name="Pat",
            at=timezone.now(),
        )  # fmt: skip
    row = deeds.sign(
        memo, "quin",
        deeds.wish("sre_performance_owner", "object", kinds=(), scope_percent="", text="No.", would_clear_if="Yes."),
    )  # fmt: skip
    objections.resolve(actor=cases.person("quin"), signature_id=row.pk, reason="x")
    gone = deeds.sign(memo, "tess", deeds.wish("power_thermal_architect"))
    signatures.withdraw_signature(actor=cases.person("tess"), signature_id=gone.pk, reason="x")
    for name, role in (*cases.OWNERS.items(), cases.KEEPER):
        cases.sign(memo, name, role)
    decision = cases.decide(memo)
    plans.account_for_run(
        actor=cases.person("sam"), memo_id=memo.pk, plan=f"plan-of-{memo.number}", run="b9", reason="It died."
    )
    deeds.open_set(memo)
    artifact = deeds.file_of(cases.CURVES, "curve-pack.json")
    Recall.objects.create(
        artifact=artifact, reason="wrong day", by=cases.person("sam"), by_name="Sam", at=timezone.now()
    )
    again = deeds.file_of(cases.runs_file(cases.AS_MEASURED, timezone.now() + timedelta(minutes=1)), "again.json")
    wish = RecheckWish(comparison="C1", title="x", text="x", files=tuple((again.sha256, one) for one in deeds.arms()))
    rechecks.recheck(actor=cases.person("sam"), memo_id=memo.pk, wish=wish, token=None)
    report = ProductionReport(
        kind="deployed", build="b", scope="", scope_percent="5", text="", happened_at=timezone.now()
    )
    event = production.report_for_memo(reporter=Reporter(cases.person("sam")), memo_id=memo.pk, report=report)
    Ratification.objects.create(
        production_event=event, note="x", by=cases.person("bea"), by_name="Bea", at=timezone.now()
    )
    for number, text in enumerate(("Measure energy.", "Write it up.")):
        owed = FollowUp.objects.create(
            memo=memo, decision=decision, text=text, owner=cases.person("ann"), owner_name="Ann",
            due_at=timezone.now(), created_at=timezone.now(),
        )  # fmt: skip
        if number:
            FollowUpDone.objects.create(
                follow_up=owed, note="x", by=cases.person("ann"), by_name="Ann", at=timezone.now()
            )
    return cases.again(memo)


def facts_of(memo: Memo, **special: Any) -> GateFacts:
    return gate.gate_facts(memo.pk, **{"decider": None, "requested_percent": None, **special})


def test_the_facts_of_a_rich_memo_are_right_on_both_databases(either_database: str) -> None:
    memo = a_rich_memo()
    facts_of(memo)

    with CaptureQueriesContext(connection) as asked:
        facts = facts_of(memo)

    assert len(asked) == 5
    assert all(getattr(facts, field.name) or field.name in EMPTY for field in fields(facts))
    _people_are_right(facts)
    _evidence_is_right(facts)


EMPTY = {"strata", "expired_rollouts", "reference", "scope_hosts", "requested_percent", "decider"}


def _people_are_right(facts: GateFacts) -> None:
    assert facts.role_holders["board"] == ("bea", "ben")
    assert {c.name for c in facts.contributions} == {"ann", "sam"}
    olga, quin, tess, *_ = facts.signatures
    assert (olga.scope_percent, olga.kinds, olga.at.tzinfo is not None) == (Fraction("12.5"), ("bounded",), True)
    assert [(c.text, c.cleared_by) for c in olga.conditions] == [("Watch it.", "pat"), ("Ask Pat.", "")]
    assert (quin.objection, quin.resolved_by, quin.scope_percent, quin.withdrawn) == ("No.", "quin", None, False)
    assert (tess.withdrawn, olga.withdrawn, olga.covered["symptom"][:1].isalnum()) == (True, False, True)
    approved, requested = facts.waivers
    assert (approved.state, approved.approved_by, approved.approver_on_board) == ("approved", "ben", True)
    assert (requested.state, requested.approved_by, requested.approved_at) == ("requested", "", None)
    assert approved.expires_at.astimezone(UTC) > facts.now
    assert [(row.what, row.met) for row in facts.follow_ups] == [("Measure energy.", False), ("Write it up.", True)]


def _evidence_is_right(facts: GateFacts) -> None:
    (seen,) = facts.observations
    assert (seen.comparison, seen.assessment.outcome) == ("C1", "verdict")
    first = next(a for a in facts.assessments.values() if a.judgements)
    assert (first.placements[0].verified, first.look, first.failed, first.order_confounded) == (True, 1, 0, False)
    assert first.judgements[0].post_hoc is False
    assert {row.parse_state for row in facts.artifacts.values()} == {"parsed", "unrecognised"}
    recalled = [row for row in facts.artifacts.values() if row.recalled]
    assert [(row.name, row.recalled_by, row.recall_reason) for row in recalled] == [
        ("curve-pack.json", "sam", "wrong day")
    ]
    (plan,) = facts.plans
    assert [run.run for run in plan.runs if run.attached] == [run.run for run in cases.plan_content().runs]
    assert [(run.run, run.accounted) for run in plan.runs if not run.attached] == [("b9", "It died.")]
    assert [(row.title, row.files) for row in facts.open_sets] == [("Runs", 0)]
    (event,) = facts.production_events
    assert (event.kind, event.by, event.ratified_by) == ("deployed", "Sam", "bea")


@pytest.mark.postgres
@pytest.mark.usefixtures("prepared_postgresql")
@pytest.mark.django_db
def test_an_open_set_counts_the_files_that_are_not_taken_out() -> None:
    memo = cases.a_memo_with_evidence()
    row = deeds.open_set(memo)
    deeds.attach(row, deeds.file_of(b"one", "one.txt"), deeds.RUN)
    deeds.attach(row, deeds.file_of(b"two", "two.txt"), deeds.RUN)
    taken_out = row.attachments.get(name="one.txt")
    evidence.detach(actor=cases.person("sam"), attachment_id=taken_out.pk, reason="Wrong file.")

    assert [one.files for one in gate.gate_facts(memo.pk, decider=None, requested_percent=None).open_sets] == [1]


def test_the_facts_do_not_depend_on_the_database(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same deeds at the same (stopped) instants give equal facts, but for what a random secret decides."""
    found = []
    folder, prepared = request.getfixturevalue("tmp_path"), request.getfixturevalue("prepared_sqlite")
    for database in (
        databases.copy_of_sqlite(prepared, folder),
        databases.copy_of_postgresql(request.getfixturevalue("prepared_postgresql")),
    ):
        clock = Clock()
        monkeypatch.setattr(timezone, "now", clock)
        with request.getfixturevalue("django_db_blocker").unblock(), database:
            found.append(facts_of(a_rich_memo(), now=clock()))
    on_sqlite, on_postgresql = found
    for field in fields(on_sqlite):
        assert getattr(on_sqlite, field.name) == getattr(on_postgresql, field.name), field.name


class Clock:
    """A clock that moves on by a second at each look."""

    def __init__(self) -> None:
        self._now = cast.LONG_AGO + timedelta(days=300)

    def __call__(self) -> Any:
        self._now += timedelta(seconds=1)
        return self._now


@pytest.mark.django_db
class TestOneDatabase:
    def test_a_preview_asks_five_queries_however_much_there_is(self) -> None:
        memo = cases.a_draft()
        gate.preview(memo.pk)  # the first time, Django asks SQLite whether it knows JSON
        with CaptureQueriesContext(connection) as asked:
            gate.preview(memo.pk)

        assert len(asked) == 5

    def test_a_decider_on_the_board_is_told_from_another(self) -> None:
        memo = cases.a_draft()

        assert facts_of(memo, decider=cases.person("bea")).decider == Decider(name="bea", on_board=True)
        assert facts_of(memo, decider=cases.person("ann")).decider == Decider(name="ann", on_board=False)
        assert facts_of(memo, requested_percent=Fraction(5)).requested_percent == Fraction(5)

    def test_who_holds_a_role_twice_is_one_holder(self) -> None:
        memo = cases.a_draft()
        cast.assign(memo.team, "bea", "board")

        assert facts_of(memo).role_holders["board"] == ("bea", "ben")

    def test_a_memo_without_a_revision_is_a_fault(self) -> None:
        memo = cases.a_draft()
        Memo.objects.filter(pk=memo.pk).update(current_revision=None)

        with pytest.raises(RuntimeError, match="has no revision"):
            facts_of(memo)

    def test_a_rollout_runs_out_with_its_end(self) -> None:
        memo = cases.a_memo_rolling_out()
        digest = memo.current_revision.section_digests["rollout"]  # type: ignore[union-attr]

        assert facts_of(memo, now=timezone.now() + timedelta(days=59)).expired_rollouts == ()
        assert facts_of(memo, now=timezone.now() + timedelta(days=61)).expired_rollouts == (digest,)

    def test_an_emergency_without_an_end_expires_nothing(self) -> None:
        memo = cases.a_draft()
        section = {**deeds.sections_of(memo)["rollout"], "ends_at": ""}
        deeds.revise(memo, {"rollout": section})
        decisions.emergency_rollback(
            actor=cases.person("rob"), memo_id=memo.pk, reason="x", effective_at=timezone.now(),
            authentication=cases.proof(),
        )  # fmt: skip

        assert facts_of(memo, now=timezone.now() + timedelta(days=999)).expired_rollouts == ()

    def test_a_delegation_counts_for_its_memo_or_for_all_of_the_team(self) -> None:
        memo, other = cases.a_memo_in_review(), cases.a_memo_in_review()
        deeds.sign(memo, "olga", deeds.wish("inference_platform_owner"))
        for about in (other, memo, None):
            Delegation.objects.create(
                team=memo.team, memo=about, role="inference_platform_owner", holder=cases.person("olga"),
                holder_name="Olga", delegate=cases.person("sam"), delegate_name="Sam", reason="leave",
                starts_at=cast.LONG_AGO, ends_at=timezone.now() + timedelta(days=9),
                delegated_by=cases.person("olga"), delegated_at=cast.LONG_AGO,
            )  # fmt: skip
            with CaptureQueriesContext(connection) as asked:
                facts_of(memo)
            assert len(asked) == 5
        rows = gate_people.people(memo, timezone.now())["delegation"]
        assert len(rows) == 2

    def test_an_approval_by_somebody_who_was_not_on_the_board_then_does_not_count(self) -> None:
        memo = cases.a_memo_with_waiver()
        (waiver,) = facts_of(memo).waivers
        assert waiver.approver_on_board
        ben = memo.team.assignments.get(person__username="ben")
        teams.end_assignment(actor=cases.person("adi"), assignment_id=ben.pk, reason="Moved.")

        (waiver,) = facts_of(memo).waivers
        assert waiver.approver_on_board

    def test_a_file_says_when_it_was_made(self) -> None:
        memo = cases.a_planned_draft()
        made = {"started_at": {"value": "2026-01-05", "source": "typed"}, "tool": {"value": "x", "source": "typed"}}
        artifact = evidence.take_in(actor=cases.person("sam"), name="p.txt", chunks=[b"A picture."], provenance=made)
        parsing.parse(artifact, asked="")
        row = deeds.open_set(memo)
        deeds.attach(row, artifact, replace(deeds.RUN, arm="", kind="picture"))
        evidence.seal(actor=cases.person("sam"), set_id=row.pk)

        facts = facts_of(memo).artifacts[artifact.sha256]
        assert (facts.created_at.date().isoformat(), facts.kind) == ("2026-01-05", "picture")

    def test_the_parse_that_somebody_chose_by_hand_counts(self) -> None:
        memo = cases.a_memo_with_evidence()
        part = next(part for part in deeds.content(memo).evidence.sets[0].attachments if part.arm)
        artifact = Artifact.objects.get(sha256=part.artifact)
        parsing.parse(artifact, asked="pytest-benchmark")

        assert facts_of(memo).artifacts[part.artifact].parse_state == "refused"

    def test_the_gate_of_every_kind_can_be_asked_of_a_rich_memo(self) -> None:
        memo = a_rich_memo()

        assert {outlook.kind for outlook in gate.preview(memo.pk).outlooks} == set(DecisionKind)
