"""The tasks, delivered once and twice."""

import hashlib

import pytest

from reviews import tasks
from reviews.errors import NotVisible
from reviews.models import Artifact, DecisionPdf, Event, Job, Parse
from reviews.queries.dossiers import dossier_of
from reviews.services import evidence, store
from reviews.vocabulary import JobState
from tests import cases, cast

pytestmark = pytest.mark.django_db

CSV = b"run,metric,stat,value,unit,kind,n,index\nr1,throughput,rate,1000.5,1/s,aggregate,1200,\n"


def job(kind: str) -> Job:
    return Job.objects.get(kind=kind)


def test_the_pdf_task_keeps_one_pdf_however_often_its_message_comes() -> None:
    memo = cases.a_memo_rolling_out()
    tasks.render_pdf(job("pdf").pk)
    kept, trail = DecisionPdf.objects.get(), Event.objects.count()

    tasks.render_pdf(job("pdf").pk)

    assert DecisionPdf.objects.get() == kept
    assert Event.objects.count() == trail
    assert (job("pdf").state, job("pdf").attempt, job("pdf").result) == (
        JobState.DONE,
        1,
        {"pdf_sha256": kept.pdf_sha256},
    )
    with store.open_artifact(kept.pdf_sha256) as file:
        assert hashlib.sha256(file.read()).hexdigest() == kept.pdf_sha256
    assert kept.decision.memo == memo


def test_the_parse_task_reads_a_file_once_however_often_its_message_comes() -> None:
    cast.the_team()
    evidence.take_in(actor=cast.a_person("sam"), name="runs.csv", chunks=[CSV], provenance={})

    tasks.parse(job("parse").pk)
    tasks.parse(job("parse").pk)

    parse = Parse.objects.get(artifact=Artifact.objects.get())
    assert (job("parse").state, job("parse").result) == (JobState.DONE, {"parse": parse.pk})
    assert parse.format == "countersign-measurements"


def test_the_sweep_task_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("reviews.services.jobs.sweep", lambda: asked.append("swept"))

    tasks.sweep()

    assert asked == ["swept"]


def test_the_dossier_of_no_decision_is_not_found() -> None:
    with pytest.raises(NotVisible):
        dossier_of(4711)
