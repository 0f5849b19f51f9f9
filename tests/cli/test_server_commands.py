"""The commands that speak to a server, against a real one."""

import json
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from reviews import tasks
from reviews.cli import attach
from reviews.models import Job, Memo
from reviews.services import tokens
from reviews.vocabulary import JobState
from tests import cases, families
from tests.analysis.joined import smi
from tests.cli.typed import a_file, typed
from tests.services import deeds

Type = Callable[..., Any]


@pytest.fixture
def speak(
    served: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], Callable[..., Any]]:
    """`speak("ann")("memo", "status", …)`: a command typed with a token of that person, against the live server."""

    def as_person(name: str, *scopes: str) -> Callable[..., Any]:
        _, secret = tokens.issue(
            actor=cases.person(name),
            name="test",
            scopes=scopes or ("read", "file", "attach"),
            expires_at=timezone.now() + timedelta(hours=1),
        )
        monkeypatch.setenv("COUNTERSIGN_SERVER", f"{served}/")
        monkeypatch.setenv("COUNTERSIGN_TOKEN", secret)
        return lambda *words: typed(capsys, *words)

    return as_person


@pytest.fixture
def a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits for a file to be read finds that a worker has read it."""

    def work(_seconds: float) -> None:
        for job in Job.objects.filter(kind="parse", state=JobState.WAITING):
            tasks.parse(job.pk)

    monkeypatch.setattr(time, "sleep", work)


def test_a_text_is_filed_and_its_number_printed(speak: Type, tmp_path: Path) -> None:
    cases.set_up()
    path = tmp_path / "memo.txt"
    path.write_text(cases.memo_text("Pushed").replace("P99 latency", "P50 latency", 1))
    command = speak("ann")

    answer = command(
        "memo", "push", path, "--team", "serving", "--template", cases.TEMPLATE, "--intent", "planned_change"
    )

    assert answer.code == 0, answer.err
    assert answer.out.startswith(f"{Memo.objects.get().number} revision 1: Pushed")


def test_what_a_new_memo_lacks_is_said(speak: Type, tmp_path: Path) -> None:
    cases.set_up()
    path = tmp_path / "memo.txt"
    path.write_text("text")

    answer = speak("ann")("memo", "push", path, "--team", "serving")

    assert answer.code == 64
    assert "--template, --intent" in answer.err


def test_a_memo_comes_back_as_text_and_is_revised_by_it(speak: Type, tmp_path: Path) -> None:
    memo = cases.a_draft()
    command, path = speak("ann"), tmp_path / "memo.txt"

    pulled = command("memo", "pull", memo.number, "--out", path)
    path.write_text(path.read_text().replace("Larger batches for chat", "Larger batches for all"))
    pushed = command("memo", "push", path, "--memo", memo.number, "--said", "Renamed.", "--json")

    assert (pulled.code, pushed.code) == (0, 0), pushed.err
    assert json.loads(pushed.out)["memo"]["title"] == "Larger batches for all"
    revision = cases.again(memo).current_revision
    assert revision is not None
    assert revision.said == "Renamed."


def test_a_text_of_an_older_revision_is_refused(speak: Type, tmp_path: Path) -> None:
    memo = cases.a_draft()
    command, path = speak("ann"), tmp_path / "memo.txt"
    command("memo", "pull", memo.number, "--out", path)
    cases.register_plan(memo)

    answer = command("memo", "push", path, "--memo", memo.number)

    assert answer.code == 4
    assert "exported from another revision" in answer.err


def test_the_text_is_printed_without_a_file(speak: Type) -> None:
    memo = cases.a_draft()

    answer = speak("ann")("memo", "pull", memo.number)

    assert answer.out.startswith("ACCELERATOR REVIEW MEMO - Larger batches for chat")


def test_the_status_says_what_blocks_each_decision_and_who_can_lift_it(speak: Type) -> None:
    memo = cases.a_memo_with_waiver()

    answer = speak("ann", "read")("memo", "status", memo.number)

    assert answer.code == 1
    assert "bounded rollout: 7 missing" in answer.out
    assert "(olga)" in answer.out


def test_the_status_is_ok_when_the_decision_may_be_recorded(speak: Type) -> None:
    memo = cases.a_memo_ready_to_roll_out()
    command = speak("ann", "read")

    bounded = command("memo", "status", memo.number, "--decision", "bounded")
    ship = json.loads(command("memo", "status", memo.number, "--decision", "ship", "--json").out)

    assert (bounded.code, "bounded rollout: may be recorded" in bounded.out) == (0, True)
    assert [one["allowed"] for one in ship["decisions"]] == [False]


def test_the_status_says_what_the_comparisons_establish_together(speak: Type) -> None:
    memo = families.a_memo_with_claims(computed=("C4", "C6"))
    command = speak("ann", "read")

    said = command("memo", "status", memo.number).out
    told = json.loads(command("memo", "status", memo.number, "--json").out)["together"]

    assert "guardrails: Not worse by more than its margin on any guardrail." in said
    assert "claims: 2 further claims are declared, and judged by Holm" in said
    assert "  C4 (throughput rate): Improvement established among 2 declared claims (Holm). Adjusted p = 0.0" in said
    assert "  C5 (e2e_latency p99): It is not computed yet." in said
    assert "screening: to be confirmed by a new run set: C6 (throughput rate), segment C6" in said
    assert "attribution: A difference is established for the change, if quality is no worse. (rung 2 of 4)" in said
    assert told["attribution"]["rung"] == 2


@pytest.mark.usefixtures("a_worker")
def test_files_are_attached_by_a_manifest_and_sealed(speak: Type, tmp_path: Path) -> None:
    memo = cases.a_memo_in_review()
    for arm in ("baseline", "candidate"):
        a_file(tmp_path, arm, (0.1, 0.2))
    (tmp_path / "notes.txt").write_text("a picture, in words")
    manifest = tmp_path / "runs.csv"
    manifest.write_text(
        "file,arm,block,kind,use\nbaseline.json,baseline,b1,benchmark_run,confirming\n"
        "candidate.json,candidate,b1,benchmark_run,confirming\nnotes.txt,,,batch_policy_curve_pack,motivating\n"
    )

    answer = speak("sam")("attach", memo.number, "--manifest", manifest, "--seal", "--title", "From CI")

    assert answer.code == 0, answer.err
    assert "3 file(s) attached to set 1, sealed." in answer.out
    assert "notes.txt: no format recognises this file" in answer.out
    row = memo.evidence_sets.get()
    assert (row.title, row.state, row.attachments.count()) == ("From CI", "sealed", 3)


@pytest.mark.usefixtures("a_worker")
def test_a_manifest_gives_a_log_of_power_to_both_arms_with_its_clock(speak: Type, tmp_path: Path) -> None:
    memo = cases.a_memo_in_review()
    for arm in ("baseline", "candidate"):
        a_file(tmp_path, arm, (0.1, 0.2))
    (tmp_path / "power.csv").write_text(smi([100, 200, 300]))
    manifest = tmp_path / "runs.csv"
    manifest.write_text(
        "file,arm,kind,clock\nbaseline.json,baseline,,\ncandidate.json,candidate,,\n"
        "power.csv,baseline,power_log,UTC+01:00\npower.csv,candidate,power_log,UTC+01:00\n"
    )

    answer = speak("sam")("attach", memo.number, "--manifest", manifest, "--seal")

    assert answer.code == 0, answer.err
    rows = memo.evidence_sets.get().attachments.filter(name="power.csv").order_by("arm")
    assert [(row.arm, row.clock) for row in rows] == [("baseline", "UTC+01:00"), ("candidate", "UTC+01:00")]


def test_a_push_that_broke_off_can_be_repeated(speak: Type, tmp_path: Path) -> None:
    memo = cases.a_memo_in_review()
    path, command = a_file(tmp_path, "b1-baseline", (0.1,)), speak("sam")
    words = ("attach", memo.number, path, "--pattern", "b{block}-{arm}.json")
    command(*words)

    again = command(*words, "--set", 1, "--json")

    assert again.code == 0
    assert "attached already" in again.err
    assert json.loads(again.out)["files"][0]["labels"]["block"] == "1"
    assert memo.evidence_sets.get().attachments.count() == 1


def test_a_dry_run_sends_nothing(speak: Type, tmp_path: Path) -> None:
    memo = cases.a_memo_in_review()

    answer = speak("sam")("attach", memo.number, a_file(tmp_path, "run", (0.1,)), "--arm", "baseline", "--dry-run")

    assert "1 file(s) would be sent." in answer.out
    assert not memo.evidence_sets.exists()


def test_a_file_that_nobody_reads_in_time_is_named(
    speak: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memo = cases.a_memo_in_review()
    monkeypatch.setattr(attach, "READ_WITHIN_S", 0.0)

    answer = speak("sam")("attach", memo.number, a_file(tmp_path, "run", (0.1,)), "--arm", "baseline", "--seal")

    assert answer.code == 4
    assert "[still_reading]" in answer.err
    assert "Set 1 stays open with what was sent: repeat the command with --set 1." in answer.err


@pytest.mark.parametrize("table", ["arm\nbaseline\n", "file,colour\na,b\n"])
def test_a_manifest_that_is_none_is_refused(speak: Type, table: str, tmp_path: Path) -> None:
    cases.set_up()
    manifest = tmp_path / "runs.csv"
    manifest.write_text(table)
    command = speak("sam")

    assert command("attach", "ARM-2026-0001", "--manifest", manifest).code == 64
    assert command("attach", "ARM-2026-0001", "--manifest", tmp_path / "gone.csv").code == 64
    assert command("attach", "ARM-2026-0001").code == 64


def test_a_refusal_of_the_server_is_told_with_its_code(speak: Type, tmp_path: Path) -> None:
    memo = cases.a_memo_rolling_out()
    stranger = speak("ann", "read")("attach", memo.number, a_file(tmp_path, "run", (0.1,)))
    wrong = speak("sam")("attach", cases.a_memo_in_review().number, a_file(tmp_path, "run", (0.1,)), "--kind", " ")
    gone = speak("ann")("memo", "pull", "ARM-2026-9999")

    assert (stranger.code, "[scope_missing]" in stranger.err) == (4, True)
    assert wrong.code == 4
    assert (gone.code, "[not_found]" in gone.err) == (4, True)


def test_a_server_that_does_not_answer_or_is_none_is_named(
    served: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COUNTERSIGN_SERVER", "http://127.0.0.1:9")
    silent = typed(capsys, "memo", "pull", "ARM-2026-0001")
    monkeypatch.setenv("COUNTERSIGN_SERVER", f"{served}/static")
    other = typed(capsys, "memo", "pull", "ARM-2026-0001")

    assert (silent.code, "[unreachable]" in silent.err) == (4, True)
    assert (other.code, "[unexpected_answer]" in other.err) == (4, True)


def test_a_deployer_is_permitted_what_was_decided_and_nothing_by_absence(speak: Type) -> None:
    image = "sha256:" + "a" * 64
    cases.set_up()
    command = speak("olga", "read", "report")
    asked = ("permit", "--image", image, "--scope", "pool a", "--percent", "5")

    nothing = command(*asked)
    assert (nothing.code, nothing.out.splitlines()[0]) == (1, "Not permitted.")
    assert "No memo that you can see names the image" in nothing.out

    told = command("event", "deployed", "--build", image, "--scope", "pool a", "--percent", "5", "--id", "e1")
    assert (told.code, "listed as a deployment without a memo" in told.out) == (0, True)
    again = command(
        "event", "rolled_back", "--build", image, "--text", "p99.", "--at", "2026-11-01T03:00:00Z", "--json"
    )
    number = json.loads(again.out)["memo"]
    assert Memo.objects.get().number == number
    assert f"reported on 2026-11-01 that {number} was rolled back" in command(*asked).out

    tag = command("permit", "--image", "vllm:latest", "--scope", "x", "--percent", "5")
    assert (tag.code, "[no_digest]" in tag.err) == (4, True)
    named = command("event", "deployed", "--build", "vllm", "--memo", number)
    assert (named.code, number in named.out) == (0, True)


def test_a_rollout_permits_its_stage_and_the_answer_can_be_read_by_a_program(speak: Type) -> None:
    image = "sha256:" + "b" * 64
    memo = cases.a_memo_with_waiver()
    change = {**deeds.sections_of(memo)["change"], "candidate": image}
    deeds.revise(memo, {"change": change})
    for name, role in (*cases.OWNERS.items(), cases.KEEPER):
        cases.sign(memo, name, role)
    cases.decide(memo)
    command = speak("olga", "read")

    yes = command("permit", "--image", image, "--scope", "The measured host", "--percent", "5")
    assert (yes.code, yes.out.splitlines()[0]) == (0, "Permitted.")
    no = command("permit", "--image", image, "--scope", "The measured host", "--percent", "50", "--json")
    assert (no.code, json.loads(no.out)["permitted"]) == (1, False)
