"""Runs that record every counter of the table, with the counters that each mechanism moves."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from analysis.assess import AssessmentResult
from analysis.parts import MechanismsAnswer
from tests.analysis.recorded import Row, row

NOISE = np.random.default_rng(20370).standard_normal((2, 6, 9))
USUAL: Mapping[str, tuple[float, str]] = {
    "cycles": (2e9, "1"),
    "flops": (1e12, "1"),
    "dram_bytes": (40.0, "GB"),
    "memory_stall_share": (0.40, "1"),
    "idle_gap_share": (0.10, "1"),
    "queue_wait": (2.0, "ms"),
    "low_precision_share": (0.80, "1"),
    "clock": (1.5, "GHz"),
    "throttle_share": (0.05, "1"),
}
MOVED = {
    "compute": {"cycles": 1.1, "flops": 1.1},
    "memory": {"dram_bytes": 1.1, "memory_stall_share": 0.1},
    "scheduling": {"idle_gap_share": 0.1, "queue_wait": 1.1},
    "precision": {"low_precision_share": -0.1, "cycles": 1.1},
    "thermal": {"clock": 0.9, "throttle_share": 0.1},
}
"""What moves in the candidate: a factor, or a difference of a share."""


def counted(arm: int, run: int, moved: Mapping[str, float], *, only: Any = None) -> list[Row]:
    rows = [row("wall_time", (1.0 + 0.1 * arm) * (1 + 0.004 * float(NOISE[arm, run, 0])))]
    for place, (metric, (usual, unit)) in enumerate(USUAL.items()):
        change = moved.get(metric) if arm else None
        noise = 0.008 * float(NOISE[arm, run, place])
        if metric.endswith("_share"):
            value = usual + (change or 0.0) + 0.5 * noise
        else:
            value = usual * (change or 1.0) * (1 + noise)
        if only is None or metric in only:
            rows.append(row(metric, value, unit))
    return rows


def arms(moved: Mapping[str, float], count: int = 6, **more: Any) -> list[list[list[Row]]]:
    return [[counted(arm, run, moved, **more) for run in range(count)] for arm in (0, 1)]


def answered(result: AssessmentResult) -> MechanismsAnswer:
    assert result.mechanisms is not None
    return result.mechanisms


def answers(found: MechanismsAnswer) -> dict[str, str]:
    return {answer.mechanism: answer.answer for answer in found.answers}


def why(found: MechanismsAnswer) -> dict[str, str]:
    return {absent.counter: absent.reason for absent in found.absent}
