"""Rows that are written once. The database keeps the same promise by triggers: see `reviews.models.triggers`."""

from collections.abc import Collection, Iterable
from typing import Any, ClassVar, NoReturn, TypeVar

from django.db import models

from reviews.models import authority

Row = TypeVar("Row", bound=models.Model, covariant=True)


class WrittenOnce(TypeError):
    """History is not changed: a correction is a new row. Raised at whoever tries to update or delete one."""


def refuse(model: type[models.Model], deed: str) -> NoReturn:
    """Raises WrittenOnce with a sentence about `model`."""
    raise WrittenOnce(f"{model.__name__} is written once: no {deed}. Add a new row instead.")


def _require_the_word(model: type[models.Model]) -> None:
    """Raises OnlyByService when rows of the model are made by services, and none is at work."""
    if getattr(model, "by_services_only", False):
        authority.require(model)


class AppendOnlyQuerySet(models.QuerySet[Row]):
    """A query set that reads and inserts, and nothing else."""

    def update(self, **kwargs: Any) -> NoReturn:  # noqa: ARG002
        refuse(self.model, "update")

    def bulk_update(self, objs: Iterable[Row], fields: Iterable[str], batch_size: int | None = None) -> NoReturn:  # noqa: ARG002
        refuse(self.model, "bulk_update")

    def update_or_create(self, *args: Any, **kwargs: Any) -> NoReturn:  # noqa: ARG002
        refuse(self.model, "update_or_create")

    def delete(self) -> NoReturn:
        refuse(self.model, "delete")

    def bulk_create(
        self,
        objs: Iterable[Row],
        batch_size: int | None = None,
        ignore_conflicts: bool = False,  # noqa: FBT001, FBT002
        update_conflicts: bool = False,  # noqa: FBT001, FBT002
        update_fields: Collection[str] | None = None,
        unique_fields: Collection[str] | None = None,
    ) -> list[Row]:
        """The inserted rows. A conflict is an IntegrityError: nothing is skipped silently, nothing overwritten."""
        if ignore_conflicts or update_conflicts or update_fields or unique_fields:
            refuse(self.model, "bulk_create with a way round conflicts")
        _require_the_word(self.model)
        return super().bulk_create(objs, batch_size)


class AppendOnly(models.Model):
    """A row that can be inserted, and then neither updated nor deleted.

    by_services_only: whether a row can be made by its service alone; see `reviews.models.authority`.
    """

    by_services_only: ClassVar[bool] = False

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(
        self,
        *,
        force_insert: bool | tuple[models.base.ModelBase, ...] = False,
        force_update: bool = False,
        using: str | None = None,
        update_fields: Iterable[str] | None = None,
    ) -> None:
        """Inserts the row. Raises WrittenOnce when it stands already, OnlyByService where services alone make rows."""
        if not self._state.adding or force_update or update_fields is not None:
            refuse(type(self), "update")
        _require_the_word(type(self))
        super().save(force_insert=force_insert or True, using=using)

    def delete(self, using: Any | None = None, keep_parents: bool = False) -> NoReturn:  # noqa: ARG002, FBT001, FBT002
        refuse(type(self), "delete")
