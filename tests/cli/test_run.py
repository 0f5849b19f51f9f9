"""`countersign run`: the command really runs, and what is captured stands beside its results."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from reviews.capture import child, results
from reviews.plan_content import plan_to_json
from tests import cases
from tests.cli.running import WRITES, Type, captured, planned, python


def test_the_command_runs_and_its_results_are_described(run: Type) -> None:
    answer = run(*planned("--arm", "baseline", "--block", "b1", *python(WRITES)))
    capture = captured()

    assert answer.code == 0, answer.err
    assert answer.out == ""
    assert "run b1-baseline ended with 0; 1 file(s) are described in b1-baseline.countersign.json." in answer.err
    assert (capture.plan, capture.run, capture.arm, capture.block) == ("747fa1ea", "b1-baseline", "baseline", "b1")
    assert [(f.path, f.sha256, f.size) for f in capture.files] == [
        ("out/r.json", hashlib.sha256(b"{}").hexdigest(), 2),
    ]
    assert capture.command == (sys.executable, "-c", WRITES)
    assert capture.started_at <= capture.ended_at
    assert capture.packages["pytest"] == pytest.__version__
    assert (capture.host, capture.system) != ("", "")


def test_the_streams_and_the_environment_are_those_of_the_command(run: Type) -> None:
    code = "import os, sys; print(os.environ['COUNTERSIGN_PLAN'], os.environ['COUNTERSIGN_RUN']); sys.stderr.write('e')"
    answer = run(*planned(*python(code)))

    assert answer.out == "747fa1ea b1-baseline\n"
    assert answer.err.startswith("e")


@pytest.mark.parametrize(
    ("code", "ended", "name"),
    [("raise SystemExit(7)", 7, ""), ("import os; os.kill(os.getpid(), 9)", 137, "SIGKILL")],
)
def test_how_the_command_ended_is_passed_on_and_kept(run: Type, code: str, ended: int, name: str) -> None:
    answer = run(*planned(*python(code)))

    assert answer.code == ended
    assert (captured().exit_code, captured().signal) == (ended, name)
    assert ("was ended by SIGKILL" in answer.err) is bool(name)
    assert "wrote no file" in answer.err


def test_what_is_not_seen_is_said(run: Type) -> None:
    answer = run(*planned("--", "/bin/sh", "-c", "true"))
    (devices, packages, commit, files) = captured().not_seen

    assert "Neither nvidia-smi nor rocm-smi answers" in devices
    assert "/bin/sh is not run by a Python" in packages
    assert "no git repository" in commit
    assert "wrote no file" in files
    assert devices in answer.err
    assert (captured().devices, captured().packages, captured().sharing) == ((), {}, ())


def test_only_what_the_command_wrote_is_described(run: Type) -> None:
    Path("old.json").write_text("1")
    Path("log.txt").write_text("")
    Path(".hidden").mkdir()
    code = f"{WRITES}; [pathlib.Path(p).write_text('x') for p in ('log.txt', '.hidden/a', '.b', 'z.countersign.json')]"
    run(*planned(*python(code)))

    assert [file.path for file in captured().files] == ["log.txt", "out/r.json"]


def test_results_may_be_named(run: Type) -> None:
    Path("out").mkdir()
    code = f"{WRITES}; pathlib.Path('other.json').write_text('x'); pathlib.Path('b.json').write_text('x')"
    run(*planned("--results", "out", "--results", "b.json", "--results", "none.json", *python(code)))

    assert [file.path for file in captured("out/b1-baseline.countersign.json").files] == ["../b.json", "r.json"]


def test_very_many_files_are_cut_and_said(run: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reviews.cli.run.MOST_FILES", 1)
    run(*planned(*python(f"{WRITES}; pathlib.Path('b.json').write_text('x')")))

    assert [file.path for file in captured().files] == ["b.json"]
    assert "2 files were written; the first 1 are listed." in captured().not_seen


def test_a_file_that_is_gone_before_it_is_read_is_left_out(tmp_path: Path) -> None:
    assert list(results.described([tmp_path / "gone"], tmp_path)) == []


@pytest.mark.parametrize(("word", "code", "name"), [("no-such", 127, "not_found"), ("./plain", 126, "not_executable")])
def test_a_command_that_does_not_start_leaves_no_capture(run: Type, word: str, code: int, name: str) -> None:
    Path("plain").write_text("text")
    answer = run(*planned("--", word))

    assert (answer.code, f"[command_{name}]" in answer.err) == (code, True)
    assert not list(Path().glob("*.countersign.json"))


def test_a_capture_that_is_there_is_not_written_over(run: Type) -> None:
    Path("b1-baseline.countersign.json").write_text("kept")
    answer = run(*planned(*python(WRITES)))

    assert (answer.code, "[capture_not_written]" in answer.err) == (4, True)
    assert Path("b1-baseline.countersign.json").read_text() == "kept"
    assert not Path("out").exists()


def test_a_nonce_needs_the_run(run: Type) -> None:
    answer = run("--plan", "747fa1ea", *python(WRITES))

    assert (answer.code, "needs --run" in answer.err) == (64, True)


def a_plan(**fields: Any) -> dict[str, Any]:
    return {"nonce": "747fa1ea", "content": {**plan_to_json(cases.plan_content()), **fields}}


def test_the_labels_come_from_the_file_of_the_plan(run: Type) -> None:
    plan = a_plan(runs=[{"run": "r1", "arm": "candidate", "block": "b7", "placement": ""}])
    Path("plan.json").write_bytes(msgspec.json.encode(plan))
    answer = run("--plan", "plan.json", "--run", "r1", *python(WRITES))
    capture = captured("r1.countersign.json")

    assert answer.code == 0, answer.err
    assert (capture.plan, capture.arm, capture.block) == ("747fa1ea", "candidate", "b7")


def test_a_plan_without_a_list_of_runs_takes_any_name(run: Type) -> None:
    Path("plan.json").write_bytes(msgspec.json.encode(a_plan(runs=[])))

    assert run("--plan", "plan.json", "--run", "r 1/2", *python(WRITES)).code == 0
    assert captured("r-1-2.countersign.json").run == "r 1/2"


@pytest.mark.parametrize("words", [("--run", "r9"), ()])
def test_a_run_that_the_plan_does_not_list_is_refused(run: Type, words: tuple[str, ...]) -> None:
    plan = a_plan(runs=[{"run": "r1", "arm": "candidate", "block": "b7", "placement": ""}])
    Path("plan.json").write_bytes(msgspec.json.encode(plan))
    answer = run("--plan", "plan.json", *words, *python(WRITES))

    assert (answer.code, "[no_such_run]" in answer.err, "r1" in answer.err) == (4, True, True)
    assert not Path("out").exists()


@pytest.mark.parametrize("content", ["{", "[]", '{"content": {}}', '{"nonce": "a", "content": {}}'])
def test_a_file_that_is_no_registered_plan_is_refused(run: Type, content: str) -> None:
    Path("plan.json").write_text(content)
    answer = run("--plan", "plan.json", "--run", "r1", *python(WRITES))

    assert (answer.code, "[bad_plan]" in answer.err) == (4, True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
def test_a_signal_reaches_the_command(tmp_path: Path, number: signal.Signals) -> None:
    code = (
        "import signal, sys, pathlib, time\n"
        f"signal.signal({int(number)}, lambda *_: sys.exit(42))\n"
        "pathlib.Path('ready').touch()\n"
        "time.sleep(30)\n"
    )
    words = ["run", "--plan", "a", "--run", "r", "--", sys.executable, "-c", code]
    ours = f"import sys; from reviews.cli.main import main; sys.exit(main({words!r}))"
    started = subprocess.Popen(
        [sys.executable, "-c", ours], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(Path.cwd())},
        start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + 30
    while not (tmp_path / "ready").exists() and time.monotonic() < until:
        time.sleep(0.05)
    started.send_signal(number)

    assert started.wait(timeout=30) == 42
    assert captured(str(tmp_path / "r.countersign.json")).exit_code == 42


def test_a_keyboard_reaches_the_command_by_the_terminal_already(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "ctermid", lambda: "/dev/null")
    assert not child._in_foreground()
    monkeypatch.setattr(os, "ctermid", lambda: "/no/such")
    assert not child._in_foreground()
    monkeypatch.setattr(os, "ctermid", lambda: "/dev/null")
    monkeypatch.setattr(os, "tcgetpgrp", lambda _: os.getpgrp())
    assert child._in_foreground()
