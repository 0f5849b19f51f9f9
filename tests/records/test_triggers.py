"""History is written once: the database refuses to change it, whoever asks, on SQLite and PostgreSQL."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import IntegrityError, connection, models, transaction

from reviews.models import Artifact, Assignment, Revision, guards, triggers
from tests.records.rows import DIGEST, a_memo, a_revision, an_artifact


def test_raw_sql_that_changes_history_is_refused(either_database: str) -> None:
    memo = a_memo()
    a_revision(memo)

    for sql in ("UPDATE reviews_revision SET said = 'x'", "DELETE FROM reviews_revision"):
        with pytest.raises(IntegrityError, match="reviews_revision is written once"):
            _execute(sql)
    assert Revision.objects.get().said == "first text"


def test_a_row_is_not_replaced_by_an_insert_with_its_key(either_database: str) -> None:
    artifact = an_artifact()
    columns = "id, sha256, name, size, sniffed_type, provenance, taken_in_by_id, taken_in_by_name, taken_in_at"
    values = f"{artifact.pk}, '{DIGEST}', 'forged', size, sniffed_type, provenance, taken_in_by_id, 'x', taken_in_at"
    selected = f"SELECT {values} FROM reviews_artifact"  # noqa: S608
    sql = (
        f"INSERT OR REPLACE INTO reviews_artifact ({columns}) {selected}"
        if connection.vendor == "sqlite"
        else f"INSERT INTO reviews_artifact ({columns}) {selected} ON CONFLICT (id) DO UPDATE SET name = 'forged'"
    )

    with pytest.raises(IntegrityError, match="reviews_artifact"):
        _execute(sql)
    assert Artifact.objects.get().name == "run.json"


def test_a_row_is_not_replaced_by_an_insert_with_another_unique_value(own_database: str) -> None:
    artifact = an_artifact()
    rest = "name, size, sniffed_type, provenance, taken_in_by_id, taken_in_by_name, taken_in_at"
    replacing = f"INSERT OR REPLACE INTO reviews_artifact (sha256, {rest}) SELECT sha256, {rest} FROM reviews_artifact"  # noqa: S608

    with pytest.raises(IntegrityError, match="reviews_artifact holds such a row already"):
        _execute(replacing)
    assert Artifact.objects.get().pk == artifact.pk


@pytest.mark.postgres
def test_truncate_is_refused(own_postgresql: str) -> None:
    an_artifact()

    with pytest.raises(IntegrityError, match="written once: TRUNCATE refused"):
        _execute("TRUNCATE reviews_artifact CASCADE")


def test_every_append_only_table_has_its_triggers(either_database: str) -> None:
    per_table = 3 if connection.vendor == "sqlite" else 2

    assert triggers.missing(connection) == []
    assert len(triggers.wanted(connection)) == per_table * len(triggers.append_only_models()) > 0


def test_a_dropped_trigger_is_found_by_the_check_and_made_again_by_migrate(either_database: str) -> None:
    _drop_one()

    with pytest.raises(SystemCheckError, match=r"reviews\.E001.*of the table reviews_event is missing"):
        call_command("check", tags=["database"], databases=["default"])
    call_command("migrate", verbosity=0, skip_checks=True)
    call_command("check", tags=["database"], databases=["default"])


def test_a_trigger_that_does_something_else_counts_as_missing(own_database: str) -> None:
    _drop_one()
    _execute('CREATE TRIGGER "reviews_event_refuse_delete" BEFORE DELETE ON "reviews_event" BEGIN SELECT 1; END')

    assert triggers.missing(connection) == [("reviews_event", "reviews_event_refuse_delete")]


@pytest.mark.postgres
def test_a_disabled_trigger_counts_as_missing(own_postgresql: str) -> None:
    _execute("ALTER TABLE reviews_event DISABLE TRIGGER refuse_change")

    assert triggers.missing(connection) == [("reviews_event", "refuse_change")]


@pytest.mark.postgres
def test_a_trigger_under_a_condition_counts_as_missing(own_postgresql: str) -> None:
    _drop_one()
    _execute(
        "CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON reviews_event FOR EACH ROW WHEN (false)"
        " EXECUTE FUNCTION countersign_refuse_change()"
    )

    assert triggers.missing(connection) == [("reviews_event", "refuse_change")]


@pytest.mark.postgres
def test_a_function_that_lets_changes_through_counts_as_missing(own_postgresql: str) -> None:
    _execute(
        "CREATE OR REPLACE FUNCTION countersign_refuse_change() RETURNS trigger LANGUAGE plpgsql"
        " AS $$BEGIN RETURN NEW; END$$"
    )

    assert len(triggers.missing(connection)) == len(triggers.wanted(connection))


def test_an_altered_table_has_its_triggers_again_after_migrate(either_database: str) -> None:
    field = models.CharField(max_length=10, default="")
    field.set_attributes_from_name("extra")
    guards.remove(connection)  # as migrate does first
    with connection.schema_editor() as editor:
        editor.add_field(Assignment, field)
    dropped = triggers.missing(connection)

    call_command("migrate", verbosity=0, skip_checks=True)

    assert bool(dropped) == (connection.vendor == "sqlite")
    assert triggers.missing(connection) == []


def test_the_check_says_nothing_while_migrations_wait(own_database: str) -> None:
    _drop_one()
    _execute("DELETE FROM django_migrations WHERE app = 'reviews'")

    call_command("check", tags=["database"], databases=["default"])


def test_a_database_without_known_triggers_is_refused(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "vendor", "oracle")

    with pytest.raises(ImproperlyConfigured, match="No append-only triggers are known for oracle"):
        triggers.wanted(connection)


def _execute(sql: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)


def _drop_one() -> None:
    on_table = " ON reviews_event" if connection.vendor == "postgresql" else ""
    name = "refuse_change" if connection.vendor == "postgresql" else "reviews_event_refuse_delete"
    _execute(f"DROP TRIGGER {name}{on_table}")
