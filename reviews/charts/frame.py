"""What both drawings share: people's units, the range of each axis, and the printed table."""

import math
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from analysis.charts import Axis, AxisName, Band, Cell, ChartSpec, Column
from reviews import printing
from reviews.printing import PeopleUnit

_PADDING: Final = 0.06
_TICK_WIDTH: Final = 18


@dataclass(frozen=True, slots=True)
class Scale:
    """One axis as drawn: its title with the unit, the range in that unit, and the words of its ticks by line."""

    title: str
    unit: PeopleUnit
    low: float
    high: float
    log: bool
    ticks: tuple[tuple[float, tuple[str, ...]], ...]

    def of(self, value: float) -> float:
        """A base-unit value in the unit of this axis."""
        return float(printing.exact(value) / self.unit.size)

    def ends(self, band: Band) -> tuple[float, float]:
        """A band on this axis; an open end goes to the edge."""
        low = self.low if band.low is None else self.of(band.low)
        high = self.high if band.high is None else self.of(band.high)
        return low, high


@dataclass(frozen=True, slots=True)
class Frame:
    """Both axes of a chart."""

    x: Scale
    y: Scale

    def scale(self, axis: AxisName) -> Scale:
        return self.x if axis == "x" else self.y


def frame_of(spec: ChartSpec) -> Frame:
    """The axes of `spec`, wide enough for all that it shows. Raises ValueError when it shows nothing."""
    return Frame(_scale(spec.x, list(_values(spec, "x"))), _scale(spec.y, list(_values(spec, "y"))))


def _values(spec: ChartSpec, axis: AxisName) -> Iterator[float]:
    """Every place on one axis that must be inside the picture."""
    for series in spec.series:
        yield from ((point.x if axis == "x" else point.y) for point in series.points)
    for bar in spec.intervals:
        yield from (bar.low, bar.high) if axis == "x" else (bar.at,)
    for spans in spec.spans:
        for at, low, high in spans.bars:
            yield from (low, high) if axis == "x" else (at,)
    for band in spec.bands:
        if band.axis == axis:
            yield from (end for end in (band.low, band.high) if end is not None)
    yield from (mark.at for mark in spec.marks if mark.axis == axis)
    yield from (place for place, _ in (spec.x if axis == "x" else spec.y).ticks)


def _scale(axis: Axis, values: list[float]) -> Scale:
    if not values:
        raise ValueError("A chart without any value cannot be drawn.")
    unit = printing.unit_for(max(abs(value) for value in values), axis.unit)
    low, high = (float(printing.exact(end) / unit.size) for end in (min(values), max(values)))
    low, high = _padded_log(low, high) if axis.log else _padded(low, high, categories=bool(axis.ticks))
    ticks = tuple((float(printing.exact(place) / unit.size), _lines(words)) for place, words in axis.ticks)
    title = f"{axis.label} ({unit.name})" if unit.name else axis.label
    return Scale(title, unit, low, high, axis.log, ticks)


def _lines(words: str) -> tuple[str, ...]:
    return tuple(textwrap.wrap(words, _TICK_WIDTH)) or ("",)


def _padded(low: float, high: float, *, categories: bool) -> tuple[float, float]:
    """A little room on both sides; half a step beside categories; some room when all values are one."""
    room = 0.5 if categories else (high - low) * _PADDING or abs(high) * _PADDING or 1.0
    return low - room, high + room


def _padded_log(low: float, high: float) -> tuple[float, float]:
    room = math.exp(max(math.log(high / low), 0.1) * _PADDING)
    return low / room, high * room


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column as printed: its head with the unit, whether its cells are numbers, and the cells."""

    head: str
    numeric: bool
    cells: tuple[str, ...]


def table_of(spec: ChartSpec) -> tuple[TableColumn, ...]:
    """The table of a chart, printed: one people's unit for each column, named in its head."""
    return tuple(_column(column, [row[at] for row in spec.rows]) for at, column in enumerate(spec.columns))


def _column(column: Column, cells: list[Cell]) -> TableColumn:
    numbers = [abs(cell) for cell in cells if isinstance(cell, int | float)]
    unit = printing.unit_for(max(numbers, default=0), column.unit)
    head = f"{column.label} ({unit.name})" if unit.name else column.label
    return TableColumn(head, bool(numbers), tuple(_cell(cell, unit) for cell in cells))


def _cell(cell: Cell, unit: PeopleUnit) -> str:
    if cell is None:
        return "not measured"
    if isinstance(cell, str):
        return cell
    return printing.count(cell) if isinstance(cell, int) and unit.size == 1 else printing.in_unit(cell, unit)
