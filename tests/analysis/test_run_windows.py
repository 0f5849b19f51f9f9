"""The measured window of a run, from what the tools say of it, and from nothing else."""

from typing import Any

import pytest

from analysis.assess import LabelledRun
from analysis.errors import Refused
from analysis.run_windows import RunWindow, lacks_zone, window_for_log
from tests.analysis.joined import EPOCH_OF_NOON, beside, of_loadgen, of_ours, of_vllm
from tests.evidence import make


def seconds(found: RunWindow) -> tuple[float, float]:
    return float(found.window.start) - EPOCH_OF_NOON, float(found.window.end) - EPOCH_OF_NOON


def why(run: LabelledRun) -> str:
    with pytest.raises(Refused) as refused:
        window_for_log(run)
    return refused.value.code


def test_loadgen_says_from_when_to_when_power_was_measured() -> None:
    found = window_for_log(of_loadgen())

    assert (seconds(found), found.clock) == ((2, 6), "meter")


def test_a_start_and_an_end_in_epoch_time() -> None:
    found = window_for_log(of_ours())

    assert (seconds(found), found.clock) == ((2, 6), "epoch")


def test_a_stated_window_counts_before_start_and_end() -> None:
    window: dict[str, Any] = {"window_start": "2026-01-01T12:00:03Z", "window_end": "2026-01-01T12:00:04.5Z"}

    assert seconds(window_for_log(of_ours(**window))) == (3, 4.5)


def test_a_window_in_seconds_of_a_clock_of_its_own_joins_nothing() -> None:
    assert why(of_ours(window_start=2, window_end=6, started_at=..., ended_at=...)) == "no_window"


def test_a_start_and_a_duration() -> None:
    text = (
        "prompt_tokens,generation_tokens,ttft,generation_time,launch_time,finish_time\n"
        f"10,5,0.1,0.2,{EPOCH_OF_NOON + 2}.0,{EPOCH_OF_NOON + 3}.0\n"
        f"10,5,0.1,0.2,{EPOCH_OF_NOON + 3}.0,{EPOCH_OF_NOON + 6}.0\n"
    )
    found = window_for_log(beside(make.read(text, name="qps_1.csv")))

    assert (seconds(found), found.clock, found.said) == ((2, 6), "epoch", "from the start of the run, for its duration")


def test_vllm_writes_the_end_of_its_run_and_a_duration() -> None:
    found = window_for_log(of_vllm())

    assert (seconds(found), found.clock, "its end to the second" in found.said) == ((2, 6), "local", True)


@pytest.mark.parametrize(
    ("run", "code"),
    [
        (of_vllm(duration=...), "no_window"),
        (of_vllm(date="yesterday"), "not_a_time"),
        (of_loadgen(power_end=...), "no_window"),
        (of_loadgen(begin="12:00:06.000", end="12:00:02.000"), "reversed"),
        (of_loadgen(begin="noon"), "not_a_time"),
        (beside(make.read(make.sglang())), "no_window"),
    ],
)
def test_a_file_that_does_not_say_when_has_no_window(run: LabelledRun, code: str) -> None:
    assert why(run) == code


def test_only_a_window_on_a_wall_clock_lacks_a_zone() -> None:
    assert [lacks_zone(run) for run in (of_vllm(), of_loadgen(), of_ours(), of_vllm(duration=...))] == [
        True, True, False, False,
    ]  # fmt: skip
