"""The chart of stages: the first on top, against no change and the margin."""

from fractions import Fraction

import pytest

from analysis.breakdown_chart import stages_chart
from tests.analysis.recorded import Row, assessed, row, stages


def arms(count: int = 5, *, fixed: float = 0.0) -> list[list[list[Row]]]:
    return [
        [
            [
                row("wall_time", 1.0 + 0.01 * ((3 * i) % 5) + 0.1 * arm),
                *stages(load=fixed or 0.1 + 0.001 * ((2 * i) % 5), send=0.2 + 0.1 * arm + 0.001 * i),
            ]
            for i in range(count)
        ]
        for arm in (0, 1)
    ]


def test_every_stage_is_a_bar_in_its_order() -> None:
    chart = stages_chart(assessed(*arms()))

    assert chart is not None
    assert [(bar.name, bar.at) for bar in chart.intervals] == [("load", 2.0), ("send", 1.0)]
    assert chart.y.ticks == ((2.0, "load"), (1.0, "send"))
    assert chart.marks[0].at == 1.0
    assert (chart.bands[0].low, chart.bands[0].high) == pytest.approx((1 / 1.02, 1.02))
    assert chart.subtitle == "all intervals hold together at 95 %"
    assert [row_[0] for row_ in chart.rows] == ["load", "send"]


def test_differences_are_in_seconds_around_zero() -> None:
    chart = stages_chart(assessed(*arms(), scale="difference", margin=Fraction("0.05")))

    assert chart is not None
    assert (chart.x.unit, chart.marks[0].at) == ("s", 0.0)
    assert (chart.bands[0].low, chart.bands[0].high) == (-0.05, 0.05)


def test_a_stage_without_an_interval_stands_in_the_table_only() -> None:
    chart = stages_chart(assessed(*arms(fixed=0.1)))

    assert chart is not None
    assert [bar.name for bar in chart.intervals] == ["send"]
    assert chart.rows[0] == ("load", None, 1.0, None)


def test_without_stages_or_intervals_nothing_is_drawn() -> None:
    whole = [[rows[:1] for rows in arm] for arm in arms()]

    assert stages_chart(assessed(*whole)) is None
    assert stages_chart(assessed(*arms(1))) is None
