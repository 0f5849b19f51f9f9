"""What a parser collects while it walks through a file: runs, figures with their place, settings, notices."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import limits, scale, values
from analysis.evidence.format import Document
from analysis.evidence.values import Json
from analysis.evidence.watch import UNWATCHED, Watch
from analysis.measurements import FileRun, Kind, Measurement, Phase, Setting, SettingSource
from analysis.reading import Reading
from analysis.table import Table

CUT_OFF: Final = "the file is cut off"
TOLD_EVERY: Final = 4096  # rows


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in its base unit, as written, with its place; or, with value None, the reason why there is none."""

    value: float | None
    unit: str
    original: str
    original_unit: str
    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class Sample:
    """What a figure stands for inside its run; the names are those of Measurement."""

    kind: Kind
    stat: str
    n: int | None
    index: int | None = None
    started_ns: int | None = None
    phase: Phase = "measured"
    stage: str = ""
    item: str = ""
    subject: str = ""


VALUE: Final = Sample("raw", "value", 1)


def raw(index: int, started_ns: int | None = None) -> Sample:
    """One request, step or repetition."""
    return Sample("raw", "value", 1, index, started_ns)


def aggregate(stat: str, n: int | None) -> Sample:
    """A number that the tool computed from n samples; a sum of counts that no count holds is not stated."""
    return Sample("aggregate", stat, None if n is not None and n > values.BIGGEST_COUNT else n)


def positive(value: Json, unit: str, where: str) -> Figure:
    """A time, rate, energy or power: refused unless above zero."""
    values.positive(value, where)
    figure = _figure(value, unit, where)
    if figure.value == 0:
        raise MalformedEvidence(f"{values.shown(value)} {unit} is no more than zero", where=where, code="not_positive")
    return figure


def not_negative(value: Json, unit: str, where: str) -> Figure:
    """A spread or a size."""
    values.not_negative(value, where)
    return _figure(value, unit, where)


def finite(value: Json, unit: str, where: str) -> Figure:
    """Any finite number."""
    values.finite(value, where)
    return _figure(value, unit, where)


def _figure(value: Json, unit: str, where: str) -> Figure:
    text, base = values.numeral(value, where).text, scale.base_of(unit, where)
    try:
        return Figure(scale.in_base(text, unit), base, text, unit, where, "")
    except OverflowError as error:
        message = f"{values.shown(value)} {unit} is not finite"
        raise MalformedEvidence(message, where=where, code="not_finite") from error


def computed(value: Fraction, unit: str, how: str, where: str) -> Figure:
    """A number that is computed here from others of the file; `how` says in short from which. `unit` is a base unit."""
    try:
        return Figure(float(value), unit, how, unit, where, "")
    except OverflowError as error:
        raise MalformedEvidence(f"{how} is not finite", where=where, code="not_finite") from error


def nothing(value: Json, unit: str, where: str, reason: str) -> Figure:
    """No number, and why; `value` is what the file has in its place."""
    return Figure(None, scale.base_of(unit, where), values.written(value), unit, where, reason)


def positive_or_nothing(value: Json, unit: str, where: str, reason: str) -> Figure:
    """A positive figure; a zero or null, by which a tool says that it measured nothing, is nothing for that reason."""
    if value is None or values.not_negative(value, where) == 0:
        return nothing(value, unit, where, reason)
    return positive(value, unit, where)


@dataclass(slots=True)
class Rows:
    """How many measurements a file has given so far."""

    where: str
    watch: Watch = UNWATCHED
    total: int = 0

    def add_one(self) -> None:
        """Nothing; or too_many_rows, and what the watch raises, which is told now and then."""
        self.total += 1
        limits.refuse_many_rows(self.total, self.where)
        if self.total % TOLD_EVERY == 0:
            self.watch.count(TOLD_EVERY)


