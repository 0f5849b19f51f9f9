"""A warmup in seconds, cut from the stages of a run as from the run."""

from fractions import Fraction
from typing import Any

from tests.analysis.recorded import Row, assessed, the_split
from tests.analysis.slowed import NOISE, answered


def timed_steps(arm: int) -> list[list[Row]]:
    """Five runs of ten steps: a stage that is slow in the first two, and one that is slower in the candidate."""
    found = []
    for run in range(5):
        load = [(0.5 if step < 2 else 0.1) * float(NOISE[arm, run, step % 4]) for step in range(10)]
        send = [(0.33 if arm else 0.3) * float(NOISE[arm, (run + step) % 8, 2]) for step in range(10)]
        whole = [a + b for a, b in zip(load, send, strict=True)]
        found.append([many(whole), many(load, stage="load"), many(send, stage="send")])
    return found


def many(values: list[float], **more: object) -> Row:
    return {"metric": "wall_time", "unit": "s", "values": values, **more}


def test_a_warmup_in_seconds_cuts_the_same_steps_of_every_stage_as_of_the_run() -> None:
    """Two steps begin before 1.5 s; the stages by themselves had taken that long only after six steps, or five."""
    asked: dict[str, Any] = {"stat": "mean"}
    by_clock = assessed(timed_steps(0), timed_steps(1), **asked, warmup_seconds=Fraction("1.5"))
    by_steps = assessed(timed_steps(0), timed_steps(1), **asked, warmup_steps=2)

    assert answered(by_clock).refusal is None
    assert answered(by_clock).stages == answered(by_steps).stages
    assert [part.name for part in the_split(by_clock).parts] == ["load", "send"]
    assert the_split(by_clock).parts == the_split(by_steps).parts


def test_stages_that_are_summed_need_a_clock_of_the_run() -> None:
    measured = [[rows[1:] for rows in timed_steps(arm)] for arm in (0, 1)]
    result = assessed(*measured, stat="mean", stages="summed", warmup_seconds=Fraction("1.5"))

    assert result.refusal is not None
    assert result.refusal.code == "no_run_clock"


def test_a_warmup_that_leaves_nothing_of_a_stage_says_so() -> None:
    measured = [timed_steps(arm) for arm in (0, 1)]
    for rows in (*measured[0], *measured[1]):
        rows[1] = many([0.1, 0.1], stage="load")
    refusal = answered(assessed(*measured, stat="mean", warmup_steps=2)).refusal

    assert refusal is not None
    assert refusal.message == ("Stage load of run b0: A warmup of 2 steps leaves nothing of wall_time in load.")
