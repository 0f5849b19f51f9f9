"""`countersign run`: what is captured of the machine, of its devices and of where the command comes from."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.capture.smi import PROCESS, a_gpu, a_log
from tests.cli.running import WRITES, Type, a_tool, captured, planned, python


def test_devices_and_who_shares_them_are_captured(run: Type, tmp_path: Path) -> None:
    busy = a_log(a_gpu("GPU-aaaa", processes=PROCESS.format(8, "C", "python")))
    a_tool(tmp_path, "nvidia-smi", busy, once=a_log(a_gpu("GPU-aaaa", mig="Enabled")))
    run(*planned(*python(WRITES)))
    capture = captured()

    assert capture.driver == "NVIDIA 590.48.01, CUDA 13.1"
    assert [(d.uuid, d.power_limit, d.ecc) for d in capture.devices] == [("GPU-aaaa", "700.00 W", "Enabled")]
    assert [d.processes for d in capture.devices_after] == [(8,)]
    assert capture.sharing == ("MIG", "other processes")
    assert capture.placement == f"{capture.host} GPU-aaaa"


def test_mps_is_seen_by_its_variable(run: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a_tool(tmp_path, "nvidia-smi", a_log(a_gpu("GPU-aaaa")))
    monkeypatch.setenv("CUDA_MPS_PIPE_DIRECTORY", str(tmp_path))
    run(*planned(*python(WRITES)))

    assert captured().sharing == ("MPS",)


def test_cards_of_amd_are_captured(run: Type, tmp_path: Path) -> None:
    a_tool(tmp_path, "rocm-smi", json.dumps({"card0": {"Unique ID": "0xabc"}, "system": {"Driver version": "6.10"}}))
    run(*planned(*python(WRITES)))

    assert (captured().driver, [d.uuid for d in captured().devices]) == ("AMD 6.10", ["0xabc"])
    assert "rocm-smi is not asked for processes" in captured().not_seen[0]


def test_a_tool_that_fails_or_hangs_is_one_that_does_not_answer(
    run: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for body in ("exit 9", "exec sleep 5"):
        tool = a_tool(tmp_path, "", "") / "nvidia-smi"
        tool.write_text(f"#!/bin/sh\nPATH=/bin:/usr/bin\n{body}\n")
        tool.chmod(0o755)
        monkeypatch.setattr("reviews.capture.machine.ANSWERS_WITHIN_S", 0.4)
        run(*planned("--out", body[5], "--", "/bin/sh", "-c", "true"))

        assert captured(f"{body[5]}.countersign.json").devices == ()


def test_secrets_of_the_command_line_are_masked(run: Type) -> None:
    run(*planned("--", sys.executable, "-c", "pass", "--api-key", "abc", "HF_TOKEN=def"))

    assert captured().command[-3:] == ("--api-key", "***", "HF_TOKEN=***")
    assert "abc" not in Path("b1-baseline.countersign.json").read_text()


def test_the_job_the_image_and_the_weights_are_kept(run: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("RUN_ID", "5"), ("SERVER_URL", "https://github.com"), ("REPOSITORY", "a/b")):
        monkeypatch.setenv(f"GITHUB_{name}", value)
    run(*planned("--image", "sha256:1", "--weights", "sha256:2", *python(WRITES)))

    assert captured().job == "https://github.com/a/b/actions/runs/5"
    assert (captured().image, captured().weights) == ("sha256:1", "sha256:2")


def test_the_commit_and_whether_the_tree_differs_are_kept(
    run: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{a_tool(tmp_path, '', '')}:/usr/local/bin:/usr/bin:/bin")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    Path("a.txt").write_text("a")
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    for words in (["init", "-q"], ["add", "a.txt"], [*who, "commit", "-q", "-m", "a"]):
        subprocess.run(["git", *words], check=True)
    run(*planned(*python(WRITES)))
    Path("a.txt").write_text("b")
    run("--plan", "747fa1ea", "--run", "b2", *python(WRITES))

    assert (len(captured().commit), captured().changed) == (40, False)
    assert captured("b2.countersign.json").changed


@pytest.mark.parametrize(("first", "found"), [("#!{}", True), ("#!/usr/bin/env python3", True), ("#!/bin/sh", False)])
def test_the_packages_are_those_of_the_interpreter_that_a_script_names(
    run: Type, tmp_path: Path, first: str, found: bool
) -> None:
    (a_tool(tmp_path, "", "") / "python3").symlink_to(sys.executable)
    Path("bench").write_text(f"{first.format(sys.executable)}\n# nothing\n")
    Path("bench").chmod(0o755)
    run(*planned("--", "./bench"))

    assert ("python" in captured().packages) is found
