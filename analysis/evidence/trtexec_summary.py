"""The table that the jetson-trtexec scripts make of their logs: one row per batch size, units in the cells."""

import re
from typing import Final

from analysis.evidence import collect, reported, text_reader, values
from analysis.evidence.collect import Collection, Run
from analysis.evidence.format import Document
from analysis.evidence.reported import Meaning
from analysis.evidence.values import Numeral

HEADER: Final = re.compile(rb"^ ?,Throughput,Latency\(Mean\)\r?$", re.MULTILINE)
ROW: Final = re.compile(r"Batch: (\d+),(\S+) qps,(\S+) ms(?: \(end to end (\S+) ms\))?")
SETTINGS: Final = {"Format": "model_format", "Prototxt": "model", "Precision": "precision", "Iteration": "iterations"}
LOGS: Final = "The rows were made of logs of trtexec: attach those instead where you have them, and never both."


def looks_right(head: bytes) -> bool:
    """Whether a file that begins like this is such a table."""
    return HEADER.search(head) is not None


def read(collection: Collection, document: Document) -> tuple[str, ...]:
    """Add one run for each row; returns the leniences of decoding.

    Raises:
        MalformedEvidence: those of values.
    """
    lines, leniences = text_reader.lines(document)
    settings: dict[str, tuple[str, str]] = {}
    for line in lines:
        where = f"{document.name}:{line.number}"
        name, _, value = line.text.partition(",")
        if name in SETTINGS:
            settings[SETTINGS[name]] = (value, where)
        elif row := ROW.fullmatch(line.text):
            run = collection.add(collect.completed(str(len(collection.runs)), where))
            for setting, (said, place) in settings.items():
                run.configured(setting, values.number_in(said), place)
            _row(run, row, where)
    collection.notice(LOGS)
    return leniences


def _row(run: Run, row: re.Match[str], where: str) -> None:
    values.count(Numeral(row[1]), where)
    run.configured("batch_size", Numeral(row[1]), where)
    reported.add(run, Meaning("throughput", "rate", "qps"), values.number_in(row[2]), f"{where}.Throughput")
    reported.add(run, Meaning("latency", "mean", "ms"), values.number_in(row[3]), f"{where}.Latency(Mean)")
    if row[4]:
        reported.add(run, Meaning("e2e_latency", "mean", "ms"), values.number_in(row[4]), f"{where}.Latency(Mean)")
