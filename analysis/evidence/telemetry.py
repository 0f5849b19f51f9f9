"""What the monitors of power and devices share: times of a local clock, gaps between samples, words for no value."""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np

from analysis.clocks import LOCAL
from analysis.errors import MalformedEvidence
from analysis.evidence import collect, scale, values
from analysis.evidence.collect import Collection, Figure, Run, Sample
from analysis.evidence.values import Json
from analysis.table import Integers

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
LOCAL_TIME: Final = re.compile(
    r"(?:(?P<year>\d{4})[-/](?P<month>\d\d)[-/](?P<day>\d\d)|(?P<d>\d\d)\.(?P<m>\d\d)\.(?P<y>\d{4}))"
    r"[ T](?P<clock>\d\d:\d\d:\d\d)(?:[.,](?P<fraction>\d{1,9}))?",
    re.ASCII,
)
ABSENT: Final = re.compile(r"-|n/?a|\[.*\]|not supported|unknown error|", re.IGNORECASE)
UNTIMED: Final = "The samples carry no time: energy needs the period between them, which the file does not hold."
NO_POWER: Final = "the tool reports 0"
GAP: Final = 2.0
SECOND: Final = 10**9


def local_ns(written: str, where: str) -> int:
    """Nanoseconds of a local wall time, counted as if its zone were UTC.

    Raises:
        MalformedEvidence: not_a_time.
    """
    found = LOCAL_TIME.fullmatch(written)
    try:
        day = f"{found['year']}-{found['month']}-{found['day']}" if found and found["year"] else ""
        if found and not day:
            day = f"{found['y']}-{found['m']}-{found['d']}"
        moment = datetime.fromisoformat(f"{day}T{found['clock'] if found else ''}+00:00")
    except ValueError as error:
        raise MalformedEvidence(f'"{written[:40]}" is no time', where=where, code="not_a_time") from error
    fraction = (found["fraction"] if found else None) or ""
    ns = (moment - EPOCH) // timedelta(seconds=1) * SECOND + int(fraction.ljust(9, "0"))
    if not 0 <= ns <= values.BIGGEST_COUNT:
        raise MalformedEvidence("this is no time of a file", where=where, code="not_a_time")
    return ns


def sampled(value: Json, unit: str, where: str) -> Figure:
    """A sample in its unit: a size, a share or a temperature may be 0; a power or a frequency of 0 measured nothing.

    Raises:
        MalformedEvidence: not_a_number, not_finite, negative.
    """
    if isinstance(value, str) and ABSENT.fullmatch(value.strip()):
        return collect.nothing(value, unit, where, f"the tool reports {value.strip() or 'nothing'}")
    if scale.base_of(unit, where) in ("W", "J", "s", "1/s"):
        return collect.positive_or_nothing(value, unit, where, NO_POWER)
    return collect.not_negative(value, unit, where)


@dataclass(slots=True)
class Monitor:
    """The runs of a monitor while its samples are read: one, and another where the clock of a device goes back.

    zoned: its times are instants, and of no local clock.
    """

    collection: Collection
    runs: list[Run] = field(default_factory=list)
    times: dict[str, list[int]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    zoned: bool = False

    def sample(self, stage: str, at: int | None, where: str) -> tuple[Run, Sample]:
        """The run that a sample of a device belongs to, and its place there."""
        before = self.times.get(stage, [])
        if not self.runs or (at is not None and before and at < before[-1]):
            self.close()
            self.runs.append(self.collection.add(collect.completed(str(len(self.runs)), where)))
        index = self.counts[stage] = self.counts.get(stage, -1) + 1
        if at is not None:
            self.times.setdefault(stage, []).append(at)
        return self.runs[-1], Sample("raw", "value", 1, index, at, stage=stage)

    def close(self) -> None:
        """Say what the samples of the run show of its clock, and begin anew."""
        for stage, moments in self.times.items():
            remark_gaps(self.collection, stage, np.array(moments, dtype=np.int64))
        if self.runs and not (self.times and self.zoned):
            self.collection.notice(LOCAL if self.times else UNTIMED)
        self.times, self.counts = {}, {}

    def finish(self) -> None:
        """Close the last run.

        Raises:
            MalformedEvidence: no_runs.
        """
        self.close()
        if not any(run.measurements for run in self.runs):
            where = self.collection.document.name
            raise MalformedEvidence("nothing that is read here was sampled", where=where, code="no_runs")
        if len(self.runs) > 1:
            self.collection.notice(f"The clock goes back: the parts are {len(self.runs)} runs.")


def remark_gaps(collection: Collection, stage: str, moments: Integers) -> None:
    """Say where samples are missing: steps of the clock that are more than twice the usual one."""
    steps = np.diff(moments)
    if not steps.size:
        return
    middle = steps.size // 2
    steps.partition((middle - 1 if middle else 0, middle))
    usual = int(steps[middle]) if steps.size % 2 else (int(steps[middle - 1]) + int(steps[middle])) / 2
    long = steps[steps > GAP * usual] if usual > 0 else steps[:0]
    if long.size:
        collection.notice(
            f"{stage}: samples are {usual / SECOND:g} s apart; gaps of more than twice that: {long.size}, the "
            f"longest of {int(long.max()) / SECOND:g} s."
        )


def whole(text: str, where: str) -> int:
    """The number of a device."""
    return values.count(values.number_in(text), where)
