"""Runs that record four stages, of which the candidate is slower from the third on."""

import math

import numpy as np

from analysis.assess import AssessmentResult
from analysis.parts import StagesAnswer
from tests.analysis.recorded import Row, row

RNG = np.random.default_rng(93)
NAMES = ("load", "embed", "attend", "send")
SLOWER = (1.0, 1.0, 1.10, 1.08)
"""The candidate is slower from the third stage on."""
NOISE = 1 + 0.004 * RNG.standard_normal((2, 8, 4))


def times(arm: int, run: int, slower: tuple[float, ...] = SLOWER) -> list[float]:
    factors = slower if arm else (1.0,) * 4
    return [0.1 * (i + 1) * factors[i] * float(NOISE[arm, run, i]) for i in range(4)]


def an_arm(arm: int, count: int = 6, *, whole: bool = True, cumulative: bool = False) -> list[list[Row]]:
    found = []
    for run in range(count):
        parts = times(arm, run)
        shown = np.cumsum(parts).tolist() if cumulative else parts
        rows = [row("wall_time", time, stage=name) for name, time in zip(NAMES, shown, strict=True)]
        found.append([*([row("wall_time", math.fsum(parts) + 0.05)] if whole else []), *rows])
    return found


def answered(result: AssessmentResult) -> StagesAnswer:
    assert result.stages is not None
    return result.stages
