"""Where a file comes from, by every source that says so: the file itself, a capture, and people."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from analysis.heard import alike
from analysis.measurements import FileRun
from analysis.parquet import head_of
from analysis.reading import Reading
from reviews.capture.record import NAMES
from reviews.models import Artifact, Parse
from reviews.services import store
from reviews.vocabulary import ParseState, Source

BY_FILE: Final[Mapping[str, tuple[str, ...]]] = {
    "tool": ("tool",),
    "version": ("version", "tool_version", "vllm_version", "aiperf_version", "loadgen_version", "build_number"),
    "host": ("host", "hostname"),
    "command": ("command", "command_line", "cli_command"),
    "commit": ("commit", "git_commit", "build_commit"),
    "devices": ("devices",),
    "driver": ("driver_version", "driver"),
    "job": ("job",),
}
"""By which settings a file states a part of its provenance."""
TIMES: Final = ("started_at", "ended_at")
SECOND: Final = 10**9

TOLD: Final = (*NAMES, "kept_because")
"""The parts in the order in which they are told; why texts are kept is only ever said by a person, at the door."""


@dataclass(frozen=True, slots=True)
class Said:
    """One value, and where it comes from."""

    value: str
    source: str


@dataclass(frozen=True, slots=True)
class Origin:
    """One part of a provenance, as each source has it. conflict: they do not all say the same."""

    name: str
    said: tuple[Said, ...]
    conflict: bool


def origins_of(artifact: Artifact, parse: Parse | None) -> tuple[Origin, ...]:
    """What is known of where the file comes from: first what it says itself, then what came with it, in order."""
    said: dict[str, list[Said]] = {}
    for name, one in _said(artifact, parse):
        if one not in said.setdefault(name, []):
            said[name].append(one)
    return tuple(Origin(name, tuple(said[name]), _differ(name, said[name])) for name in TOLD if name in said)


def as_json(origin: Origin) -> dict[str, object]:
    """As the API and the manifest of a bundle have it."""
    return {
        "name": origin.name,
        "said": [{"value": one.value, "source": one.source} for one in origin.said],
        "conflict": origin.conflict,
    }


def _said(artifact: Artifact, parse: Parse | None) -> Iterator[tuple[str, Said]]:
    if parse is not None and parse.state == ParseState.PARSED and store.holds(parse.measurements.table_sha256):
        with store.open_artifact(parse.measurements.table_sha256) as file:
            yield from _by_file(head_of(file))
    for name, one in artifact.provenance.items():
        yield name, Said(one["value"], one["source"])
    for row in artifact.statements.order_by("pk"):
        yield row.name, Said(row.value, row.source)


def _by_file(reading: Reading) -> Iterator[tuple[str, Said]]:
    """What the file states of its runs; several runs may state several values, which are one saying of one file."""
    for name, settings in BY_FILE.items():
        values = dict.fromkeys(s.value for s in reading.settings if s.name in settings)
        if values:
            yield name, Said(", ".join(values), Source.FILE.value)
    for name, time in zip(TIMES, _times(reading.runs), strict=True):
        if time is not None:
            at = datetime.fromtimestamp(time / SECOND, tz=UTC).isoformat(timespec="milliseconds")
            yield name, Said(at, Source.FILE.value)


def _times(runs: tuple[FileRun, ...]) -> tuple[int | None, int | None]:
    started = [run.started_ns for run in runs if run.started_ns is not None]
    ended = [run.ended_ns for run in runs if run.ended_ns is not None]
    return min(started, default=None), max(ended, default=None)


def _differ(name: str, said: list[Said]) -> bool:
    """Whether the sources disagree. A command took longer than the run that it measured: times stand side by side."""
    return name not in TIMES and not all(alike(one.value, said[0].value) for one in said)
