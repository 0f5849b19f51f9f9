"""What stops a decision that no service made: at a shell the models refuse, and below them the database."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from reviews.models import Decision, Memo, Outcome, Signature, WaiverApproval, authority, guards
from reviews.models.authority import OnlyByService
from reviews.services import events, signatures
from reviews.vocabulary import State
from tests import cases, cast
from tests.services import deeds

OPEN: list[dict[str, Any]] = [{"rule": "nobody_objects", "blocks": False}]


def forged(memo: Memo, **special: Any) -> Decision:
    """A decision as somebody could write it at a shell."""
    now = timezone.now()
    fields: dict[str, Any] = {
        "memo": memo, "number": 1, "revision": memo.current_revision, "kind": "ship", "scope_percent": "100",
        "rationale": "Trust me.", "emergency": False, "dossier": "{}", "dossier_sha256": "0" * 64, "gate": OPEN,
        "rules_version": "1", "chain_head": events.head_of(memo), "decider": cases.person("bea"), "decider_name": "Bea",
        "authentication": {}, "effective_at": now, "recorded_at": now,
    }  # fmt: skip
    return Decision(**{**fields, **special})


def written(row: Decision) -> None:
    """The row, written with the word of the service."""
    with transaction.atomic(), authority.writing(Decision):
        row.save()


@pytest.mark.django_db
def test_at_a_shell_no_row_that_decides_can_be_made() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    row = forged(memo)
    ways: tuple[Callable[[], object], ...] = (
        row.save,
        lambda: Decision.objects.create(memo=memo),
        lambda: Decision.objects.bulk_create([row]),
        lambda: memo.decisions.create(number=1),
        lambda: Signature.objects.create(memo=memo),
        lambda: WaiverApproval.objects.create(note=""),
        lambda: Outcome.objects.create(memo=memo),
    )

    for way in ways:
        with pytest.raises(OnlyByService, match="is made by its service alone"):
            way()
    assert not Decision.objects.exists()


@pytest.mark.django_db
def test_the_word_of_a_service_is_for_its_rows_and_ends_with_it() -> None:
    with authority.writing(Decision):
        authority.require(Decision)
        with pytest.raises(OnlyByService):
            authority.require(Signature)
    with pytest.raises(OnlyByService):
        authority.require(Decision)


def test_a_decision_whose_gate_blocks_is_refused_by_the_database(either_database: str) -> None:
    memo = cases.a_memo_ready_to_roll_out()
    gates: tuple[list[dict[str, Any]], ...] = ([], [{"blocks": True}], [*OPEN, {"blocks": True}], [{"rule": "x"}])

    for gate in gates:
        with pytest.raises(IntegrityError, match="whose gate is not open"):
            written(forged(memo, gate=gate))
    written(forged(memo))


def test_a_decision_that_two_people_do_not_approve_is_refused_by_the_database(either_database: str) -> None:
    memo = cases.a_memo_with_waiver()
    cases.sign(memo, "olga", "inference_platform_owner")
    cases.sign(memo, "pat", "capacity_planning_engineer", "abstain")

    for kind in ("ship", "bounded", "rollback"):
        with pytest.raises(IntegrityError, match="whose gate is not open"):
            written(forged(memo, kind=kind))
    signature = cases.sign(memo, "quin", "sre_performance_owner")
    signatures.withdraw_signature(actor=cases.person("quin"), signature_id=signature.pk, reason="No.")
    with pytest.raises(IntegrityError):
        written(forged(memo))
    cases.sign(memo, "quin", "sre_performance_owner")
    written(forged(memo))


def test_a_decision_out_of_place_is_refused_by_the_database(either_database: str) -> None:
    memo = cases.a_memo_ready_to_roll_out()
    first = memo.revisions.get(number=1)
    out_of_place: tuple[dict[str, Any], ...] = (
        {"chain_head": "0" * 64},
        {"chain_head": events.chain_of(memo)[0].hash},
        {"revision": first},
        {"decider": cases.person("olga")},
        {"decider": cast.a_person("eve")},
        {"emergency": True},
    )

    for special in out_of_place:
        with pytest.raises(IntegrityError, match="whose gate is not open"):
            written(forged(memo, **special))


def test_a_state_without_a_decision_is_refused_by_the_database(either_database: str) -> None:
    memo = cases.a_memo_ready_to_roll_out()
    for state in (State.SHIPPED, State.ROLLING_OUT, State.ROLLED_BACK, State.ESCALATED, State.CLOSED):
        with pytest.raises(IntegrityError, match="no decision and no outcome"), transaction.atomic():
            Memo.objects.filter(pk=memo.pk).update(state=state)
        with pytest.raises(IntegrityError, match="no decision and no outcome"), transaction.atomic():
            Memo.objects.create(
                number="ARM-2026-9999", title="x", team=memo.team, template_version=memo.template_version,
                intent="incident", state=state, created_by=memo.created_by, created_at=timezone.now(),
            )  # fmt: skip
    assert cases.again(memo).state == State.IN_REVIEW


def test_a_former_decision_does_not_carry_a_state_again(either_database: str) -> None:
    memo = cases.a_memo_rolling_out()
    Memo.objects.filter(pk=memo.pk).update(state=State.IN_REVIEW)

    with pytest.raises(IntegrityError, match="no decision and no outcome"), transaction.atomic():
        Memo.objects.filter(pk=memo.pk).update(state=State.ROLLING_OUT)


def test_what_is_decided_is_never_open_again(either_database: str) -> None:
    memo = cases.a_memo_rolling_out()
    deeds.put_into(memo, State.SHIPPED)

    for state in (State.DRAFT, State.IN_REVIEW, State.WITHDRAWN, State.CLOSED):
        with pytest.raises(IntegrityError, match="no decision and no outcome"), transaction.atomic():
            Memo.objects.filter(pk=memo.pk).update(state=state)


def test_a_guard_that_is_gone_is_found_and_comes_back_with_migrate(either_database: str) -> None:
    assert guards.missing(connection) == []
    guards.remove(connection)

    assert guards.missing(connection) == sorted(guards.wanted(connection))
    with pytest.raises(SystemCheckError, match=r"of the table reviews_decision is missing"):
        call_command("check", tags=["database"], databases=["default"])
    call_command("migrate", verbosity=0, skip_checks=True)
    assert guards.missing(connection) == []


@pytest.mark.postgres
def test_a_guard_that_lets_everything_through_counts_as_missing(own_postgresql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE OR REPLACE FUNCTION countersign_moves_rightly() RETURNS trigger LANGUAGE plpgsql"
            " AS $$BEGIN RETURN NEW; END$$"
        )

    assert guards.missing(connection) == [("reviews_memo", "moves_rightly")]


def test_a_database_without_known_guards_is_refused(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "vendor", "oracle")

    with pytest.raises(ImproperlyConfigured, match="No guards of decisions are known for oracle"):
        guards.wanted(connection)


def test_before_the_first_migration_nothing_is_guarded(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection.introspection, "table_names", list)

    assert guards.wanted(connection) == {}
