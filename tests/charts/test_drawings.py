"""The page's drawing and the PDF's drawing, and that both hold the same numbers."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike
from plotly import graph_objects

import reviews
from analysis.charts import Band, ChartSpec, Mark
from reviews.charts import palette, plotting, svg
from tests.charts import specs

Numbers = list[tuple[float, ...]]
SPECS = [
    specs.runs_by_block(),
    specs.interval_and_margin(),
    replace(
        specs.runs_by_block(),
        bands=(Band("usual", "y", 0.099, None, "margin"),),
        marks=(Mark("limit", "y", 0.105),),
    ),
]
LOG = replace(specs.runs_by_block(), y=replace(specs.runs_by_block().y, log=True))


def on_the_page(spec: ChartSpec) -> dict[str, Any]:
    figure: dict[str, Any] = json.loads(json.dumps(plotting.as_plotly_json(spec)))
    return figure


def numbers_of_the_page(spec: ChartSpec) -> dict[str, Numbers]:
    """Places of marks, bands and lines in plotly's JSON."""
    figure = on_the_page(spec)
    traces = [tuple(zip(trace["x"], trace["y"], strict=True)) for trace in figure["data"]]
    shapes: Numbers = [
        (shape["x0"], shape["x1"]) if shape["yref"] == "paper" else (shape["y0"], shape["y1"])
        for shape in figure["layout"]["shapes"]
    ]
    return {"marks": [place for trace in traces for place in trace], "spans": shapes}


def floats(data: ArrayLike) -> list[float]:
    found: list[float] = np.asarray(data, dtype=float).tolist()
    return found


def numbers_of_the_pdf(spec: ChartSpec) -> dict[str, Numbers]:
    """The same from matplotlib's artists, which are drawn in the order of the specification."""
    axes = svg.figure_of(spec).axes[0]
    marks: Numbers = []
    for line in axes.lines:
        if str(line.get_gid()).startswith(("series", "interval")):
            places = list(zip(floats(line.get_xdata()), floats(line.get_ydata()), strict=True))
            if str(line.get_gid()).endswith("estimate"):
                marks.insert(len(marks) - 1, places[0])
            else:
                marks.extend(places)
    spans: Numbers = []
    for patch in axes.patches:
        assert isinstance(patch, Rectangle)
        box = patch.get_bbox()
        index = int(str(patch.get_gid()).removeprefix("band:"))
        spans.append((box.x0, box.x1) if spec.bands[index].axis == "x" else (box.y0, box.y1))
    for line in axes.lines:
        if str(line.get_gid()).startswith("mark"):
            index = int(str(line.get_gid()).removeprefix("mark:"))
            at = floats(line.get_xdata() if spec.marks[index].axis == "x" else line.get_ydata())[0]
            spans.append((at, at))
    return {"marks": marks, "spans": spans}


@pytest.mark.parametrize("spec", SPECS)
def test_page_and_pdf_hold_the_same_numbers(spec: ChartSpec) -> None:
    page, pdf = numbers_of_the_page(spec), numbers_of_the_pdf(spec)

    assert page["marks"]
    assert pdf["marks"] == page["marks"]
    assert pdf["spans"] == [pytest.approx(span) for span in page["spans"]]


@pytest.mark.parametrize("spec", SPECS)
def test_page_and_pdf_show_the_same_range_and_the_same_axis_titles(spec: ChartSpec) -> None:
    layout, axes = on_the_page(spec)["layout"], svg.figure_of(spec).axes[0]

    assert [layout["xaxis"]["range"], layout["yaxis"]["range"]] == [list(axes.get_xlim()), list(axes.get_ylim())]
    assert [layout["xaxis"]["title"]["text"], layout["yaxis"]["title"]["text"]] == [
        axes.get_xlabel(),
        axes.get_ylabel(),
    ]


def test_a_logarithmic_axis_is_one_on_both() -> None:
    layout, axes = on_the_page(LOG)["layout"], svg.figure_of(LOG).axes[0]

    assert layout["yaxis"]["type"] == axes.get_yscale() == "log"
    assert [10**end for end in layout["yaxis"]["range"]] == pytest.approx(list(axes.get_ylim()))


@pytest.mark.parametrize("spec", [*SPECS, LOG])
def test_plotly_accepts_the_figure_once_its_colours_are_filled_in(spec: ChartSpec) -> None:
    text = re.sub(r"@(chart-[a-z]+)", lambda found: palette.PAPER[found[1]], json.dumps(on_the_page(spec)))
    figure = json.loads(text)

    drawn = graph_objects.Figure(data=figure["data"], layout=figure["layout"])

    assert len(drawn.data) == len(spec.series) + len(spec.intervals)


def test_numbers_travel_as_plain_lists() -> None:
    assert "bdata" not in json.dumps(plotting.as_plotly_json(specs.runs_by_block(points=700)))


def test_text_of_evidence_files_is_no_markup_in_a_plot() -> None:
    spec = specs.runs_by_block(name="<a href='x'>run</a>")

    assert "<a" not in json.dumps(plotting.as_plotly_json(spec))


def test_one_series_alone_needs_no_legend() -> None:
    spec = specs.runs_by_block()
    alone = replace(spec, series=spec.series[:1])

    assert on_the_page(alone)["layout"]["showlegend"] is False
    assert svg.figure_of(alone).legends == []


@pytest.mark.parametrize("spec", SPECS)
def test_the_same_specification_gives_the_same_svg_bytes(spec: ChartSpec) -> None:
    assert svg.as_svg(spec) == svg.as_svg(spec)


def test_the_svg_names_the_fonts_of_the_pdf_and_no_date() -> None:
    text = svg.as_svg(specs.runs_by_block())

    assert "'Inter', 'DejaVu Sans'" in text
    assert "<dc:date>" not in text
    assert "step time (ms)</text>" in text


def test_many_points_become_one_picture() -> None:
    few, many = (svg.as_svg(specs.runs_by_block(points=points)) for points in (500, 501))

    assert ("data:image/png" in few, "data:image/png" in many) == (False, True)


def test_a_dollar_sign_is_no_formula() -> None:
    spec = replace(specs.interval_and_margin(), marks=(Mark("$50 a$", "x", 1.0),))

    assert "$50 a$" in svg.as_svg(spec)


def test_the_colours_of_paper_are_the_light_ones_of_the_pages() -> None:
    css = (Path(reviews.__file__).parent / "static/reviews/base.css").read_text()
    light = css.split("@media (prefers-color-scheme: dark)")[0]

    assert dict(re.findall(r"--(chart-[a-z]+): (#[0-9a-f]{6});", light)) == palette.PAPER


def test_dark_pages_give_every_colour_of_charts_another_value() -> None:
    css = (Path(reviews.__file__).parent / "static/reviews/base.css").read_text()
    dark = dict(re.findall(r"--(chart-[a-z]+): (#[0-9a-f]{6});", css.split("@media (prefers-color-scheme: dark)")[1]))

    assert dark.keys() == palette.PAPER.keys()
    assert all(dark[name] != value for name, value in palette.PAPER.items())
