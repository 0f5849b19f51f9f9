"""A chart specification as plotly JSON: plain lists, own look, colours as names that the page's script resolves.

Every text is escaped: plotly reads tags in its texts, and labels come from evidence files.
"""

from html import escape
from typing import Final

from analysis.charts import ChartSpec, IntervalBar, Series, Spans
from reviews import printing
from reviews.charts.frame import Frame, Scale, frame_of
from reviews.charts.palette import token

Json = dict[str, object]

SYMBOLS: Final = {"circle": "circle", "square": "square-open", "diamond": "diamond", "cross": "x-thin-open"}
HEIGHT_PX: Final = 360
LINE_PX: Final = 26
"""Of a category along y: many of them make the plot higher."""
_FONT: Final = "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, Helvetica Neue, Arial, sans-serif"


def as_plotly_json(spec: ChartSpec) -> Json:
    """data, layout and config for Plotly.newPlot; strings that start with "@chart-" are names of colours."""
    frame = frame_of(spec)
    return {
        "data": _named_once(
            [
                *(_series(series, frame) for series in spec.series),
                *(_interval(bar, frame) for bar in spec.intervals),
                *(_spans(spans, frame) for spans in spec.spans),
            ]
        ),
        "layout": _layout(spec, frame),
        "config": {"displayModeBar": False, "responsive": True, "scrollZoom": False},
    }


def _named_once(traces: list[Json]) -> list[Json]:
    """The traces, of which those of one name stand once in the legend."""
    first = {trace["name"]: at for at, trace in reversed(list(enumerate(traces)))}
    return [trace if first[trace["name"]] == at else trace | {"showlegend": False} for at, trace in enumerate(traces)]


def _series(series: Series, frame: Frame) -> Json:
    color = token(series.role)
    return {
        "type": "scatter",
        "mode": "lines+markers" if series.line else "markers",
        "name": escape(series.name),
        "x": [frame.x.of(point.x) for point in series.points],
        "y": [frame.y.of(point.y) for point in series.points],
        "text": [escape(point.label) for point in series.points],
        "hovertemplate": "%{text}<br>%{y:.4g}" + _suffix(frame.y) + "<extra></extra>",
        "marker": {"color": color, "symbol": SYMBOLS[series.shape], "size": 9, "line": {"width": 2, "color": color}},
        "line": {"color": color, "width": 1.5},
    }


def _interval(bar: IntervalBar, frame: Frame) -> Json:
    """Low, estimate (when there is one), high as one line with a mark at the estimate and caps at the ends."""
    middle = [] if bar.estimate is None else [bar.estimate]
    places = [bar.low, *middle, bar.high]
    color = token(bar.role)
    caps = ["line-ns-open", *(["diamond"] if middle else []), "line-ns-open"]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": escape(bar.name),
        "x": [frame.x.of(place) for place in places],
        "y": [frame.y.of(bar.at)] * len(places),
        "text": [escape(bar.name)] * len(places),
        "hovertemplate": "%{text}<br>%{x:.4g}" + _suffix(frame.x) + "<extra></extra>",
        "marker": {"color": color, "symbol": caps, "size": 12, "line": {"width": 2, "color": color}},
        "line": {"color": color, "width": 3},
    }


def _spans(spans: Spans, frame: Frame) -> Json:
    """All stretches as one broken line."""
    color = token(spans.role)
    words = {place: " ".join(lines) for place, lines in frame.y.ticks}
    places = [(frame.y.of(at), frame.x.of(low), frame.x.of(high)) for at, low, high in spans.bars]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": escape(spans.name),
        "x": [end for _, low, high in places for end in (low, high, None)],
        "y": [end for at, _, _ in places for end in (at, at, None)],
        "text": [escape(words.get(at, "")) for at, _, _ in places for _ in range(3)],
        "hovertemplate": "%{text}<br>%{x:.4g}" + _suffix(frame.x) + "<extra></extra>",
        "connectgaps": False,
        "line": {"color": color, "width": 10},
    }


def _suffix(scale: Scale) -> str:
    return printing.with_unit("", scale.unit.name)


def has_legend(spec: ChartSpec) -> bool:
    """Whether more than one thing is drawn, so that each must be named."""
    return len(spec.series) + len(spec.intervals) + len(spec.bands) + len(spec.marks) + len(spec.spans) > 1


def _layout(spec: ChartSpec, frame: Frame) -> Json:
    return {
        "font": {"family": _FONT, "size": 13, "color": "@chart-text"},
        "paper_bgcolor": "@chart-paper",
        "plot_bgcolor": "@chart-paper",
        "margin": {"l": 70, "r": 20, "t": 10, "b": 50},
        "hovermode": "closest",
        "dragmode": False,
        "hoverlabel": {"bgcolor": "@chart-paper", "bordercolor": "@chart-text", "font": {"color": "@chart-text"}},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "showlegend": has_legend(spec),
        "height": max(HEIGHT_PX, LINE_PX * len(frame.y.ticks)) if spec.spans else HEIGHT_PX,
        "xaxis": _axis(frame.x),
        "yaxis": _axis(frame.y),
        "shapes": [*_bands(spec, frame), *_marks(spec, frame)],
    }


def _axis(scale: Scale) -> Json:
    drawn: Json = {
        "title": {"text": escape(scale.title), "font": {"size": 13}, "standoff": 8},
        "range": [_on(scale, scale.low), _on(scale, scale.high)],
        "type": "log" if scale.log else "linear",
        "gridcolor": "@chart-grid",
        "linecolor": "@chart-grid",
        "zeroline": False,
        "automargin": True,
        "fixedrange": True,
    }
    if scale.ticks:
        drawn |= {
            "tickvals": [place for place, _ in scale.ticks],
            "ticktext": ["<br>".join(map(escape, lines)) for _, lines in scale.ticks],
        }
    return drawn


def _on(scale: Scale, value: float) -> float:
    """A value as plotly wants it for ranges: the logarithm on a log axis."""
    return float(printing.exact(value).log10()) if scale.log else value


def _bands(spec: ChartSpec, frame: Frame) -> list[Json]:
    shapes: list[Json] = []
    for band in spec.bands:
        low, high = frame.scale(band.axis).ends(band)
        shapes.append(
            _across(band.axis, low, high)
            | _named(band.name)
            | {"type": "rect", "layer": "below", "line": {"width": 0}, "fillcolor": token(band.role), "opacity": 0.3}
        )
    return shapes


def _marks(spec: ChartSpec, frame: Frame) -> list[Json]:
    shapes: list[Json] = []
    for mark in spec.marks:
        at = frame.scale(mark.axis).of(mark.at)
        shapes.append(
            _across(mark.axis, at, at)
            | _named(mark.name)
            | {"type": "line", "line": {"color": "@chart-text", "width": 1, "dash": "dash"}}
        )
    return shapes


def _named(name: str) -> Json:
    """A shape that stands in the legend under its name."""
    return {"name": escape(name), "showlegend": True}


def _across(axis: str, low: float, high: float) -> Json:
    """Places of a shape that spans the whole other axis."""
    if axis == "x":
        return {"xref": "x", "yref": "paper", "x0": low, "x1": high, "y0": 0, "y1": 1}
    return {"xref": "paper", "yref": "y", "x0": 0, "x1": 1, "y0": low, "y1": high}
