"""System checks of the records: `manage.py check --database default`."""

from collections.abc import Sequence

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from reviews.models import guards, triggers


@register(Tags.database)
def history_is_guarded(
    *, app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None, **kwargs: object
) -> list[CheckMessage]:
    """An error per append-only table whose triggers are not all there. Says nothing while migrations wait."""
    del app_configs, kwargs
    return [message for alias in databases or () if not _migrations_wait(alias) for message in _unguarded(alias)]


def _migrations_wait(alias: str) -> bool:
    executor = MigrationExecutor(connections[alias])
    targets = [key for key in executor.loader.graph.leaf_nodes() if key[0] == "reviews"]
    return bool(executor.migration_plan(targets))


def _unguarded(alias: str) -> list[CheckMessage]:
    return [
        Error(
            f"The trigger {name} of the table {table} is missing, switched off or changed: history could be rewritten.",
            hint="Find out who removed it, then run `manage.py migrate --skip-checks`, which installs all triggers.",
            obj=alias,
            id="reviews.E001",
        )
        for table, name in (*triggers.missing(connections[alias]), *guards.missing(connections[alias]))
    ]
