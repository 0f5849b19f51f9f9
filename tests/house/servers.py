"""Processes for the tests: each on a free port of this machine, in a folder of its own, stopped at the end."""

import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.databases import free_port

PATIENCE_S = 60


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
