"""MLPerf power: the samples of PTDaemon (`spl.txt`) and the power logs of training (`node_0.txt`).

In the file: one line per sample, in W, on the wall clock of the meter without zone (spl.txt), or in epoch ms
(training). Here: one run per session, raw power with its time. The mark of PTDaemon tells ranging from testing: only
testing is measured. The Watts in front are the sum of the channels: channels are not read beside it. The window of the
work is in the detail log of LoadGen (power_begin, power_end), not in this file: the mean of the whole file is not the
mean of the run. `client.json` and `server.json` of a session have no readings: they tell which session it was.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, mlperf_lines, mlperf_power_session, text_reader, values
from analysis.evidence.collect import Collection, Run, Sample
from analysis.evidence.format import Document, Format
from analysis.evidence.mlperf_lines import Event
from analysis.measurements import Phase
from analysis.reading import Reading

NAME: Final = "mlperf-power"
VERSION: Final = 1

FIRST: Final = re.compile(rb"\s*Time,\d\d-\d\d-\d{4} [\d:.]+,Watts,")
TRAINING: Final = re.compile(rb':::MLL(?:OG|v[\d.]+) \{[^\n]*"key":\s*"(?:power_reading|power_measurement_start)"')
LINE: Final = re.compile(r"Time,(?P<time>\d\d-\d\d-\d{4} \d\d:\d\d:\d\d)(?P<fraction>\.\d{1,9})?,(?P<rest>Watts,.*)")
SESSION: Final = re.compile(r"(?P<session>.*)_(?P<kind>ranging|testing)")
PHASES: Final[dict[str, Phase]] = {"ranging": "ranging", "testing": "measured"}
NO_SESSION: Final = "notset"
NO_POWER: Final = "the meter reads no power"

WINDOW: Final = (
    "The window of the work is not in this file: LoadGen's detail log has it (power_begin, power_end). The mean of all "
    "samples is not the mean of the run."
)
ZONE: Final = "The times are those of the meter's wall clock, without zone: they are joined to no other clock here."
CHANNELS: Final = "The channels are not read: the Watts in front are their sum."
NOT_THE_SUM: Final = "{where}: the channels add up to {sum:.6g} W, and the Watts in front are {total:.6g} W."
UNMARKED: Final = (
    "Samples without the mark of a ranging or a testing are idle here, in the session before them: only testing is "
    "measured."
)
BACKWARDS: Final = "{where}: the clock steps back; it was not set right again here."
CONVERSION: Final = "The efficiency of the conversion is a setting: the readings are not divided by it here."


@dataclass(frozen=True, slots=True)
class Line:
    """One line of spl.txt: the fields in front of the channels, and the Watts of the channels."""

    time_ns: int
    fields: dict[str, str]
    channels: list[str]
    where: str


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
    collection = Collection(document)
    if mlperf_power_session.looks_right(text_reader.ends(document)[0]):
        found = mlperf_power_session.parse(collection)
        return collection.reading(NAME, VERSION, found.leniences, incomplete=found.incomplete)
    lines, decoding = text_reader.lines(document)
    leniences = dict.fromkeys(decoding)
    if FIRST.match(text_reader.ends(document)[0]):
        _sessions(collection, list(_lines(document, lines, leniences)))
    else:
        _training(collection, list(mlperf_lines.events(document, lines, leniences)))
    if not any(run.measurements for run in collection.runs):
        raise MalformedEvidence("there is no reading of power in it", where=document.name, code="no_runs")
    return collection.reading(NAME, VERSION, leniences, incomplete=False)


def _lines(document: Document, lines: tuple[text_reader.Line, ...], leniences: dict[str, None]) -> Iterator[Line]:
    written = [line for line in lines if line.text.strip()]
    for line in written:
        where = f"{document.name}:{line.number}"
        found = LINE.fullmatch(line.text.strip())
        cells = found["rest"].split(",") if found else []
        if found is None or len(cells) < 2 or "Mark" not in cells:
            if line is written[-1]:
                leniences.setdefault("the last line is cut off: it was left out")
                return
            raise MalformedEvidence("this is no line of PTDaemon", where=where, code="malformed_csv")
        end = cells.index("Mark")
        fields = dict(zip(cells[:end:2], cells[1:end:2], strict=False)) | {"Mark": ",".join(cells[end + 1 : end + 2])}
        after = cells[end + 2 :]
        channels = [after[i + 1] for i in range(len(after) - 1) if after[i] == "Watts"]
        yield Line(_time_ns(found, where), fields, channels, where)


def _time_ns(found: re.Match[str], where: str) -> int:
    """Nanoseconds on the wall clock of the meter, as if it were UTC."""
    try:
        moment = datetime.strptime(found["time"], "%m-%d-%Y %H:%M:%S").replace(tzinfo=UTC)
    except ValueError as error:
        raise MalformedEvidence("this is no time", where=where, code="not_a_time") from error
    return int(moment.timestamp()) * 10**9 + int((found["fraction"] or ".0")[1:].ljust(9, "0"))


def _sessions(collection: Collection, lines: list[Line]) -> None:
    runs: dict[str, Run] = {}
    last: dict[str, int] = {}
    marks = [SESSION.fullmatch(line.fields["Mark"]) for line in lines]
    session = next((mark["session"] for mark in marks if mark), NO_SESSION)
    for i, (line, mark) in enumerate(zip(lines, marks, strict=True)):
        session = mark["session"] if mark else session
        if session not in runs:
            runs[session] = collection.add(collect.completed(session, line.where))
            runs[session].identified("session", session, line.where)
        if line.time_ns < last.get(session, line.time_ns):
            collection.notice(BACKWARDS.format(where=line.where))
        last[session] = line.time_ns
        if mark is None:
            collection.notice(UNMARKED)
        phase = PHASES[mark["kind"]] if mark else "idle"
        _power(collection, runs[session], line, Sample("raw", "value", 1, i, line.time_ns, phase))
    collection.notice(WINDOW)
    collection.notice(ZONE)
    collection.leave({name for line in lines for name in line.fields} - {"Watts", "Mark"})


def _power(collection: Collection, run: Run, line: Line, sample: Sample) -> None:
    place = f"{line.where}.Watts"
    watts = values.number_in(line.fields["Watts"])
    run.measured("power", collect.positive_or_nothing(watts, "W", place, NO_POWER), sample)
    if line.channels:
        collection.notice(CHANNELS)
        total = values.not_negative(watts, place)
        parts = sum(values.finite(values.number_in(part), place) for part in line.channels)
        if abs(parts - total) > 0.01 * total + 0.1:
            collection.notice(NOT_THE_SUM.format(where=line.where, sum=parts, total=total))


def _training(collection: Collection, events: list[Event]) -> None:
    """One run of a node or a switch: its readings, and the efficiency by which MLPerf divides them."""
    run = collection.add(collect.completed("0", collection.document.name))
    for i, event in enumerate(events):
        if event.key == "power_reading":
            figure = collect.positive_or_nothing(event.value, "W", event.where, NO_POWER)
            run.measured("power", figure, Sample("raw", "value", 1, i, event.time_ns))
        elif event.key == "conversion_eff":
            run.configured(event.key, event.value, event.where)
            if "measurement_type" in event.metadata:
                run.configured("measurement_type", event.metadata["measurement_type"], event.where)
            collection.notice(CONVERSION)
        elif event.value is not None:
            run.identified(event.key, event.value, event.where)


FORMAT: Final = Format(NAME, "MLPerf power log", VERSION, looks_right, parse)
