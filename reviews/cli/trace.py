"""`countersign trace`: where two traces part, in structure, in work or in time. It describes, and judges nothing."""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

from analysis.evidence import traces
from analysis.evidence.trace_source import Trace
from analysis.traces.comparison import TraceComparison, compare
from analysis.traces.events import Events
from analysis.traces.sequence import Parting
from analysis.traces.summary import Busy, busy_times
from analysis.traces.timing import KernelDifference, StageDifference
from reviews.cli.command import Command, Exit, UsageError, table, write, write_json

ARMS: Final = ("baseline", "candidate")
KERNELS: Final = 10
NANO: Final = 1e-9


def arguments(parser: ArgumentParser) -> None:
    """Two traces, and how to print."""
    parser.add_argument("baseline", metavar="BASE", help="a trace of the baseline")
    parser.add_argument("candidate", metavar="CAND", help="a trace of the candidate")
    parser.add_argument(
        "--kernels", type=int, default=KERNELS, metavar="N", help=f"rows of kernels (default: {KERNELS})"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, with all kernels")


def run(options: Namespace) -> Exit:
    """Prints where the traces part; OK whatever that is, because one trace of each arm is no verdict."""
    if options.kernels < 0:
        raise UsageError("--kernels is at least 0.")
    read = {arm: _trace(path) for arm, path in zip(ARMS, (options.baseline, options.candidate), strict=True)}
    arms = {arm: trace.events for arm, trace in read.items()}
    found = compare(*arms.values())
    found = replace(found, notices=(*found.notices, *traces.cautions(*read.values())))
    if options.json:
        busy = {arm: [asdict(row) for row in busy_times(events)] for arm, events in arms.items()}
        write_json(asdict(found) | {"devices": busy})
    else:
        write(in_words(found, arms, kernels=options.kernels))
    return Exit.OK


def _trace(path: str) -> Trace:
    if not Path(path).is_file():
        raise UsageError(f"There is no file {path}.")
    with Path(path).open("rb") as file:
        return traces.trace_in(file, path)


def in_words(found: TraceComparison, arms: Mapping[str, Events], *, kernels: int) -> str:
    """The sentence, what it rests on in tables, and what to be careful of."""
    parts = [found.sentence, *found.notices]
    if found.lanes:
        parts += [
            "",
            table([_lane(lane) for lane in found.lanes], ("order of", "parts at", *ARMS, "steps that differ")),
        ]
    rows = [_stage(stage) for stage in (found.step, *found.stages)]
    parts += ["", table(rows, ("time per step", *ARMS, "ratio", "noise of the baseline", "judged"))]
    if found.kernels and kernels:
        listed = [_kernel(row) for row in found.kernels[:kernels]]
        parts += ["", table(listed, ("kernel, per step", "times", "times", *ARMS, "difference"))]
    busy = [(arm, *_device(row)) for arm, events in arms.items() for row in busy_times(events)]
    if busy:
        parts += ["", table(busy, ("arm", "device", "stream", "busy", "idle", "communication", "hidden"))]
    return "\n".join(parts)


def _lane(lane: Parting) -> tuple[str, ...]:
    if lane.what == "none":
        return lane.lane, "-", "", "", "0, 0"
    steps = ", ".join(map(str, lane.steps))
    return (
        lane.lane,
        str(lane.at),
        _short(lane.baseline or "nothing more"),
        _short(lane.candidate or "nothing more"),
        steps,
    )


def _stage(stage: StageDifference) -> tuple[str, ...]:
    noise = "" if stage.noise is None else f"{stage.noise[0]:.3f} to {stage.noise[1]:.3f}"
    ratio = "" if stage.ratio is None else f"{stage.ratio:.3f}"
    return stage.stage, _seconds(stage.baseline), _seconds(stage.candidate), ratio, noise, stage.judged


def _kernel(row: KernelDifference) -> tuple[str, ...]:
    counts = f"{row.baseline_count:.4g}", f"{row.candidate_count:.4g}"
    times = _seconds(row.baseline), _seconds(row.candidate), _seconds(row.candidate - row.baseline, sign="+")
    return _short(row.name), *counts, *times


def _device(row: Busy) -> tuple[str, ...]:
    times = (_seconds(time * NANO) for time in (row.busy, row.idle, row.communication))
    return row.process, row.thread or "all", *times, "" if row.thread else _seconds(row.hidden * NANO)


def _seconds(seconds: float, *, sign: str = "") -> str:
    return f"{seconds * 1e3:{sign}.6g} ms"


def _short(name: str, most: int = 60) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


COMMAND = Command("trace", "where two traces part", arguments, run)
