"""What `countersign trace` says of the steps: launches, kernels that came and went, and the slowest of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.step_effects import StepEffects
from reviews.driver_words import effects_lines
from tests.cli.typed import typed

Capture = pytest.CaptureFixture[str]


def a_trace(folder: Path, name: str, *kernels: str, launches: bool = True, steps: int = 7) -> Path:
    """Steps of 200 µs, the last of 400, of an operator and these kernels on two streams."""
    events: list[dict[str, Any]] = []
    for n in range(steps):
        at = n * 1000
        events.append(_event("user_annotation", f"ProfilerStep#{n}", at, 400 if n == steps - 1 else 200))
        events.append(_event("cpu_op", "aten::mul", at, 10))
        events += [_event("cuda_runtime", "cudaLaunchKernel", at + (5 if launches else 15), 2)]
        events += [_event("kernel", kernel, at + 20, 30 + k, pid=0, tid=7 + k) for k, kernel in enumerate(kernels)]
    path = folder / f"{name}.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return path


def _event(cat: str, name: str, ts: float, dur: float, pid: int = 1, tid: int = 1) -> dict[str, Any]:
    return {"ph": "X", "cat": cat, "name": name, "ts": ts, "dur": dur, "pid": pid, "tid": tid}


def test_fused_kernels_moved_operators_and_the_slowest_steps_are_said(capsys: Capture, tmp_path: Path) -> None:
    arms = a_trace(tmp_path, "base", "mul", "add"), a_trace(tmp_path, "cand", "fused", launches=False)
    said = typed(capsys, "trace", *arms).out

    assert "Kernels of the baseline that the candidate does not run: add, mul." in said
    assert "Kernels that only the candidate runs: fused." in said
    assert "Operators that launch work of a device in the other arm, and none in the candidate: aten::mul." in said
    assert "One trace of each arm shows no interval." in said
    assert "no number here names a cause" in said
    rows = {line[:31].strip(): line.split() for line in said.splitlines()}
    assert rows["kernels"][1:3] == ["2.000", "1.000"]
    edges = [line.split() for line in said.splitlines() if line.startswith("core imbalance")]
    assert edges[0][5:11] == ["baseline", "500.0", "ns", "500.0", "ns", "0"]
    assert edges[1][5:8] == ["candidate", "not", "recorded"]
    assert "**Tail-latency drivers of the slowest steps**" in typed(capsys, "trace", *arms, "--markdown").out


def test_runs_are_the_units_of_the_changes_of_a_step(capsys: Capture, tmp_path: Path) -> None:
    base = [a_trace(tmp_path, f"base{n}", "mul", "add", steps=7 + n) for n in range(2)]
    cand = [a_trace(tmp_path, f"cand{n}", "fused", steps=7 + n) for n in range(2)]
    said = typed(capsys, "trace", *base, "--candidate", *cand).out

    assert "0.5000 times (does not vary between runs)" in said
    assert "needs 200 steps" in said


def test_many_kernels_are_counted() -> None:
    names = tuple(f"k{n:02}" for n in range(14))
    (said,) = effects_lines(StepEffects((), names, (), (), None, None))

    assert said.endswith("k11 and 2 more.")
