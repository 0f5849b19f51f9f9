"""A comparison of traces as printed tables: the same words on the page, the command line and the PDF."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from analysis.parts import PartEffect
from analysis.trace_answer import DeviceTime, TraceAnswer
from analysis.traces.sequence import Parting
from analysis.traces.tables import WHOLE
from analysis.traces.timing import KernelDifference, StageDifference
from reviews import driver_words, printing
from reviews.breakdowns import Breakdown, PrintedTable, Row, stages_breakdown

ARMS: Final = ("baseline", "candidate")
KERNELS: Final = 10
NANO: Final = 1e-9
JUDGED: Final = {
    "apart": "apart from every step of the baseline",
    "alike": "among the steps of the baseline",
    "open": "open",
}
LONGEST: Final = 60
LISTED: Final = 20
ORDERS: Final = ("difference", "baseline", "candidate", "name")
"""By what the kernels can be ordered; the first is the usual one."""


@dataclass(frozen=True, slots=True)
class Section:
    """One table under its title. more: how many rows are left out of it. is_kernels: it can be ordered and is cut."""

    title: str
    table: PrintedTable
    more: int = 0
    is_kernels: bool = False


def sections(found: TraceAnswer, *, kernels: int = KERNELS, order: str = ORDERS[0]) -> tuple[Section, ...]:
    """All tables of the answer that have a row; of the kernels only the first ones."""
    listed = ordered(found.description.kernels, order)[:kernels]
    more = len(found.description.kernels) - len(listed)
    told = (
        Section("Where the order of the work parts", _lanes(found.description.lanes)),
        Section("Renamed by the vendor of a library, and no divergence", _renamed(found)),
        Section("Time of a step by stage", stages(found)),
        Section("Launches, gaps and memory of a step", _effects(found)),
        Section("Kernels, per step", kernels_table(listed), more if listed else 0, is_kernels=True),
        Section("Tail-latency drivers of the slowest steps", _drivers(found)),
        Section("Busy and idle", _devices(found)),
    )
    return tuple(section for section in told if section.table.rows)


def ordered(kernels: Sequence[KernelDifference], order: str) -> tuple[KernelDifference, ...]:
    """The kernels in one of ORDERS, the greatest first."""
    if order == "name":
        return tuple(sorted(kernels, key=lambda row: row.name))
    if order in ARMS:
        return tuple(sorted(kernels, key=lambda row: (-getattr(row, order), row.name)))
    return tuple(kernels)


def intervals(found: TraceAnswer) -> Breakdown | None:
    """The stages with their intervals over runs; None with one trace of each arm."""
    return None if found.stages is None else stages_breakdown(found.stages)


def whole_step(found: TraceAnswer) -> str:
    """The effect on a whole step, or on its stages together, with its interval; "" without one."""
    step: PartEffect | None = found.step
    if step is None or step.lo is None or step.hi is None:
        return ""
    ends = " to ".join(printing.significant(end) for end in (step.lo, step.hi))
    what = "A whole step of the candidate takes" if step.name == WHOLE else "All stages of the candidate together take"
    return f"{what} {printing.significant(step.estimate)} times as long ({ends} at 95 %)."


def counted(found: TraceAnswer) -> str:
    """How many traces and steps the answer rests on, or tables and repetitions."""
    what, of_it = ("table", "repetition") if found.tables else ("trace", "step")
    told = (
        f"{printing.plural(len(runs), what)} of the {arm} with {printing.plural(steps, of_it)}"
        for arm, runs, steps in zip(ARMS, found.runs, found.description.steps, strict=True)
    )
    return f"{'; '.join(told)}."


def _lanes(lanes: Sequence[Parting]) -> PrintedTable:
    return PrintedTable(("order of", "parts at", *ARMS, "steps that differ"), tuple(map(_lane, lanes)))


def _lane(lane: Parting) -> Row:
    if lane.what == "none":
        return lane.lane, "-", "", "", "0, 0"
    both = (short(name or "nothing more") for name in (lane.baseline, lane.candidate))
    return lane.lane, str(lane.at), *both, ", ".join(map(str, lane.steps))


def _effects(found: TraceAnswer) -> PrintedTable:
    return PrintedTable((), ()) if found.effects is None else driver_words.effects_table(found.effects)


def _drivers(found: TraceAnswer) -> PrintedTable:
    return PrintedTable((), ()) if found.drivers is None else driver_words.graph_table(found.drivers)


def remarks(found: TraceAnswer) -> tuple[str, ...]:
    """What stands beside the tables of what steps do: kernels that came and went, and why there is no tail."""
    said = [] if found.effects is None else list(driver_words.effects_lines(found.effects))
    if found.no_drivers is not None:
        said.append(f"No tail-latency drivers: {driver_words.refused(found.no_drivers)}")
    if found.drivers is not None:
        said.append(driver_words.ASSOCIATION)
    return tuple(said)


def _renamed(found: TraceAnswer) -> PrintedTable:
    rows = tuple((short(ours), short(theirs)) for ours, theirs in found.description.renamed[:LISTED])
    return PrintedTable(ARMS, rows)


def stages(found: TraceAnswer) -> PrintedTable:
    """The step as a whole and its stages; judged by steps only where there is one trace of each arm."""
    several = found.stages is not None
    rows = tuple(_stage(stage, judged=not several) for stage in (found.description.step, *found.description.stages))
    noise = "noise of the baseline, run to run" if several else "noise of the baseline"
    return PrintedTable(("time per step", *ARMS, "ratio", noise, *(() if several else ("judged",))), rows)


def _stage(stage: StageDifference, *, judged: bool) -> Row:
    noise = "" if stage.noise is None else f"{stage.noise[0]:.3f} to {stage.noise[1]:.3f}"
    ratio = "" if stage.ratio is None else f"{stage.ratio:.3f}"
    last = (stage.judged,) if judged else ()
    return (stage.stage, seconds(stage.baseline), seconds(stage.candidate), ratio, noise, *last)


def kernels_table(kernels: Sequence[KernelDifference]) -> PrintedTable:
    """The kernels of one normalised name each."""
    return PrintedTable(
        ("kernel", "times, baseline", "times, candidate", *ARMS, "difference"), tuple(map(_kernel, kernels))
    )


def _kernel(row: KernelDifference) -> Row:
    counts = f"{row.baseline_count:.4g}", f"{row.candidate_count:.4g}"
    times = seconds(row.baseline), seconds(row.candidate), seconds(row.candidate - row.baseline, sign="+")
    return short(row.name), *counts, *times


def _devices(found: TraceAnswer) -> PrintedTable:
    several = found.stages is not None
    heads = ("arm", *(("run",) if several else ()), "device", "stream", "busy", "idle", "communication", "hidden")
    return PrintedTable(heads, tuple(_device(row, several=several) for row in found.devices))


def _device(row: DeviceTime, *, several: bool) -> Row:
    busy = row.busy
    times = (seconds(time * NANO) for time in (busy.busy, busy.idle, busy.communication))
    run = (_end(row.run),) if several else ()
    hidden = "" if busy.thread else seconds(busy.hidden * NANO)
    return row.arm, *run, busy.process, busy.thread or "all", *times, hidden


def seconds(value: float, *, sign: str = "") -> str:
    """A time in milliseconds."""
    return f"{value * 1e3:{sign}.6g} ms"


def short(name: str) -> str:
    """A name that is not endless."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _end(label: str) -> str:
    """A label by its end: that of a path tells runs apart."""
    return label if len(label) <= LONGEST else f"…{label[1 - LONGEST :]}"


def as_markdown(found: TraceAnswer, *, kernels: int) -> Iterator[str]:
    """The whole answer for a pull request, line by line."""
    yield f"**Traces.** {found.sentence}"
    yield ""
    yield from (f"- {said}" for said in (counted(found), whole_step(found), *remarks(found), *found.notices) if said)
    over_runs = intervals(found)
    tables = [(over_runs.title, table) for table in over_runs.tables] if over_runs else []
    for title, table in [*tables, *((one.title, one.table) for one in sections(found, kernels=kernels))]:
        yield from ("", f"**{title}**", "")
        yield f"| {' | '.join(table.heads)} |"
        yield "|---" * len(table.heads) + "|"
        yield from (f"| {' | '.join(_cell(cell) for cell in row)} |" for row in table.rows)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
