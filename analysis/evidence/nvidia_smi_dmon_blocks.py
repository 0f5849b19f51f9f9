"""A log of `nvidia-smi dmon` or `pmon` in blocks: what `nvidia_smi_dmon.by_row` reads, in the memory of the numbers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

import numpy as np

from analysis.errors import MalformedEvidence
from analysis.evidence import blocks, cell_columns, line_blocks, scale
from analysis.evidence.blocks import Block, Odd
from analysis.evidence.cell_columns import Column, Meanings, Refusals
from analysis.evidence.collect import Collection, Figure
from analysis.evidence.format import Document
from analysis.evidence.line_blocks import LineBlocks
from analysis.evidence.monitor_blocks import MonitorBlocks
from analysis.evidence.nvidia_smi_dmon_fields import NAMES, READ, UNITS, Header, figure, header, moment, stage, unit
from analysis.evidence.sheet import Rows, Sheet, Slot
from analysis.reading import Reading
from analysis.table import NONE, Codes, Integers

APART: Final = "\0"  # between two cells of a row that are looked at together


def parse(document: Document, name: str, version: int) -> Reading:
    """One run, or one for each time that the clock goes back.

    Raises:
        MalformedEvidence: as `nvidia_smi_dmon.parse`, of the first row that is refused. Odd: what is read by row only.
    """
    lines = LineBlocks(document)
    log = _Log(document)
    for block in lines:
        log.add(block)
    if log.header is None:
        raise MalformedEvidence("no lines name the columns and units", where=document.name, code="no_header")
    log.monitor.finish()
    reading = log.collection.reading(name, version, lines.leniences, incomplete=False)
    return replace(reading, measurements=log.sheet.table())


@dataclass(slots=True)
class _Log:
    """What was read of a log so far. names: of the last line that names columns; begin: the line below the header."""

    document: Document
    collection: Collection = field(init=False)
    sheet: Sheet = field(init=False)
    monitor: MonitorBlocks = field(init=False)
    names: tuple[str, ...] = ()
    header: Header | None = None
    begin: int = 0
    meanings: list[Meanings[Figure]] = field(default_factory=list)
    places: list[tuple[int, int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.collection = Collection(self.document)
        self.sheet = Sheet(self.document.name, (), self.originals, self.document.watch)
        self.monitor = MonitorBlocks(self.collection, self.sheet)

    def originals(self, number: int) -> list[Column]:
        """The numbers of a block as written, by slot."""
        rows, _ = self._rows(blocks.again(self.document, *self.places[number]), Refusals())
        columns = self._columns(rows)
        return [
            Column(column.codes, [meanings.again(text).original for text in column.texts])
            for column, meanings in zip((columns[slot.column] for slot in self.sheet.slots), self.meanings, strict=True)
        ]

    def add(self, block: Block) -> None:
        """Add the rows of a block. Raises MalformedEvidence, of the first row that is refused, and Odd."""
        refusals = Refusals()
        rows, numbers = self._rows(block, refusals)
        if rows:
            self._measure(self._columns(rows), np.array(numbers[: len(rows)]), refusals)
            self.places.append((block.start, block.line, len(block.content)))
        refusals.settle()

    def _rows(self, block: Block, refusals: Refusals) -> tuple[list[list[str]], list[int]]:
        """The cells of the rows of a block, until one is refused; and the numbers of their lines."""
        rows: list[list[str]] = []
        numbers: list[int] = []
        for number, line in enumerate(line_blocks.lines(block), start=block.line):
            if line.startswith("#") and self._is_header(line, number):
                continue
            if self.header is None or number < self.begin or not line.strip():
                continue
            cells = line.split(maxsplit=len(self.header.names) - 1)
            if len(cells) != len(self.header.names):
                refusals.note(len(rows), partial(_ragged, cells, self.header, f"{self.document.name}:{number}"))
                break
            rows.append(cells)
            numbers.append(number)
        return rows, numbers

    def _is_header(self, line: str, number: int) -> bool:
        """Whether a line is one of the two above the rows. Raises Odd where they become others."""
        if NAMES.match(line):
            self.names = tuple(line.lstrip("# ").split())
        elif UNITS.match(line):
            units = tuple(line.lstrip("#").split())
            if self.header is None:
                self._begin(units, number)
            elif (self.names, units) != (self.header.names, self.header.units):
                raise Odd(number)
        else:
            return False
        return True

    def _begin(self, units: tuple[str, ...], number: int) -> None:
        """The first header. Raises as `header`, and Odd."""
        found = header(self.collection, self.names, units, f"{self.document.name}:{number}")
        if len(set(found.names)) < len(found.names):
            raise Odd(number)
        read = [name for name in found.names if name in READ]
        self.header, self.begin = found, number + 1
        self.meanings = [Meanings(partial(figure, name)) for name in read]
        self.sheet.slots = tuple(
            Slot(READ[name][0], scale.base_of(unit(name), self.document.name), unit(name), name) for name in read
        )

    def _columns(self, rows: list[list[str]]) -> dict[str, Column]:
        """The columns that are looked at."""
        names = () if self.header is None else self.header.names
        cells = dict(zip(names, zip(*rows, strict=True), strict=True))
        found = {name: Column.of(column) for name, column in cells.items() if name in READ}
        found["gpu"] = _together(cells, "gpu", "pid")
        if "Date" in cells and "Time" in cells:
            found["Date"] = _together(cells, "Date", "Time")
        if "pid" in cells:
            found["pid"] = _together(cells, "pid", "command")
        return found

    def _measure(self, columns: dict[str, Column], lines: Integers, refusals: Refusals) -> None:
        """Add these rows to the sheet. Raises MalformedEvidence, of the first that is refused."""
        stages = self._stages(columns["gpu"], lines, refusals)
        at = self._moments(columns.get("Date"), lines, refusals)
        found = []
        for slot, meanings in zip(self.sheet.slots, self.meanings, strict=True):
            column = columns[slot.column]
            figures = meanings.of(column, self._where(lines, slot.column), refusals)
            found.append(cell_columns.figures(column, figures))
        refusals.settle()
        run, index = self.monitor.place(stages, at, lines)
        if "pid" in columns:
            self._identify(columns["pid"], run, index, lines)
        measured = np.full(lines.size, self.sheet.code("phase", "measured"))
        started = np.full(lines.size, NONE) if at is None else at
        words = {"run": run, "stage": stages, "phase": measured}
        self.sheet.add(Rows(lines, [one for one, _ in found], [one for _, one in found], started, index, words))

    def _where(self, lines: Integers, column: str) -> Callable[[int], str]:
        return lambda row: f"{self.document.name}:{lines[row]}.{column}"

    def _stages(self, column: Column, lines: Integers, refusals: Refusals) -> Codes:
        named = Meanings(_stage).of(column, self._where(lines, "gpu"), refusals)
        codes = np.array([self.sheet.code("stage", one or "") for one in named], dtype=np.int32)
        return codes[column.codes]

    def _moments(self, column: Column | None, lines: Integers, refusals: Refusals) -> Integers | None:
        if column is None:
            return None
        found = Meanings(_moment).of(column, lambda row: f"{self.document.name}:{lines[row]}", refusals)
        return np.array([one or 0 for one in found], dtype=np.int64)[column.codes]

    def _identify(self, column: Column, run: Codes, index: Integers, lines: Integers) -> None:
        """Name the process of each first sample."""
        runs = {code: int(word) for word, code in self.sheet.known["run"].items()}
        for row in np.flatnonzero(index == 0).tolist():
            pid, _, command = column.texts[column.codes[row]].partition(APART)
            if pid != "-":
                where = f"{self.document.name}:{lines[row]}.command"
                self.monitor.runs[runs[int(run[row])]].identified(f"process {pid}", command.strip(), where)


def _together(cells: Mapping[str, Sequence[str]], name: str, other: str) -> Column:
    """The texts of two columns in one; of the first alone where there is no second."""
    if other not in cells:
        return Column.of(cells[name])
    return Column.of([f"{one}{APART}{two}" for one, two in zip(cells[name], cells[other], strict=True)])


def _ragged(cells: list[str], columns: Header, where: str) -> None:
    """Raises MalformedEvidence(ragged_row)."""
    message = f"the row has {len(cells)} cells, and the header {len(columns.names)}"
    raise MalformedEvidence(message, where=where, code="ragged_row")


def _stage(text: str, where: str) -> str:
    gpu, apart, pid = text.partition(APART)
    return stage({"gpu": gpu, "pid": pid} if apart else {"gpu": gpu}, where)


def _moment(text: str, where: str) -> int:
    day, _, time = text.partition(APART)
    return moment({"Date": day, "Time": time}, where) or 0
