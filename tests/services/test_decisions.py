"""A decision is recorded once, by the board, on an open gate, and stands on everything that it froze."""

import hashlib
import json
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from reviews.errors import BadInput, GateClosed, NotPermitted, NotSignedIn, NotVisible, Refusal, StalePage, WrongState
from reviews.models import Decision, FollowUp, Job, Memo, Recall, Waiver, WaiverApproval, authority
from reviews.policies import gate as table
from reviews.queries import gate
from reviews.services import decisions, events, signatures
from reviews.services.decisions import DecisionWish
from reviews.vocabulary import DecisionKind, State
from tests import cases, cast
from tests.services import deeds
from tests.services.deeds import refused

ROLLOUT = DecisionWish(kind="bounded", scope_percent="10", rationale="One host was measured.")


def decide(memo: Memo, name: str = "bea", base: str = "", **special: str) -> Decision:
    return decisions.decide(
        actor=cases.person(name), memo_id=memo.pk, base=base or cases.base_of(memo),
        wish=replace(ROLLOUT, **special), authentication=cases.proof(),
    )  # fmt: skip


def emergency(memo: Memo, name: str = "rob", reason: str = "p99 doubled.", minutes: int = -5) -> Decision:
    return decisions.emergency_rollback(
        actor=cases.person(name), memo_id=memo.pk, reason=reason,
        effective_at=timezone.now() + timedelta(minutes=minutes), authentication=cases.proof(),
    )  # fmt: skip


