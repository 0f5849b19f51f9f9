"""The plan of the recording: which runs start, in which order, and what becomes of a failed one."""

import json
import subprocess
from pathlib import Path

import pytest

from examples.batch_policy import record


def test_each_block_holds_both_arms_on_the_same_arrivals() -> None:
    for number in range(1, record.BLOCKS + 1):
        runs = record.block(number, "nonce")

        assert {run.identity["arm"]: run.max_batch for run in runs} == record.ARMS
        assert {run.stream for run in runs} == {number}


def test_the_order_in_the_blocks_is_drawn_and_is_the_same_every_time() -> None:
    first = [record.block(n, "x")[0].identity["arm"] for n in range(1, record.BLOCKS + 1)]

    assert first == [record.block(n, "y")[0].identity["arm"] for n in range(1, record.BLOCKS + 1)]
    assert set(first) == {"baseline", "candidate"}


def test_each_round_of_the_sweep_holds_every_batch_size_once() -> None:
    rounds = [record.sweep_round(n) for n in range(1, record.ROUNDS + 1)]

    assert all(sorted(run.max_batch for run in runs) == list(record.SWEEP) for runs in rounds)
    assert len({tuple(run.max_batch for run in runs) for runs in rounds}) > 1


def test_the_fingerprint_of_a_host_shows_no_name_and_depends_on_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.node", lambda: "secret-name")

    assert "secret" not in record.host_fingerprint("a")
    assert record.host_fingerprint("a") == record.host_fingerprint("a")
    assert record.host_fingerprint("a") != record.host_fingerprint("b")


def test_a_process_that_fails_is_recorded_as_a_failed_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "wait_for_a_free_core", lambda: "0.97")
    monkeypatch.setattr(
        subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 3, "", "a trace with paths")
    )

    run = record.recorded(record.block(1, "nonce")[0], "host-0")

    assert (run["status"], run["reason"]) == ("failed", "the process ended with code 3")
    assert "paths" not in json.dumps(run)


def test_evidence_is_never_written_over(tmp_path: Path) -> None:
    record.write(tmp_path / "a.json", [])

    with pytest.raises(FileExistsError):
        record.write(tmp_path / "a.json", [])


def test_recording_into_a_folder_with_evidence_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    [name, _], *_ = record.files("sweep", "nonce")
    record.write(tmp_path / name, [])
    monkeypatch.setattr("sys.argv", ["record", "sweep", "--into", str(tmp_path)])

    assert record.main() == 1
    assert "empty folder" in capsys.readouterr().err


def test_a_run_waits_until_a_core_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    shares, slept = [0.40, 0.94, 0.97], list[float]()
    monkeypatch.setattr(record, "share_of_a_core", lambda _seconds: shares.pop(0))
    monkeypatch.setattr("time.sleep", slept.append)

    assert record.wait_for_a_free_core() == "0.97"
    assert len(slept) == 2


def test_the_share_of_a_core_is_processor_time_over_time(monkeypatch: pytest.MonkeyPatch) -> None:
    wall, used = iter([0.0, 0.25, 0.5, 0.5]), iter([1.0, 1.2])
    monkeypatch.setattr("time.perf_counter", lambda: next(wall))
    monkeypatch.setattr("time.process_time", lambda: next(used))

    assert record.share_of_a_core(0.5) == pytest.approx(0.4)
