"""A log of nvidia-smi in blocks: what `nvidia_smi.by_row` reads, in the memory of the numbers alone."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from analysis.errors import MalformedEvidence
from analysis.evidence import blocks, cell_blocks, cell_columns, csv_reader, steps, telemetry
from analysis.evidence.blocks import Block
from analysis.evidence.cell_blocks import CellBlocks, Cells
from analysis.evidence.cell_columns import Column, Meanings, Refusals
from analysis.evidence.collect import Collection, Figure
from analysis.evidence.format import Document
from analysis.evidence.monitor_blocks import MonitorBlocks
from analysis.evidence.nvidia_smi_fields import (
    AGAIN,
    CALM,
    CONFIGURATION,
    DEVICE,
    READ,
    REASONS,
    Sampled,
    device,
    is_message,
    is_query,
    name_of,
    refuse_unnamed,
    remark,
    sampled,
)
from analysis.evidence.sheet import Rows, Sheet, Slot
from analysis.reading import Reading
from analysis.table import NONE, Codes, Integers
from analysis.units import FACTORS


def parse(document: Document, name: str, version: int) -> Reading:
    """The runs of the log.

    Raises:
        MalformedEvidence: as `nvidia_smi.parse`, of the first row that is refused. Odd: what is read by row only.
    """
    log = _Log.of(document)
    for block, cells in log.cells:
        log.add(block, cells)
    log.monitor.finish()
    for run in log.monitor.runs:
        steps.say(run, log.said)
    remark(log.collection, log.fields, log.throttled)
    leniences = log.cells.leniences + ((AGAIN,) if log.cells.left_out else ())
    reading = log.collection.reading(name, version, leniences, incomplete=log.cells.cut)
    return replace(reading, measurements=log.sheet.table())


@dataclass(slots=True)
class _Log:
    """What was read of a log so far. said: settings by their name; throttled: samples by the reason."""

    collection: Collection
    cells: CellBlocks
    fields: dict[str, str]
    slots: list[Meanings[Figure]]
    sheet: Sheet
    monitor: MonitorBlocks
    said: dict[str, dict[str, str]] = field(default_factory=dict)
    throttled: dict[str, int] = field(default_factory=dict)
    places: list[tuple[int, int, int]] = field(default_factory=list)
    before: int = NONE

    @classmethod
    def of(cls, document: Document) -> "_Log":
        """An empty one. Raises Odd, and MalformedEvidence of a unit that is not known."""
        header = csv_reader.header_like(document, is_query)
        if header is None:
            raise MalformedEvidence("no line names the fields of a query", where=document.name, code="no_header")
        cells = cell_blocks.under(document, header, ())
        fields = {name_of(column): column for column in cells.columns}
        read = (*READ, *CONFIGURATION, *DEVICE, *REASONS, "timestamp")
        cells.wanted = {column for name, column in fields.items() if name in read}
        cells.leave_out = lambda row: tuple(row) == cells.columns
        cells.odd = is_message
        samples = [(one, Meanings(partial(_figure, one, cells.header.delimiter))) for one in sampled(fields)]
        slots = tuple(Slot(one.metric, _base(one.unit), one.unit, one.column) for one, _ in samples)
        collection = Collection(document)
        sheet = Sheet(document.name, slots, lambda number: log.originals(number), document.watch)
        log = _Log(collection, cells, fields, [one for _, one in samples], sheet, MonitorBlocks(collection, sheet))
        return log

    def originals(self, number: int) -> list[Column]:
        """The numbers of a block as written, by slot."""
        cells = self.cells.cells(blocks.again(self.collection.document, *self.places[number]))
        columns = [cells.columns[slot.column] for slot in self.sheet.slots]
        return [
            Column(column.codes, [meanings.again(text).original for text in column.texts])
            for column, meanings in zip(columns, self.slots, strict=True)
        ]

    def add(self, block: Block, cells: Cells) -> None:
        """Add the rows of a block. Raises MalformedEvidence, of the first row that is refused."""
        refusals = Refusals()
        stages = self._stages(cells, refusals)
        at = self._moments(cells, refusals)
        self._refuse_unnamed(cells, at, refusals)
        values, reasons = [], []
        for slot, meanings in zip(self.sheet.slots, self.slots, strict=True):
            column = cells.columns[slot.column]
            found = cell_columns.figures(column, meanings.of(column, self._where(cells, slot.column), refusals))
            values.append(found[0])
            reasons.append(found[1])
        refusals.settle()
        run, index = self.monitor.place(stages, at, cells.lines)
        self._say(cells)
        self._throttle(cells)
        measured = np.full(len(cells), self.sheet.code("phase", "measured"), dtype=np.int32)
        words = {"run": run, "stage": stages, "phase": measured}
        started = np.full(len(cells), NONE) if at is None else at
        self.sheet.add(Rows(cells.lines, values, reasons, started, index, words))
        self.places.append((block.start, block.line, len(block.content)))

    def _where(self, cells: Cells, column: str) -> Callable[[int], str]:
        return lambda row: f"{self.collection.document.name}:{cells.lines[row]}.{column}"

    def _stages(self, cells: Cells, refusals: Refusals) -> Codes:
        """The GPU of each row: by the first column that names one."""
        stages = np.full(len(cells), -1, dtype=np.int32)
        for name in DEVICE:
            rows = np.flatnonzero(stages < 0)
            if name in self.fields and rows.size:
                column = cells.columns[self.fields[name]]
                meanings = Meanings(partial(device, name))
                named = meanings.of(column, self._where(cells, self.fields[name]), refusals, rows)
                codes = np.array([self.sheet.code("stage", one) if one else -1 for one in named], dtype=np.int32)
                stages[rows] = codes[column.codes[rows]]
        if (stages < 0).any():
            stages[stages < 0] = self.sheet.code("stage", "gpu0")
        return stages

    def _moments(self, cells: Cells, refusals: Refusals) -> Integers | None:
        column = self.fields.get("timestamp")
        if column is None:
            return None
        return cell_columns.moments(cells.columns[column], telemetry.local_ns, self._where(cells, column), refusals)

    def _refuse_unnamed(self, cells: Cells, at: Integers | None, refusals: Refusals) -> None:
        """Note the first of two rows of one moment that do not say which GPU they are of."""
        if at is None or not self.fields.keys().isdisjoint(DEVICE):
            return
        again = np.flatnonzero(np.diff(at, prepend=np.int64(self.before)) == 0)
        self.before = int(at[-1])
        if again.size:
            row = int(again[0])
            where = f"{self.collection.document.name}:{cells.lines[row]}"
            refusals.note(row, partial(refuse_unnamed, where))

    def _say(self, cells: Cells) -> None:
        """Keep what columns that are configuration say, with the place where each says it first."""
        found = []
        for order, name in enumerate(name for name in CONFIGURATION if name in self.fields):
            column = cells.columns[self.fields[name]]
            for text, row in zip(column.texts, column.first_rows(), strict=True):
                if text not in self.said.get(name, {}) and not telemetry.ABSENT.fullmatch(text):
                    found.append((row, order, name, text))
        for row, _, name, text in sorted(found):
            self.said.setdefault(name, {}).setdefault(text, self._where(cells, self.fields[name])(row))

    def _throttle(self, cells: Cells) -> None:
        """Count the samples for each reason to hold clocks back."""
        found = []
        for order, name in enumerate(name for name in REASONS if name in self.fields):
            column = cells.columns[self.fields[name]]
            for text, row, count in zip(column.texts, column.first_rows(), column.counts(), strict=True):
                if not CALM.fullmatch(text):
                    found.append((row, order, text, count))
        for _, _, text, count in sorted(found):
            self.throttled[text] = self.throttled.get(text, 0) + count


def _figure(one: Sampled, delimiter: str, cell: str, where: str) -> Figure:
    return one.figure(cell, where, delimiter)


def _base(unit: str) -> str:
    """The base unit; "" of a unit that is not known, which every row refuses."""
    return FACTORS[unit.strip()][0] if unit.strip() in FACTORS else ""