@pytest.mark.django_db
class TestOneBoard:
    def test_an_open_gate_records_a_decision_with_its_dossier_and_asks_for_the_pdf(self) -> None:
        memo = cases.a_memo_ready_to_roll_out()
        head = events.head_of(memo)

        decision = decide(memo)

        assert cases.again(memo).state == State.ROLLING_OUT
        assert cases.again(memo).decided_at == decision.effective_at
        assert (decision.number, decision.kind, str(decision.scope_percent), decision.supersedes) == (
            1,
            "bounded",
            "10",
            None,
        )
        assert decision.chain_head == head
        assert hashlib.sha256(decision.dossier.encode()).hexdigest() == decision.dossier_sha256
        assert not any(line["blocks"] for line in decision.gate)
        assert Job.objects.get(kind="pdf").subject_id == decision.pk
        assert events.chain_of(memo).last().action == "roll_out"  # type: ignore[union-attr]

    def test_a_later_decision_supersedes_the_former(self) -> None:
        memo = cases.a_memo_rolling_out()

        second = emergency(memo)

        assert (second.number, second.supersedes) == (2, Decision.objects.get(number=1))

    @pytest.mark.parametrize(
        ("special", "code"),
        [
            ({"kind": "party"}, "unknown_decision"),
            ({"kind": ""}, "unknown_decision"),
            ({"rationale": " "}, "no_rationale"),
            ({"scope_percent": ""}, "no_scope"),
            ({"scope_percent": "0"}, ""),
            ({"kind": "rollback"}, "scope_out_of_place"),
            ({"kind": "ship"}, "scope_out_of_place"),
        ],
    )
    def test_a_wish_that_does_not_fit_together_is_refused(self, special: dict[str, str], code: str) -> None:
        memo = cases.a_memo_ready_to_roll_out()

        with refused(BadInput, code):
            decide(memo, **special)

    @pytest.mark.parametrize("name", ["ann", "sam", "olga", "rob", "esk", "aud", "adi"])
    def test_only_the_board_decides(self, name: str) -> None:
        memo = cases.a_memo_ready_to_roll_out()

        with refused(NotPermitted):
            decide(memo, name)
        assert not Decision.objects.exists()

    def test_a_stranger_does_not_even_see_it(self) -> None:
        with refused(NotVisible):
            decide(cases.a_memo_ready_to_roll_out(), "eve")

    def test_an_old_proof_is_refused(self) -> None:
        memo = cases.a_memo_ready_to_roll_out()
        old, bea = deeds.old_proof(), cases.person("bea")
        with refused(NotSignedIn, "step_up_needed"):
            decisions.decide(actor=bea, memo_id=memo.pk, base=cases.base_of(memo), wish=ROLLOUT, authentication=old)
        with refused(NotSignedIn, "step_up_needed"):
            decisions.emergency_rollback(
                actor=bea, memo_id=memo.pk, reason="x", effective_at=timezone.now(), authentication=old
            )

    def test_a_page_of_another_revision_is_refused(self) -> None:
        memo = cases.a_memo_ready_to_roll_out()
        base = cases.base_of(memo)
        deeds.revise(memo, {"symptom": {**deeds.sections_of(memo)["symptom"], "workload_slice": "elsewhere"}})

        with refused(StalePage):
            decide(memo, base=base)

    def test_a_second_decision_finds_another_state(self) -> None:
        memo = cases.a_memo_ready_to_roll_out()
        decide(memo)

        with refused(WrongState):
            decide(memo, "ben")

    def test_a_scope_beyond_what_was_signed_is_refused(self) -> None:
        memo = cases.a_memo_ready_to_roll_out()

        with refused(GateClosed) as caught:
            decide(memo, scope_percent="11")
        assert any("approves at most 10 %" in gap.sentence for gap in caught.value.missing)

    def test_a_signature_withdrawn_between_page_and_decision_closes_the_gate(self) -> None:
        memo = cases.a_memo_ready_to_roll_out()
        base = cases.base_of(memo)
        signature = memo.signatures.get(signer__username="quin")
        signatures.withdraw_signature(actor=cases.person("quin"), signature_id=signature.pk, reason="Not yet.")

        with refused(GateClosed) as caught:
            decide(memo, base=base)
        assert "required_owners_have_signed:sre_performance_owner" in {gap.code for gap in caught.value.missing}

    def test_an_edit_of_what_was_signed_closes_the_gate(self) -> None:
        memo = cases.a_memo_ready_to_roll_out()
        rollout = deeds.sections_of(memo)["rollout"]
        rollout["stages"][0]["soak_hours"] = "1"
        deeds.revise(memo, {"rollout": rollout})

        with refused(GateClosed):
            decide(memo)

    def test_a_recalled_file_closes_the_gate(self) -> None:
        memo = cases.a_memo_ready_to_roll_out()
        artifact = deeds.file_of(cases.CURVES, "curve-pack.json")
        Recall.objects.create(
            artifact=artifact, reason="wrong day", by=cases.person("sam"), by_name="Sam", at=timezone.now()
        )

        with refused(GateClosed) as caught:
            decide(memo)
        assert any("recalled by sam" in gap.sentence for gap in caught.value.missing)

    def test_a_waiver_that_has_expired_closes_the_gate(self) -> None:
        memo = cases.a_memo_with_evidence()
        _expired_waiver(memo)
        for name, role in (*cases.OWNERS.items(), cases.KEEPER):
            cases.sign(memo, name, role)

        with refused(GateClosed) as caught:
            decide(memo)
        assert {gap.code for gap in caught.value.missing} == {cases.ENERGY}

    def test_who_contributed_does_not_decide(self) -> None:
        memo = cases.a_memo_ready_to_roll_out()
        for name in ("ann", "sam"):
            cast.assign(memo.team, name, "board")
            with refused(GateClosed) as caught:
                decide(memo, name)
            assert {gap.code for gap in caught.value.missing} == {"the_decider_is_independent"}

    def test_a_deactivated_decider_sees_nothing(self) -> None:
        memo = cases.a_memo_ready_to_roll_out()
        bea = cases.person("bea")
        bea.is_active = False
        bea.save()

        with refused(NotVisible):
            decide(memo)

    def test_an_emergency_is_recorded_at_once_and_leaves_what_is_owed(self) -> None:
        memo = cases.a_memo_in_review()

        decision = emergency(memo)

        assert (cases.again(memo).state, decision.emergency, decision.kind) == (State.ROLLED_BACK, True, "rollback")
        assert decision.effective_at < decision.recorded_at
        owed = FollowUp.objects.filter(decision=decision)
        assert {row.requirement for row in owed} >= {"required_owners_have_signed", "the_quorum_is_met"}
        assert {row.owner_name for row in owed} == {"Ann"}
        assert {row.due_at.date() for row in owed} == {(timezone.now() + timedelta(days=7)).date()}

    @pytest.mark.parametrize("state", [State.DRAFT, State.SHIPPED, State.CLOSED, State.WITHDRAWN, State.ROLLED_BACK])
    def test_an_emergency_is_possible_in_every_state(self, state: State) -> None:
        memo = cases.a_draft()
        deeds.put_into(memo, state)

        assert emergency(memo, "bea").kind == "rollback"

    @pytest.mark.parametrize(("special", "code"), [({"reason": " "}, "no_reason"), ({"minutes": 5}, "future_time")])
    def test_an_emergency_has_a_reason_and_has_happened(self, special: dict[str, Any], code: str) -> None:
        with refused(BadInput, code):
            emergency(cases.a_memo_in_review(), **special)

    @pytest.mark.parametrize("name", ["ann", "sam", "olga", "aud"])
    def test_an_emergency_is_for_the_board_and_the_rollback_owner(self, name: str) -> None:
        with refused(NotPermitted):
            emergency(cases.a_memo_in_review(), name)

    def test_an_overdue_follow_up_closes_the_next_ship_of_the_team(self) -> None:
        emergency(cases.a_memo_in_review())
        other = cases.a_memo_ready_to_roll_out()

        def rules(days: int) -> set[str]:
            facts = gate.gate_facts(
                other.pk, decider=None, requested_percent=None, now=timezone.now() + timedelta(days=days)
            )
            return {line.rule for line in table.missing(table.evaluate(facts, DecisionKind.SHIP))}

        assert "follow_ups_are_not_overdue" not in rules(6)
        assert "follow_ups_are_not_overdue" in rules(8)


