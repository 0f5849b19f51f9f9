"""Stretches of time: the page and the PDF draw the same ones."""

import json
from dataclasses import replace
from typing import Any

import pytest
from matplotlib.collections import LineCollection

from analysis.charts import Axis, ChartSpec, Column, Spans
from reviews.charts import plotting, stored, svg
from reviews.charts.svg import figure_of

BARS = ((2.17, 0.0, 0.001), (2.17, 0.002, 0.003), (1.17, 0.0005, 0.0025))
SPEC = ChartSpec(
    title="Timeline", subtitle="", x=Axis("time", "s", log=False, ticks=()),
    y=Axis("", "", log=False, ticks=((2.0, "host <work>"), (1.0, "device 1 compute"))),
    series=(), intervals=(), bands=(), marks=(), columns=(Column("lane", ""), Column("busy", "s")),
    rows=(("host work", 0.002), ("device 1 compute", 0.002)),
    spans=(Spans("baseline", "baseline", BARS), Spans("candidate", "candidate", ((1.83, 0.0, 0.004),))),
)  # fmt: skip


def page(spec: ChartSpec = SPEC) -> dict[str, Any]:
    figure: dict[str, Any] = json.loads(json.dumps(plotting.as_plotly_json(spec)))
    return figure


def test_page_and_pdf_hold_the_same_stretches() -> None:
    drawn = page()["data"]
    lines = [c for c in figure_of(SPEC).axes[0].collections if isinstance(c, LineCollection)]

    for one, other in zip(drawn, lines, strict=True):
        ends = [(x, y) for x, y in zip(one["x"], one["y"], strict=True) if x is not None]
        assert ends == [pytest.approx(tuple(point)) for segment in other.get_segments() for point in segment]
    assert [one["name"] for one in drawn] == ["baseline", "candidate"]
    assert drawn[0]["x"][2::3] == [None, None, None]


def test_their_words_are_no_markup() -> None:
    assert "<work>" not in json.dumps(page())


def test_many_lines_make_the_picture_higher() -> None:
    ticks = tuple((float(n), f"lane {n}") for n in range(40))
    high = replace(SPEC, y=Axis("", "", log=False, ticks=ticks))

    assert page()["layout"]["height"] == plotting.HEIGHT_PX
    assert page(high)["layout"]["height"] == 40 * plotting.LINE_PX
    assert figure_of(high).get_figheight() > figure_of(SPEC).get_figheight()


def test_many_stretches_become_one_picture() -> None:
    many = Spans("baseline", "baseline", tuple((1.0, n / 1000, n / 1000 + 0.0005) for n in range(svg.MANY_POINTS + 1)))

    assert "<image" in svg.as_svg(replace(SPEC, spans=(many,)))
    assert "<image" not in svg.as_svg(SPEC)


def test_they_survive_their_json_and_older_specifications_have_none() -> None:
    kept = stored.to_json(SPEC)

    assert stored.from_json(json.loads(json.dumps(kept))) == SPEC
    del kept["spans"]
    assert stored.from_json(kept).spans == ()
