"""MLPerf power: the samples of PTDaemon (`spl.txt`) and the power logs of training (`node_0.txt`).

In the file: one line per sample, in W, on the wall clock of the meter without zone (spl.txt), or in epoch ms
(training). Here: one run per session, raw power with its time. The mark of PTDaemon tells ranging from testing: only
testing is measured. The Watts in front are the sum of the channels: channels are not read beside it. The window of the
work is in the detail log of LoadGen (power_begin, power_end), not in this file: the mean of the whole file is not the
mean of the run. `client.json` and `server.json` of a session have no readings: they tell which session it was.
"""

import re
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import (
    blocks,
    collect,
    mlperf_lines,
    mlperf_power_blocks,
    mlperf_power_lines,
    mlperf_power_session,
    text_reader,
)
from analysis.evidence.collect import Collection, Sample
from analysis.evidence.format import Document, Format
from analysis.evidence.mlperf_lines import Event
from analysis.reading import Reading

NAME: Final = "mlperf-power"
VERSION: Final = 1

FIRST: Final = re.compile(rb"\s*Time,\d\d-\d\d-\d{4} [\d:.]+,Watts,")
TRAINING: Final = re.compile(rb':::MLL(?:OG|v[\d.]+) \{[^\n]*"key":\s*"(?:power_reading|power_measurement_start)"')
CONVERSION: Final = "The efficiency of the conversion is a setting: the readings are not divided by it here."


def looks_right(document: Document) -> str | None:
    """The reason why this is a power log of MLPerf, or None."""
    head, _ = text_reader.ends(document)
    if FIRST.match(head):
        return "its lines are Time, Watts, Volts, Amps of PTDaemon"
    if TRAINING.search(head) and b'"run_start"' not in head:
        return "it has entries power_reading or power_measurement_start"
    return mlperf_power_session.looks_right(head)


def parse(document: Document) -> Reading:
    """One run per session of PTDaemon, or one for a log of training.

    Raises:
        MalformedEvidence: a line that is none, a time that is none, a power that is no number or below zero.
    """
    head, _ = text_reader.ends(document)
    if FIRST.match(head) and not mlperf_power_session.looks_right(head):
        return blocks.whole_or(document, lambda: mlperf_power_blocks.parse(document, NAME, VERSION), by_line)
    return by_line(document)


def by_line(document: Document) -> Reading:
    """What `parse` gives, of a file that is held in memory."""
    collection = Collection(document)
    if mlperf_power_session.looks_right(text_reader.ends(document)[0]):
        found = mlperf_power_session.parse(collection)
        return collection.reading(NAME, VERSION, found.leniences, incomplete=found.incomplete)
    lines, decoding = text_reader.lines(document)
    leniences = dict.fromkeys(decoding)
    if FIRST.match(text_reader.ends(document)[0]):
        mlperf_power_lines.sessions(collection, list(mlperf_power_lines.lines_of(document, lines, leniences)))
    else:
        _training(collection, list(mlperf_lines.events(document, lines, leniences)))
    if not any(run.measurements for run in collection.runs):
        raise MalformedEvidence("there is no reading of power in it", where=document.name, code="no_runs")
    return collection.reading(NAME, VERSION, leniences, incomplete=False)


def _training(collection: Collection, events: list[Event]) -> None:
    """One run of a node or a switch: its readings, and the efficiency by which MLPerf divides them."""
    run = collection.add(collect.completed("0", collection.document.name))
    for i, event in enumerate(events):
        if event.key == "power_reading":
            figure = collect.positive_or_nothing(event.value, "W", event.where, mlperf_power_lines.NO_POWER)
            run.measured("power", figure, Sample("raw", "value", 1, i, event.time_ns))
        elif event.key == "conversion_eff":
            run.configured(event.key, event.value, event.where)
            if "measurement_type" in event.metadata:
                run.configured("measurement_type", event.metadata["measurement_type"], event.where)
            collection.notice(CONVERSION)
        elif event.value is not None:
            run.identified(event.key, event.value, event.where)


FORMAT: Final = Format(NAME, "MLPerf power log", VERSION, looks_right, parse, streams=True)
