"""A comparison of traces from the files that went in: the same inputs and the same bytes give the same answer.

The inputs are plain values, as they are recorded beside an answer: a version, a margin, and of each arm the files by
their SHA-256 with their labels. Nothing else goes in, so that anybody who has the files can compute it again.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

from analysis import trace_answer
from analysis.evidence import traces
from analysis.evidence.trace_file import Source
from analysis.evidence.traces import Traced
from analysis.inputs import ARMS, Arm
from analysis.traced_runs import TracedRun

WHOLE_FILE: Final = ""
ALONE: Final = "0"
SHORT: Final = 8


@dataclass(frozen=True, slots=True)
class TraceFile:
    """A file of an arm. run: which of its runs is meant, "" for all. placement_verified: recorded or captured."""

    arm: Arm
    artifact: str
    name: str
    run: str = WHOLE_FILE
    block: str = ""
    placement: str = ""
    placement_verified: bool = False


Opened = Callable[[str], AbstractContextManager[Source]]
"""Opens the bytes of a digest."""
Progress = Callable[[int, int, str], None]


def answered(
    files: Sequence[TraceFile], opened: Opened, *, margin: float, say: Progress | None = None
) -> Mapping[str, Any]:
    """The answer as plain JSON values.

    Args:
        margin: the factor above 1 within which a stage is excluded. say: is told how many files were read.

    Raises:
        MalformedEvidence, UnknownFormat, Refused: as `traces.runs_in` and `trace_answer.answer`.
    """
    arms: dict[Arm, list[TracedRun]] = {arm: [] for arm in ARMS}
    read: dict[Arm, list[Traced]] = {arm: [] for arm in ARMS}
    for done, file in enumerate(files):
        if say is not None:
            say(done, len(files), f"reading {file.name}")
        for one in _runs(file, opened):
            arms[file.arm].append(_labelled(file, one))
            read[file.arm].append(one)
    every = list(chain(*arms.values()))
    labelled = [_told_apart(runs, every) for runs in arms.values()]
    cautions = tuple(traces.cautions(*read.values()))
    return trace_answer.to_json(trace_answer.answer(*labelled, margin=margin, cautions=cautions))


def _runs(file: TraceFile, opened: Opened) -> Iterator[Traced]:
    """The runs of the file that the label means: all of them, or the one that it names."""
    with opened(file.artifact) as source:
        found = traces.runs_in(source, file.name)
    yield from (one for one in found if file.run in (WHOLE_FILE, one.key))


def _labelled(file: TraceFile, one: Traced) -> TracedRun:
    return TracedRun(
        label=file.name if one.key == ALONE else f"{file.name}#{one.key}",
        content=one.content,
        artifact=file.artifact,
        key=one.key,
        block=file.block,
        placement=file.placement,
        placement_verified=file.placement_verified,
        rank=one.rank,
    )


def _told_apart(runs: Sequence[TracedRun], every: Sequence[TracedRun]) -> list[TracedRun]:
    """The runs under labels of their own: equal names get the beginning of their file's digest."""
    return [
        replace(run, label=f"{run.label} ({run.artifact[:SHORT]})")
        if sum(other.label == run.label for other in every) > 1
        else run
        for run in runs
    ]
