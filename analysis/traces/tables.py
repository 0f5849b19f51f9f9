"""Tables of the times of stages, without moments: where two of them part, in their names, in how often, or in time.

A table says how long, and not when: what overlaps, when a device is busy and what waits for what are not in it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np

from analysis.traces.comparison import DESCRIPTION, WARMED_UP, Divergence, TraceComparison
from analysis.traces.sequence import Lanes, Parting, Runs, ShortNames, partings, pooled, renamed
from analysis.traces.timing import (
    FEWEST_STEPS,
    KernelDifference,
    StageDifference,
    Times,
    difference,
    divergence_set,
)

WHOLE: Final = "whole step"
TOGETHER: Final = "all stages together"
STAGES: Final = "stages"
NAMES: Final = "names, in the order of the alphabet"
NO_MOMENTS: Final = (
    "These are tables of times, and no traces: what overlaps, when a device was busy or idle, and what waited for what"
    " are not recorded."
)
EXCLUSIVE: Final = "The times of the stages are taken as exclusive: no stage holds another."
BY_NAME: Final = (
    "A table by name holds the sums of a whole profile: it is compared as one step, and its stages are sums of times"
    " that may overlap."
)
OVERLAP: Final = 1e-3


@dataclass(frozen=True, slots=True)
class StageTable:
    """What the table of one run holds, in seconds.

    stages: the times of each stage, one of every repetition, in the order of the table.
    whole: of each repetition as a whole, where the table has it. calls: in a table by name, how often each was called
        and for how long in all. marked: the table itself says which repetitions are of the warmup.
    """

    stages: Mapping[str, Times]
    whole: Times
    calls: Mapping[str, tuple[int, float]]
    marked: bool = False


def used(table: StageTable) -> StageTable:
    """The table without its first repetition, when enough others are left and it marks no warmup itself."""
    if table.marked:
        return table
    kept = {name: _later(times) for name, times in table.stages.items()}
    return StageTable(kept, _later(table.whole), table.calls, table.marked)


def _later(times: Times) -> Times:
    return times[1:] if times.size >= WARMED_UP else times


def shared(tables: Sequence[StageTable]) -> tuple[str, ...]:
    """The stages that every table has, in the order of the first."""
    return tuple(name for name in tables[0].stages if all(name in table.stages for table in tables))


def whole_of(table: StageTable) -> float:
    """How long a repetition took on average; without such a time, its stages together."""
    return float(table.whole.mean()) if table.whole.size else float(_together(table))


def _together(table: StageTable) -> float:
    return float(sum(times.mean() for times in table.stages.values()))


def name_of_whole(tables: Sequence[StageTable]) -> str:
    """What `whole_of` is a time of, when it is to be the same of all tables."""
    return WHOLE if all(table.whole.size for table in tables) else TOGETHER


def compare_tables(baseline: Sequence[StageTable], candidate: Sequence[StageTable]) -> TraceComparison:
    """Where the tables of two arms part, each of a run of its own. Every table has a stage."""
    read = (baseline, candidate)
    ours, theirs = ([used(table) for table in arm] for arm in read)
    known = ShortNames(), ShortNames()
    lanes = partings(pooled(_listed(t, known[0]) for t in ours), pooled(_listed(t, known[1]) for t in theirs), known)
    alone = len(ours) == len(theirs) == 1
    stages = tuple(
        _difference(name, [t.stages[name] for t in ours], [t.stages[name] for t in theirs])
        for name in shared([*ours, *theirs])
    )
    found, excluded = divergence_set(stages)
    steps = _repetitions(ours), _repetitions(theirs)
    divergence, sentence = _said(lanes, found, excluded, steps=min(steps) if alone else None)
    return TraceComparison(
        divergence=divergence,
        sentence=sentence,
        found=found,
        excluded=excluded,
        lanes=tuple(lanes),
        step=_whole(ours, theirs),
        stages=stages,
        kernels=_calls(ours, theirs, known),
        steps=steps,
        notices=tuple(_notices(read, (ours, theirs), alone=alone)),
        renamed=renamed(known),
    )


def _listed(table: StageTable, names: ShortNames) -> Lanes:
    """The names of a table as a sequence: the order of its stages, or its names with how often each was called."""
    if not table.calls:
        return {STAGES: {tuple(table.stages): Counter({("",) * len(table.stages): 1})}}
    counts = _counts(table, names)
    called = tuple(f"called {counts[name][0]} times" for name in sorted(counts))
    runs: Runs = {tuple(sorted(counts)): Counter({called: 1})}
    return {NAMES: runs}


def _counts(table: StageTable, names: ShortNames) -> dict[str, tuple[int, float]]:
    """How often and how long, by the names that are compared."""
    found: dict[str, tuple[int, float]] = {}
    for name, (count, seconds) in table.calls.items():
        before = found.get(names.key(name), (0, 0.0))
        found[names.key(name)] = before[0] + count, before[1] + seconds
    return found


def _difference(name: str, ours: Sequence[Times], theirs: Sequence[Times]) -> StageDifference:
    """Of one run of each arm by its repetitions, else of runs by their means."""
    alone = len(ours) == len(theirs) == 1
    both = (ours[0], theirs[0]) if alone else tuple(np.array([t.mean() for t in arm]) for arm in (ours, theirs))
    return difference(name, *both, judging=alone, unit=1.0)


def _whole(ours: Sequence[StageTable], theirs: Sequence[StageTable]) -> StageDifference:
    name = name_of_whole([*ours, *theirs])
    if name == WHOLE:
        return _difference(name, [table.whole for table in ours], [table.whole for table in theirs])
    return _difference(name, *([np.array([_together(table)]) for table in arm] for arm in (ours, theirs)))


def _repetitions(arm: Sequence[StageTable]) -> int:
    return sum(max(times.size for times in table.stages.values()) for table in arm)


def _said(
    lanes: Sequence[Parting], found: tuple[str, ...], excluded: tuple[str, ...], *, steps: int | None
) -> tuple[Divergence, str]:
    """The first divergence, and the sentence that says it. steps: of the shorter table; None of several runs."""
    parted = next((lane for lane in lanes if lane.what != "none"), None)
    if parted is not None:
        return ("structure" if parted.what == "names" else "work"), _parted(parted)
    alike = f"The tables list the same {lanes[0].lane.split(',')[0]}"
    if found:
        said = f"{alike}, and part in time: {found[-1]} stands apart from every repetition of the baseline"
        said += f"; excluded, as alike: {', '.join(excluded)}" if excluded else ""
        said += f"; not excluded: {', '.join(found[:-1])}" if len(found) > 1 else ""
        return "time", f"{said}."
    if steps is None:
        return "none", f"{alike}."
    if steps < FEWEST_STEPS:
        return "none", (
            f"{alike}. Whether their times differ is not judged: that takes {FEWEST_STEPS} repetitions of each, or"
            " several runs of each arm, to know the noise between them."
        )
    return "none", f"{alike}. No stage stands apart from the repetitions of the baseline: what differs may be noise."


def _parted(lane: Parting) -> str:
    ours, theirs = (text or "nothing more" for text in (lane.baseline, lane.candidate))
    what = "do not list the same" if lane.what == "names" else "list the same names, called another number of times"
    return (
        f"The tables {what}: in the {lane.lane}, they part at place {lane.at}, where the baseline has {ours} and the"
        f" candidate {theirs}."
    )


def _calls(
    ours: Sequence[StageTable], theirs: Sequence[StageTable], known: tuple[ShortNames, ShortNames]
) -> tuple[KernelDifference, ...]:
    """What tables by name hold of each name, as the mean over the runs, the greatest change first."""
    before, after = (_means(arm, names) for arm, names in zip((ours, theirs), known, strict=True))
    rows = (
        KernelDifference(
            known[0].shown(key) if key in before else known[1].shown(key),
            *(found.get(key, (0.0, 0.0))[part] for part in (0, 1) for found in (before, after)),
        )
        for key in dict.fromkeys([*before, *after])
    )
    return tuple(sorted(rows, key=lambda row: (-abs(row.candidate - row.baseline), row.name)))


def _means(arm: Sequence[StageTable], names: ShortNames) -> dict[str, tuple[float, float]]:
    found: dict[str, tuple[float, float]] = {}
    for counts in (_counts(table, names) for table in arm):
        for name, (count, seconds) in counts.items():
            before = found.get(name, (0.0, 0.0))
            found[name] = before[0] + count / len(arm), before[1] + seconds / len(arm)
    return found


def _notices(
    read: tuple[Sequence[StageTable], ...], kept: tuple[Sequence[StageTable], ...], *, alone: bool
) -> Iterator[str]:
    if alone:
        yield DESCRIPTION
    yield NO_MOMENTS
    every = list(chain(*read))
    yield BY_NAME if any(table.calls for table in every) else EXCLUSIVE
    for arm, tables, left in zip(("baseline", "candidate"), read, kept, strict=True):
        cut = sum(_repetitions([a]) > _repetitions([b]) for a, b in zip(tables, left, strict=True))
        if cut:
            yield f"The first repetition of {cut} of {len(tables)} tables of the {arm} is left out: it is often long."
        over = [one for one in left if one.whole.size and _together(one) > (1 + OVERLAP) * whole_of(one)]
        if over:
            yield (
                f"In {len(over)} of {len(left)} tables of the {arm} the stages take longer together than the whole"
                " step: they overlap, or each holds those before it."
            )
    common = shared(every)
    lacking = [name for name in dict.fromkeys(chain(*(table.stages for table in every))) if name not in common]
    if lacking:
        yield f"Not compared in time, because not every table has them: {', '.join(lacking)}."
