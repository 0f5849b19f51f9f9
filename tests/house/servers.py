"""Real servers for the tests: each on a free port of this machine, in a folder of its own, stopped at the end."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

PATIENCE_S = 60


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on at this moment."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def until(happened: Callable[[], bool], *, process: subprocess.Popen[bytes], log: Path) -> None:
    """Returns as soon as `happened()`; fails with the log when the process ends first or patience does."""
    last = time.monotonic() + PATIENCE_S
    while not happened():
        if process.poll() is not None or time.monotonic() > last:
            raise AssertionError(f"{process.args!r} did not get there:\n{log.read_text()[-4000:]}")
        threading.Event().wait(0.05)


def listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


@contextmanager
def running(
    command: list[str], *, log: Path, environment: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """The command as a process that writes to `log`; ended with TERM, and with KILL if that does not help."""
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=environment, cwd=cwd)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    """The address of an empty Redis."""
    port, log = free_port(), folder / "redis.log"
    where = ["--bind", "127.0.0.1", "--port", str(port), "--dir", str(folder)]
    with running(["redis-server", *where, "--save", "", "--appendonly", "no"], log=log) as process:
        until(lambda: listens(port), process=process, log=log)
        yield f"redis://127.0.0.1:{port}/0"


def _program(name: str) -> str:
    """The path of a program of PostgreSQL, on PATH or where Debian keeps it."""
    found = shutil.which(name) or max(map(str, Path("/usr/lib/postgresql").glob(f"*/bin/{name}")), default="")
    if not found:
        raise FileNotFoundError(f"PostgreSQL's {name} is missing: scripts/system.sh test installs it")
    return found


@contextmanager
def postgres() -> Iterator[str]:
    """The address of an empty PostgreSQL database. initdb refuses root: then the user `postgres` runs it."""
    port = free_port()
    root = os.geteuid() == 0
    run_as = ["runuser", "-u", "postgres", "--"] if root else []
    owner = "postgres" if root else pwd.getpwuid(os.geteuid()).pw_name
    with tempfile.TemporaryDirectory(prefix="countersign-postgres-", ignore_cleanup_errors=True) as made:
        folder = Path(made)
        if root:
            shutil.chown(folder, "postgres")
        options = f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories={folder} -c fsync=off"
        control = [*run_as, _program("pg_ctl"), "--silent", "--wait", "--pgdata", f"{folder}/data"]
        setup = [*run_as, _program("initdb"), "--pgdata", f"{folder}/data", "--auth=trust", "--no-sync"]
        subprocess.run([*setup, "--username", owner], cwd="/", check=True, capture_output=True)
        subprocess.run([*control, "--log", f"{folder}/log", "--options", options, "start"], cwd="/", check=True)
        try:
            yield f"postgresql://{owner}:@127.0.0.1:{port}/postgres"
        finally:
            subprocess.run([*control, "--mode", "immediate", "stop"], cwd="/", check=True)
