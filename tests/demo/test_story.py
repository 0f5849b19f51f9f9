"""The story, played in this process: what it tells, what it leaves, and that it can be broken off and played again."""

import hashlib
import json
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from reviews.demo import personas, play, recorded, story
from reviews.demo.play import Result
from reviews.demo.story import StoryBroken
from reviews.demo.worker import WorkerTrouble
from reviews.errors import NotSignedIn
from reviews.models import Attachment, Decision, Event, Job, Memo, Plan, Signature, Waiver
from reviews.queries import gate
from reviews.sections import Hypothesis, Prediction
from reviews.services.events import Fault
from reviews.vocabulary import DecisionKind
from tests import cases
from tests.clock import move_on
from tests.demo.rehearsal import Rehearsal

TOLD = (
    "Ann pastes the text of her memo",
    "did not witness it",
    "The worker has read them all",
    "the worker makes the curve pack for throughput=2000,p99=50ms, and attaches it",
    "Batch policy curve pack, batch-policy-curve-pack.zip: Sufficient: throughput and p99 at 2 values of max_batch",
    "judged under throughput at least 2000.0 1/s and p99 at most 0.05 s",
    "C1, throughput rate:",
    "C2, e2e_latency p99:",
    "H1 supported; H2 refuted",
    "Bea tries to record “bounded rollout”, and is refused",
    "✕ energy_per_request mean is not compared",
    "Ben, of the board, approves until",
    "Bea tries to record “ship”, and is refused",
    "✕ C1 (throughput rate) speaks for “this placement only”",
    "Bea records it, up to 10 %",
    "events, each chained to the one before",
)


def played() -> tuple[Result, list[str]]:
    told: list[str] = []
    return play.play(told.append), told


def test_the_story_ends_with_a_bounded_rollout_and_its_pdf(rehearsal: Rehearsal, stage: Path) -> None:
    result, told = played()

    text = "\n".join(told)
    assert [wanted for wanted in TOLD if wanted not in text] == []
    memo, decision = Memo.objects.get(), Decision.objects.get()
    assert (memo.state, decision.kind, str(decision.scope_percent)) == ("rolling_out", "bounded", "10.0000")
    assert (result.memo, result.decision) == (memo.number, "bounded")
    assert result.dossier_sha256 == hashlib.sha256(decision.dossier.encode()).hexdigest()
    assert Path(result.pdf).parent == stage / "demo"
    assert hashlib.sha256(Path(result.pdf).read_bytes()).hexdigest() == result.pdf_sha256
    assert not Plan.objects.get().witnessed
    assert Waiver.objects.get().requested_by_name == "Ann"
    assert Waiver.objects.get().approval.by_name == "Ben"
    assert {signature.signer_name for signature in Signature.objects.all()} == {"Olga", "Pat", "Quin", "Tess", "Rob"}
    ship = next(outlook for outlook in gate.preview(memo.pk).outlooks if outlook.kind is DecisionKind.SHIP)
    assert (ship.allowed, ship.evidence_supports) == (False, False)
    assert rehearsal.asked == [
        "reading the files", "making the curve pack", "reading the curve pack", "rendering the PDF",
    ]  # fmt: skip
    [pack] = Attachment.objects.filter(kind="batch_policy_curve_pack")
    job = Job.objects.get(kind="batch_policy")
    assert (job.result or {})["pack"] == pack.artifact.sha256


def test_played_again_it_is_shown_again_and_nothing_changes(rehearsal: Rehearsal) -> None:
    first, _ = played()
    Path(first.pdf).unlink()
    events, logins = Event.objects.count(), User.objects.count()

    again, told = played()

    assert again == first
    assert Path(again.pdf).is_file()
    assert (Event.objects.count(), User.objects.count()) == (events, logins)
    assert "nothing is changed" in told[0]


def test_broken_off_it_goes_on_where_it_stopped(rehearsal: Rehearsal) -> None:
    rehearsal.trouble = True
    with pytest.raises(WorkerTrouble):
        played()
    begun = Memo.objects.get().number
    rehearsal.trouble = False

    result, told = played()

    assert result.memo == begun
    assert Memo.objects.count() == 1
    assert "goes on where it stopped" in told[1]


