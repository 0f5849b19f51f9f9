"""The files of an archive read as one: the runs of each file are called by its name."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from analysis.reading import Reading
from analysis.table import Table


def joined(readings: Mapping[str, Reading], *, left_out: Collection[str]) -> Reading:
    """The readings of an archive's files as one; the runs of each are called by its name."""
    parts = [_under(name, reading) for name, reading in readings.items()]
    unread = (f"Not read, because no format recognises them: {', '.join(left_out)}.",) if left_out else ()
    return Reading(
        format=parts[0].format,
        parser_version=parts[0].parser_version,
        runs=tuple(run for part in parts for run in part.runs),
        measurements=Table.of(m for part in parts for m in part.measurements),
        settings=tuple(setting for part in parts for setting in part.settings),
        leniences=tuple(dict.fromkeys(said for part in parts for said in part.leniences)),
        notices=tuple(dict.fromkeys(said for part in parts for said in part.notices)) + unread,
    )


def _under(name: str, reading: Reading) -> Reading:
    def key(run: str) -> str:
        return f"{name}:{run}"

    return replace(
        reading,
        runs=tuple(replace(run, key=key(run.key)) for run in reading.runs),
        measurements=Table.of(replace(m, run=key(m.run)) for m in reading.measurements),
        settings=tuple(replace(setting, run=key(setting.run)) for setting in reading.settings),
    )
