"""What somebody changes behind the triggers shows when the records are held against the trail."""

import pytest
from django.db import connection

from reviews.models import Decision, Memo, authority, guards, triggers
from reviews.services import verification, waivers
from reviews.vocabulary import State
from tests import cases
from tests.services.test_forged_decisions import forged

pytestmark = pytest.mark.django_db


def behind_the_triggers(sql: str) -> None:
    """Done by somebody with the database in hand."""
    with connection.cursor() as cursor:
        for _, name in (*triggers.wanted(connection), *guards.wanted(connection)):
            cursor.execute(f'DROP TRIGGER "{name}"')
        cursor.execute(sql)
    triggers.install(connection)
    guards.install(connection)


def test_a_case_that_services_wrote_holds() -> None:
    memo = cases.a_memo_rolling_out()

    assert verification.faults(cases.again(memo)) == ()
    assert verification.faults(cases.a_draft()) == ()


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("UPDATE reviews_decision SET dossier = '{}'", "the dossier of decision 1 is not what its digest says"),
        (
            "UPDATE reviews_decision SET dossier_sha256 = chain_head",
            "decision 1 is not the one that event",
        ),
        ("UPDATE reviews_decision SET chain_head = dossier_sha256", "decision 1 is not the one that event"),
        (
            "UPDATE reviews_signature SET statement = x'00'",
            "the statement that Olga signed is not what",
        ),
        (
            "UPDATE reviews_signature SET position = 'abstain'",
            "the signature of Olga as inference_platform_owner is not",
        ),
        (
            "UPDATE reviews_signature SET greatest_scope_percent = 25",
            "the signature of Rob as rollback_owner is not what",
        ),
        ("UPDATE reviews_signature SET role = 'board'", "no event tells of the signature of Olga as board"),
        ("UPDATE reviews_revision SET sections = '{}' WHERE number = 2", "revision 2 is not what its digest says"),
        (
            "UPDATE reviews_revision SET digest = substr(digest, 2) || 'x' WHERE number = 2",
            "no event tells of revision 2",
        ),
        ("UPDATE reviews_assessment SET result = '{}'", "the assessment of C1 at look 1 is not what its digests say"),
        ("UPDATE reviews_assessment SET digest = inputs_digest", "no event tells of the assessment of C1 at look 1"),
        ("UPDATE reviews_waiver SET subject = 'p99'", "no event tells that the waiver of the_symptom_is_complete:p99"),
        ("UPDATE reviews_event SET action = 'edit' WHERE sequence = 1", "event 1 (edit) is not what was written"),
        ("DELETE FROM reviews_event WHERE sequence = 3", "event 3 is missing before event 4"),
        ("UPDATE reviews_memo SET state = 'shipped'", "the memo is shipped, and its last event left it rolling out"),
    ],
)
def test_what_was_changed_behind_the_triggers_is_named(sql: str, sentence: str) -> None:
    memo = cases.a_memo_rolling_out()

    behind_the_triggers(sql)

    assert any(found.startswith(sentence) for found in verification.faults(cases.again(memo)))


def test_a_forged_decision_that_passes_the_guards_is_named() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    with authority.writing(Decision):
        forged(memo).save()
    Memo.objects.filter(pk=memo.pk).update(state=State.SHIPPED)

    found = verification.faults(cases.again(memo))

    assert "no event tells of decision 1" in found
    assert "the dossier of decision 1 is not what its digest says" in found
    assert "the memo is shipped, and its last event left it in review" in found


def test_a_declined_waiver_is_told_apart_from_an_approved_one() -> None:
    memo = cases.a_memo_with_evidence()
    waivers.decline(actor=cases.person("ben"), waiver_id=cases.ask_for_waiver(memo).pk, reason="Measure it.")
    assert verification.faults(cases.again(memo)) == ()

    behind_the_triggers("UPDATE reviews_waiverapproval SET state = 'approved'")

    assert verification.faults(cases.again(memo)) == (f"no event tells that the waiver of {cases.ENERGY} was approved",)
