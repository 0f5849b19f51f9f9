"""From the rows of a run to the energy of its window: its samples of power, or its readings of an energy counter.

Devices (the stages of the rows) are added; rows without a stage are the whole, and then the parts are not added to it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from analysis.bounds import Bounds
from analysis.energy import Counter
from analysis.errors import Refused
from analysis.exact import parse_exact
from analysis.inputs import LabelledRun
from analysis.instants import SECOND, moment_of
from analysis.metering import Metering, Source
from analysis.notices import Notice
from analysis.power import Energy, Window, window_of
from analysis.table import NONE, Table
from analysis.units import to_base
from analysis.window_energy import Readings, WindowEnergy, of_counter, of_samples

ROWS: Final[Mapping[Source, str]] = {"samples": "power", "counter": "energy_counter"}
WINDOW: Final = ("window_start", "window_end")
NO_WORK: Final = ("idle", "ranging")


@dataclass(frozen=True, slots=True)
class IdleEnergy:
    """What a host took while it was idle, over the window of its idle rows."""

    energy: WindowEnergy
    window: Window
    host: str


def setting_of(run: LabelledRun, key: str, name: str) -> str:
    """What run `key` of the file of `run` says of a setting, "" when it says nothing."""
    return next((s.value for s in run.reading.settings_of(key) if s.name == name), "")


def window_of_run(run: LabelledRun) -> Window:
    """The window that the run states, else from its start to its end.

    Raises:
        Refused: no_window, reversed.
    """
    ends = [setting_of(run, run.run.key, name) for name in WINDOW]
    if all(ends):
        start, end = (Fraction(moment_of(end).ns, SECOND) for end in ends)
        return window_of(start, end)
    if run.run.started_ns is None or run.run.ended_ns is None:
        raise Refused(
            "no_window",
            "The run does not say in which window its work was done.",
            "State window_start and window_end, or started_at and ended_at.",
        )
    return window_of(Fraction(run.run.started_ns, SECOND), Fraction(run.run.ended_ns, SECOND))


def rows_of(run: LabelledRun, key: str, source: Source) -> Table:
    """The rows of that source of run `key` that hold a value, of every phase."""
    return run.reading.measurements.only(metric=ROWS[source], run=key, kind="raw").measured()


def of_work(run: LabelledRun, window: Window, metering: Metering) -> WindowEnergy:
    """The energy that the run took in its window.

    Raises:
        Refused: not_measured, untimed_samples, bad_counter, and what `of_samples` and `of_counter` refuse.
    """
    rows = rows_of(run, run.run.key, metering.source)
    for phase in NO_WORK:
        rows = rows.where(rows.codes("phase") != rows.words("phase").code_of(phase))
    if not len(rows):
        return as_reported(run, window, metering.source)
    return _of_devices(rows, run, run.run.key, window, metering)


def as_reported(run: LabelledRun, window: Window, source: Source) -> WindowEnergy:
    """The energy as the tool reckoned it from its own samples: a rise of counters, or mean power times the window.

    Raises:
        Refused: not_measured.
    """
    own = run.reading.of_run(run.run.key).only(kind="aggregate", stage="").measured()
    metric, stat = ("energy", "total") if source == "counter" else ("power", "mean")
    held = own.only(metric=metric, stat=stat)
    if len(held) != 1:
        raise Refused(
            "not_measured",
            f"The run holds no {ROWS[source]} of its work.",
            "Attach runs that hold it, or the log of power beside them; or declare the source that they have.",
        )
    joules = float(held.values[0]) * (1.0 if source == "counter" else float(window.seconds))
    said = "The energy is as the tool reports it, from samples that the file does not hold: nothing bounds it here."
    energy = Energy(joules, window, 0, 0.0, "reported", (Notice("energy_as_reported", said),))
    return WindowEnergy(energy, None, None, 0, 0.0, None)


def of_idle(run: LabelledRun, metering: Metering) -> IdleEnergy:
    """The idle energy of the run's own rows, else of the first run of its file that names the same host.

    Raises:
        Refused: idle_not_measured, idle_of_another_host, and what `of_work` refuses.
    """
    host, own = setting_of(run, run.run.key, "host"), run.run.key
    hosts = {own: host, **{other.key: setting_of(run, other.key, "host") for other in run.reading.runs}}
    held = {key: rows for key in hosts if len(rows := rows_of(run, key, metering.source).only(phase="idle"))}
    key = next((key for key in held if key == own or (host and hosts[key] == host)), None)
    if key is not None:
        times = held[key].number("started_ns")
        window = window_of(Fraction(int(times.min()), SECOND), Fraction(int(times.max()), SECOND))
        return IdleEnergy(_of_devices(held[key], run, key, window, metering), window, host)
    if held:
        raise Refused(
            "idle_of_another_host",
            f"The file holds idle rows, and none of them of {host or 'a run with a known host'}.",
            "Measure the same host idle, and name it in both runs.",
        )
    raise Refused(
        "idle_not_measured", "Net energy needs the idle power of the host.", "Measure the host idle, or use gross."
    )


def _of_devices(rows: Table, run: LabelledRun, key: str, window: Window, metering: Metering) -> WindowEnergy:
    if (rows.number("started_ns") == NONE).any():
        raise Refused("untimed_samples", "A row of power carries no time.", 'Give every row its time, "at".')
    counter = counter_of(run, key, metering) if metering.source == "counter" else None
    by_stage = rows.by("stage")
    devices = [by_stage[""]] if "" in by_stage else list(by_stage.values())
    found = added([_of_device(part, counter, window, metering) for part in devices])
    names = [""] if "" in by_stage else list(by_stage)
    named = (replace(one, device=name) for one, name in zip(found.devices, names, strict=True))
    return replace(found, devices=tuple(named))


def _of_device(rows: Table, counter: Counter | None, window: Window, metering: Metering) -> WindowEnergy:
    seconds = tuple(Fraction(ns, SECOND) for ns in rows.number("started_ns").tolist())
    if counter is not None:
        return of_counter(Readings(seconds, _counts(rows), counter), window, metering)
    units, codes = rows.words("original_unit").known, rows.codes("original_unit").tolist()
    watts = [to_base(written, units[code]).value for written, code in zip(rows.texts("original"), codes, strict=True)]
    return of_samples(seconds, watts, window, metering)


def _counts(rows: Table) -> tuple[int, ...]:
    """The readings of a counter, in counts: as written, or as the parser made them of another unit."""
    counted = rows.codes("original_unit") == rows.words("original_unit").code_of("1")
    told = zip(rows.texts("original"), rows.values.tolist(), counted.tolist(), strict=True)
    return tuple(int(parse_exact(written)) if as_written else round(value) for written, value, as_written in told)


def counter_of(run: LabelledRun, key: str, metering: Metering) -> Counter:
    """The counter as the run states it: `counter_unit`, "mJ" or "15.3 uJ", and `counter_modulus` in counts.

    Raises:
        Refused: bad_counter.
    """
    said, top = setting_of(run, key, "counter_unit").strip(), setting_of(run, key, "counter_modulus")
    amount, _, unit = said.rpartition(" ")
    try:
        joules = to_base(amount or "1", unit)
        modulus = parse_exact(top) if top else None
    except Refused as refused:
        raise _bad_counter(said, top) from refused
    if joules.unit != "J" or joules.value <= 0 or (modulus is not None and (modulus.denominator > 1 or modulus < 1)):
        raise _bad_counter(said, top)
    return Counter(joules.value, None if modulus is None else int(modulus), metering.cap)


def _bad_counter(unit: str, modulus: str) -> Refused:
    return Refused(
        "bad_counter",
        f"A counter of {unit or 'an unstated unit'} that wraps at {modulus or 'an unstated count'} counts no energy.",
        'State counter_unit, such as "1 mJ", and counter_modulus as a whole number of counts or not at all.',
    )


def added(parts: Sequence[WindowEnergy]) -> WindowEnergy:
    """The energy of all devices: a point when each has one, bounds when each has them."""
    problems = [part.problem for part in parts if part.problem is not None]
    return WindowEnergy(
        _energies([part.energy for part in parts]),
        _bounds([part.bounds for part in parts]),
        _bounds([part.compared for part in parts]),
        min(part.samples for part in parts),
        max(part.gap_share for part in parts),
        problems[0] if problems else None,
        tuple(device for part in parts for device in part.devices),
    )


def _energies(parts: Sequence[Energy | None]) -> Energy | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    first, notices = known[0], tuple(dict.fromkeys(notice for part in known for notice in part.notices))
    joules, share = sum(part.joules for part in known), max(part.gap_share for part in known)
    return Energy(joules, first.window, min(part.samples for part in known), share, first.method, notices)


def _bounds(parts: Sequence[Bounds | None]) -> Bounds | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    low, high = sum(part.lo for part in known), sum(part.hi for part in known)
    return Bounds(Fraction(low), Fraction(high), "J", known[0].assumptions)
