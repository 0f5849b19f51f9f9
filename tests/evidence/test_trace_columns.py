"""Events of a trace as columns, whatever way their times were read."""

from decimal import Decimal

import msgspec
import pytest

from analysis.evidence.trace_columns import NOT_PAIRED, Columns, nanoseconds
from analysis.evidence.trace_event import Args, Event, ExactEvent
from analysis.traces.events import Kind, Lane


def any_kind(_cat: str, _name: str, _lane: Lane) -> Kind:
    return Kind.KERNEL


@pytest.mark.parametrize(
    ("begins", "ends"),
    [
        (Event(ph="B", ts=1.5), ExactEvent(ph="E", ts=Decimal("3.25"))),
        (ExactEvent(ph="B", ts=Decimal("1.5")), Event(ph="E", ts=3.25)),
        (Event(ph="B", ts=1.5), Event(ph="E", ts=3.25)),
    ],
)
def test_a_beginning_and_its_end_meet_however_their_times_were_read(begins: Event, ends: Event) -> None:
    columns = Columns()
    columns.add([begins])
    columns.add([ends])
    found = columns.gathered(any_kind, named=False)

    assert found.events.length.tolist() == [1750]
    assert found.unplaced == {}


def test_an_end_without_a_beginning_is_counted() -> None:
    columns = Columns()
    columns.add([Event(ph="E", ts=1.0), Event(ph="B", ts=2.0), ExactEvent(ph="E", ts=Decimal("NaN"))])

    assert columns.gathered(any_kind, named=False).unplaced == {NOT_PAIRED: 2}


def test_a_whole_number_that_no_float_holds_is_no_time() -> None:
    found, placed = nanoseconds([10**400, 2, -(10**400), 1.5], 0, 10**6)

    assert placed.tolist() == [False, True, False, True]
    assert found[placed].tolist() == [2000, 1500]


def test_bytes_that_are_a_whole_number_are_kept() -> None:
    stated = [b"4096", b"0", b'"4096"', b"-1", b"1e3", b"9" * 18, b""]
    columns = Columns()
    columns.add(
        [Event(ph="X", ts=float(n), dur=1.0, args=Args(octets=msgspec.Raw(said))) for n, said in enumerate(stated)]
    )
    columns.add([Event(ph="X", ts=90.0, dur=1.0)])
    found = columns.gathered(any_kind, named=False).events.octets

    assert found is not None
    assert found.tolist() == [4096, 0, -1, -1, -1, -1, -1, -1]


def test_a_trace_without_bytes_has_no_column_of_them() -> None:
    columns = Columns()
    columns.add([Event(ph="X", ts=1.0, dur=1.0, args=Args())])

    assert columns.gathered(any_kind, named=False).events.octets is None
