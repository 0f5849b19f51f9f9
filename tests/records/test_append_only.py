"""History is written once: the model and the query set refuse to change it."""

from collections.abc import Callable

import pytest
from django.apps import apps
from django.db import IntegrityError, models, transaction

from reviews.models import AppendOnly, Artifact, WrittenOnce, triggers
from tests.records.rows import DIGEST, a_memo, a_revision, an_artifact

pytestmark = pytest.mark.django_db

MUTABLE = {
    "ApiToken", "AssessmentRequest", "EventSource", "EvidenceSet", "Job", "KeyedRequest", "Memo", "MemoTemplate",
    "Notification", "NotificationPreference", "NumberSeries", "Outbox", "Team", "TeamChannel",
}  # fmt: skip


def test_every_record_is_append_only_or_known_to_change() -> None:
    everything = set(apps.get_app_config("reviews").get_models())

    assert {model.__name__ for model in everything - set(triggers.append_only_models())} == MUTABLE


def test_every_reference_into_history_is_protected() -> None:
    references = [
        field
        for model in apps.get_app_config("reviews").get_models()
        for field in model._meta.get_fields()
        if isinstance(field, models.ForeignKey)
    ]

    assert references
    assert [str(field) for field in references if field.remote_field.on_delete is not models.PROTECT] == []


def test_saving_a_second_time_is_refused() -> None:
    artifact = an_artifact()
    artifact.name = "other.json"

    with pytest.raises(WrittenOnce, match=r"Artifact is written once: no update\. Add a new row instead\."):
        artifact.save()


def test_a_row_with_the_key_of_another_does_not_overwrite_it() -> None:
    artifact = an_artifact()
    double = Artifact(pk=artifact.pk, **{**_values(artifact), "sha256": "b" * 64})

    with pytest.raises(IntegrityError), transaction.atomic():
        double.save()
    assert Artifact.objects.get().sha256 == DIGEST


def test_deleting_an_instance_is_refused() -> None:
    with pytest.raises(WrittenOnce, match="no delete"):
        an_artifact().delete()


def test_the_query_set_refuses_every_way_to_change_rows() -> None:
    rows = Artifact.objects.filter(pk=an_artifact().pk)
    ways: tuple[Callable[[], object], ...] = (
        lambda: rows.update(name="x"),
        lambda: rows.delete(),
        lambda: rows.bulk_update(list(rows), ["name"]),
        lambda: rows.update_or_create(defaults={"name": "x"}, sha256=DIGEST),  # type: ignore[misc]
        lambda: Artifact.objects.bulk_create(list(rows), ignore_conflicts=True),
        lambda: Artifact.objects.bulk_create(
            list(rows), update_conflicts=True, update_fields=["name"], unique_fields=["sha256"]
        ),
    )

    for way in ways:
        with pytest.raises(WrittenOnce):
            way()


def test_a_related_manager_refuses_as_well() -> None:
    memo = a_memo()
    a_revision(memo)

    with pytest.raises(WrittenOnce):
        memo.revisions.update(said="nothing")


def test_rows_can_be_inserted_in_bulk() -> None:
    made = Artifact.objects.bulk_create([Artifact(**{**_values(an_artifact()), "sha256": "b" * 64})])

    assert [row.sha256 for row in made] == ["b" * 64]


def test_what_history_points_at_cannot_be_deleted() -> None:
    memo = a_memo()
    a_revision(memo)

    for row in (memo, memo.team, memo.created_by):
        with pytest.raises(models.ProtectedError):
            row.delete()


def _values(row: AppendOnly) -> dict[str, object]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields if not field.primary_key}
