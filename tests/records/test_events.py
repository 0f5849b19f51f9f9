"""The trail is one chain per aggregate, and a change of any byte in it is found."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, transaction
from django.db.transaction import TransactionManagementError

from reviews.models import ApiToken, Event, Memo
from reviews.services import events
from reviews.vocabulary import Action
from tests.cast import LONG_AGO, a_person, a_team
from tests.records.rows import DIGEST, LATER, a_memo


def a_chain(memo: Memo) -> list[Event]:
    with transaction.atomic():
        return [
            events.append(memo, a_person("ann"), Action.EDIT, revision=1, said="first text"),
            events.append(memo, a_person("ann"), Action.SUBMIT),
            events.append(memo, None, Action.EXPIRE, ended=["a", {"b": True}]),
        ]


def tamper(sql: str, *values: str | datetime | None) -> None:
    """Changes history behind the triggers' back, as somebody with the database in hand could."""
    name = "reviews_event_refuse_update" if connection.vendor == "sqlite" else "refuse_change"
    on_table = "" if connection.vendor == "sqlite" else " ON reviews_event"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER IF EXISTS {name}{on_table}")
        if connection.vendor == "sqlite":
            cursor.execute("DROP TRIGGER IF EXISTS reviews_event_refuse_delete")
        cursor.execute(sql, values)


def test_each_event_holds_the_hash_of_the_one_before_it(either_database: str) -> None:
    memo = a_memo()
    first, second, third = a_chain(memo)

    assert [event.sequence for event in (first, second, third)] == [1, 2, 3]
    assert [first.previous_hash, second.previous_hash, third.previous_hash] == ["0" * 64, first.hash, second.hash]
    assert events.head_of(memo) == third.hash
    assert events.verify(memo) == []


def test_who_did_it_is_copied_by_name(either_database: str) -> None:
    memo = a_memo()
    token = ApiToken.objects.create(
        owner=a_person("sam"),
        name="ci",
        start="cs_1",
        digest=DIGEST,
        scopes=["attach"],
        issued_by=a_person("sam"),
        issued_at=LONG_AGO,
        expires_at=LATER,
    )
    with transaction.atomic():
        by_person = events.append(memo, a_person("ann"), Action.EDIT)
        by_token = events.append(memo, token, Action.ATTACH)
        by_clock = events.append(memo, None, Action.EXPIRE)

    assert (by_person.actor, by_person.actor_name) == (a_person("ann"), "Ann")
    assert (by_token.actor, by_token.actor_name) == (None, "token ci of Sam")
    assert (by_clock.actor, by_clock.actor_name) == (None, "the clock")


def test_the_chains_of_two_aggregates_do_not_mix(either_database: str) -> None:
    memo, team = a_memo(), a_team()
    a_chain(memo)
    with transaction.atomic():
        event = events.append(team, a_person("adi"), "create")

    assert (event.sequence, event.aggregate_kind) == (1, "team")
    assert events.head_of(a_memo("ARM-2026-0002")) == events.BEGINNING


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("detail", '{"revision": 1, "said": "first texu"}'),
        ("action", "sign"),
        ("actor_name", "Anm"),
        ("actor_id", None),
        ("at", datetime(2026, 1, 1, tzinfo=UTC)),
    ],
)
def test_a_changed_field_is_found_and_its_event_named(
    either_database: str, column: str, value: str | datetime | None
) -> None:
    memo = a_memo()
    a_chain(memo)

    tamper(f"UPDATE reviews_event SET {column} = %s WHERE sequence = 1", value)  # noqa: S608

    (fault,) = events.verify(memo)
    assert fault.sequence == 1
    assert "is not what was written" in fault.sentence


def test_a_rewritten_event_with_a_fitting_hash_breaks_the_link_after_it(either_database: str) -> None:
    memo = a_memo()
    second = a_chain(memo)[1]
    second.action = "withdraw"

    tamper("UPDATE reviews_event SET action = 'withdraw', hash = %s WHERE sequence = 2", events.hash_of(second))

    assert events.verify(memo) == [events.Fault(3, "event 3 does not follow the event before it")]


def test_a_removed_event_is_found(either_database: str) -> None:
    memo = a_memo()
    a_chain(memo)

    tamper("DELETE FROM reviews_event WHERE sequence = 2")

    assert events.verify(memo) == [events.Fault(3, "event 2 is missing before event 3")]


def test_an_event_outside_a_transaction_is_refused(own_database: str) -> None:
    memo = a_memo()

    with pytest.raises(TransactionManagementError, match="in the transaction of its deed"):
        events.append(memo, None, Action.EXPIRE)
    assert not Event.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("value", [1.5, datetime(2026, 1, 1, tzinfo=UTC), timedelta(1), b"x", {"deep": [0.1]}])
def test_a_detail_that_two_databases_could_store_differently_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match=r"The detail said.* of an event cannot hold a"):
        events.append(a_memo(), None, Action.EXPIRE, said=value)  # type: ignore[arg-type]


def test_a_rolled_back_deed_leaves_no_event(either_database: str) -> None:
    memo = a_memo()

    with transaction.atomic():
        events.append(memo, None, Action.EXPIRE)
        transaction.set_rollback(True)

    assert not Event.objects.exists()


def test_concurrent_deeds_make_one_chain(either_database: str) -> None:
    memo, ann = a_memo(), a_person("ann")
    threads, each = 6, 8
    start = threading.Barrier(threads)
    errors: list[BaseException] = []

    def deeds() -> None:
        start.wait()
        try:
            for _ in range(each):
                with transaction.atomic():
                    events.append(memo, ann, Action.COMMENT)
        except BaseException as error:
            errors.append(error)
            raise
        finally:
            connection.close()

    workers = [threading.Thread(target=deeds) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert errors == []
    assert [event.sequence for event in events.chain_of(memo)] == list(range(1, threads * each + 1))
    assert events.verify(memo) == []
