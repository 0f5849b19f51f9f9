"""What both drawings share."""

from dataclasses import replace

import pytest

from analysis.charts import Axis, Band, ChartSpec
from reviews.charts import stored
from reviews.charts.frame import frame_of, table_of
from tests.charts import specs


def test_an_axis_is_named_in_the_unit_that_people_use() -> None:
    frame = frame_of(specs.runs_by_block())

    assert frame.y.title == "step time (ms)"
    assert frame.y.of(0.1) == pytest.approx(100)


def test_all_that_is_shown_lies_inside_the_picture() -> None:
    spec = specs.interval_and_margin()

    scale = frame_of(spec).x

    assert scale.low < min(bar.low for bar in spec.intervals)
    assert scale.high > max(band.high or 0 for band in spec.bands)


def test_an_open_end_of_a_band_goes_to_the_edge() -> None:
    spec = replace(specs.interval_and_margin(), bands=(Band("worse", "x", None, 0.98, "margin"),))
    scale = frame_of(spec).x

    assert scale.ends(spec.bands[0]) == (scale.low, 0.98)
    assert scale.ends(replace(spec.bands[0], low=0.9, high=None)) == (0.9, scale.high)


def test_a_single_value_gets_room_around_it() -> None:
    spec = specs.runs_by_block(points=1)
    scale = frame_of(replace(spec, series=spec.series[:1])).y

    assert scale.low < 100.001 < scale.high


def test_a_logarithmic_axis_is_padded_by_a_factor() -> None:
    spec = specs.runs_by_block()
    scale = frame_of(replace(spec, y=replace(spec.y, log=True))).y

    assert 0 < scale.low < 99.113
    assert scale.high > 111.484


def test_a_chart_without_any_value_is_not_drawn() -> None:
    empty = replace(specs.runs_by_block(), series=(), x=Axis("block", "", log=False, ticks=()))

    with pytest.raises(ValueError, match="without any value"):
        frame_of(empty)


def test_the_table_has_one_unit_for_a_column_and_says_what_was_not_measured() -> None:
    block, baseline, candidate, requests = table_of(specs.runs_by_block())

    assert (block.head, block.numeric) == ("block", False)
    assert (baseline.head, baseline.cells[0]) == ("baseline (ms)", "100.0")
    assert (candidate.numeric, candidate.cells[:2]) == (True, ("not measured", "110.1"))
    assert requests.cells[0] == "1,200"


def test_bounds_in_the_table_stay_as_they_were_rounded() -> None:
    low = table_of(specs.interval_and_margin())[1]

    assert low.cells == ("0.8971", "0.89189189")


@pytest.mark.parametrize("spec", [specs.runs_by_block(), specs.interval_and_margin()])
def test_a_specification_survives_its_json(spec: ChartSpec) -> None:
    assert stored.from_json(stored.to_json(spec)) == spec
