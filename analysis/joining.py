"""Logs of power joined to the run beside which they stand: by clock, never by how their times look or overlap.

Both files are in epoch time; or both are on the clock of PTDaemon, by the rule of LoadGen; or somebody states the zone
of each wall clock, or the offset of the log to the clock of the run. What was joined, and how, is told with the energy.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

import numpy as np

from analysis.clocks import StatedClock, clock_of_rows, in_seconds, stated_clock
from analysis.companions import SAMPLED, Companion, role_of
from analysis.errors import Refused
from analysis.inputs import LabelledRun
from analysis.instants import SECOND
from analysis.measurements import Setting
from analysis.power import Window, require_cover
from analysis.power_rows import window_of_run
from analysis.run_windows import RunWindow, window_for_log
from analysis.table import NONE, NUMBERS, TEXTS, WORDS, Columns, Integers, Table, Words

OF_METER: Final = ("counter_unit", "counter_modulus", "meter")
WHOLE_NODES: Final = "mlperf-power"
BY_EPOCH: Final = "by epoch clock"
BY_RULE: Final = "by the clock of PTDaemon, by which LoadGen notes power_begin and power_end"
MARGIN: Final = 2
"""Samples of each device that are kept beyond each end of the window."""


@dataclass(frozen=True, slots=True)
class JoinedLog:
    """One log as it was joined. how: by which clock. offset_s: what was added to its times, as a decimal number."""

    name: str
    artifact: str
    how: str
    offset_s: str


@dataclass(frozen=True, slots=True)
class JoinedPower:
    """Where the power of a run comes from. window: where the window comes from. start_s, end_s: on the run's clock."""

    window: str
    start_s: str
    end_s: str
    logs: tuple[JoinedLog, ...]


@dataclass(frozen=True, slots=True)
class Metered:
    """A run with its samples of power among its rows, and the window; joined: None when its own file has the power.

    by_mean: its energy is the mean of the samples times the window, as the rules of MLPerf have it.
    """

    run: LabelledRun
    window: Window
    joined: JoinedPower | None = None
    by_mean: bool = False


def power_logs(run: LabelledRun) -> tuple[Companion, ...]:
    """The logs of power beside a run that hold samples."""
    logs = (one for one in run.companions if role_of(one.reading) == "power")
    return tuple(log for log in logs if len(_samples(log)))


def _samples(log: Companion) -> Table:
    """The samples of a log of power, and its readings of counters."""
    held = log.reading.measurements
    if log.run:
        held = held.only(run=log.run)
    metrics = held.words("metric")
    wanted = [code for code, name in enumerate(metrics.known) if name in SAMPLED]
    return held.where(np.isin(metrics.codes, wanted)).only(kind="raw").measured()


def metered(run: LabelledRun) -> Metered:
    """The run with the power of the logs beside it, on its own clock.

    Raises:
        Refused: no_window, clock_not_stated, bad_clock, two_power_sources, same_device_twice, untimed_samples,
            window_not_covered, clocks_apart.
    """
    logs = power_logs(run)
    if not logs:
        return Metered(run, window_of_run(run))
    own = run.reading.of_run(run.run.key).only(kind="raw").measured()
    if not SAMPLED.isdisjoint(own.distinct("metric")):
        raise Refused(
            "two_power_sources",
            f"The file of the run holds its power, and {logs[0].name} beside it holds power as well: they may be one.",
            "Attach the log to no run, or the result without its power.",
        )
    found, shifts = _on_one_clock(run, logs)
    parts = [_part(log, shift) for log, (shift, _) in zip(logs, shifts, strict=True)]
    _require_all_cover(logs, parts, found.window)
    kept = [_inside(part, found.window) for part in parts]
    table = _one_table(kept, run.run.key, _stages(logs, kept))
    settings = (*run.reading.settings, *_of_meters(run, logs))
    told = tuple(
        JoinedLog(log.name, log.artifact, how, in_seconds(shift))
        for log, (shift, how) in zip(logs, shifts, strict=True)
    )
    return Metered(
        replace(run, reading=replace(run.reading, measurements=table, settings=settings)),
        found.window,
        JoinedPower(found.said, in_seconds(found.window.start), in_seconds(found.window.end), told),
        by_mean=found.clock == "meter" and all(clock_of_rows(log.reading) == "meter" for log in logs),
    )


