"""A sweep over batch sizes, concurrency, or a grid of settings: which runs there are at each point, and their numbers.

Any evidence serves, one file for each size or one table for all. The unit is the run: requests are reduced within it.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from analysis.errors import Refused
from analysis.exact import parse_exact, plain_decimal
from analysis.failures import why_failed
from analysis.inputs import LabelledRun
from analysis.notices import Notice, Refusal, named
from analysis.sweep_checks import Key, check_sweep
from analysis.sweep_numbers import Quantity, RunNumber, SweepPlan, numbers_of, quantities_of

BATCHES: Final = ("max_batch", "max_batch_size", "batch_size", "batch", "static_batch_size")
IN_FLIGHT: Final = (
    "max_num_seqs", "max_concurrency", "loadgen.concurrency", "concurrency", "concurrent_streams",
    "max_num_batched_tokens", "max_num_tokens", "request_rate", "loadgen.request_rate",
)  # fmt: skip
CONCURRENCIES: Final = ("max_concurrency", "loadgen.concurrency", "concurrency", "concurrent_streams")
TOGETHER: Final = (
    (*CONCURRENCIES, "request_rate", "loadgen.request_rate"), ("max_num_seqs",),
    ("max_num_batched_tokens", "max_num_tokens"),
)  # fmt: skip
"""What makes one grid, in this order: the load, the sequences at once, the tokens of a step."""
TIMES: Final = " × "


@dataclass(frozen=True, slots=True)
class PointRun:
    """One run of a point, with its numbers by quantity. artifact: SHA-256 of its file. failed: why, or ""."""

    label: str
    artifact: str
    block: str
    numbers: Mapping[str, RunNumber]
    failed: str


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """All runs at one value of the varied settings. at: the first one's; label: all, as the files say."""

    at: float
    label: str
    runs: tuple[PointRun, ...]

    def values(self, quantity: str) -> tuple[float, ...]:
        """The values of the runs from which something may be concluded."""
        found = (run.numbers[quantity] for run in self.runs if not run.failed)
        return tuple(one.value for one in found if one.value is not None and one.problem is None)

    def shown(self, quantity: str) -> tuple[float, ...]:
        """The values of all runs that have one."""
        found = (run.numbers[quantity].value for run in self.runs if not run.failed)
        return tuple(value for value in found if value is not None)

    def problem(self, quantity: str) -> Refusal | None:
        """Why some run says nothing of the quantity, the first such reason."""
        found = (run.numbers[quantity].problem for run in self.runs if not run.failed)
        return next((problem for problem in found if problem is not None), None)


@dataclass(frozen=True, slots=True)
class BatchSweep:
    """The points, the least first. in_flight: the engine forms batches while it works, so batch size is no setting.

    varied: the settings in words; axes: their names, more than one where the points are a grid.
    """

    varied: str
    axes: tuple[str, ...]
    in_flight: bool
    points: tuple[SweepPoint, ...]
    quantities: tuple[Quantity, ...]
    offered: float | None
    devices: int
    notices: tuple[Notice, ...]

    def quantity(self, name: str) -> Quantity:
        """The quantity of that name.

        Raises:
            Refused: not_measured.
        """
        for one in self.quantities:
            if one.name == name:
                return one
        measured = named([one.name for one in self.quantities]) or "nothing"
        raise Refused(
            "not_measured", f"The sweep has no {name}; it measured {measured}.", "Attach runs that measure it."
        )


def read_sweep(runs: Sequence[LabelledRun], plan: SweepPlan) -> BatchSweep:
    """The sweep that these runs are.

    Raises:
        Refused: no_sweep (no setting with two values), ambiguous_sweep (several that are no grid).
    """
    single = _once(runs)
    axes = tuple(name.strip() for name in plan.varied.split(",") if name.strip()) or _varied(single)
    varied = TIMES.join(axes)
    groups: defaultdict[Key, list[LabelledRun]] = defaultdict(list)
    apart = []
    for run in single:
        found = [_at(run, name) for name in axes]
        key = tuple(at for at in found if at is not None)
        if len(key) < len(axes):
            apart.append(run.label)
        else:
            groups[key].append(run)
    if len(groups) < 2:
        raise Refused(
            "no_sweep",
            f"{len(groups)} value(s) of {varied} were measured: a curve needs two.",
            "Attach runs of at least two sizes, or name the setting that they vary.",
        )
    quantities = quantities_of([run for group in groups.values() for run in group], plan)
    points = tuple(
        SweepPoint(
            float(key[0]),
            TIMES.join(plain_decimal(at, significant=12) for at in key),
            tuple(_point_run(run, quantities, plan) for run in groups[key]),
        )
        for key in sorted(groups)
    )
    notices = check_sweep(groups, axes, apart=apart, again=len(runs) - len(single), grid=plan.grid)
    return BatchSweep(
        varied, axes, not set(axes) & set(BATCHES), points, quantities, plan.offered, plan.devices, notices
    )


def _once(runs: Sequence[LabelledRun]) -> tuple[LabelledRun, ...]:
    """Each run of each file once, whatever it is called; excluded runs and those that were cut off are none."""
    found = {(run.artifact, run.run.key): run for run in runs if not run.excluded and run.run.status != "partial"}
    return tuple(sorted(found.values(), key=lambda run: run.label))


def _at(run: LabelledRun, varied: str) -> Fraction | None:
    stated = {s.value for s in run.reading.settings_of(run.run.key) if s.name == varied}
    try:
        return parse_exact(*stated) if len(stated) == 1 else None
    except Refused:
        return None


def _varied(runs: Sequence[LabelledRun]) -> tuple[str, ...]:
    """The setting of BATCHES and IN_FLIGHT that takes two values; several only where they make a grid (TOGETHER)."""
    found: list[tuple[str, tuple[Fraction | None, ...]]] = []
    for name in (*BATCHES, *IN_FLIGHT):
        values = tuple(_at(run, name) for run in runs)
        if len(set(values) - {None}) > 1 and not any(values == other for _, other in found):
            found.append((name, values))
    if not found:
        raise Refused(
            "no_sweep",
            "No batch size, concurrency or request rate takes two values among these runs.",
            "Attach runs of at least two sizes, or name the setting that they vary.",
        )
    names = {name for name, _ in found}
    axes = tuple(name for axis in TOGETHER for name in axis if name in names)
    if len(found) > 1 and (len(axes) < len(found) or any(len(names & set(axis)) > 1 for axis in TOGETHER)):
        raise Refused(
            "ambiguous_sweep",
            f"{named([name for name, _ in found])} vary together: a curve goes over one of them.",
            "Name the one that the curve goes over, and keep the runs that state one value of the others.",
        )
    return axes if len(found) > 1 else (found[0][0],)


def _point_run(run: LabelledRun, quantities: Sequence[Quantity], plan: SweepPlan) -> PointRun:
    return PointRun(run.label, run.artifact, run.block, numbers_of(run, quantities, plan), why_failed(run))
