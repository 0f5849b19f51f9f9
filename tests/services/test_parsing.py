"""A file is read once per parser, by the job or at once, and what it is not is kept as a row too."""

import pytest
from django.utils import timezone

from reviews.errors import NotVisible, Unreadable
from reviews.models import Job, Measurements, Parse
from reviews.services import jobs, parsing
from reviews.vocabulary import ParseState
from tests import cases
from tests.services import deeds
from tests.services.deeds import refused

pytestmark = pytest.mark.django_db


def runs() -> bytes:
    return cases.runs_file(cases.AS_MEASURED, timezone.now())


def test_the_job_reads_and_keeps_what_was_read() -> None:
    cases.set_up()
    artifact = deeds.file_of(runs(), read=False)

    claim = jobs.take(Job.objects.get(kind=parsing.JOB, subject_id=artifact.pk).pk)
    assert claim is not None
    keep = parsing.work(jobs.Running(claim))
    assert not Parse.objects.exists()
    result = keep()

    row = Parse.objects.get()
    assert result == {"parse": row.pk}
    assert (row.state, row.asked_format, row.measurements.runs) == (ParseState.PARSED, "", 6)


def test_reading_twice_is_one_row_and_the_same_measurements() -> None:
    cases.set_up()
    artifact = deeds.file_of(runs())

    assert parsing.parse(artifact, asked="") == Parse.objects.get()
    assert Measurements.objects.count() == 1
    reading = parsing.reading_of(Parse.objects.get())
    assert [run.key for run in reading.runs][:2] == ["b1-baseline", "b1-candidate"]


@pytest.mark.parametrize(
    ("content", "state"),
    [(b"A picture.", ParseState.UNRECOGNISED), (b'{"countersign": "measurements/1"}', ParseState.REFUSED)],
)
def test_what_cannot_be_read_is_a_row_with_its_reason(content: bytes, state: ParseState) -> None:
    cases.set_up()
    row = parsing.parse(deeds.file_of(content), asked="")

    assert (row.state, bool(row.code), bool(row.message)) == (state, True, True)
    with refused(Unreadable, row.code):
        parsing.reading_of(row)


def test_a_format_that_is_none_is_not_read_as_one() -> None:
    cases.set_up()
    with refused(NotVisible):
        parsing.parse(deeds.file_of(b"x"), asked="no-such-format")
