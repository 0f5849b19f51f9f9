"""The runs of a monitor whose samples are read in blocks: what `telemetry.Monitor` does, on arrays."""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from analysis.clocks import LOCAL
from analysis.errors import MalformedEvidence
from analysis.evidence import cell_columns, collect, telemetry
from analysis.evidence.collect import Collection, Run
from analysis.evidence.sheet import Sheet
from analysis.table import NONE, Codes, Integers


@dataclass(slots=True)
class MonitorBlocks:
    """One run, and another where the clock of a device goes back.

    last, counts: of each stage by its code in the sheet, in the run at hand, in the order in which they appear.
    start: the first row of the run at hand.
    """

    collection: Collection
    sheet: Sheet
    runs: list[Run] = field(default_factory=list)
    last: dict[int, int] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    start: int = 0

    def place(self, stages: Codes, at: Integers | None, lines: Integers) -> tuple[Codes, Integers]:
        """The run of each row of a block, and its place among the samples of its stage there."""
        begins = [] if at is None else self._backward(stages, at)
        bounds = [0, *begins, stages.size]
        run, index = np.zeros(stages.size, dtype=np.int32), np.zeros(stages.size, dtype=np.int64)
        for number, (first, end) in enumerate(pairwise(bounds)):
            if number or not self.runs:
                self._begin(stages[:first], at if at is None else at[:first], int(lines[first]))
            run[first:end] = self.sheet.code("run", str(len(self.runs) - 1))
            part = stages[first:end]
            index[first:end] = self._counted(part)
            if at is not None:
                for stage, row in _last_rows(part):
                    self.last[stage] = int(at[first + row])
        return run, index

    def _begin(self, stages: Codes, at: Integers | None, line: int) -> None:
        """Close the run at hand, whose last rows are in no sheet yet, and begin another."""
        if self.runs:
            self._close(stages, at)
        where = f"{self.collection.document.name}:{line}"
        self.runs.append(self.collection.add(collect.completed(str(len(self.runs)), where)))
        self.start = self.sheet.rows + stages.size

    def _backward(self, stages: Codes, at: Integers) -> list[int]:
        """The rows at which another run begins: those earlier than the sample before them of their stage and run."""
        before = cell_columns.before(stages)
        firsts = np.flatnonzero(before < 0)
        earlier = np.where(before < 0, NONE, at[before])
        earlier[firsts] = [self.last.get(int(stages[row]), NONE) for row in firsts]
        begins: list[int] = []
        for row in np.flatnonzero(at < earlier).tolist():
            if before[row] >= (begins[-1] if begins else -1):
                begins.append(row)
        return begins

    def _counted(self, stages: Codes) -> Integers:
        """The place of each row among those of its stage in the run."""
        order = np.argsort(stages, kind="stable")
        ordered = stages[order]
        starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        sizes = np.diff(np.append(starts, ordered.size))
        index = np.empty(stages.size, dtype=np.int64)
        done = np.array([self.counts.get(int(ordered[start]), 0) for start in starts], dtype=np.int64)
        index[order] = np.arange(ordered.size) - np.repeat(starts - done, sizes)
        firsts = order[starts]
        for which in np.argsort(firsts).tolist():
            stage = int(ordered[starts[which]])
            self.counts[stage] = self.counts.get(stage, 0) + int(sizes[which])
        return index

    def _close(self, stages: Codes, at: Integers | None) -> None:
        """Say what the samples of the run show of its clock."""
        timed = bool(self.last) or (at is not None and bool(at.size))
        if timed:
            names = {code: name for name, code in self.sheet.known["stage"].items()}
            for stage in self.counts:
                moments = self._moments(stage, stages, at)
                telemetry.remark_gaps(self.collection, names[stage], moments)
        self.collection.notice(LOCAL if timed else telemetry.UNTIMED)
        self.last, self.counts = {}, {}

    def _moments(self, stage: int, stages: Codes, at: Integers | None) -> Integers:
        """The times of a stage in the run at hand."""
        held, codes = self.sheet.held("started_ns")[self.start :], self.sheet.held("stage")[self.start :]
        found = held if len(self.counts) == 1 else held[codes == stage]
        if at is None or not at.size:
            return found
        begin = max(0, self.start - self.sheet.rows)
        return np.concatenate([found, at[begin:][stages[begin:] == stage]])

    def finish(self) -> None:
        """Close the last run.

        Raises:
            MalformedEvidence: no_runs.
        """
        nothing = np.zeros(0, dtype=np.int64)
        if self.runs:
            self._close(nothing.astype(np.int32), nothing)
        if not self.sheet.rows or not self.sheet.slots:
            where = self.collection.document.name
            raise MalformedEvidence("nothing that is read here was sampled", where=where, code="no_runs")
        if len(self.runs) > 1:
            self.collection.notice(f"The clock goes back: the parts are {len(self.runs)} runs.")


def _last_rows(stages: Codes) -> list[tuple[int, int]]:
    """The last row of each stage, in the order in which the stages first appear."""
    turned, rows = np.unique(stages[::-1], return_index=True)
    _, firsts = np.unique(stages, return_index=True)
    return [(int(turned[which]), stages.size - 1 - int(rows[which])) for which in np.argsort(firsts).tolist()]
