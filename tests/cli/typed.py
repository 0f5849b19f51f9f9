"""A command as somebody types it, and files to type it on."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from reviews.cli.main import main


@dataclass(frozen=True, slots=True)
class Typed:
    """What a command answered. code: its exit code."""

    code: int
    out: str
    err: str


def typed(capsys: pytest.CaptureFixture[str], *words: object) -> Typed:
    """The answer to `countersign <words>`."""
    try:
        code = main([str(word) for word in words])
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    said = capsys.readouterr()
    return Typed(code, said.out, said.err)


def a_file(
    folder: Path, name: str, values: Sequence[float | None], *, host: str = "host-1", **settings: object
) -> Path:
    """A measurements file with one run per value of wall_time, in seconds; None is a failed run."""
    runs = [
        {
            "run": f"{name}-{at}",
            "status": "completed" if value is not None else "failed",
            **({} if value is not None else {"reason": "it crashed"}),
            "settings": {"model": "net", **settings},
            "work": {"requests_completed": 100},
            "identity": {"host": host},
            "measurements": [{"metric": "wall_time", "stat": "value", "unit": "s", "value": value}] if value else [],
        }
        for at, value in enumerate(values)
    ]
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"countersign": "measurements/1", "tool": "test", "runs": runs}))
    return path
