"""What a reader of a sweep has to know: gaps, points that are missing, and points that did not do the same work."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Final

from analysis.errors import Refused
from analysis.exact import parse_exact
from analysis.inputs import LabelledRun
from analysis.notices import Notice, named

FEWEST_RUNS: Final = 3
WORK_TOLERANCE: Final = 0.01
Key = tuple[Fraction, ...]
Groups = Mapping[Key, Sequence[LabelledRun]]


def check_sweep(
    groups: Groups, axes: Sequence[str], *, apart: Sequence[str], again: int, grid: Sequence[Fraction]
) -> tuple[Notice, ...]:
    """All that is to say of the runs of a sweep, by point.

    Args:
        apart: labels of runs that state no value of the varied setting. again: how many runs are not counted because
            they stand there twice, are excluded or were cut off. grid: the points that were meant to be measured,
            of the first setting where there are several.
    """
    varied = " × ".join(axes)
    coverage = _coverage(groups, varied, grid) if len(axes) == 1 else _crossed(groups, varied, grid)
    found = [*coverage, *_replicates(groups, varied)]
    if apart:
        found.append(Notice("not_in_sweep", f"{named(tuple(apart))} state no {varied}, and are left out."))
    if again:
        found.append(Notice("runs_left_out", f"{again} run(s) stand there twice, are excluded or were cut off."))
    return (*found, *_work(groups, varied), *_settings(groups, axes, varied))


def _words(keys: Sequence[Key]) -> str:
    return named([" × ".join(f"{float(at):g}" for at in key) for key in keys])


def _crossed(groups: Groups, varied: str, grid: Sequence[Fraction]) -> Iterator[Notice]:
    """The points of a grid over several settings that no run stands at."""
    first, *others = ({key[axis] for key in groups} for axis in range(len(next(iter(groups)))))
    missing = sorted(set(product(first | set(grid), *others)) - set(groups))
    if missing:
        yield Notice("grid_incomplete", f"Of the grid of {varied}, not measured: {_words(missing)}.")


def _coverage(groups: Groups, varied: str, grid: Sequence[Fraction]) -> Iterator[Notice]:
    """The points of the declared grid that are missing; without one, steps that are much wider than the others."""
    points = sorted(key[0] for key in groups)
    missing = sorted(set(grid) - set(points))
    if missing:
        said = _words([(at,) for at in missing])
        yield Notice("points_missing", f"Not measured, though it was meant to be: {varied} {said}.")
    if grid or len(points) < 3 or points[0] <= 0:
        return
    steps = [math.log(b / a) for a, b in pairwise(points)]
    wide = [
        f"{float(a):g} and {float(b):g}"
        for (a, b), step in zip(pairwise(points), steps, strict=True)
        if step > 1.9 * sorted(steps)[len(steps) // 2] and b - a > 1
    ]
    if wide:
        yield Notice("wide_gap", f"Between {named(wide)} nothing was measured, where other points stand closer.")


def _replicates(groups: Groups, varied: str) -> Iterator[Notice]:
    few = [at for at in sorted(groups) if len(groups[at]) < FEWEST_RUNS]
    if few:
        yield Notice(
            "too_few_runs",
            f"Fewer than {FEWEST_RUNS} runs at {varied} {_words(few)}: no limit is judged there.",
        )
    blocks = {at: {run.block for run in runs if run.block} for at, runs in groups.items()}
    every = set().union(*blocks.values())
    lacking = [at for at in sorted(groups) if blocks[at] != every]
    if every and lacking:
        yield Notice("rounds_incomplete", f"Some round of the sweep lacks {varied} {_words(lacking)}.")


def _amounts(run: LabelledRun) -> Mapping[str, Fraction]:
    found = {}
    for setting in run.reading.settings_of(run.run.key):
        if setting.role == "work":
            try:
                found[setting.name] = parse_exact(setting.value)
            except Refused:
                continue
    return found


def _work(groups: Groups, varied: str) -> Iterator[Notice]:
    """Work that differs between the points, or between the runs of one point, by more than 1 %."""
    by_point: dict[str, list[tuple[Fraction, Fraction]]] = defaultdict(list)
    within = set()
    for runs in groups.values():
        amounts: dict[str, list[Fraction]] = defaultdict(list)
        for run in runs:
            for name, amount in _amounts(run).items():
                amounts[name].append(amount)
        for name, values in amounts.items():
            by_point[name].append((min(values), max(values)))
            if _differ(values):
                within.add(name)
    if within:
        yield Notice("work_differs_at_point", f"Runs at the same {varied} differ in {named(sorted(within))}.")
    ends = {name: [end for pair in pairs for end in pair] for name, pairs in by_point.items()}
    between = sorted(name for name, values in ends.items() if _differ(values) and name not in within)
    if between:
        yield Notice(
            "work_differs_by_point",
            f"The points differ in {named(between)}: fine for a curve, and no comparison of two of its points.",
        )


def _differ(values: Sequence[Fraction]) -> bool:
    return max(values) - min(values) > WORK_TOLERANCE * max(values)


def _settings(groups: Groups, axes: Sequence[str], varied: str) -> Iterator[Notice]:
    """Other settings of configuration that take several values: they may stand behind a curve as much as the size."""
    seen: dict[str, dict[Key, set[str]]] = defaultdict(lambda: defaultdict(set))
    for at, group in groups.items():
        for run in group:
            for setting in run.reading.settings_of(run.run.key):
                if setting.role == "configuration" and setting.name not in axes:
                    seen[setting.name][at].add(setting.value)
    here = sorted(name for name, points in seen.items() if any(len(values) > 1 for values in points.values()))
    if here:
        yield Notice("settings_differ_at_point", f"Runs at the same {varied} state different {named(here)}.")
    others = sorted(name for name, points in seen.items() if name not in here and _varies(points))
    if others:
        yield Notice("settings_vary", f"Beside {varied}, these settings vary over the sweep: {named(others)}.")


def _varies(points: Mapping[Key, set[str]]) -> bool:
    """Whether a setting takes several values, and not only the point's own under another name."""
    values = set().union(*points.values())
    return len(values) > 1 and any(not found <= {f"{float(at):g}" for at in key} for key, found in points.items())