def _on_one_clock(run: LabelledRun, logs: Sequence[Companion]) -> tuple[RunWindow, list[tuple[Fraction, str]]]:
    """The window, and for each log what is added to its times and how that is known.

    A log with a stated offset is on the run's clock, whichever that is; all others need instants on both sides.
    """
    found, stated = window_for_log(run), stated_clock(run.clock)
    if stated is not None and (stated.kind != "zone" or found.clock == "epoch"):
        raise Refused(
            "bad_clock",
            f"For the file of the run the {stated.said} is stated, and a zone is all that its wall clock can lack.",
            "State an offset for the log of power; state a zone only for a file whose times have none.",
        )
    return found, [_shift(log, found, stated, run.label) for log in logs]


def _shift(log: Companion, found: RunWindow, zone: StatedClock | None, label: str) -> tuple[Fraction, str]:
    said, clock = stated_clock(log.clock), clock_of_rows(log.reading)
    if said is not None and said.kind == "offset":
        return said.seconds, f"with a stated {said.said} to the clock of the run"
    if said is not None and clock == "epoch":
        raise Refused(
            "bad_clock",
            f"{log.name} has instants, and for it the {said.said} is stated.",
            "State no zone; state an offset if its clock was wrong.",
        )
    if clock == found.clock == "meter" and said is None and zone is None:
        return Fraction(0), BY_RULE
    if found.clock != "epoch" and zone is None:
        raise _not_stated(label, f"the times of the run in {label} are of a wall clock without zone")
    if clock != "epoch" and said is None:
        raise _not_stated(log.name, f"the times of {log.name} are of a wall clock without zone")
    ahead = zone.seconds if zone else Fraction(0)
    if said is None and zone is None:
        return Fraction(0), BY_EPOCH
    zones = [one.said for one in (said, zone) if one is not None]
    return ahead - (said.seconds if said else 0), f"by epoch clock, with the stated {' and '.join(zones)}"


def _not_stated(file: str, why: str) -> Refused:
    return Refused(
        "clock_not_stated",
        f"The power cannot be joined to the window of the run: {why}, and nothing is inferred from them.",
        f"State the zone of {file} (UTC+01:00), or the offset of the log to the clock of the run (+3600 s): --zone or "
        "--offset at the command line, the field Clock of its attachment at the page.",
    )


def _part(log: Companion, shift: Fraction) -> Table:
    """The samples of a log, on the clock of the run."""
    rows = _samples(log)
    times = rows.number("started_ns")
    if (times == NONE).any():
        raise Refused(
            "untimed_samples",
            f"Samples of {log.name} carry no time.",
            "Log with a time: nvidia-smi --query-gpu=timestamp,…, or nvidia-smi dmon -o DT.",
        )
    return _with(rows, {"started_ns": times + int(shift * SECOND)})


def _with(rows: Table, numbers: Mapping[str, Integers]) -> Table:
    columns = {name: rows.number(name) for name in NUMBERS}
    return Table(
        Columns(
            rows.values,
            {**columns, **numbers},
            {name: rows.words(name) for name in WORDS},
            {name: rows.texts(name) for name in TEXTS},
        )
    )


def _require_all_cover(logs: Sequence[Companion], parts: Sequence[Table], window: Window) -> None:
    """Passes when the samples of each log cover the window; logs that begin apart may be on two clocks."""
    ends = [_ends(part) for part in parts]
    for log, (first, last) in zip(logs, ends, strict=True):
        try:
            require_cover(f"samples of {log.name}", first, last, window)
        except Refused as refused:
            other = max(range(len(ends)), key=lambda i: abs(ends[i][0] - first))
            apart = abs(ends[other][0] - first)
            if not apart:
                raise
            raise Refused(
                "clocks_apart",
                f"{refused.message} They begin {in_seconds(apart)} s from those of {logs[other].name}: the clocks of "
                "the two logs may differ.",
                "Find out which clock is wrong, and state the offset of that log; or attach a log of the whole window.",
            ) from refused


