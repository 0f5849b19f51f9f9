"""The lines of PTDaemon (`spl.txt`): what stands in one, and the runs that they are of."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, NoReturn

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, text_reader, values
from analysis.evidence.collect import Collection, Figure, Run, Sample
from analysis.evidence.format import Document
from analysis.measurements import Phase

LINE: Final = re.compile(r"Time,(?P<time>\d\d-\d\d-\d{4} \d\d:\d\d:\d\d(?:\.\d{1,9})?),(?P<rest>Watts,.*)")
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


CUT: Final = "the last line is cut off: it was left out"


@dataclass(frozen=True, slots=True)
class Parts:
    """What stands in a line: the time, the fields in front of the channels, and the Watts of the channels."""

    time: str
    fields: dict[str, str]
    channels: list[str]


@dataclass(frozen=True, slots=True)
class Line:
    """A line at its place, and its time in nanoseconds."""

    time_ns: int
    parts: Parts
    where: str


def parts(text: str) -> Parts | None:
    """What stands in a line; None of another program's line, or of one that is cut off."""
    found = LINE.fullmatch(text.strip())
    cells = found["rest"].split(",") if found else []
    if found is None or "Mark" not in cells[2:]:
        return None
    end = cells.index("Mark")
    fields = dict(zip(cells[:end:2], cells[1:end:2], strict=False)) | {"Mark": ",".join(cells[end + 1 : end + 2])}
    after = cells[end + 2 :]
    channels = [after[i + 1] for i in range(len(after) - 1) if after[i] == "Watts"]
    return Parts(found["time"], fields, channels) if end > 1 else None


def no_line(where: str) -> NoReturn:
    """Raises MalformedEvidence(malformed_csv)."""
    raise MalformedEvidence("this is no line of PTDaemon", where=where, code="malformed_csv")


def lines_of(document: Document, lines: tuple[text_reader.Line, ...], leniences: dict[str, None]) -> Iterator[Line]:
    """The lines of a file. Raises MalformedEvidence: malformed_csv, not_a_time."""
    written = [line for line in lines if line.text.strip()]
    for line in written:
        where = f"{document.name}:{line.number}"
        found = parts(line.text)
        if found is None and line is written[-1]:
            leniences.setdefault(CUT)
            return
        yield no_line(where) if found is None else Line(time_ns(found.time, where), found, where)


def time_ns(written: str, where: str) -> int:
    """Nanoseconds on the wall clock of the meter, as if it were UTC. Raises MalformedEvidence(not_a_time)."""
    time, _, fraction = written.partition(".")
    try:
        moment = datetime.strptime(time, "%m-%d-%Y %H:%M:%S").replace(tzinfo=UTC)
    except ValueError as error:
        raise MalformedEvidence("this is no time", where=where, code="not_a_time") from error
    return int(moment.timestamp()) * 10**9 + int(fraction.ljust(9, "0"))


def sessions(collection: Collection, lines: list[Line]) -> None:
    """The runs that the lines are of: one per session."""
    runs: dict[str, Run] = {}
    last: dict[str, int] = {}
    marks = [SESSION.fullmatch(line.parts.fields["Mark"]) for line in lines]
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
    collection.leave({name for line in lines for name in line.parts.fields} - {"Watts", "Mark"})


def _power(collection: Collection, run: Run, line: Line, sample: Sample) -> None:
    place = f"{line.where}.Watts"
    run.measured("power", power(line.parts.fields["Watts"], place), sample)
    if line.parts.channels:
        collection.notice(CHANNELS)
        total = values.not_negative(values.number_in(line.parts.fields["Watts"]), place)
        remark = not_the_sum([channel(part, place) for part in line.parts.channels], total, line.where)
        if remark:
            collection.notice(remark)


def power(cell: str, where: str) -> Figure:
    """The power in front of the channels."""
    return collect.positive_or_nothing(values.number_in(cell), "W", where, NO_POWER)


def channel(cell: str, where: str) -> float:
    """The power of a channel."""
    return values.finite(values.number_in(cell), where)


def not_the_sum(channels: Iterable[float], total: float, where: str) -> str:
    """What to say where the channels do not add up; "" where they do."""
    parts = sum(channels)
    return NOT_THE_SUM.format(where=where, sum=parts, total=total) if abs(parts - total) > 0.01 * total + 0.1 else ""
