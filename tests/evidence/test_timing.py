"""Times in our own format: rows of power and counters, and the window of the work."""

import pytest

from analysis.errors import MalformedEvidence
from tests.evidence import make

HEAD = "run,metric,stat,value,unit,at"
PLACE = "x.json:runs[0]"
ROW = f"{PLACE}.measurements[0]"
POWER = {"metric": "power", "unit": "W"}
COUNT = {"metric": "energy_counter", "unit": "1"}

BAD = [
    (make.measured(**POWER, value=1, at="soon"), "not_a_time", f"{ROW}.value (at)"),
    (make.measured(**POWER, value=1, at="2026-01-01T00:00:00"), "not_a_time", f"{ROW}.value (at)"),
    (make.measured(**POWER, value=1, at="0.0000000001"), "too_fine", f"{ROW}.value (at)"),
    (make.measured(**POWER, value=1, at=True), "not_text", f"{ROW}.value (at)"),
    (make.measured(**POWER, value=..., values=[1, 2], at=3), "not_a_list", f"{ROW}.values (at)"),
    (make.measured(**POWER, value=..., values=[1, 2], at=[3]), "lengths_differ", f"{ROW}.values (at)"),
    (
        make.measured(**POWER, value=..., values=[1, 2], at=[3, "2026-01-01T00:00:00Z"]),
        "mixed_clocks",
        f"{ROW}.values (at)[1]",
    ),
    (make.measurements(window_start=1), "missing", f"{PLACE}.window_end"),
    (make.measurements(window_start=1, window_end=1), "reversed", f"{PLACE}.window_end"),
    (make.measurements(window_start=1, window_end="2026-01-01T00:00:00Z"), "mixed_clocks", f"{PLACE}.window_end"),
    (make.measurements(ended_at="later"), "not_a_time", f"{PLACE}.ended_at"),
    (make.measured(**COUNT, value=1.5), "not_a_count", f"{ROW}.value"),
    (make.measured(**COUNT, value=-1), "negative", f"{ROW}.value"),
    (make.measured(**COUNT | {"unit": "%"}, value=1), "unit_mismatch", f"{ROW}.value"),
    (make.measured(**COUNT | {"unit": "J"}, value=1), "unit_mismatch", f"{ROW}.value"),
]


@pytest.mark.parametrize(("content", "code", "where"), BAD)
def test_a_bad_time_or_count_is_refused_by_its_place(content: object, code: str, where: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(content)

    assert (refusal.value.code, refusal.value.where) == (code, where)


@pytest.mark.parametrize(
    ("table", "code", "where"),
    [
        (f"{HEAD}\na,power,value,1,W,noon\n", "not_a_time", "x.csv:2.value (at)"),
        (
            f"{HEAD}\na,power,value,1,W,1\na,power,value,1,W,1970-01-01T00:00:02Z\n",
            "mixed_clocks",
            "x.csv:3.value (at)",
        ),
        (f"{HEAD},window_start\na,power,value,1,W,1,0\n", "missing", "x.csv:2.window_end"),
    ],
)
def test_a_bad_time_in_a_table_is_refused_by_its_place(table: str, code: str, where: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(table, name="x.csv")

    assert (refusal.value.code, refusal.value.where) == (code, where)


def test_a_sample_keeps_its_time_and_may_be_missing_with_a_reason() -> None:
    entry = {**POWER, "value": ..., "values": [1, None], "at": ["0.25", 1], "reason": "the sensor did not answer"}

    reading = make.read(make.measured(**entry))

    assert [(m.value, m.started_ns) for m in reading.measurements] == [(1.0, 250_000_000), (None, 1_000_000_000)]


def test_the_window_and_the_end_are_kept_as_written() -> None:
    reading = make.read(make.measurements(window_start=0, window_end="1.50", ended_at="1970-01-01T00:00:02Z"))

    assert [(s.name, s.value, s.role) for s in reading.settings] == [
        ("window_start", "0", "identity"),
        ("window_end", "1.50", "identity"),
    ]
    assert reading.runs[0].ended_ns == 2_000_000_000


def test_a_count_may_be_zero_and_large() -> None:
    reading = make.read(make.measured(**COUNT, value=..., values=[0, 2**62 + 1], at=[0, 1]))

    assert [m.original for m in reading.measurements] == ["0", str(2**62 + 1)]
