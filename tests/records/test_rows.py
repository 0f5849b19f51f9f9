"""What one row alone can say wrong, the database refuses; the cast stands; numbers have no gaps."""

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.sites import site
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, models, transaction
from django.test import Client, RequestFactory
from django.urls import path

from reviews.admin import AccountAdmin, ReadOnly
from reviews.models import (
    Assignment,
    AssignmentEnd,
    Attachment,
    Condition,
    Delegation,
    Detachment,
    Event,
    EvidenceSet,
    Job,
    Memo,
    Signature,
    Waiver,
    WaiverApproval,
    authority,
    in_force,
)
from reviews.services.numbers import next_memo_number
from reviews.vocabulary import Position, SetState, State, WaiverState
from tests import cast
from tests.cast import LONG_AGO, a_person, a_team
from tests.records.rows import DIGEST, LATER, a_memo, a_revision, an_artifact


def a_set(**special: object) -> EvidenceSet:
    fields = {
        "number": 1,
        "title": "first",
        "state": SetState.OPEN,
        "opened_by": a_person("sam"),
        "opened_at": LONG_AGO,
    }
    return EvidenceSet.objects.create(**{"memo": a_memo(), **fields, **special})


def a_signature(**special: object) -> Signature:
    memo = a_memo()
    fields = {
        "memo": memo,
        "revision": a_revision(memo),
        "signer": a_person("olga"),
        "signer_name": "Olga",
        "role": "inference_platform_owner",
        "position": Position.APPROVE,
        "decision_kinds": ["bounded"],
        "greatest_scope_percent": "5",
        "section_digests": {"action": DIGEST},
        "rules_version": "1",
        "statement": b"{}",
        "statement_sha256": DIGEST,
        "authentication": {"method": "password"},
        "authenticated_at": LONG_AGO,
        "signed_at": LONG_AGO,
    }
    with authority.writing(Signature):
        return Signature.objects.create(**{**fields, **special})


def a_waiver(**special: object) -> Waiver:
    fields = {
        "memo": a_memo(),
        "requirement": "quality_is_not_worse",
        "owner": a_person("quin"),
        "owner_name": "Quin",
        "reason": "no power counter",
        "control": "measured at the rack",
        "expires_at": LATER,
        "requested_by": a_person("ann"),
        "requested_by_name": "Ann",
        "requested_at": LONG_AGO,
    }
    return Waiver.objects.create(**{**fields, **special})


def an_attachment(**special: object) -> Attachment:
    fields = {
        "artifact": an_artifact(),
        "name": "run.json",
        "kind": "sweep",
        "use": "confirming",
        "attached_by": a_person("sam"),
        "attached_by_name": "Sam",
        "attached_at": LONG_AGO,
        "turn": 1,
    }
    return Attachment.objects.create(**{"evidence_set": a_set(), **fields, **special})


def a_delegation(**special: object) -> Delegation:
    fields = {
        "team": a_team(),
        "role": "board",
        "holder": a_person("bea"),
        "holder_name": "Bea",
        "delegate": a_person("ben"),
        "delegate_name": "Ben",
        "reason": "leave",
        "starts_at": LONG_AGO,
        "ends_at": LATER,
        "delegated_by": a_person("bea"),
        "delegated_at": LONG_AGO,
    }
    return Delegation.objects.create(**{**fields, **special})


def an_approval(**special: object) -> WaiverApproval:
    fields = {"state": WaiverState.APPROVED, "authentication": {}, "by": a_person("bea"), "by_name": "Bea", "at": LATER}
    with authority.writing(WaiverApproval):
        return WaiverApproval.objects.create(**{"waiver": a_waiver(), **fields, **special})


def a_job(**special: object) -> Job:
    fields = {"kind": "pdf", "subject_kind": "decision", "subject_id": 1, "requested_at": LATER, "published_at": LATER}
    return Job.objects.create(**{"state": "waiting", **fields, **special})


def an_event(**special: object) -> Event:
    fields = {"aggregate_kind": "memo", "aggregate_id": 1, "sequence": 1, "actor_name": "Ann", "action": "edit"}
    hashes = {"previous_hash": "0" * 64, "hash": DIGEST}
    return Event.objects.create(**{**fields, **hashes, "at": LATER, "detail": {}, **special})


