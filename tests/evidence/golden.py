"""The golden cases: a file `<format>/…/<case>.<ending>`, and beside it what is read from it, one line a thing.

`python -m tests.evidence.golden` writes the expectations anew; read the difference before you keep it.
"""

import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from analysis import evidence
from analysis.evidence.format import Document
from analysis.measurements import FileRun, Measurement, Setting
from analysis.reading import Reading
from tests.evidence import tfevents, xplane

HERE = Path(__file__).parent
ENDING = ".expected.json"
FOLDERS = tuple(form.name for form in evidence.FORMATS)
CASES = tuple(
    sorted(p for f in FOLDERS for p in (HERE / f).rglob("*.*") if p.is_file() and not p.name.endswith(ENDING))
)


def document(case: Path) -> Document:
    """The case, named by its path inside this folder. A text stands for the binary file that is made of it."""
    content = BINARY[case.suffix](case.read_text()) if case.suffix in BINARY else case.read_bytes()
    return Document(content, case.relative_to(HERE).as_posix())


def database(script: str) -> bytes:
    """The SQLite file that a script makes."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(script)
        return connection.serialize()


def parquet(lines: str) -> bytes:
    """The Parquet file whose rows are JSON Lines."""
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist([json.loads(line) for line in lines.splitlines()]), sink)
    return bytes(sink.getvalue())


BINARY: Mapping[str, Callable[[str], bytes]] = {
    ".database": database,
    ".rows": parquet,
    ".tfevents": tfevents.events,
    ".xspace": xplane.space,
}
TEXTS = tuple(case for case in CASES if case.suffix not in BINARY)


def expected(case: Path) -> Path:
    """Where the expectation of a case stands."""
    return case.with_name(case.name + ENDING)


def as_json(reading: Reading) -> dict[str, object]:
    """A reading for people: one line for each run, setting and measurement."""
    return {
        "format": reading.format,
        "parser_version": reading.parser_version,
        "runs": [_run(run) for run in reading.runs],
        "settings": [_setting(setting) for setting in reading.settings],
        "measurements": [_measurement(measurement) for measurement in reading.measurements],
        "leniences": list(reading.leniences),
        "notices": list(reading.notices),
    }


def _run(run: FileRun) -> str:
    times = f"started {run.started_ns} ended {run.ended_ns}"
    return f"{run.key} | {run.status} {run.reason} | {times} | {run.failed} of {run.attempted} failed | {run.where}"


def _setting(setting: Setting) -> str:
    stated = f"{setting.name} = {setting.value} {setting.unit}"
    return f"{setting.run} | {setting.role} | {stated} | {setting.source} | {setting.where}"


def _measurement(m: Measurement) -> str:
    value = f"no value: {m.reason}" if m.value is None else f"{m.value!r} {m.unit}"
    spot = f"n {m.n} index {m.index} at {m.started_ns} {m.phase} {m.stage}"
    written = f"{m.original} [{m.original_unit}]"
    scored = f" | item {m.item} of {m.subject or 'no subject'}" if m.item else ""
    return f"{m.run} | {m.metric} {m.stat} {m.kind} | {value} | {spot} | {written} | {m.where}{scored}"


def write() -> None:
    """Write the expectation of every case."""
    for case in CASES:
        text = json.dumps(as_json(evidence.read(document(case))), indent=1, ensure_ascii=False)
        expected(case).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