@dataclass(slots=True)
class Run:
    """One run while it is collected. clock: on which its rows and its window are timed, "" before the first time."""

    facts: FileRun
    rows: Rows
    measurements: list[Measurement] = field(default_factory=list)
    settings: list[Setting] = field(default_factory=list)
    clock: str = ""

    def measured(self, metric: str, figure: Figure, sample: Sample) -> None:
        """Add one number."""
        self.rows.add_one()
        self.measurements.append(
            Measurement(
                run=self.facts.key,
                metric=metric,
                value=figure.value,
                unit=figure.unit,
                where=figure.where,
                kind=sample.kind,
                stat=sample.stat,
                n=sample.n,
                phase=sample.phase,
                index=sample.index,
                started_ns=sample.started_ns,
                stage=sample.stage,
                original=figure.original,
                original_unit=figure.original_unit,
                reason=figure.reason,
                item=sample.item,
                subject=sample.subject,
            )
        )

    def configured(
        self, name: str, value: Json, where: str, source: SettingSource = "file field", unit: str = ""
    ) -> None:
        """Add how it was run."""
        self._state(Setting(self.facts.key, name, values.written(value), unit, "configuration", source, where))

    def identified(self, name: str, value: Json, where: str, source: SettingSource = "file field") -> None:
        """Add who or when it was."""
        self._state(Setting(self.facts.key, name, values.written(value), "", "identity", source, where))

    def worked(self, name: str, amount: Json, where: str) -> None:
        """Add what it did: a number of at least zero."""
        values.not_negative(amount, where)
        self._state(Setting(self.facts.key, name, values.written(amount), "1", "work", "file field", where))

    def lasted(self, seconds: Json, where: str) -> None:
        """Add how long it took, in seconds; never compared."""
        values.positive(seconds, where)
        self._state(Setting(self.facts.key, "duration", values.written(seconds), "s", "identity", "file field", where))

    def _state(self, setting: Setting) -> None:
        values.text(setting.name, setting.where)
        values.text(setting.value, setting.where)
        self.settings.append(setting)


@dataclass(slots=True)
class Collection:
    """What was found in one file so far."""

    document: Document
    rows: Rows = field(init=False)
    runs: list[Run] = field(default_factory=list)
    notices: dict[str, None] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.rows = Rows(self.document.name, self.document.watch)

    def add(self, run: FileRun) -> Run:
        """Begin a run."""
        self.runs.append(Run(run, self.rows))
        return self.runs[-1]

    def notice(self, sentence: str) -> None:
        """Add what the reader should know; once, however often it is said."""
        self.notices.setdefault(sentence)

    def leave(self, names: Iterable[str]) -> None:
        """Note fields that are not read: the reading names them in one notice."""
        self.unread.update(names)

    def reading(self, form: str, version: int, leniences: Iterable[str], *, incomplete: bool) -> Reading:
        """All of it. In a file that is cut off the last run is partial."""
        if incomplete and self.runs and self.runs[-1].facts.status == "completed":
            self.runs[-1].facts = replace(self.runs[-1].facts, status="partial", reason=CUT_OFF)
        return Reading(
            format=form,
            parser_version=version,
            runs=tuple(run.facts for run in self.runs),
            measurements=Table.of(m for run in self.runs for m in run.measurements),
            settings=tuple(s for run in self.runs for s in run.settings),
            leniences=tuple(leniences),
            notices=tuple(self.notices) + ((f"Not read: {', '.join(sorted(self.unread))}.",) if self.unread else ()),
        )


def completed(
    key: str,
    where: str,
    *,
    attempted: int | None = None,
    failed: int | None = None,
    started_ns: int | None = None,
) -> FileRun:
    """A run that came to its end."""
    return FileRun(key, "completed", "", started_ns, None, attempted, failed, where)


def failed(key: str, where: str, reason: str, *, attempted: int | None = None, lost: int | None = None) -> FileRun:
    """A run that gave nothing usable, and why."""
    return FileRun(key, "failed", reason, None, None, attempted, lost, where)


def inside(where: str, key: str) -> str:
    """The place of a field: "run.json:duration" at the top, "run.json:[2].duration" further in."""
    return f"{where}{key}" if where.endswith(":") else f"{where}.{key}"
