"""A file of any size is read in a part of the memory that it would take: measured in a process of its own."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SMALL, LARGE = 6_000_000, 30_000_000
CHILD = """
import sys
import pyarrow.csv
from analysis import evidence
from analysis.evidence import limits
from analysis.evidence.format import Document
from analysis.evidence.stored import Stored

limits.BYTES = 1_000_000  # what is larger is nowhere held, nor searched, as a whole
for path in sys.argv[1:]:
    reading = evidence.read(Document(Stored(open(path, "rb"), path), path))
    assert len(reading.measurements), path
    reading = None
    peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(int(peak.split()[1]) * 1024)
"""


def power_log() -> Iterator[str]:
    yield "timestamp, index, name, uuid, pci.bus_id, driver_version, pstate, power.limit [W], "
    yield "utilization.gpu [%], power.draw [W], clocks.video [MHz]\n"
    minute = "".join(
        f"2026/01/DD HH:MM:{i // 10:02}.{i % 10}00, {gpu}, NVIDIA H100 80GB HBM3, "
        f"GPU-5ba2e4f1-9c1d-8a0e-7e2a-{gpu:012}, 00000000:83:00.0, 590.48.01, "
        f"P0, 700.00 W, {i % 100} %, {300 + i % 97}.{gpu}5 W, {1980 - i % 30} MHz\n"
        for i in range(600)
        for gpu in range(8)
    )
    for at in range(60 * 24 * 28):
        yield minute.replace("DD HH:MM", f"{at // 1440 + 1:02} {at // 60 % 24:02}:{at % 60:02}")


def requests() -> Iterator[str]:
    gaps = ", ".join(["18.968090999999998"] * 20)
    for i in range(10**6):
        yield (
            f'{{"metadata": {{"x_request_id": "{i}", "request_start_ns": {i}, "request_end_ns": {i + 5}}}, "metrics": '
            f'{{"request_latency": {{"value": {i}.5, "unit": "ms"}}, "inter_chunk_latency": {{"value": [{gaps}], '
            f'"unit": "ms"}}, "output_sequence_length": {{"value": {i % 99}, "unit": "tokens"}}}}}}\n'
        )


def trace() -> Iterator[str]:
    yield '{"schemaVersion": 1, "deviceProperties": [], "traceEvents": [\n'
    yield '{"ph": "M", "name": "process_name", "pid": 1}\n'
    for i in range(10**6):
        yield (
            f',{{"ph": "X", "cat": "kernel", "name": "void at::native::vectorized_elementwise_kernel<{i % 9}>", '
            f'"pid": 1, "tid": 7, "ts": {i * 10}.125, "dur": 7.5, "args": {{"External id": {i}, "stream": 7, '
            f'"device": 0, "correlation": {i}, "registers per thread": 32, "shared memory": 0, "warps per SM": 0.0125, '
            f'"grid": [1, 1, 1], "block": [64, 1, 1], "est. achieved occupancy %": 0}}}}\n'
        )


FILES: dict[str, tuple[Callable[[], Iterator[str]], str]] = {
    "power.csv": (power_log, ""),
    "requests.jsonl": (requests, ""),
    "rank0.pt.trace.json": (trace, "]}"),
}


def written(folder: Path, kind: str, size: int) -> str:
    """A file of about so many bytes."""
    (folder / str(size)).mkdir()
    parts, end = FILES[kind]
    place, left = folder / str(size) / kind, size
    with place.open("w") as file:
        for part in parts():
            left -= file.write(part)
            if left < 0:
                break
        file.write(end)
    return str(place)


@pytest.mark.parametrize("kind", sorted(FILES))
def test_what_a_larger_file_takes_more_is_at_most_half_of_what_it_has_more(kind: str, tmp_path: Path) -> None:
    files = [written(tmp_path, kind, size) for size in (SMALL, LARGE)]

    said = subprocess.run([sys.executable, "-c", CHILD, *files], cwd=ROOT, capture_output=True, text=True, check=True)

    small, large = map(int, said.stdout.split())
    assert large - small < (LARGE - SMALL) / 2
