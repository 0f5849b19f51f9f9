"""The runs of a sealed set, each with the files beside it: logs by their labels, and what was captured."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, cast

from analysis.assess import LabelledRun
from analysis.beside import Beside, with_companions
from analysis.companions import Companion, role_of
from analysis.measurements import FileRun
from analysis.reading import Reading
from reviews.capture import facts
from reviews.errors import BadInput, Unreadable
from reviews.models import Artifact
from reviews.sections import AttachmentRow
from reviews.services.placements import host_of, is_verified

ArmWord = Literal["baseline", "candidate"]
Readings = Mapping[str, Reading]


def runs_of(parts: Sequence[AttachmentRow], readings: Readings) -> tuple[LabelledRun, ...]:
    """The runs, under labels of their own. parts: with an arm.

    Raises:
        Unreadable: a file does not hold the run that the set names. BadInput: a log fits no run of its arm.
    """
    roles = {artifact: role_of(readings[artifact]) for artifact in {part.artifact for part in parts}}
    with_results = {part.arm for part in parts if not roles[part.artifact]}
    logs = [part for part in parts if roles[part.artifact] and part.arm in with_results]
    runs = tuple(_run(part, readings[part.artifact]) for part in parts if part not in logs)
    beside, unused = with_companions(runs, _beside(logs, readings))
    if unused:
        raise _of_no_run(unused[0])
    return _told_apart(_with_captured(beside, parts))


def require_runs(parts: Iterable[AttachmentRow], readings: Readings) -> None:
    """Nothing, when every log stands beside a run. Raises as `runs_of`."""
    runs_of([part for part in parts if part.arm], readings)


def _run(part: AttachmentRow, reading: Reading) -> LabelledRun:
    run = _of_file(part, reading)
    speaks = len(reading.runs) == 1 and bool(run.key.strip("0123456789"))
    return LabelledRun(
        run=run,
        reading=reading,
        artifact=part.artifact,
        label=run.key if speaks else f"{part.name}:{run.key}",
        arm=cast(ArmWord, part.arm),
        block=part.block,
        placement=host_of(part.placement),
        placement_verified=is_verified(part.placement_source),
        excluded=part.excluded,
        clock=part.clock,
    )


def _of_file(part: AttachmentRow, reading: Reading) -> FileRun:
    for run in reading.runs:
        if run.key == part.run:
            return run
    raise Unreadable(
        f"{part.name}, read as {reading.format}, holds no run {part.run}, which the sealed set names.",
        needs="Choose the format in which it was sealed, or attach the file to a new set.",
        code="unknown_run",
        where=part.name,
    )


def _beside(parts: Sequence[AttachmentRow], readings: Readings) -> tuple[Beside, ...]:
    """The logs; one whose runs are all in the set stands there as a whole."""
    held: dict[tuple[str, ...], list[AttachmentRow]] = {}
    for part in parts:
        labels = (part.artifact, part.name, part.arm, part.block, host_of(part.placement), part.clock)
        held.setdefault(labels, []).append(part)
    return tuple(
        Beside(Companion(name, artifact, readings[artifact], "", clock), arm, block, placement, run)
        for (artifact, name, arm, block, placement, clock), rows in held.items()
        for run in _parts({row.run for row in rows}, readings[artifact])
    )


def _parts(named: Collection[str], reading: Reading) -> Sequence[str]:
    return [""] if {run.key for run in reading.runs} <= set(named) else sorted(named)


def _of_no_run(file: Beside) -> BadInput:
    labels = (file.arm, f"block {file.block}" if file.block else "", file.placement, file.run and f"run {file.run}")
    return BadInput(
        f"{file.companion.name} is a log beside runs, and no run of the set has its labels: "
        f"{', '.join(filter(None, labels))}.",
        needs="Give it the arm, block and placement of its runs, and as run none or the key of one; take it out, and "
        "attach it again.",
        code="log_of_no_run",
        where=file.companion.name,
    )


def _with_captured(runs: Sequence[LabelledRun], parts: Sequence[AttachmentRow]) -> tuple[LabelledRun, ...]:
    """The runs with what was captured of each as settings."""
    said = Artifact.objects.filter(sha256__in={run.artifact for run in runs}).values_list("sha256", "provenance")
    provenance, names = dict(said), {part.artifact: part.name for part in parts}
    return tuple(
        replace(
            run,
            companions=(*run.companions, *facts.beside(names[run.artifact], run.artifact, provenance[run.artifact])),
        )
        for run in runs
    )


def _told_apart(runs: tuple[LabelledRun, ...]) -> tuple[LabelledRun, ...]:
    """The runs under labels of their own: equal ones get the beginning of their file's digest."""
    count = Counter(run.label for run in runs)
    return tuple(
        replace(run, label=f"{run.label} ({run.artifact[:8]})") if count[run.label] > 1 else run for run in runs
    )
