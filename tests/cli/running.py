"""Commands for `countersign run`, the tools it asks, and what it captured."""

import sys
from collections.abc import Callable
from pathlib import Path

from reviews.capture import record
from reviews.capture.record import Capture
from tests.cli.typed import Typed

WRITES = "import pathlib, sys; pathlib.Path('out').mkdir(exist_ok=True); pathlib.Path('out/r.json').write_text('{}')"
Type = Callable[..., Typed]


def a_tool(folder: Path, name: str, answer: str, *, once: str = "") -> Path:
    """A folder of programs with one that prints the answer; `once` is printed the first time instead."""
    place = folder / ".tools"
    place.mkdir(exist_ok=True)
    if name:
        (place / f"{name}.txt").write_text(answer)
        (place / f"{name}.once").write_text(once or answer)
        (place / name).write_text(
            f"#!{sys.executable}\nimport pathlib, sys\nif sys.argv[1] == '-L': sys.exit(1)\n"
            f"once = pathlib.Path({str(place / f'{name}.once')!r})\n"
            f"print(once.read_text() if once.exists() else pathlib.Path({str(place / f'{name}.txt')!r}).read_text())\n"
            "once.unlink(missing_ok=True)\n"
        )
        (place / name).chmod(0o755)
    return place


def captured(path: str = "b1-baseline.countersign.json") -> Capture:
    return record.from_bytes(Path(path).read_bytes(), path)


def python(code: str) -> tuple[str, ...]:
    return ("--", sys.executable, "-c", code)


def planned(*words: object) -> tuple[object, ...]:
    return ("--plan", "747fa1ea", "--run", "b1-baseline", *words)
