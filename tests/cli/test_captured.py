"""Captures on their way in: which file they speak of, and what becomes of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reviews.capture import record
from reviews.capture.record import CapturedFile, Device
from reviews.digests import sha256_of
from reviews.models import Artifact, Plan
from reviews.queries import gate
from tests import cases
from tests.capture.test_record import a_capture
from tests.cli import test_server_commands
from tests.cli.typed import a_file, typed

Type = Callable[..., Any]
speak, a_worker = test_server_commands.speak, test_server_commands.a_worker
DEVICES = (Device(uuid="GPU-b"), Device(uuid="GPU-a"))


def a_capture_of(path: Path, *, name: str = "", **fields: object) -> Path:
    """The capture of a run that wrote this file, beside it."""
    file = CapturedFile(path=path.name, sha256=sha256_of(path.read_bytes()), size=path.stat().st_size)
    beside = path.with_name(f"{name or path.stem}.countersign.json")
    beside.write_bytes(record.to_bytes(a_capture(files=(file,), devices=DEVICES, **fields)))
    return beside


def the_files(text: str) -> list[dict[str, Any]]:
    return list(json.loads(text)["files"])


@pytest.mark.usefixtures("a_worker")
def test_what_was_captured_is_attached_and_verified(speak: Type, tmp_path: Path) -> None:
    memo = cases.a_memo_in_review()
    plan = Plan.objects.get(memo=memo)
    for arm in ("baseline", "candidate"):
        (tmp_path / "out").mkdir(exist_ok=True)
        path = a_file(tmp_path / "out", arm, (0.1,), host="")
        a_capture_of(path, plan=plan.nonce, run=f"b1-{arm}", arm=arm, block="b1", image="sha256:1")

    answer = speak("sam")("attach", memo.number, tmp_path / "out", "--plan", plan.nonce, "--seal")

    assert answer.code == 0, answer.err
    assert "4 file(s) attached to set 1, sealed." in answer.out
    assert "Of 2 file(s) the placement and the provenance were captured." in answer.out
    rows = memo.evidence_sets.get().attachments.filter(kind="benchmark_run").order_by("name")
    assert [(row.arm, row.block, row.placement, row.placement_source) for row in rows] == [
        ("baseline", "b1", "gpu-7 GPU-a GPU-b", "capture"),
        ("candidate", "b1", "gpu-7 GPU-a GPU-b", "capture"),
    ]
    stored = Artifact.objects.get(name="baseline.json").provenance
    assert stored["run"] == {"value": "b1-baseline", "source": "capture"}
    assert stored["image"] == {"value": "sha256:1", "source": "typed"}
    content = gate.gate_facts(memo.pk, decider=None, requested_percent=None)
    sealed = [part for part in content.content.evidence.sets[0].attachments if part.arm]
    assert {(part.placement, part.placement_source) for part in sealed} == {("gpu-7 GPU-a GPU-b", "capture")}
    runs = {run.run: run.attached for run in content.plans[0].runs}
    assert (runs["b1-baseline"], runs["b2-baseline"], "baseline-0" in runs) == (True, False, False)


def test_a_run_of_another_plan_is_not_taken_for_one_of_this(speak: Type, tmp_path: Path) -> None:
    memo = cases.a_memo_in_review()
    path = a_file(tmp_path, "run", (0.1,))
    a_capture_of(path, plan="other", exit_code=3)

    words = ("attach", memo.number, path, "--plan", Plan.objects.get(memo=memo).nonce, "--arm", "baseline")
    answer = speak("sam")(*words, "--dry-run")

    assert "was captured under the plan other, not" in answer.err
    assert "run.json ended with 3." in answer.err


def test_given_labels_count_before_captured_ones_but_a_placement_is_as_captured(speak: Type, tmp_path: Path) -> None:
    memo = cases.a_memo_in_review()
    path = a_file(tmp_path, "run", (0.1,))
    a_capture_of(path, arm="baseline", block="b1")
    words = ("attach", memo.number, path, "--arm", "candidate", "--placement", "host-9", "--dry-run", "--json")

    answer = speak("sam")(*words)
    labels = the_files(answer.out)[0]["labels"]

    assert (labels["arm"], labels["block"], labels["placement"]) == ("candidate", "b1", "gpu-7 GPU-a GPU-b")
    assert "the placement host-9 is not used" in answer.err


def test_a_manifest_names_files_beside_captures(speak: Type, tmp_path: Path) -> None:
    memo = cases.a_memo_in_review()
    (tmp_path / "out").mkdir()
    a_capture_of(a_file(tmp_path / "out", "run", (0.1,)))
    manifest = tmp_path / "runs.csv"
    manifest.write_text("file,arm\nout/run.json,baseline\n")

    files = the_files(speak("sam")("attach", memo.number, "--manifest", manifest, "--dry-run", "--json").out)

    assert [Path(file["file"]).name for file in files] == ["run.json", "run.countersign.json"]
    assert files[0]["labels"]["placement"] == "gpu-7 GPU-a GPU-b"


@pytest.mark.usefixtures("a_worker")
def test_outside_of_a_capture_the_ci_job_and_what_is_typed_are_the_provenance(
    speak: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memo = cases.a_memo_in_review()
    monkeypatch.setenv("CI_JOB_URL", "https://git.example/jobs/7")
    monkeypatch.setenv("CI_COMMIT_SHA", "ab" * 20)
    path = a_file(tmp_path, "run", (0.1,))

    speak("sam")("attach", memo.number, path, "--arm", "baseline", "--provenance", "tool=bench")

    stored = Artifact.objects.get(name="run.json").provenance
    assert stored["job"] == {"value": "https://git.example/jobs/7", "source": "capture"}
    assert stored["commit"] == {"value": "ab" * 20, "source": "capture"}
    assert stored["tool"] == {"value": "bench", "source": "typed"}


@pytest.mark.parametrize(("typed_", "said"), [("weather=rain", "choose of tool"), ("host=other", "gpu-7 was captured")])
def test_a_typed_provenance_that_cannot_be_is_refused(speak: Type, tmp_path: Path, typed_: str, said: str) -> None:
    memo = cases.a_memo_in_review()
    path = a_file(tmp_path, "run", (0.1,))
    a_capture_of(path)

    answer = speak("sam")("attach", memo.number, path, "--provenance", typed_, "--dry-run")

    assert answer.code == 64
    assert said in answer.err


def test_a_file_that_changed_after_its_run_is_not_captured(speak: Type, tmp_path: Path) -> None:
    memo = cases.a_memo_in_review()
    path = a_file(tmp_path, "run", (0.1,))
    a_capture_of(path)
    a_file(tmp_path, "run", (0.2,))

    answer = speak("sam")("attach", memo.number, path, "--dry-run", "--json")

    assert "run.json has changed since" in answer.err
    assert [file["labels"]["placement"] for file in the_files(answer.out)] == [""]


def test_a_file_of_two_runs_is_of_neither(speak: Type, tmp_path: Path) -> None:
    memo = cases.a_memo_in_review()
    path = a_file(tmp_path, "run", (0.1,))
    a_capture_of(path, name="one", run="b1")
    a_capture_of(path, name="two", run="b2")

    answer = speak("sam")("attach", memo.number, path, "--dry-run", "--json")

    assert "is named by several captures of different runs" in answer.err
    assert the_files(answer.out)[0]["labels"]["placement"] == ""


def test_a_broken_capture_is_refused(speak: Type, tmp_path: Path) -> None:
    memo = cases.a_memo_in_review()
    path = a_file(tmp_path, "run", (0.1,))
    (tmp_path / "run.countersign.json").write_text("{}")

    answer = speak("sam")("attach", memo.number, path, "--dry-run")

    assert (answer.code, "[bad_capture]" in answer.err) == (4, True)


def test_inspect_tells_a_capture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = a_capture_of(a_file(tmp_path, "run", (0.1,)), not_seen=("The weather.",))

    said = typed(capsys, "inspect", path)
    told = typed(capsys, "inspect", path, "--json")

    assert said.code == 0
    assert "what countersign run captured of run b1-baseline under the plan 747fa1ea" in said.out
    assert "  devices: GPU-a, GPU-b (capture)" in said.out
    assert "  not seen: The weather." in said.out
    assert json.loads(told.out)["capture"]["host"] == "gpu-7"


def test_compare_takes_the_captured_host_and_block(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arm in ("base", "cand"):
        (tmp_path / arm).mkdir()
        for at in range(3):
            path = a_file(tmp_path / arm, f"{arm}{at}", (0.1 + at / 1000,), host="", host_name="x")
            a_capture_of(path, block=f"b{at}")
    words = (tmp_path / "base", "--candidate", tmp_path / "cand", "--metric", "wall_time", "--better", "lower")

    answer = typed(capsys, "compare", *words, "--margin", "2%", "--json")
    runs = json.loads(answer.out)["runs"]

    assert answer.err == ""
    assert {(run["placement"], run["placement_verified"]) for run in runs} == {("gpu-7", True)}
    assert sorted(run["block"] for run in runs) == ["b0", "b0", "b1", "b1", "b2", "b2"]