def test_broken_off_before_its_pdf_it_only_waits_for_that(
    rehearsal: Rehearsal, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(play, "_to_the_pdf", lambda *_: (_ for _ in ()).throw(WorkerTrouble("gone")))
        with pytest.raises(WorkerTrouble):
            played()
    events = Event.objects.count()

    played()

    assert Event.objects.count() == events + 1


def test_every_step_that_stands_is_left_alone(rehearsal: Rehearsal, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object) -> None:
        raise WorkerTrouble("gone")

    with monkeypatch.context() as patch:
        patch.setattr(story, "decide", gone)
        with pytest.raises(WorkerTrouble):
            played()
    events = Event.objects.count()

    played()

    assert Waiver.objects.count() == 1
    assert Signature.objects.count() == len(personas.SIGNERS)
    assert Event.objects.count() == events + 2  # the decision and its PDF


def test_a_gate_that_lets_everything_through_breaks_the_story(
    rehearsal: Rehearsal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(story, "_decide", lambda *_: None)

    with pytest.raises(StoryBroken, match="let “bounded rollout” through"):
        played()


def test_a_pdf_that_never_comes_breaks_the_story(rehearsal: Rehearsal) -> None:
    rehearsal.idle_at = "rendering the PDF"

    with pytest.raises(StoryBroken, match="no PDF"):
        played()


@pytest.mark.parametrize(
    ("judged", "state"),
    [
        ({"P1": "supported", "P2": "supported"}, "supported"),
        ({"P1": "supported", "P2": "refuted"}, "refuted"),
        ({"P1": "supported", "P2": "inconclusive"}, "open"),
        ({"P1": "supported"}, "open"),
    ],
)
def test_a_hypothesis_is_resolved_by_the_judgements_of_its_predictions(judged: dict[str, str], state: str) -> None:
    predictions = tuple(
        Prediction(key=key, metric="throughput", stat="rate", condition="", low="2", high="4") for key in ("P1", "P2")
    )
    stated = Hypothesis(key="H1", rank="primary", mechanism="scheduling", statement="So.", predictions=predictions)

    resolution = story.resolved(stated, judged).resolution

    assert resolution.state == state
    assert bool(resolution.owner and resolution.due) is (state == "open")


def test_a_trail_that_does_not_hold_breaks_the_story(rehearsal: Rehearsal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reviews.demo.play.events.verify", lambda _: [Fault(3, "event 3 is not what was written")])

    with pytest.raises(StoryBroken, match="event 3 is not what was written"):
        played()


@pytest.mark.usefixtures("stage")
def test_everybody_can_sign_in_with_the_printed_password() -> None:
    personas.settle()

    names = {persona.username for persona in (*personas.PERSONAS, personas.OPERATOR)}
    assert {name for name in names if authenticate(username=name, password=personas.PASSWORD)} == names
    assert {line.split()[0] for line in personas.logins()} == names


@pytest.mark.usefixtures("stage")
def test_people_settle_once() -> None:
    personas.settle()
    events = Event.objects.count()

    personas.settle()

    assert Event.objects.count() == events


@pytest.mark.usefixtures("stage")
def test_a_changed_password_proves_nobody() -> None:
    personas.settle()
    bea = User.objects.get(username="bea")
    bea.set_password("another")
    bea.save()

    with pytest.raises(NotSignedIn):
        personas.proved("bea")
    with pytest.raises(LookupError):
        personas.as_person("eve")


def test_the_command_prints_a_json_object_last_and_for_the_server_only_who_can_sign_in(rehearsal: Rehearsal) -> None:
    out, beside_the_server = StringIO(), StringIO()
    call_command("demo", stdout=out)
    call_command("demo", if_empty=True, stdout=beside_the_server)

    assert beside_the_server.getvalue().splitlines()[-1].split() == ["adi", "runs", "this", "installation"]
    *lines, last = out.getvalue().splitlines()
    assert json.loads(last).keys() == {"memo", "decision", "pdf", "pdf_sha256", "dossier_sha256"}
    assert any(personas.PASSWORD in line for line in lines)


def test_a_story_that_breaks_off_is_an_error_of_the_command(rehearsal: Rehearsal) -> None:
    rehearsal.trouble = True

    with pytest.raises(CommandError, match="The story broke off"):
        call_command("demo", stdout=StringIO())


def test_an_installation_with_memos_of_its_own_is_left_alone(rehearsal: Rehearsal) -> None:
    cases.a_draft()
    out = StringIO()

    with pytest.raises(CommandError, match="COUNTERSIGN_DATA_DIR"):
        call_command("demo", stdout=out)
    call_command("demo", if_empty=True, stdout=out)

    assert "left out" in out.getvalue()
    assert Memo.objects.count() == 1


def test_the_recorded_files_are_those_of_the_manifest_but_the_pack_that_the_story_makes() -> None:
    files = recorded.files()

    assert all(file.path.is_file() for file in files)
    assert {file.labels.kind for file in files} == {"benchmark_run", "batch_sweep", "rollback_procedure"}


def test_the_age_of_the_recorded_runs_is_waived_when_the_demo_is_old(
    rehearsal: Rehearsal, stage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    move_on(monkeypatch, hours=24 * 400)

    result, told = played()

    assert result.decision == "bounded"
    assert "The recorded runs are not of these days: their age is waived too, for 2 comparison(s)." in told
    assert {row.requirement for row in Waiver.objects.all()} == {"the_symptom_is_complete", "evidence_is_fresh"}
