"""Set-up on a machine that lacks something: the scripts say exactly what, and change nothing else."""

import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from tests.house.sources import ROOT

RUN = "python3-venv libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 fontconfig fonts-inter fonts-dejavu-core"
TEST = f"{RUN} chromium-headless-shell redis-server postgresql poppler-utils qpdf"


class Machine:
    """A machine with nothing but a shell: programs are what `has` put there."""

    def __init__(self, folder: Path, *, user: int) -> None:
        self.programs = folder / "bin"
        self.programs.mkdir()
        (folder / "scripts").mkdir()
        self.script = shutil.copy(ROOT / "scripts/system.sh", folder / "scripts/system.sh")
        for name in ("bash", "cat", "dirname", "env", "mkdir", "tail"):
            (self.programs / name).symlink_to(shutil.which(name) or name)
        self.has("id", f"echo {user}")
        self.has("ldconfig", "true")
        self.has("python3", "exit 1")

    def has(self, name: str, body: str) -> None:
        path = self.programs / name
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)

    def asks(self, purpose: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": str(self.programs)}
        command = ["/bin/bash", str(self.script), purpose]
        return subprocess.run(command, env=environment, check=False, capture_output=True, text=True)


@pytest.mark.parametrize(("purpose", "packages"), [("run", RUN), ("test", TEST)])
def test_without_the_right_to_install_the_exact_list_is_printed(purpose: str, packages: str, tmp_path: Path) -> None:
    # Debian keeps PostgreSQL outside PATH, so this test cannot hide one that is installed.
    there = any(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    expected = packages.replace(" postgresql", "") if there else packages

    done = Machine(tmp_path, user=1000).asks(purpose)

    assert done.returncode == 1
    assert f"    sudo apt-get install --no-install-recommends {expected}\n" in done.stderr


def test_only_what_is_missing_is_named(tmp_path: Path) -> None:
    machine = Machine(tmp_path, user=1000)
    machine.has("python3", "exit 0")
    machine.has("fc-list", "echo Inter")
    machine.has("ldconfig", "echo libpango-1.0.so.0 libpangoft2-1.0.so.0")

    done = machine.asks("run")

    assert "recommends libharfbuzz-subset0 fonts-dejavu-core\n" in done.stderr


def test_root_installs_all_of_it_in_one_go_and_refreshes_the_lists_only_when_that_fails(tmp_path: Path) -> None:
    machine = Machine(tmp_path, user=0)
    machine.has("apt-get", f'echo "$@" >>{tmp_path}/calls; [[ $1 == update ]]')

    done = machine.asks("run")

    calls = (tmp_path / "calls").read_text().splitlines()
    assert [call.split()[0] for call in calls] == ["install", "update", "install"]
    assert calls[0].endswith(RUN)
    assert done.returncode == 1
    assert "apt-get could not install: python3-venv" in done.stderr


def test_what_is_still_missing_after_an_installation_is_said(tmp_path: Path) -> None:
    machine = Machine(tmp_path, user=0)
    machine.has("apt-get", "exit 0")

    done = machine.asks("run")

    assert (done.returncode, done.stdout) == (1, f"Installing {RUN}\n")
    assert f"Still missing after apt-get installed them: {RUN}." in done.stderr


def test_a_python_that_is_too_old_is_refused_with_the_way_out(tmp_path: Path) -> None:
    old = tmp_path / "python3.9"
    old.write_text('#!/bin/bash\n[[ $1 == --version ]] && echo "Python 3.9.2"\nexit 1\n')
    old.chmod(0o755)

    done = subprocess.run(
        [ROOT / "scripts/install.sh", "venv"],
        env={**os.environ, "PYTHON": str(old)},
        check=False,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 1
    assert "needs Python 3.11 or newer" in done.stderr
    assert "make PYTHON=" in done.stderr


def test_serving_on_a_port_that_is_taken_is_refused_with_the_way_out(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        environment = {**os.environ, "PORT": port, "COUNTERSIGN_DATA_DIR": str(tmp_path)}
        done = subprocess.run([ROOT / "scripts/serve.sh"], env=environment, check=False, capture_output=True, text=True)

    assert done.returncode == 1
    assert f"Port {port} is taken. Choose another one: make serve PORT=8001" in done.stderr