REFUSED: list[tuple[Callable[..., object], dict[str, object], str]] = [
    (a_set, {"state": "half open"}, "evidenceset_state_is_known"),
    (a_set, {"number": 0}, "evidenceset_number_counts_from_one"),
    (a_set, {"title": ""}, "evidenceset_title_is_filled"),
    (a_set, {"digest": DIGEST}, "evidenceset_is_sealed_with_a_time_and_a_digest"),
    (a_set, {"state": SetState.SEALED}, "evidenceset_is_sealed_with_a_time_and_a_digest"),
    (a_set, {"sealed_at": LATER}, "evidenceset_sealed_by_goes_with_sealed_at|evidenceset_is_sealed"),
    (a_signature, {"position": "shrug"}, "signature_position_is_known"),
    (a_signature, {"statement_sha256": "abc"}, "signature_statement_sha256_is_a_digest"),
    (a_signature, {"rollout_digest": "abc"}, "signature_rollout_digest_is_a_digest"),
    (a_signature, {"greatest_scope_percent": "0"}, "signature_greatest_scope_percent_is_a_percentage"),
    (a_signature, {"greatest_scope_percent": "100.01"}, "signature_greatest_scope_percent_is_a_percentage"),
    (a_signature, {"position": Position.OBJECT, "text": "why"}, "signature_objects_with_a_reason_and_a_way_out"),
    (a_signature, {"position": Position.OBJECT, "would_clear_if": "x"}, "signature_objects_with_a_reason"),
    (a_signature, {"acting_for_name": "Pat"}, "signature_names_whom_it_acts_for"),
    (a_waiver, {"expires_at": None}, "expires_at"),
    (a_waiver, {"expires_at": LONG_AGO}, "waiver_expires_at_is_after_requested_at"),
    (a_waiver, {"control": ""}, "waiver_control_is_filled"),
    (an_approval, {"state": WaiverState.REQUESTED}, "waiverapproval_is_an_answer"),
    (an_attachment, {"arm": "left"}, "attachment_arm_is_known"),
    (an_attachment, {"use": ""}, "attachment_use_is_known"),
    (a_delegation, {"ends_at": None}, "ends_at"),
    (a_job, {"state": "running"}, "job_runs_under_a_lease"),
    (a_job, {"state": "failed"}, "job_fails_with_a_reason"),
    (an_event, {"aggregate_kind": "planet"}, "event_aggregate_kind_is_known"),
    (an_event, {"sequence": 2}, "event_begins_its_chain_only_once"),
    (an_event, {"previous_hash": DIGEST}, "event_begins_its_chain_only_once"),
    (a_memo, {"number": ""}, "memo_number_is_filled"),
]


@pytest.mark.parametrize(("make", "special", "constraint"), REFUSED)
def test_a_row_that_says_something_wrong_is_refused(
    db: None, make: Callable[..., object], special: dict[str, object], constraint: str
) -> None:
    with pytest.raises(IntegrityError, match=constraint):
        make(**special)


@pytest.mark.parametrize("make", list(dict.fromkeys(make for make, _, _ in REFUSED)))
def test_the_ordinary_row_is_taken(db: None, make: Callable[..., object]) -> None:
    assert make()


def test_nobody_delegates_to_themselves(db: None) -> None:
    with pytest.raises(IntegrityError, match="delegation_is_to_somebody_else"):
        a_delegation(delegate=a_person("bea"))


def test_one_run_of_an_artifact_is_attached_once_to_a_set(db: None) -> None:
    attachment = an_attachment(run="r01")

    with pytest.raises(IntegrityError):
        an_attachment(evidence_set=attachment.evidence_set, artifact=attachment.artifact, run="r01")


def test_what_was_taken_out_stays_taken_out_and_keeps_its_reason(db: None) -> None:
    fields = {"attachment": an_attachment(), "by": a_person("sam"), "by_name": "Sam", "at": LATER}
    with pytest.raises(IntegrityError, match="detachment_reason_is_filled"), transaction.atomic():
        Detachment.objects.create(**fields, reason="")
    Detachment.objects.create(**fields, reason="Wrong file.")

    with pytest.raises(IntegrityError):
        Detachment.objects.create(**fields, reason="Again.")


def test_a_condition_hangs_on_its_signature(db: None) -> None:
    signature = a_signature(position=Position.APPROVE_WITH_CONDITIONS)
    Condition.objects.create(signature=signature, number=1, text="soak a day")

    with pytest.raises(IntegrityError):
        Condition.objects.create(signature=signature, number=1, text="soak a week")


def test_a_waiver_is_requested_until_the_board_answers(db: None) -> None:
    waiver = a_waiver()
    assert waiver.state == WaiverState.REQUESTED

    an_approval(waiver=waiver, state=WaiverState.DECLINED)

    assert Waiver.objects.select_related("approval").get(pk=waiver.pk).state == WaiverState.DECLINED


