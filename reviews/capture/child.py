"""A command run as a child: its streams are ours, signals reach it, and its end is told as a shell tells it."""

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Final

from reviews.errors import Refusal

FORWARDED: Final = (
    signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2,
)  # fmt: skip
FROM_KEYBOARD: Final = (signal.SIGINT, signal.SIGQUIT)
KILLED: Final = 128


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended. exit_code: its own, or 128 and the number of the signal that ended it; signal: its name."""

    exit_code: int
    signal: str


def run(command: Sequence[str], environment: Mapping[str, str]) -> Ended:
    """The command, run to its end. Raises Refusal(command_not_found, command_not_executable) when it does not start."""
    started: list[subprocess.Popen[bytes]] = []
    with _forwarding(started):
        try:
            started.append(subprocess.Popen(list(command), env=environment))  # noqa: S603 - what the user asked to run
        except FileNotFoundError as error:
            raise Refusal(
                f"There is no command {command[0]}.", needs="Say its path, or install it.", code="command_not_found"
            ) from error
        except OSError as error:
            raise Refusal(
                f"{command[0]} cannot be run: {error.strerror}.",
                needs="Name a program, or the interpreter before its script.",
                code="command_not_executable",
            ) from error
        code = started[0].wait()
    if code >= 0:
        return Ended(code, "")
    return Ended(KILLED - code, signal.Signals(-code).name)


@contextmanager
def _forwarding(started: Sequence[subprocess.Popen[bytes]]) -> Iterator[None]:
    """Signals go to the child while it runs; those of the keyboard reach it from the terminal already."""

    def forward(number: int, _frame: FrameType | None) -> None:
        if number in FROM_KEYBOARD and _in_foreground():
            return
        for process in started:
            process.send_signal(number)

    before = {number: signal.signal(number, forward) for number in FORWARDED}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _in_foreground() -> bool:
    """Whether a terminal sends its keys to this process, and so to the child, which is of the same group."""
    try:
        terminal = os.open(os.ctermid(), os.O_RDONLY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
