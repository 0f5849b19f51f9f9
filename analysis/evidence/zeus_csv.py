"""Energy of windows that Zeus writes: `start_time,window_name,elapsed_time,gpu0_energy,…`.

In the file: a row for each window, with the seconds of a monotonic clock and the joules of each GPU. Here: each window
is a run; `energy` is the sum over its GPUs, and each GPU stands beside it as a stage. A power limit that Zeus itself
wrote into the name of the window is configuration.
"""

import re
from fractions import Fraction
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, csv_reader, values
from analysis.evidence.collect import VALUE, Collection, Figure, Run, Sample
from analysis.evidence.csv_reader import Row
from analysis.evidence.format import Document, Format
from analysis.evidence.values import Numeral
from analysis.reading import Reading

NAME: Final = "zeus-csv"
VERSION: Final = 1

COLUMNS: Final = ("start_time", "window_name", "elapsed_time")
GPU: Final = re.compile(r"gpu(\d+)_energy")
CPU: Final = re.compile(r"(cpu\d+|dram\d+|soc)_energy")
LIMIT: Final = re.compile(r"__GlobalPowerLimitOptimizer_(\d+)")
BRIEF: Final = "0: the window was shorter than the counter is updated"
INCOMPLETE: Final = "a GPU of the window has no energy"
CLOCK: Final = "Times are of a monotonic clock: they join with no other file."
SUMMED: Final = "energy is the sum over the GPUs of the window."


def looks_right(document: Document) -> str | None:
    """The reason why this is a table of Zeus, or None."""
    cells = csv_reader.header_like(document, _is_zeus)
    return f"its header names {', '.join(COLUMNS)} and the energy of a GPU" if cells else None


def _is_zeus(cells: list[str]) -> bool:
    return set(COLUMNS) <= set(cells) and any(GPU.fullmatch(cell) for cell in cells)


def parse(document: Document) -> Reading:
    """A run for each window.

    Raises:
        MalformedEvidence: no_header (no column of a GPU), not_positive, negative, and those of the table.
    """
    table = csv_reader.read(document, COLUMNS)
    collection = Collection(document)
    gpus = [column for column in table.columns if GPU.fullmatch(column)]
    if not gpus:
        raise MalformedEvidence("no column is the energy of a GPU", where=document.name, code="no_header")
    for i, row in enumerate(table.rows):
        run = collection.add(collect.completed(str(i), row.where))
        _window(run, row, gpus)
        collection.leave(c for c in table.columns if c not in (*COLUMNS, *gpus) and not CPU.fullmatch(c))
    collection.notice(SUMMED)
    collection.notice(CLOCK)
    return collection.reading(NAME, VERSION, table.leniences, incomplete=table.incomplete)


def _window(run: Run, row: Row, gpus: list[str]) -> None:
    name = row.text("window_name")
    run.identified("window_name", name, row.place("window_name"))
    if limit := LIMIT.fullmatch(name):
        run.configured("power_limit", Numeral(limit[1]), row.place("window_name"), unit="W")
    run.configured("gpus", Numeral(str(len(gpus))), row.where)
    run.lasted(row.number("elapsed_time"), row.place("elapsed_time"))
    at = values.epoch_ns(row.number("start_time"), row.place("start_time"))
    figures = []
    for column in row.cells:
        gpu, other = GPU.fullmatch(column), CPU.fullmatch(column)
        if gpu or other:
            stage = f"gpu{gpu[1]}" if gpu else column.removesuffix("_energy")
            figure = collect.positive_or_nothing(row.number(column), "J", row.place(column), BRIEF)
            run.measured("energy_of_device", figure, Sample("raw", "value", 1, None, at, stage=stage))
            figures += [figure] if gpu else []
    run.measured("energy", _sum(figures, row.where), VALUE)


def _sum(figures: list[Figure], where: str) -> Figure:
    written = " + ".join(figure.original for figure in figures)
    if any(figure.value is None for figure in figures):
        return Figure(None, "J", written, "J", where, INCOMPLETE)
    total = sum((Fraction(figure.original) for figure in figures), Fraction(0))
    return Figure(float(total), "J", written, "J", where, "")


FORMAT: Final = Format(NAME, "Zeus energy of windows", VERSION, looks_right, parse)
