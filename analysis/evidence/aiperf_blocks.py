"""The requests and samples of AIPerf (JSON Lines) in blocks: what `aiperf.at_once` reads, without the lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from analysis.evidence import aiperf_requests, aiperf_telemetry, collect
from analysis.evidence.aiperf_requests import Tally
from analysis.evidence.aiperf_telemetry import Seen
from analysis.evidence.blocks import Odd
from analysis.evidence.collect import Collection, Figure, Sample
from analysis.evidence.format import Document
from analysis.evidence.json_blocks import LIST, JsonBlocks
from analysis.evidence.ragged_sheet import Figures, RaggedSheet
from analysis.evidence.values import Json
from analysis.reading import Reading
from analysis.table import Table

Found = Iterator[tuple[Sample, str, Figure, str]]
"""Of a line: what each figure stands for, its metric, the figure, and where it stands in the line."""
GAPS: Final = re.compile(rf'(?<="value":){LIST}|(?<="value": ){LIST}', re.ASCII)
"""The gaps between the chunks of a request, which are not kept one by one."""


class Lines(Protocol):
    """What the lines of a file are."""

    def read(self, collection: Collection, line: Json, index: int) -> Found:
        """The figures of a line. Raises MalformedEvidence."""

    def again(self) -> "Lines":
        """What reads lines that were counted before."""

    def finish(self, file: "_File") -> Table:
        """Add the run that they are of; what it measures as a whole."""


def parse(document: Document, name: str, version: int) -> Reading:
    """One run.

    Raises:
        MalformedEvidence: as `aiperf.parse`, of the first line that is refused. Odd: what is read at once only.
    """
    lines = JsonBlocks(document, GAPS)
    file = _File(Collection(document), lines, _Requests())
    for block, objects in lines:
        if not file.places:
            file.kind = _kind_of(objects[0])
        first = lines.count - len(objects)
        file.sheet.add(file.figures(objects, first, file.kind))
        file.places.append((first, (block.start, block.line, len(block.content))))
    more = file.kind.finish(file)
    reading = file.collection.reading(name, version, lines.leniences, incomplete=False)
    return replace(reading, measurements=file.sheet.table(more))


def _kind_of(line: Json) -> Lines:
    """What the lines are of a file that begins with this one. Raises Odd."""
    fields = line if isinstance(line, dict) else {}
    metadata = fields.get("metadata")
    if isinstance(metadata, dict) and "x_request_id" in metadata:
        return _Requests()
    if "telemetry_data" in fields and "gpu_uuid" in fields:
        return _Samples()
    raise Odd(1)


@dataclass(slots=True)
class _File:
    """What was read of a file so far. places: the first line of each block, and where that stands."""

    collection: Collection
    lines: JsonBlocks
    kind: Lines
    sheet: RaggedSheet = field(init=False)
    places: list[tuple[int, tuple[int, int, int]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        document = self.collection.document
        self.sheet = RaggedSheet(document.name, self.originals, document.watch)

    def originals(self, number: int) -> Figures:
        """The figures of a block, read again."""
        first, place = self.places[number]
        return self.figures(self.lines.again(place), first, self.kind.again())

    def figures(self, objects: Sequence[Json], first: int, kind: Lines) -> Figures:
        """The figures of some lines. Raises MalformedEvidence."""
        found = Figures()
        for index, line in enumerate(objects, start=first):
            for sample, metric, figure, column in kind.read(self.collection, line, index):
                self.sheet.measured(found, metric, figure, sample, column)
        return found


@dataclass(slots=True)
class _Requests:
    """Lines that are requests. counts: whether they are counted, and not read again."""

    counts: bool = True
    tally: Tally = field(default_factory=Tally)

    def read(self, collection: Collection, line: Json, index: int) -> Found:
        """As above."""
        one = aiperf_requests.request(line, index, f"{collection.document.name}:[{index}]")
        if self.counts:
            self.tally.add(one)
        sample = Sample("raw", "value", 1, index, one.started_ns, one.phase)
        for metric, figure, column in aiperf_requests.figures(collection, one):
            yield sample, metric, figure, column

    def again(self) -> Lines:
        """As above."""
        return _Requests(counts=False)

    def finish(self, file: _File) -> Table:
        """As above."""
        run = aiperf_requests.begin(file.collection, self.tally)
        aiperf_requests.finish(file.collection, run, self.tally)
        return Table.of(run.measurements)


@dataclass(slots=True)
class _Samples:
    """Lines that are samples of GPUs."""

    seen: Seen = field(default_factory=Seen)

    def read(self, collection: Collection, line: Json, index: int) -> Found:
        """As above."""
        one = aiperf_telemetry.sample(line, f"{collection.document.name}:[{index}]")
        if self.seen.add(collection, one):
            sample = Sample("raw", "value", 1, index, one.moment, stage=one.uuid)
            for metric, figure, column in aiperf_telemetry.figures(collection, one):
                yield sample, metric, figure, column

    def again(self) -> Lines:
        """As above."""
        return self

    def finish(self, file: _File) -> Table:
        """As above."""
        where = file.collection.document.name
        run = file.collection.add(collect.completed("0", where, started_ns=self.seen.first))
        self.seen.identify(run, where)
        if len(self.seen.urls) == 1:
            file.sheet.sheet.rename("stage", next(iter(self.seen.urls)), "")
        return Table.of(())
