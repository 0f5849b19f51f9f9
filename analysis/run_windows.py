"""The measured window of a run whose power stands in another file: from where to where, on which clock, and says who.

The window is the one in which the work was done. Only what the file states is taken: LoadGen's power_begin and
power_end, a start and an end, a start and a duration, or a date of the end and a duration.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Final

from analysis.clocks import Clock
from analysis.errors import Refused
from analysis.exact import parse_exact
from analysis.inputs import LabelledRun
from analysis.instants import EPOCH, SECOND, moment_of
from analysis.power import Window, window_of

LOADGEN: Final = "mlperf-loadgen"
DATED: Final = "vllm-bench-serve"
POWER_TIME: Final = "%m-%d-%Y %H:%M:%S.%f"
DATE: Final = "%Y%m%d-%H%M%S"

OF_LOADGEN: Final = "from power_begin to power_end of LoadGen"
STATED: Final = "from window_start to window_end"
START_AND_END: Final = "from the start to the end of the run"
START_AND_DURATION: Final = "from the start of the run, for its duration"
END_AND_DURATION: Final = "up to the date of the run, which is its end to the second, for its duration"


@dataclass(frozen=True, slots=True)
class RunWindow:
    """A window in seconds on a clock; a wall clock is counted as if it were UTC. said: where it comes from."""

    window: Window
    clock: Clock
    said: str


def window_for_log(run: LabelledRun) -> RunWindow:
    """The window of a run, for the samples of another file.

    Raises:
        Refused: no_window, when the file tells no window on a clock that another file can share; reversed; not_a_time.
    """
    said = {s.name: s.value for s in run.reading.settings_of(run.run.key)}
    for read in (_of_loadgen, _stated, _start_and_end, _start_and_duration, _end_and_duration):
        found = read(run, said)
        if found is not None:
            return found
    raise Refused(
        "no_window",
        "The file does not say when the work was done, so that samples of another file cannot be cut to it.",
        "Attach a file that does: a detail log of LoadGen with power_begin and power_end, or a result with its start "
        "and end as instants.",
    )


def lacks_zone(run: LabelledRun) -> bool:
    """Whether the window of the run is on a wall clock, whose zone somebody can state."""
    try:
        return window_for_log(run).clock != "epoch"
    except Refused:
        return False


Read = Callable[[LabelledRun, Mapping[str, str]], RunWindow | None]


def _of_loadgen(run: LabelledRun, said: Mapping[str, str]) -> RunWindow | None:
    if run.reading.format != LOADGEN or not {"power_begin", "power_end"} <= said.keys():
        return None
    start, end = (_wall_clock(said[name], POWER_TIME) for name in ("power_begin", "power_end"))
    return RunWindow(window_of(start, end), "meter", OF_LOADGEN)


def _stated(_run: LabelledRun, said: Mapping[str, str]) -> RunWindow | None:
    """Of our own format; seconds on a clock of its own are on that of no other file."""
    if not {"window_start", "window_end"} <= said.keys():
        return None
    start, end = moment_of(said["window_start"]), moment_of(said["window_end"])
    if start.clock == "seconds":
        return None
    return RunWindow(window_of(Fraction(start.ns, SECOND), Fraction(end.ns, SECOND)), "epoch", STATED)


def _start_and_end(run: LabelledRun, _said: Mapping[str, str]) -> RunWindow | None:
    if run.run.started_ns is None or run.run.ended_ns is None:
        return None
    window = window_of(Fraction(run.run.started_ns, SECOND), Fraction(run.run.ended_ns, SECOND))
    return RunWindow(window, "epoch", START_AND_END)


def _start_and_duration(run: LabelledRun, said: Mapping[str, str]) -> RunWindow | None:
    if run.run.started_ns is None or "duration" not in said:
        return None
    start = Fraction(run.run.started_ns, SECOND)
    return RunWindow(window_of(start, start + parse_exact(said["duration"])), "epoch", START_AND_DURATION)


def _end_and_duration(run: LabelledRun, said: Mapping[str, str]) -> RunWindow | None:
    if run.reading.format != DATED or not {"date", "duration"} <= said.keys():
        return None
    end = _wall_clock(said["date"], DATE)
    return RunWindow(window_of(end - parse_exact(said["duration"]), end), "local", END_AND_DURATION)


def _wall_clock(written: str, pattern: str) -> Fraction:
    try:
        moment = datetime.strptime(written, pattern).replace(tzinfo=UTC)
    except ValueError as error:
        raise Refused(
            "not_a_time", f"{written[:40]!r} is no time of this format.", "Attach the file as the tool wrote it."
        ) from error
    return Fraction((moment - EPOCH) // timedelta(microseconds=1), 10**6)
