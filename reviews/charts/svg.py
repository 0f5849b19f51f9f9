"""A chart specification as SVG for the PDF: the same bytes for the same specification on one installation."""

import io
from typing import TYPE_CHECKING, Any, Final

from analysis.charts import ChartSpec, IntervalBar, Series, Spans
from reviews.charts.frame import Frame, Scale, frame_of
from reviews.charts.palette import PAPER, on_paper
from reviews.charts.plotting import has_legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

MANY_POINTS: Final = 500
_MARKERS: Final = {"circle": "o", "square": "s", "diamond": "D", "cross": "x"}
_WIDTH_INCHES: Final = 6.6
_HEIGHT_INCHES: Final = 3.1
_INCHES_OF_A_BAR: Final = 0.45
_INCHES_OF_A_LANE: Final = 0.27
_LOOK: Final[dict[Any, Any]] = {
    "svg.hashsalt": "countersign",
    "svg.fonttype": "none",
    "font.family": ["Inter", "DejaVu Sans"],
    "font.size": 8.5,
    "axes.edgecolor": PAPER["chart-text"],
    "axes.labelcolor": PAPER["chart-text"],
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "grid.color": PAPER["chart-grid"],
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "text.color": PAPER["chart-text"],
    "text.parse_math": False,
    "figure.dpi": 100,
    "savefig.dpi": 200,
}


def as_svg(spec: ChartSpec) -> str:
    """The drawing as SVG text, without date and with the fonts of the PDF named, not embedded."""
    import matplotlib as mpl  # noqa: PLC0415

    with mpl.rc_context(_LOOK):
        text = io.StringIO()
        figure_of(spec).savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()


def as_png(spec: ChartSpec) -> bytes:
    """The same drawing as a picture of dots, without date."""
    import matplotlib as mpl  # noqa: PLC0415

    with mpl.rc_context(_LOOK):
        made = io.BytesIO()
        figure_of(spec).savefig(made, format="png", metadata={"Software": None})
    return made.getvalue()


def figure_of(spec: ChartSpec) -> "Figure":
    """The drawing as a matplotlib figure; each artist's gid says what it shows ("series:0", "interval:1")."""
    from matplotlib.figure import Figure  # noqa: PLC0415

    frame = frame_of(spec)
    figure = Figure(figsize=(_WIDTH_INCHES, _height(spec)), layout="constrained")
    axes = figure.add_subplot()
    axes.set_xscale("log" if frame.x.log else "linear")
    axes.set_yscale("log" if frame.y.log else "linear")
    _axis(axes.xaxis, frame.x)
    _axis(axes.yaxis, frame.y)
    axes.set_xlim(frame.x.low, frame.x.high)
    axes.set_ylim(frame.y.low, frame.y.high)
    _ground(axes, spec, frame)
    for index, series in enumerate(spec.series):
        _series(axes, series, frame, f"series:{index}")
    for index, bar in enumerate(spec.intervals):
        _interval(axes, bar, frame, f"interval:{index}")
    for index, spans in enumerate(spec.spans):
        _spans(axes, spans, frame, f"spans:{index}")
    if has_legend(spec):
        handles, labels = axes.get_legend_handles_labels()
        once = dict(zip(reversed(labels), reversed(handles), strict=True))
        figure.legend(reversed(once.values()), reversed(once), loc="outside upper left", ncols=4)
    return figure


def _height(spec: ChartSpec) -> float:
    """Inches: intervals alone take a line each, with the axis and the legend; so do the categories of spans."""
    if spec.spans:
        return max(_HEIGHT_INCHES, 1.0 + _INCHES_OF_A_LANE * len(spec.y.ticks))
    return _HEIGHT_INCHES if spec.series else min(_HEIGHT_INCHES, 1.0 + _INCHES_OF_A_BAR * len(spec.intervals))


def _axis(axis: "Axis", scale: Scale) -> None:
    axis.set_label_text(scale.title)
    if scale.ticks:
        axis.set_ticks([place for place, _ in scale.ticks], labels=["\n".join(lines) for _, lines in scale.ticks])


def _ground(axes: "Axes", spec: ChartSpec, frame: Frame) -> None:
    """Bands and marks."""
    for index, band in enumerate(spec.bands):
        low, high = frame.scale(band.axis).ends(band)
        span = axes.axvspan if band.axis == "x" else axes.axhspan
        span(low, high, color=on_paper(band.role), alpha=0.3, linewidth=0, label=band.name, gid=f"band:{index}")
    for index, mark in enumerate(spec.marks):
        line = axes.axvline if mark.axis == "x" else axes.axhline
        at = frame.scale(mark.axis).of(mark.at)
        line(at, color=PAPER["chart-text"], linewidth=0.8, linestyle="--", label=mark.name, gid=f"mark:{index}")


def _series(axes: "Axes", series: Series, frame: Frame, gid: str) -> None:
    color = on_paper(series.role)
    axes.plot(
        [frame.x.of(point.x) for point in series.points],
        [frame.y.of(point.y) for point in series.points],
        label=series.name,
        color=color,
        marker=_MARKERS[series.shape],
        markerfacecolor="none" if series.shape == "square" else color,
        markersize=4.5,
        linestyle="-" if series.line else "none",
        linewidth=1.0,
        rasterized=len(series.points) > MANY_POINTS,
        gid=gid,
    )


def _spans(axes: "Axes", spans: Spans, frame: Frame, gid: str) -> None:
    """All stretches as one collection of lines."""
    at, low, high = zip(*spans.bars, strict=True)
    axes.hlines(
        [frame.y.of(place) for place in at],
        [frame.x.of(place) for place in low],
        [frame.x.of(place) for place in high],
        label=spans.name,
        color=on_paper(spans.role),
        linewidth=4.5,
        rasterized=len(spans.bars) > MANY_POINTS,
        gid=gid,
    )


def _interval(axes: "Axes", bar: IntervalBar, frame: Frame, gid: str) -> None:
    color, height = on_paper(bar.role), frame.y.of(bar.at)
    ends = [frame.x.of(bar.low), frame.x.of(bar.high)]
    axes.plot(ends, [height, height], color=color, linewidth=2.0, marker="|", markersize=9, label=bar.name, gid=gid)
    if bar.estimate is not None:
        axes.plot([frame.x.of(bar.estimate)], [height], color=color, marker="D", markersize=5, gid=f"{gid}:estimate")
