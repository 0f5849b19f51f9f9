"""On the page of a file its reading is stopped, and asked for again."""

import pytest
from django.urls import reverse

from reviews.models import Artifact, Job
from reviews.vocabulary import JobState
from tests import cases
from tests.services import deeds
from tests.web.asking import as_, follow, page

pytestmark = pytest.mark.django_db


def an_unread_file() -> tuple[Artifact, str]:
    memo = cases.a_memo_in_review()
    artifact = deeds.file_of(b"not read yet", read=False)
    deeds.attach(deeds.open_set(memo), artifact, deeds.RUN)
    return artifact, reverse("artifact", args=[artifact.sha256])


def test_a_file_that_is_being_read_says_how_far_and_can_be_stopped() -> None:
    artifact, address = an_unread_file()
    job = Job.objects.filter(subject_kind="artifact", subject_id=artifact.pk)
    job.update(progress_done=3, progress_total=12, progress_text="3 kB of 12 kB")

    shown = page("sam", address)
    got = as_("sam").post(reverse("artifact-stop", args=[artifact.sha256]))

    assert "3 kB of 12 kB" in shown
    assert "Stop reading" in shown
    assert follow(got) == address
    assert job.get().state == JobState.CANCELLED


def test_what_was_stopped_can_be_read_again() -> None:
    artifact, address = an_unread_file()
    as_("sam").post(reverse("artifact-stop", args=[artifact.sha256]))

    shown = page("sam", address)
    as_("sam").post(reverse("artifact-again", args=[artifact.sha256]))

    assert "Read again" in shown
    assert "Stop reading" not in shown
    assert Job.objects.filter(subject_id=artifact.pk, kind="parse", state=JobState.WAITING).exists()
