"""What a chart shows, as data: plotly draws it on a page and matplotlib in the PDF, from the same specification.

All places are in base units; a drawing chooses people's units. The rows are the table that stands beside every chart.
"""

from dataclasses import dataclass
from typing import Literal

AxisName = Literal["x", "y"]
Role = Literal["baseline", "candidate", "interval", "margin", "reference"]
Shape = Literal["circle", "square", "diamond", "cross"]
Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Axis:
    """label: without the unit. unit: a base unit, "" for none. ticks: places with words, for categories."""

    label: str
    unit: str
    log: bool
    ticks: tuple[tuple[float, str], ...]


@dataclass(frozen=True, slots=True)
class Point:
    """A place in base units; the label says what it is."""

    x: float
    y: float
    label: str


@dataclass(frozen=True, slots=True)
class Series:
    """Points of one kind. line: whether they are joined, in their order."""

    name: str
    role: Role
    shape: Shape
    line: bool
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class IntervalBar:
    """An interval along x, drawn at the height `at`. estimate: None for bounds, which have none."""

    name: str
    at: float
    low: float
    high: float
    estimate: float | None
    role: Role


@dataclass(frozen=True, slots=True)
class Band:
    """A range of one axis across the whole picture; None is an open end."""

    name: str
    axis: AxisName
    low: float | None
    high: float | None
    role: Role


@dataclass(frozen=True, slots=True)
class Mark:
    """A line across the whole picture, at a place of one axis."""

    name: str
    axis: AxisName
    at: float


@dataclass(frozen=True, slots=True)
class Spans:
    """Stretches along x of one kind: bars are (at, low, high), each drawn at the height `at`."""

    name: str
    role: Role
    bars: tuple[tuple[float, float, float], ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table; unit: a base unit of its numbers, "" for none."""

    label: str
    unit: str


@dataclass(frozen=True, slots=True)
class ChartSpec:
    """A whole chart. Every row has one cell per column; None is "not measured"."""

    title: str
    subtitle: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    intervals: tuple[IntervalBar, ...]
    bands: tuple[Band, ...]
    marks: tuple[Mark, ...]
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    spans: tuple[Spans, ...] = ()
