"""The steps of training as their logs tell them: lines of one step each become the rows of runs.

A step that stands twice is counted once (ranks repeat lines). Where the steps begin anew, another run begins.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median
from typing import Final

from analysis.evidence import collect, scale, values
from analysis.evidence.collect import Collection, Figure, Run, Sample
from analysis.evidence.values import Json, Numeral
from analysis.measurements import SettingSource

NO_NUMBER: Final = re.compile(r"[-+]?(?:nan|inf|infinity)", re.IGNORECASE)
SLOW: Final = 1.5
SLOT: Final = 2  # lines of ranks may stand this far out of order
COMMAND: Final = "command"
NOT_WORD: Final = re.compile(r"[^a-z0-9]+")


Said = Mapping[str, Mapping[str, str]]
"""By name of a setting: its values as the log writes them, and where each stands first."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a log says of one step.

    step: its number. kind: "train", or "validation" for what is said of the model after that step.
    facts: what else it says, as written. interval: steps that the values are means of; 0 when they tell of the model
    or the moment after that step. at: when, in nanoseconds, where the file tells.
    """

    step: int
    kind: str
    figures: Mapping[str, Figure]
    where: str
    facts: Mapping[str, str] = field(default_factory=dict)
    interval: int = 1
    at: int | None = None

    @property
    def index(self) -> int:
        """Steps done before the ones that it is about."""
        return max(self.step - self.interval, 0)


def figure(text: str, unit: str, where: str) -> Figure:
    """The number of a log in its unit; NaN and infinity are no number, and say so.

    Raises:
        MalformedEvidence: not_a_number, not_finite, not_positive (a time or a rate), negative (a size), unknown_unit.
    """
    if NO_NUMBER.fullmatch(text):
        return collect.nothing(text, unit, where, f"the file says {text}")
    return signed(values.number_in(text), unit, where)


def signed(value: Json, unit: str, where: str) -> Figure:
    """The figure with the sign that its unit allows. Raises what `figure` raises."""
    base = scale.base_of(unit, where)
    if base == "B":
        return collect.not_negative(value, unit, where)
    return collect.finite(value, unit, where) if base == "1" else collect.positive(value, unit, where)


def slug(name: str) -> str:
    """The name of a column or field as a metric: lower case, words joined by underscores."""
    return NOT_WORD.sub("_", name.lower()).strip("_")


def add_runs(collection: Collection, entries: Sequence[Entry]) -> list[tuple[Run, list[Entry]]]:
    """The runs of a log with the entries of each, added to the collection."""
    runs = []
    for number, part in enumerate(segments(collection, entries)):
        run = collection.add(collect.completed(str(number), part[0].where))
        for entry in part:
            for metric, one in entry.figures.items():
                run.measured(metric, one, Sample("raw", "value", max(entry.interval, 1), entry.index, entry.at))
        runs.append((run, part))
    if len(runs) > 1:
        collection.notice(
            f"The steps begin anew: the parts are {len(runs)} runs. A part that resumes an earlier one is no replicate "
            "of it."
        )
    return runs


def segments(collection: Collection, entries: Sequence[Entry]) -> list[list[Entry]]:
    """The entries without repetitions, split where the steps begin anew."""
    parts: list[dict[tuple[str, int], Entry]] = [{}]
    repeated, differing, last = 0, 0, 0
    for entry in entries:
        if entry.step < last - SLOT and entry.kind == "train":
            parts.append({})
            last = 0
        known = parts[-1].setdefault((entry.kind, entry.step), entry)
        if known is not entry:
            repeated += 1
            differing += [f.original for f in known.figures.values()] != [f.original for f in entry.figures.values()]
        last = max(last, entry.step)
    if repeated:
        said = f"; with other values: {differing}, of which the first is taken" if differing else ""
        collection.notice(f"Lines that repeat a step, as ranks do: {repeated}{said}.")
    return [list(part.values()) for part in parts]


def averaged(collection: Collection, entries: Sequence[Entry]) -> list[Entry]:
    """The entries of a log whose values are means since the line before."""
    found, before = [], 0
    steps = [entry.step for entry in entries if entry.kind == "train"]
    gap = min((b - a for a, b in pairwise(steps) if b > a), default=1)
    for entry in entries:
        if entry.kind != "train":
            found.append(entry)
            continue
        width = entry.step - before if before < entry.step <= before + gap else gap
        found.append(replace(entry, interval=max(1, min(width, entry.step))))
        before = entry.step
    if gap > 1:
        collection.notice(
            f"Each value is the mean of {gap} steps, as the log prints it: its spread is not that of single steps."
        )
    return found


def remark_slow_start(collection: Collection, run: Run, metric: str, *, faster_is_higher: bool = False) -> None:
    """Say when the first step was slow, as compilation and warmup are."""
    found = [m.value for m in run.measurements if m.metric == metric and m.value is not None]
    if len(found) < 3:
        return
    usual = median(found[1:])
    if (usual / found[0] if faster_is_higher else found[0] / usual) > SLOW:
        collection.notice(
            f"Run {run.facts.key}: the first {metric} is {found[0]:g}, and the median of the rest {usual:g}: cut it as "
            "warmup in the plan."
        )


def work_of(run: Run, part: Sequence[Entry]) -> None:
    """The steps that were trained."""
    trained = [entry for entry in part if entry.kind == "train"]
    if trained:
        done = max(entry.step for entry in trained) - min(entry.index for entry in trained)
        run.worked("steps", Numeral(str(done)), trained[-1].where)


def say(run: Run, said: Said) -> None:
    """Settings that the log states; what it says several times, once each."""
    for name, found in said.items():
        source: SettingSource = "command line inside file" if name == COMMAND else "file field"
        run.configured(name, "; ".join(found), next(iter(found.values())), source)
