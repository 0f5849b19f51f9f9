"""A log of PTDaemon (`spl.txt`) in blocks: what `mlperf_power_lines.sessions` reads, in the memory of the numbers."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

import numpy as np

from analysis.errors import MalformedEvidence
from analysis.evidence import blocks, cell_columns, collect, line_blocks, mlperf_power_lines
from analysis.evidence.blocks import Block
from analysis.evidence.cell_columns import Column, Meanings, Refusals
from analysis.evidence.collect import Collection, Figure, Run
from analysis.evidence.format import Document
from analysis.evidence.line_blocks import LineBlocks
from analysis.evidence.mlperf_power_lines import BACKWARDS, CHANNELS, CUT, NO_SESSION, PHASES, SESSION, UNMARKED, Parts
from analysis.evidence.sheet import Rows, Sheet, Slot
from analysis.reading import Reading
from analysis.table import Codes, Floats, Integers

UNKNOWN: Final = "\0"
"""Stands for the session of the first samples, until a mark tells it."""


def parse(document: Document, name: str, version: int) -> Reading:
    """One run per session.

    Raises:
        MalformedEvidence: as `mlperf_power.parse`, of the first line that is refused. Odd: what is read at once only.
    """
    lines = LineBlocks(document)
    log = _Log(document)
    for block in lines:
        log.add(block)
    log.finish()
    leniences = lines.leniences + ((CUT,) if log.cut else ())
    reading = log.collection.reading(name, version, leniences, incomplete=False)
    return replace(reading, measurements=log.sheet.table())


@dataclass(slots=True)
class _Log:
    """What was read of a log so far.

    runs: by the code of the session. last: the time of the last sample of each. session: the code of the last one.
    first: the place of the first sample, while its session is not known.
    """

    document: Document
    collection: Collection = field(init=False)
    sheet: Sheet = field(init=False)
    power: Meanings[Figure] = field(default_factory=lambda: Meanings(mlperf_power_lines.power))
    channel: Meanings[float] = field(default_factory=lambda: Meanings(mlperf_power_lines.channel))
    runs: dict[int, Run] = field(default_factory=dict)
    last: dict[int, int] = field(default_factory=dict)
    session: int = -1
    first: str = ""
    cut: bool = False
    names: set[str] = field(default_factory=set)
    places: list[tuple[int, int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.collection = Collection(self.document)
        slots = (Slot("power", "W", "W", "Watts"),)
        self.sheet = Sheet(self.document.name, slots, self.originals, self.document.watch)

    def originals(self, number: int) -> list[Column]:
        """The numbers of a block as written."""
        parts, _ = self._parts(blocks.again(self.document, *self.places[number]), Refusals())
        column = Column.of([one.fields["Watts"] for one in parts])
        return [Column(column.codes, [self.power.again(text).original for text in column.texts])]

    def add(self, block: Block) -> None:
        """Add the lines of a block. Raises MalformedEvidence, of the first that is refused, and Odd."""
        refusals = Refusals()
        parts, numbers = self._parts(block, refusals)
        if parts:
            self._measure(parts, np.array(numbers), refusals)
            self.places.append((block.start, block.line, len(block.content)))
        refusals.settle()

    def finish(self) -> None:
        """The session of a file that names none. Raises MalformedEvidence(no_runs)."""
        if not self.sheet.rows:
            where = self.document.name
            raise MalformedEvidence("there is no reading of power in it", where=where, code="no_runs")
        if self.first:
            self._name(NO_SESSION)
        self.collection.notice(mlperf_power_lines.WINDOW)
        self.collection.notice(mlperf_power_lines.ZONE)
        self.collection.leave(self.names - {"Watts", "Mark"})

    def _parts(self, block: Block, refusals: Refusals) -> tuple[list[Parts], list[int]]:
        """What the lines of a block hold, until one is refused; and their numbers."""
        written = [(n, line) for n, line in enumerate(line_blocks.lines(block), start=block.line) if line.strip()]
        found: list[Parts] = []
        for number, line in written:
            one = mlperf_power_lines.parts(line)
            if one is None:
                if block.last and number == written[-1][0]:
                    self.cut = True
                else:
                    refusals.note(len(found), partial(mlperf_power_lines.no_line, f"{self.document.name}:{number}"))
                break
            found.append(one)
        return found, [number for number, _ in written[: len(found)]]

    def _measure(self, parts: list[Parts], lines: Integers, refusals: Refusals) -> None:
        """Add these lines to the sheet. Raises MalformedEvidence, of the first that is refused."""
        watts = Column.of([one.fields["Watts"] for one in parts])
        times = Column.of([one.time for one in parts])
        at = cell_columns.moments(times, mlperf_power_lines.time_ns, self._where(lines, ""), refusals)
        figures = self.power.of(watts, self._where(lines, ".Watts"), refusals)
        total, reasons = cell_columns.figures(watts, figures)
        sums = self._sums(parts, lines, refusals)
        marks = Column.of([one.fields["Mark"] for one in parts])
        refusals.settle()
        self.names.update(name for fields in {tuple(one.fields): None for one in parts} for name in fields)
        run, phase = self._sessions(marks, lines)
        self._say(run, marks, at, lines, self._not_the_sums(sums, np.nan_to_num(total), lines))
        index = np.arange(self.sheet.rows, self.sheet.rows + lines.size)
        stage = np.full(lines.size, self.sheet.code("stage", ""))
        words = {"run": run, "stage": stage, "phase": phase}
        self.sheet.add(Rows(lines, [total], [reasons], at, index, words))

    def _where(self, lines: Integers, suffix: str) -> Callable[[int], str]:
        return lambda row: f"{self.document.name}:{lines[row]}{suffix}"

    def _sums(self, parts: list[Parts], lines: Integers, refusals: Refusals) -> dict[int, Floats]:
        """The power of each channel, for the lines that have so many: of each number of channels one array."""
        counts = np.array([len(one.channels) for one in parts])
        found = {}
        for count in np.unique(counts[counts > 0]).tolist():
            rows = np.flatnonzero(counts == count)
            column = Column.of([cell for row in rows.tolist() for cell in parts[row].channels])
            where = self._where(np.repeat(lines[rows], count), ".Watts")
            inner = Refusals()
            known = self.channel.of(column, where, inner)
            for row, _, again in inner.found:
                refusals.note(int(rows[row // count]), again)
            power = np.array([0.0 if one is None else one for one in known])[column.codes].reshape(-1, count)
            together = np.full((counts.size, count), np.nan)
            together[rows] = power
            found[count] = together
        return found

    def _not_the_sums(self, sums: dict[int, Floats], total: Floats, lines: Integers) -> list[tuple[int, int, str]]:
        """What to say of lines whose channels do not add up, each with its row."""
        said: list[tuple[int, int, str]] = []
        for channels in sums.values():
            there = np.flatnonzero(~np.isnan(channels[:, 0]))
            said.append((int(there[0]), 2, CHANNELS))
            added = np.zeros(there.size)
            for channel in channels.T:
                added += channel[there]
            for row in there[np.abs(added - total[there]) > 0.01 * total[there] + 0.1].tolist():
                where = self._where(lines, "")(row)
                said.append((row, 3, mlperf_power_lines.not_the_sum(channels[row].tolist(), float(total[row]), where)))
        return said

    def _sessions(self, marks: Column, lines: Integers) -> tuple[Codes, Codes]:
        """The session of each line, by its mark or that of the line before; and the phase. Begins the runs."""
        found = [SESSION.fullmatch(text) for text in marks.texts]
        if self.session < 0 and found[marks.codes[0]] is None:
            self.session, self.first = self.sheet.code("run", UNKNOWN), self._where(lines, "")(0)
        named = (
            next((found[code] for code in marks.codes.tolist() if found[code] is not None), None)
            if self.first
            else None
        )
        if named is not None:
            self._name(named["session"])
        sessions = np.array([-1 if one is None else self.sheet.code("run", one["session"]) for one in found])
        phases = np.array([self.sheet.code("phase", PHASES[one["kind"]] if one else "idle") for one in found])
        run = sessions[marks.codes]
        marked = np.maximum.accumulate(np.where(run >= 0, np.arange(run.size), -1))
        run = np.where(marked >= 0, run[np.maximum(marked, 0)], self.session)
        self.session = int(run[-1])
        words = {code: word for word, code in self.sheet.known["run"].items()}
        codes, firsts = np.unique(run, return_index=True)
        for row, code in sorted(zip(firsts.tolist(), codes.tolist(), strict=True)):
            if code not in self.runs and words[code] != UNKNOWN:
                self._begin(code, words[code], self._where(lines, "")(row))
        return run.astype(np.int32), phases[marks.codes].astype(np.int32)

    def _name(self, session: str) -> None:
        """The session of the first samples is this one."""
        self.sheet.rename("run", UNKNOWN, session)
        where, self.first = self.first, ""
        self._begin(self.sheet.code("run", session), session, where)

    def _begin(self, code: int, session: str, where: str) -> None:
        self.runs[code] = self.collection.add(collect.completed(session, where))
        self.runs[code].identified("session", session, where)

    def _say(self, run: Codes, marks: Column, at: Integers, lines: Integers, said: list[tuple[int, int, str]]) -> None:
        """Say what is odd about lines, in their order."""
        earlier = cell_columns.before(run)
        previous = np.where(earlier < 0, at, at[earlier])
        for row in np.flatnonzero(earlier < 0).tolist():
            previous[row] = self.last.get(int(run[row]), at[row])
        back = np.flatnonzero(at < previous).tolist()
        said += [(row, 0, BACKWARDS.format(where=self._where(lines, "")(row))) for row in back]
        for text, row in zip(marks.texts, marks.first_rows(), strict=True):
            if SESSION.fullmatch(text) is None:
                said.append((row, 1, UNMARKED))
        for _, _, words in sorted(said):
            self.collection.notice(words)
        codes, lasts = np.unique(run[::-1], return_index=True)
        self.last |= {int(code): int(at[::-1][row]) for code, row in zip(codes, lasts, strict=True)}
