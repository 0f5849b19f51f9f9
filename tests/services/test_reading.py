"""A file that is being read can be stopped in the middle, which leaves nothing, and be asked for again."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from analysis import evidence as formats
from reviews.errors import NotPermitted, NotVisible, WrongState
from reviews.models import Artifact, Job, Memo, Parse
from reviews.services import jobs, parsing, reading
from reviews.vocabulary import JobState
from tests import cases
from tests.services import deeds
from tests.services.deeds import refused

pytestmark = pytest.mark.django_db
RUN = (
    b'{"countersign": "measurements/1", "tool": "t", "runs": [{"run": "r", "status": "completed", "measurements": []}]}'
)


def an_unread_file() -> Artifact:
    cases.set_up()
    return deeds.file_of(RUN, read=False)


def in_the_middle(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], Any]) -> None:
    """While a file is being read, after its format is known."""
    known = formats.recognise

    def recognise(*given: Any) -> formats.Recognised:
        found = known(*given)
        happens()
        return found

    monkeypatch.setattr(jobs, "PROGRESS_EVERY", timedelta())
    monkeypatch.setattr(formats, "recognise", recognise)


def test_a_reading_is_stopped_in_the_middle_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    artifact = an_unread_file()
    job = Job.objects.get()
    in_the_middle(monkeypatch, lambda: reading.stop(actor=cases.person("sam"), artifact=artifact.sha256))

    jobs.run(job.pk, parsing.work)

    job.refresh_from_db()
    assert (job.state, job.reason) == (JobState.CANCELLED, "cancelled on request")
    assert not Parse.objects.exists()


def test_the_job_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    an_unread_file()
    job = Job.objects.get()
    told: list[tuple[int, str]] = []
    in_the_middle(monkeypatch, lambda: told.extend(Job.objects.values_list("progress_total", "progress_text")))

    jobs.run(job.pk, parsing.work)

    assert told == [(0, f"0\u00a0B of {len(RUN)}\u00a0B")]
    assert Parse.objects.get().state == "parsed"


def test_what_was_stopped_is_read_when_somebody_asks_again() -> None:
    artifact, sam = an_unread_file(), cases.person("sam")
    first = reading.stop(actor=sam, artifact=artifact.sha256)
    assert first.state == JobState.CANCELLED

    second = reading.again(actor=sam, artifact=artifact.sha256)
    jobs.run(second.pk, parsing.work)

    assert second.pk != first.pk
    assert Parse.objects.get().state == "parsed"


def test_a_reading_that_takes_too_long_fails_with_the_reason_and_can_be_repeated(settings: Any) -> None:
    artifact = an_unread_file()
    settings.PARSE_SECONDS = -1
    job = Job.objects.get()

    jobs.run(job.pk, parsing.work)

    job.refresh_from_db()
    assert job.state == JobState.FAILED
    assert "more than -1 seconds" in job.reason
    settings.PARSE_SECONDS = 60
    jobs.run(reading.again(actor=cases.person("sam"), artifact=artifact.sha256).pk, parsing.work)
    assert Parse.objects.get().state == "parsed"


def test_who_attaches_nothing_stops_nothing() -> None:
    memo = cases.a_memo_in_review()
    artifact = _attached(memo)
    with refused(NotPermitted):
        reading.stop(actor=cases.person("bea"), artifact=artifact.sha256)
    with refused(NotVisible):
        reading.again(actor=cases.person("eve"), artifact=artifact.sha256)


def test_another_who_attaches_to_the_memo_may_stop_it() -> None:
    artifact = _attached(cases.a_memo_in_review())
    assert reading.stop(actor=cases.person("ann"), artifact=artifact.sha256).state == JobState.CANCELLED


def test_what_is_not_being_read_is_not_stopped() -> None:
    artifact = _attached(cases.a_memo_in_review())
    reading.stop(actor=cases.person("sam"), artifact=artifact.sha256)
    with refused(WrongState, "not_reading"):
        reading.stop(actor=cases.person("sam"), artifact=artifact.sha256)


def test_a_format_chosen_by_hand_is_chosen_again() -> None:
    artifact, sam = _attached(cases.a_memo_in_review()), cases.person("sam")
    reading.stop(actor=sam, artifact=artifact.sha256)
    parsing_again = {"format": "countersign-measurements"}
    Job.objects.update(arguments=parsing_again)

    assert reading.again(actor=sam, artifact=artifact.sha256).arguments == parsing_again


def _attached(memo: Memo) -> Artifact:
    artifact = deeds.file_of(RUN, read=False)
    deeds.attach(deeds.open_set(memo), artifact, deeds.RUN)
    return artifact
