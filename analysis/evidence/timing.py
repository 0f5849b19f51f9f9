"""Times in our own format: when a run began and ended, the window of its work, and when a row was measured."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from analysis.errors import MalformedEvidence, Refused
from analysis.evidence import values
from analysis.evidence.collect import Run
from analysis.evidence.values import Json
from analysis.instants import moment_of

WINDOW: Final = ("window_start", "window_end")


def epoch_ns(fields: Mapping[str, Json], key: str, place: str) -> int | None:
    """Epoch nanoseconds of `started_at` or `ended_at`, to the microsecond; None where the run has none.

    Raises:
        MalformedEvidence: not_text, not_a_time.
    """
    if key not in fields:
        return None
    where = f"{place}.{key}"
    written = values.text(fields[key], where)
    try:
        moment = datetime.fromisoformat(written)
    except ValueError as error:
        raise MalformedEvidence("this is no ISO 8601 time", where=where, code="not_a_time") from error
    if moment.tzinfo is None:
        raise MalformedEvidence("the time has no zone: add Z or an offset", where=where, code="not_a_time")
    return round(moment.timestamp() * 10**6) * 1000


def keep_window(run: Run, fields: Mapping[str, Json], place: str) -> None:
    """Keep the window of the work as it is written, if there is one.

    Raises:
        MalformedEvidence: missing (one end only), reversed, and what `timed` raises.
    """
    if not any(name in fields for name in WINDOW):
        return
    places = [f"{place}.{name}" for name in WINDOW]
    written = [values.needed(fields, name, where) for name, where in zip(WINDOW, places, strict=True)]
    start, end = (timed(run, value, where) for value, where in zip(written, places, strict=True))
    if end <= start:
        raise MalformedEvidence("the window ends before it starts", where=places[1], code="reversed")
    for name, value, where in zip(WINDOW, written, places, strict=True):
        run.identified(name, value, where)


def timed(run: Run, value: Json, where: str) -> int:
    """The time in nanoseconds. All rows of a run, and its window, are timed on one clock.

    Raises:
        MalformedEvidence: not_text, not_finite, not_a_time, too_fine, mixed_clocks.
    """
    written = values.numeral(value, where).text if isinstance(value, values.Numeral) else values.text(value, where)
    try:
        moment = moment_of(written)
    except Refused as refused:
        raise MalformedEvidence(refused.message, where=where, code=refused.code) from refused
    if run.clock not in ("", moment.clock):
        message = "the run gives some times as instants and others in seconds: use one clock"
        raise MalformedEvidence(message, where=where, code="mixed_clocks")
    run.clock = moment.clock
    return moment.ns


def timed_all(run: Run, value: Json, where: str, count: int) -> list[int]:
    """The times of `count` values. Raises what `timed` raises, not_a_list, lengths_differ."""
    written = values.items(value, where)
    if len(written) != count:
        message = f"there are {len(written)} times for {count} values"
        raise MalformedEvidence(message, where=where, code="lengths_differ")
    return [timed(run, one, f"{where}[{i}]") for i, one in enumerate(written)]