def _expired_waiver(memo: Memo) -> None:
    """Asked for, approved and run out, all in the past."""
    then = timezone.now() - timedelta(days=9)
    rule, _, subject = cases.ENERGY.partition(":")
    waiver = Waiver.objects.create(
        memo=memo, requirement=rule, subject=subject, owner=cases.person("tess"), owner_name="Tess", reason="x",
        control="x", expires_at=then + timedelta(days=8), requested_by=cases.person("ann"), requested_by_name="Ann",
        requested_at=then,
    )  # fmt: skip
    with authority.writing(WaiverApproval):
        WaiverApproval.objects.create(
            waiver=waiver, state="approved", authentication={}, by=cases.person("ben"), by_name="Ben", at=then
        )


def test_of_two_deciders_at_the_same_moment_one_decides(either_database: str) -> None:
    memo = cases.a_memo_ready_to_roll_out()
    base = cases.base_of(memo)
    start = threading.Barrier(2)
    outcomes: dict[str, str] = {}

    def record(name: str, deed: Callable[[], object]) -> None:
        start.wait()
        try:
            deed()
            outcomes[name] = "decided"
        except Refusal as refusal:
            outcomes[name] = type(refusal).__name__
        finally:
            connection.close()

    people = [threading.Thread(target=record, args=(n, lambda n=n: decide(memo, n, base))) for n in ("bea", "ben")]
    for person in people:
        person.start()
    for person in people:
        person.join()

    assert sorted(outcomes.values()) == ["WrongState", "decided"]
    assert Decision.objects.count() == 1
    assert events.verify(memo) == []


def test_a_withdrawal_at_the_same_moment_comes_before_or_after_and_never_between(either_database: str) -> None:
    memo = cases.a_memo_ready_to_roll_out()
    base, signature = cases.base_of(memo), memo.signatures.get(signer__username="quin")
    start = threading.Barrier(2)
    outcomes: dict[str, str] = {}

    def record(name: str, deed: Callable[[], object]) -> None:
        start.wait()
        try:
            deed()
            outcomes[name] = "done"
        except Refusal as refusal:
            outcomes[name] = type(refusal).__name__
        finally:
            connection.close()

    deeds_of = {
        "decide": lambda: decide(memo, "bea", base),
        "withdraw": lambda: signatures.withdraw_signature(
            actor=cases.person("quin"), signature_id=signature.pk, reason="Not yet."
        ),
    }
    people = [threading.Thread(target=record, args=item) for item in deeds_of.items()]
    for person in people:
        person.start()
    for person in people:
        person.join()

    actions = [event.action for event in events.chain_of(memo)]
    if outcomes["decide"] == "done":
        assert outcomes["withdraw"] == "done"
        assert actions.index("roll_out") < actions.index("withdraw_signature")
    else:
        assert (outcomes["decide"], outcomes["withdraw"]) == ("GateClosed", "done")


def test_the_dossier_is_the_same_text_on_both_databases_but_for_times_and_names_of_rows(either_database: str) -> None:
    memo = cases.a_memo_ready_to_roll_out()
    dossier = json.loads(decide(memo).dossier)

    assert dossier["comparisons"][1]["result"]["verdict"]["headline"]
    assert [signature["counts"] for signature in dossier["signatures"]] == [True] * 5
    assert dossier["trail"]["head"] == Decision.objects.get().chain_head
    assert {line["state"] for line in dossier["gate"] if line["required"]} <= {"met", "waived", "not_applicable"}
