"""Database triggers that refuse UPDATE and DELETE on every append-only table, on SQLite and PostgreSQL.

Django rebuilds a table on SQLite to alter it, which drops its triggers, so they are installed after every migrate.
SQLite's INSERT OR REPLACE deletes rows without asking a delete trigger: a third trigger refuses to insert a row whose
place is taken. PostgreSQL asks the update trigger for INSERT … ON CONFLICT DO UPDATE, and a truncate trigger besides.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.db import models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from reviews.models.appendonly import AppendOnly

REFUSAL: Final = "countersign_refuse_change"
BODY: Final = """
BEGIN
    RAISE EXCEPTION '% is written once: % refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'integrity_constraint_violation';
END
"""
FUNCTION: Final = f"CREATE OR REPLACE FUNCTION {REFUSAL}() RETURNS trigger LANGUAGE plpgsql AS $${BODY}$$"
FOUND_ON_POSTGRESQL: Final = """
SELECT c.relname, t.tgname, pg_get_triggerdef(t.oid)
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
WHERE NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND p.proname = %s AND p.prosrc = %s
    AND c.relnamespace = current_schema()::regnamespace
"""
FOUND_ON_SQLITE: Final = "SELECT tbl_name, name, sql FROM sqlite_master WHERE type = 'trigger'"

Trigger = tuple[str, str]
"""The table and the name of a trigger; a name is unique in SQLite's whole file, in PostgreSQL only on its table."""


def append_only_models() -> tuple[type[AppendOnly], ...]:
    """Every model whose rows are written once."""
    return tuple(model for model in apps.get_app_config("reviews").get_models() if issubclass(model, AppendOnly))


def wanted(connection: BaseDatabaseWrapper) -> Mapping[Trigger, str]:
    """The triggers that must stand, as the SQL that makes them; only for tables that exist."""
    tables = set(connection.introspection.table_names())
    make = {"sqlite": _on_sqlite, "postgresql": _on_postgresql}.get(connection.vendor)
    if make is None:
        raise ImproperlyConfigured(f"No append-only triggers are known for {connection.vendor}.")
    standing = (model for model in append_only_models() if model._meta.db_table in tables)
    return {trigger: sql for model in standing for trigger, sql in make(model)}


def install(connection: BaseDatabaseWrapper) -> None:
    """Every trigger stands as written here, whatever stood before."""
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(FUNCTION)
        for (table, name), sql in wanted(connection).items():
            on_table = f' ON "{table}"' if connection.vendor == "postgresql" else ""
            cursor.execute(f'DROP TRIGGER IF EXISTS "{name}"{on_table}')
            cursor.execute(sql)


def missing(connection: BaseDatabaseWrapper) -> list[Trigger]:
    """The triggers that do not stand, are switched off, or do something else than written here."""
    found = dict(_found(connection))
    return sorted(trigger for trigger, sql in wanted(connection).items() if found.get(trigger) != sql)


def _on_sqlite(model: type[AppendOnly]) -> Iterator[tuple[Trigger, str]]:
    table = model._meta.db_table
    for deed in ("UPDATE", "DELETE"):
        name = f"{table}_refuse_{deed.lower()}"
        refusal = f"SELECT RAISE(ABORT, '{table} is written once: {deed} refused');"
        yield (table, name), f'CREATE TRIGGER "{name}" BEFORE {deed} ON "{table}" BEGIN {refusal} END'
    name = f"{table}_refuse_replace"
    taken = " OR ".join(f'EXISTS (SELECT 1 FROM "{table}" WHERE {_same(columns)})' for columns in _unique(model))  # noqa: S608
    refusal = f"SELECT RAISE(ABORT, '{table} holds such a row already: INSERT refused');"
    yield (table, name), f'CREATE TRIGGER "{name}" BEFORE INSERT ON "{table}" WHEN {taken} BEGIN {refusal} END'


def _same(columns: tuple[str, ...]) -> str:
    return " AND ".join(f'"{column}" = NEW."{column}"' for column in columns)


def _unique(model: type[AppendOnly]) -> Iterator[tuple[str, ...]]:
    fields = model._meta.concrete_fields
    yield from ((str(field.column),) for field in fields if field.unique)
    for constraint in model._meta.constraints:
        if isinstance(constraint, models.UniqueConstraint):
            yield tuple(str(field.column) for name in constraint.fields for field in fields if field.name == name)


def _on_postgresql(model: type[AppendOnly]) -> Iterator[tuple[Trigger, str]]:
    table = model._meta.db_table
    for name, deeds, each in (
        ("refuse_change", "DELETE OR UPDATE", "ROW"),
        ("refuse_truncate", "TRUNCATE", "STATEMENT"),
    ):
        yield (
            (table, name),
            f"CREATE TRIGGER {name} BEFORE {deeds} ON public.{table} FOR EACH {each} EXECUTE FUNCTION {REFUSAL}()",
        )


def _found(connection: BaseDatabaseWrapper) -> Iterator[tuple[Trigger, str]]:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(FOUND_ON_POSTGRESQL, [REFUSAL, BODY])
        else:
            cursor.execute(FOUND_ON_SQLITE)
        yield from (((table, name), sql) for table, name, sql in cursor.fetchall())
