"""What `torch.utils.benchmark` prints of a Measurement.

In the file: a block per measurement, with the statement, a median and its quartiles in a unit of each block, or the
mean of one timing. Here: one run per block, aggregates only: however many timings a block has, they are of one process.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, text_reader, values
from analysis.evidence.collect import Collection, aggregate
from analysis.evidence.format import Document, Format
from analysis.evidence.values import Numeral
from analysis.reading import Reading

NAME: Final = "torch-benchmark"
VERSION: Final = 1

OBJECT: Final = re.compile(r"<torch\.utils\.benchmark\.utils\.common\.Measurement object at 0x[0-9a-f]+>")
TIME: Final = re.compile(r"\s*(?:(?P<median>Median):)?\s*(?P<value>\d+(?:\.\d+)?) (?P<unit>ns|us|ms|s)\s*")
IQR: Final = re.compile(r"\s*IQR:\s+\S+ (?P<unit>ns|us|ms|s) \((?P<low>\S+) to (?P<high>\S+)\)\s*")
COUNTS: Final = re.compile(
    r"\s*(?P<count>\d+) measurements?, (?P<runs>\d+) runs\s*(?:per measurement)?\s*, (?P<threads>\d+) threads?\s*"
)
ONE_PROCESS: Final = "A block is one process, however many timings it has: no interval can be made from one of them."
MEAN: Final = (
    "A block with one measurement gives the mean of its runs, others a median: do not compare one with the other."
)


@dataclass(slots=True)
class Block:
    """One measurement while its lines are read."""

    where: str
    statement: list[str] = field(default_factory=list)
    time: re.Match[str] | None = None
    quartiles: re.Match[str] | None = None
    counts: re.Match[str] | None = None


def looks_right(document: Document) -> str | None:
    """The reason why this is printed by torch.utils.benchmark, or None."""
    head, _ = text_reader.ends(document)
    found = OBJECT.search(head.decode(errors="replace"))
    return "it has a Measurement of torch.utils.benchmark" if found else None


def parse(document: Document) -> Reading:
    """One run per block.

    Raises:
        MalformedEvidence: no block, a block without a time or a number of measurements, a time that is zero.
    """
    lines, leniences = text_reader.lines(document)
    blocks: list[Block] = []
    collection = Collection(document)
    for line in lines:
        if OBJECT.search(line.text):
            blocks.append(Block(f"{document.name}:{line.number}"))
        elif blocks:
            _line(collection, blocks[-1], line.text)
    if not blocks:
        raise MalformedEvidence("there is no measurement in it", where=document.name, code="no_runs")
    for i, block in enumerate(blocks):
        _run(collection, f"[{i}]", block)
    collection.notice(ONE_PROCESS)
    if len({block.time["median"] for block in blocks if block.time}) > 1:
        collection.notice(MEAN)
    return collection.reading(NAME, VERSION, leniences, incomplete=False)


def _line(collection: Collection, block: Block, text: str) -> None:
    if block.counts is not None:
        if text.strip().startswith("WARNING:"):
            collection.notice(f"{block.where}: {text.strip()}"[:300])
    elif found := COUNTS.fullmatch(text):
        block.counts = found
    elif found := IQR.fullmatch(text):
        block.quartiles = found
    elif found := TIME.fullmatch(text):
        block.time = found
    elif text.strip():
        block.statement.append(text.strip())


def _run(collection: Collection, key: str, block: Block) -> None:
    if block.time is None or block.counts is None:
        raise MalformedEvidence(
            "the block has no time, or no number of measurements", where=block.where, code="missing"
        )
    run = collection.add(collect.completed(key, block.where))
    run.configured("statement", "\n".join(block.statement), block.where)
    run.configured("threads", block.counts["threads"], block.where)
    run.identified("measurements", block.counts["count"], block.where)
    run.identified("runs_per_measurement", block.counts["runs"], block.where)
    count, runs = (values.count(Numeral(block.counts[name]), block.where) for name in ("count", "runs"))
    sample = aggregate("median", count) if block.time["median"] else aggregate("mean", runs)
    value = collect.positive(Numeral(block.time["value"]), block.time["unit"], block.where)
    run.measured("wall_time", value, sample)
    if block.quartiles is not None:
        for stat, end in (("p25", "low"), ("p75", "high")):
            number = values.number_in(block.quartiles[end])
            figure = collect.not_negative(number, block.quartiles["unit"], block.where)
            if figure.value == 0:
                figure = collect.nothing(number, block.quartiles["unit"], block.where, "printed as 0.00")
            run.measured("wall_time", figure, aggregate(stat, count))


FORMAT: Final = Format(NAME, "torch.utils.benchmark text", VERSION, looks_right, parse)
