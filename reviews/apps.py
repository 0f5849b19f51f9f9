"""The one Django app."""

from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import post_migrate, pre_migrate


def guard_history(*, using: str, **kwargs: object) -> None:
    """The triggers stand again: altering a table may have dropped them."""
    from reviews.models import guards, triggers  # noqa: PLC0415 - models are not there while apps are loading

    del kwargs
    triggers.install(connections[using])
    guards.install(connections[using])


def lay_guards_aside(*, using: str, **kwargs: object) -> None:
    """The guards of decisions look into other tables, which SQLite then refuses to alter; they come back after."""
    from reviews.models import guards  # noqa: PLC0415 - models are not there while apps are loading

    del kwargs
    guards.remove(connections[using])


class ReviewsConfig(AppConfig):
    """Checks, and triggers after every migrate. No other signal is used."""

    name = "reviews"
    verbose_name = "Reviews"

    def ready(self) -> None:
        from reviews import checks  # noqa: F401, PLC0415 - registers the checks, and needs the models

        pre_migrate.connect(lay_guards_aside, sender=self)
        post_migrate.connect(guard_history, sender=self)