def _ends(part: Table) -> tuple[Fraction, Fraction]:
    times = part.number("started_ns")
    return Fraction(int(times.min()), SECOND), Fraction(int(times.max()), SECOND)


def _inside(part: Table, window: Window) -> Table:
    """The samples in the window and a few beyond each end of it, of each device; idle ones all stay."""
    start, end = (int(edge * SECOND) for edge in (window.start, window.end))
    times, kept = part.number("started_ns"), part.codes("phase") == part.words("phase").code_of("idle")
    groups = np.stack([part.codes("metric"), part.codes("stage")], axis=1)
    for group in np.unique(groups, axis=0):
        places = np.flatnonzero((groups == group).all(axis=1))
        of_group = times[places]
        near = np.flatnonzero((of_group >= start) & (of_group <= end))
        before, after = np.flatnonzero(of_group < start), np.flatnonzero(of_group > end)
        kept[places[np.concatenate((before[-MARGIN:], near, after[:MARGIN]))]] = True
    return part.where(kept)


def _stages(logs: Sequence[Companion], parts: Sequence[Table]) -> list[Mapping[str, str]]:
    """The names of the devices of each log: those of several nodes of MLPerf by their files.

    Raises:
        Refused: same_device_twice.
    """
    if len(logs) > 1 and all(log.reading.format == WHOLE_NODES for log in logs):
        return [{"": log.name} for log in logs]
    seen: dict[str, str] = {}
    for log, part in zip(logs, parts, strict=True):
        for device in part.distinct("stage"):
            if device in seen:
                what = device or "the whole"
                raise Refused(
                    "same_device_twice",
                    f"{seen[device]} and {log.name} both hold the power of {what}: it would count twice.",
                    "Attach the log of each run to that run only, by its label or in its folder; of two hosts, query "
                    "the uuid of the GPU.",
                )
            seen[device] = log.name
    if "" in seen and len(seen) > 1:
        raise Refused(
            "same_device_twice",
            f"{seen['']} holds the power of the whole, and another log that of its parts: they are never added.",
            "Attach one of them.",
        )
    return [{} for _ in logs]


def _one_table(parts: Sequence[Table], run: str, stages: Sequence[Mapping[str, str]]) -> Table:
    words = {name: _words([part.words(name) for part in parts]) for name in WORDS if name not in ("run", "stage")}
    named = [
        Words(part.codes("stage"), tuple(names.get(one, one) for one in part.words("stage").known))
        for part, names in zip(parts, stages, strict=True)
    ]
    whole = sum(len(part) for part in parts)
    words |= {"run": Words(np.zeros(whole, dtype=np.int32), (run,)), "stage": _words(named)}
    return Table(
        Columns(
            np.concatenate([part.values for part in parts]),
            {name: np.concatenate([part.number(name) for part in parts]) for name in NUMBERS},
            words,
            {name: [text for part in parts for text in part.texts(name)] for name in TEXTS},
        )
    )


def _words(columns: Sequence[Words]) -> Words:
    index: dict[str, int] = {}
    codes = []
    for column in columns:
        places = np.array([index.setdefault(word, len(index)) for word in column.known], dtype=np.int32)
        codes.append(places[column.codes])
    return Words(np.concatenate(codes), tuple(index))


def _of_meters(run: LabelledRun, logs: Sequence[Companion]) -> Iterator[Setting]:
    """What the logs state of their meters, as of the run."""
    for log in logs:
        for setting in log.reading.settings:
            if setting.name in OF_METER:
                yield replace(setting, run=run.run.key)
