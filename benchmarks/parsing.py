"""What it costs to read a trace into stages, in time and memory, against msgspec's typed decode of the same bytes.

The trace is synthetic: steps of operators, launches, kernels and flows, as Kineto writes them. Ours reads the file in
blocks; the peer has the bytes in memory, and decodes all events into objects. Two such traces are also compared, from
the files to the whole answer, beside HolisticTraceAnalysis, which compares the same two files.
"""

import json
import statistics
import tempfile
import tracemalloc
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from analysis.evidence import traces
from analysis.trace_answer import TraceAnswer, answer
from analysis.traced_runs import TracedRun
from analysis.traces.intervals import Integers
from analysis.traces.stages import stage_times, windows
from benchmarks import holistic
from benchmarks.peers import Skipped
from benchmarks.ratio import Measured, Ratio, Said, in_turns, remark, seconds

MEBI: Final = 2**20
TIME: Final = 2.0
MEMORY: Final = 0.5
PAIR: Final = 0.2
ROUNDS: Final = 3
OPERATORS: Final = 400
HEAD: Final = '{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Example GPU"}],'


class Args(msgspec.Struct, gc=False):
    """The arguments of an event of Kineto, by type."""

    external_id: int = msgspec.field(default=0, name="External id")
    sequence_number: int = msgspec.field(default=0, name="Sequence number")
    dims: list[list[int]] = msgspec.field(default_factory=list, name="Input Dims")
    types: list[str] = msgspec.field(default_factory=list, name="Input type")
    correlation: int = 0
    cbid: int = 0
    device: int = 0
    stream: int = 0
    grid: list[int] = []
    block: list[int] = []


class Event(msgspec.Struct, gc=False):
    """An event of Kineto, by type."""

    ph: str
    name: str = ""
    cat: str = ""
    ts: float = 0
    dur: float = 0
    pid: int | str = 0
    tid: int | str = 0
    id: int = 0
    args: Args | None = None


class Trace(msgspec.Struct, gc=False):
    """The whole file."""

    events: list[Event] = msgspec.field(name="traceEvents")


PEER: Final = msgspec.json.Decoder(Trace)


def measure(*, quick: bool) -> Iterator[Measured]:
    """Time and memory of a file of 300 MiB, or of 30 MiB."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        events = write(path, (30 if quick else 300) * MEBI)
        size = path.stat().st_size
        yield remark(f"a trace of {size / MEBI:.0f} MiB with {events:,} events; ours, the peer's, ours over the peer's")
        ours, peer = in_turns(partial(stages, path), partial(PEER.decode, path.read_bytes()), rounds=3)
        yield Ratio("trace to stages", ours, peer, "msgspec typed decode", TIME)
        peak = memory(path)
        share = peak / size
        said = f"greatest memory {peak / MEBI:.0f} MiB, {share:.2f} of the file; budget {MEMORY} at 300 MiB"
        yield Said(said, held=quick or share <= MEMORY)
        yield pair(Path(folder), (5 if quick else 50) * MEBI)


def pair(folder: Path, size: int) -> Measured:
    """Two traces of at least so many bytes compared, beside HolisticTraceAnalysis in its own process."""
    paths = [folder / f"{arm}.json" for arm in ("baseline", "candidate")]
    events = [write(path, size) for path in paths]
    peer = holistic.seconds(*paths, rounds=ROUNDS)
    if isinstance(peer, Skipped):
        return remark(f"{peer.name} is not measured: {peer.reason}")
    compared(*paths)
    ours = statistics.median(seconds(partial(compared, *paths)) for _ in range(ROUNDS))
    return Ratio(f"two traces of {events[0]:,} events compared", ours, peer, holistic.NAME, PAIR)


def compared(baseline: Path, candidate: Path) -> TraceAnswer:
    """Two files as the command line compares them."""
    arms = []
    for path in (baseline, candidate):
        with path.open("rb") as file:
            arms.append([TracedRun(path.name, run.content) for run in traces.runs_in(file, path.name)])
    return answer(*arms)


def stages(path: Path) -> Mapping[str, Integers]:
    """The exclusive times of the stages in every step of a trace."""
    with path.open("rb") as file:
        events = traces.trace_in(file, path.name).events
    return stage_times(events, windows(events))


def memory(path: Path) -> int:
    """The greatest memory, in bytes, that reading a trace into stages holds at once."""
    tracemalloc.start()
    try:
        stages(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def write(path: Path, size: int) -> int:
    """A trace of at least so many bytes; returns the number of its events."""
    step = at = 0
    with path.open("w", encoding="utf-8") as file:
        at += file.write(f'{HEAD}\n  "traceEvents": [\n')
        events = 0
        while at < size:
            lines = list(_step(step))
            at += file.write(("," if step else "") + ",".join(lines))
            events += len(lines)
            step += 1
        file.write('\n  ],\n  "traceName": "trace.json"\n}\n')
    return events


def _step(step: int) -> Iterator[str]:
    start, every = 6_869_181_218_000.125 + step * 40_000, 100
    yield _event("user_annotation", f"ProfilerStep#{step}", start, OPERATORS * every, {"External id": step})
    for n in range(OPERATORS):
        at, number = start + n * every, step * OPERATORS + n
        args = {"External id": number, "Sequence number": n, "Input Dims": [[64, n % 7 + 1], [n % 7 + 1, 64]]}
        yield _event("cpu_op", f"aten::operator_{n % 90}", at, 60.25, args | {"Input type": ["float", "float"]})
        args = {"cbid": 211, "correlation": number}
        yield _event("cuda_runtime", "cudaLaunchKernel", at + 10, 8.5, args)
        flow = f'"id": {number}, "pid": 100, "tid": 100, "ts": {at + 10}'
        yield f'\n  {{\n    "ph": "s", {flow},\n    "cat": "ac2g", "name": "ac2g"\n  }}'
        grid = {"device": 0, "stream": 7, "correlation": number, "grid": [n, 1, 1], "block": [256, 1, 1]}
        name = f"void at::native::elementwise_kernel<{n % 50}, at::native::Functor<float>>(int, float*)"
        yield _event("kernel", name, at + 30, 42.125, grid | {"registers per thread": 32, "warps per SM": 0.25}, (0, 7))


def _event(
    cat: str, name: str, ts: float, dur: float, args: Mapping[str, object], lane: tuple[int, int] = (100, 100)
) -> str:
    place = f'"pid": {lane[0]}, "tid": {lane[1]},\n    "ts": {ts}, "dur": {dur}'
    return f'\n  {{\n    "ph": "X", "cat": "{cat}", "name": "{name}", {place},\n    "args": {json.dumps(args)}\n  }}'