def test_a_board_answers_once(db: None) -> None:
    approval = an_approval()

    with pytest.raises(IntegrityError):
        an_approval(waiver=approval.waiver, state=WaiverState.DECLINED)


def test_an_assignment_is_in_force_from_its_start_until_its_end(db: None) -> None:
    assignment = cast.assign(a_team(), "olga", "board")
    day = timedelta(days=1)
    AssignmentEnd.objects.create(
        assignment=assignment, at=LATER, ended_by=a_person("adi"), recorded_at=LATER, reason="moved on"
    )

    moments = (LONG_AGO - day, LONG_AGO, LATER - day, LATER)

    assert [Assignment.objects.filter(in_force(at)).exists() for at in moments] == [False, True, True, False]


def test_a_delegation_is_in_force_between_its_dates(db: None) -> None:
    a_delegation()
    day = timedelta(days=1)

    moments = (LONG_AGO - day, LONG_AGO, LATER - day, LATER)

    assert [Delegation.objects.filter(in_force(at)).exists() for at in moments] == [False, True, True, False]


def test_the_cast_holds_its_roles_and_eve_holds_none(db: None) -> None:
    team = cast.the_team()

    held: dict[str, set[str]] = {name: set() for name in (*cast.ROLES, "eve")}
    for assignment in cast.the_team().assignments.select_related("person"):
        held[assignment.person.username].add(assignment.role)

    assert held == {**{name: set(roles) for name, roles in cast.ROLES.items()}, "eve": set()}
    assert team.assignments.count() == 12
    assert a_person("eve").check_password(cast.PASSWORD)


def test_memo_numbers_count_within_their_year(db: None) -> None:
    taken = [next_memo_number(year) for year in (2026, 2026, 2027)]

    assert taken == ["ARM-2026-0001", "ARM-2026-0002", "ARM-2027-0001"]


def test_concurrent_memos_get_different_numbers_without_gaps(either_database: str) -> None:
    taken: list[str] = []
    start = threading.Barrier(4)

    def take() -> None:
        start.wait()
        try:
            for _ in range(5):
                with transaction.atomic():
                    taken.append(next_memo_number(2026))
        finally:
            connection.close()

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(taken) == [f"ARM-2026-{n:04d}" for n in range(1, 21)]


def a_bare_row(model: type[models.Model]) -> models.Model:
    """An unsaved row with every row that it must point at, and text in its texts."""
    values: dict[str, object] = {}
    for field in model._meta.concrete_fields:
        if isinstance(field, models.ForeignKey) and not field.null:
            values[field.name] = a_bare_row(field.related_model)
        elif isinstance(field, models.CharField | models.TextField):
            values[field.name] = f"some {field.name}"
    return model(**values)


@pytest.mark.parametrize("model", list(apps.get_app_config("reviews").get_models()), ids=lambda model: model.__name__)
def test_every_row_says_what_it_is(model: type[models.Model]) -> None:
    assert "object" not in str(a_bare_row(model))
    assert len(str(a_bare_row(model))) > 4


def test_the_admin_shows_every_record_and_changes_none(rf: RequestFactory, admin_user: User) -> None:
    request = rf.get("/")
    request.user = admin_user
    records = [model for model in site._registry if model._meta.app_label == "reviews"]

    assert Memo in records
    assert len(records) == len(list(Memo._meta.apps.get_app_config("reviews").get_models()))
    for model in records:
        shown = site._registry[model]
        assert isinstance(shown, ReadOnly)
        assert shown.has_view_permission(request)
        assert not shown.has_add_permission(request)
        assert not shown.has_change_permission(request)
        assert not shown.has_delete_permission(request)


def test_the_admin_deletes_no_account(rf: RequestFactory, admin_user: User) -> None:
    request = rf.get("/")
    request.user = admin_user

    assert isinstance(site._registry[User], AccountAdmin)
    assert not site._registry[User].has_delete_permission(request)


class AdminUrls:
    urlpatterns = (path("admin/", admin.site.urls),)


def test_a_post_to_the_admin_changes_nothing(admin_client: Client, settings: object) -> None:
    settings.ROOT_URLCONF = AdminUrls  # type: ignore[attr-defined]
    memo = a_memo()

    shown = admin_client.get(f"/admin/reviews/memo/{memo.pk}/change/")
    answer = admin_client.post(f"/admin/reviews/memo/{memo.pk}/change/", {"state": State.SHIPPED})

    memo.refresh_from_db()
    assert (shown.status_code, answer.status_code, memo.state) == (200, 403, State.DRAFT)
