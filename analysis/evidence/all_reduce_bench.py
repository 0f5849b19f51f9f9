"""Output of the script all_reduce_bench.py, which times all-reduce of one payload in torch.distributed.

In the file, per trial and rank: the rank, the time in s, a rate in bits per second that counts the payload twice, and
the bus bandwidth in Gbit/s. Newer: one line with the mean over the trials. Here: one run; each trial of each rank is
raw. The first trial sets up the communicator, so it is slow. Not read: the rate that counts twice.
"""

import re
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, steps, text_reader
from analysis.evidence.collect import Collection, Run, Sample
from analysis.evidence.format import Document, Format
from analysis.evidence.text_reader import Line
from analysis.evidence.values import Numeral
from analysis.reading import Reading

NAME: Final = "all-reduce-bench"
VERSION: Final = 1

BLOCK: Final = re.compile(rb"algo throughput: [\d.]+ bps, [\d.]+ Gbps\r?\n\s*busbw: [\d.]+ +Gbps")
MEANS: Final = re.compile(rb"average bandwidth of all_reduce[^\n]*:\r?\n\s*algbw: [\d.]+ GBps")
RANK: Final = re.compile(r"(\d+):")
DURATION: Final = re.compile(r" *duration: (\S+) sec")
BUS: Final = re.compile(r" *busbw: (\S+)  ?(Gbps|GBps)(?: \(.*\))?")
TITLE: Final = re.compile(
    r"(?:The )?average bandwidth of all_reduce .*?with a (\S+)GB payload.*\((\d+) trials, (\d+) ranks\):"
)
ALGORITHM: Final = re.compile(r" *algbw: (\S+) GBps(?: \(.*\))?")
PAYLOAD: Final = re.compile(r"(\d+) data size: (\S+) GB")
UNITS: Final = {"Gbps": "Gbps", "GBps": "GB/s"}
TWICE: Final = "algo throughput"
SETUP: Final = "The first trial sets up the communicator: cut it as warmup in the plan."


def looks_right(document: Document) -> str | None:
    """The reason why this is output of all_reduce_bench.py, or None."""
    for part in text_reader.ends(document):
        if BLOCK.search(part):
            return "it has blocks of a rank with algo throughput and busbw"
        if MEANS.search(part):
            return "it has the average bandwidth of all_reduce"
    return None


def parse(document: Document) -> Reading:
    """One run.

    Raises:
        MalformedEvidence: no_runs, missing (a time that no rank goes before), and those of values.
    """
    lines, leniences = text_reader.lines(document)
    collection = Collection(document)
    run = collection.add(collect.completed("0", document.name))
    _trials(run, lines, document.name)
    _means(run, lines, document.name)
    if not run.measurements:
        raise MalformedEvidence("no trial is in it", where=document.name, code="no_runs")
    for line in lines:
        if payload := PAYLOAD.fullmatch(line.text):
            run.configured("payload", Numeral(payload[2]), f"{document.name}:{line.number}", unit="GB")
            break
    if any(m.kind == "raw" for m in run.measurements):
        collection.leave([TWICE])
        collection.notice(SETUP)
    return collection.reading(NAME, VERSION, leniences, incomplete=False)


def _trials(run: Run, lines: tuple[Line, ...], name: str) -> None:
    """The times and bandwidths of each rank; a rank is named in the line before its time."""
    counts: dict[str, int] = {}
    rank = ""
    for line in lines:
        where = f"{name}:{line.number}"
        if named := RANK.fullmatch(line.text):
            rank = named[1]
            counts[rank] = counts.get(rank, -1) + 1
        elif found := DURATION.fullmatch(line.text):
            if not rank:
                raise MalformedEvidence("no rank is named before this time", where=where, code="missing")
            run.measured("latency", steps.figure(found[1], "s", where), _sample(counts, rank))
        elif (found := BUS.fullmatch(line.text)) and rank:
            run.measured("busbw", steps.figure(found[1], UNITS[found[2]], where), _sample(counts, rank))
            rank = ""
    if counts:
        run.configured("ranks", Numeral(str(len(counts))), name)
        run.worked("trials", Numeral(str(max(counts.values()) + 1)), name)


def _sample(counts: dict[str, int], rank: str) -> Sample:
    return Sample("raw", "value", 1, counts[rank], stage=f"rank {rank}")


def _means(run: Run, lines: tuple[Line, ...], name: str) -> None:
    """The means over all trials, of newer versions."""
    for line, after, last in zip(lines, lines[1:], lines[2:], strict=False):
        title, algorithm, bus = TITLE.search(line.text), ALGORITHM.fullmatch(after.text), BUS.fullmatch(last.text)
        if not (title and algorithm and bus):
            continue
        where = f"{name}:{line.number}"
        run.configured("payload", Numeral(title[1]), where, unit="GB")
        run.configured("ranks", Numeral(title[3]), where)
        run.worked("trials", Numeral(title[2]), where)
        sample = collect.aggregate("mean", int(title[2]))
        run.measured("algbw", steps.figure(algorithm[1], "GB/s", f"{name}:{after.number}"), sample)
        run.measured("busbw", steps.figure(bus[1], UNITS[bus[2]], f"{name}:{last.number}"), sample)


FORMAT: Final = Format(NAME, "all_reduce_bench.py output", VERSION, looks_right, parse)
