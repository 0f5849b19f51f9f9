"""`countersign run` on a machine that says nothing of itself."""

from pathlib import Path

import pytest

from tests.cli.running import Type, a_tool
from tests.cli.typed import typed


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Type:
    """`countersign run <words>` in an empty folder, on a machine without any tool for devices and outside of CI."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(a_tool(tmp_path, "", "")))
    for name in ("CUDA_VISIBLE_DEVICES", "CUDA_MPS_PIPE_DIRECTORY", "GITHUB_RUN_ID", "CI_JOB_URL", "SLURM_JOB_ID"):
        monkeypatch.delenv(name, raising=False)
    return lambda *words: typed(capfd, "run", *words)
