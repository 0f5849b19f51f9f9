"""What was run in each step, in order, and where the steps of two traces part: in their names, or in their shapes.

Steps of one trace may differ among themselves. Two traces part where a step of one runs what no step of the other runs;
the place is how far it goes together with that step of the other with which it goes together longest. Names that differ
by the vendor of a library only count as the same: they are listed as renamed. Runs of an arm are pooled.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final, Literal

import numpy as np

from analysis.traces.events import Events, Kind
from analysis.traces.names import neutral, normalised
from analysis.traces.stages import Windows

What = Literal["names", "shapes", "none"]
Names = tuple[str, ...]
Runs = Mapping[Names, Counter[Names]]
"""The different sequences of names that steps run, the most frequent first: each with the shapes that it ran on."""

VARIANTS: Final = 8
"""A sequence is held against so many of the other trace, the most frequent ones."""


@dataclass(frozen=True, slots=True)
class Parting:
    """Where the sequences of two traces part.

    lane: where they run, in words. at: the place from 1, 0 when they do not part.
    baseline, candidate: the name (or name and shape) there, "" past the end.
    steps: how many steps of each trace run what the other never runs.
    variants: how many different sequences of names the steps of each trace run.
    """

    lane: str
    what: What
    at: int
    baseline: str
    candidate: str
    steps: tuple[int, int]
    variants: tuple[int, int]


def parting(lane: str, baseline: Runs, candidate: Runs, known: "Known") -> Parting:
    """The first difference of names, else of shapes, in the most frequent sequence that one of them never runs."""
    say_ours, say_theirs = (names.shown for names in known)
    variants = len(baseline), len(candidate)
    ours = [names for names in baseline if names not in candidate]
    theirs = [names for names in candidate if names not in baseline]
    if ours or theirs:
        steps = _steps(baseline, ours), _steps(candidate, theirs)
        one, other = _pair(ours, theirs, list(baseline), list(candidate))
        at = together(one, other)
        return Parting(lane, "names", at + 1, say_ours(_at(one, at)), say_theirs(_at(other, at)), steps, variants)
    for names in candidate:
        if found := _shapes(names, baseline[names], candidate[names]):
            at, (here, there), steps = found
            said = f"{say_ours(names[at])} {here}", f"{say_theirs(names[at])} {there}"
            return Parting(lane, "shapes", at + 1, *said, steps, variants)
    return Parting(lane, "none", 0, "", "", (0, 0), variants)


def _steps(runs: Runs, names: Collection[Names]) -> int:
    return sum(runs[one].total() for one in names)


def _pair(
    ours: Sequence[Names], theirs: Sequence[Names], baseline: Sequence[Names], candidate: Sequence[Names]
) -> tuple[Names, Names]:
    """A sequence of the candidate (else of the baseline) that only it runs, and the closest one of the other trace."""
    if theirs:
        return _closest(theirs[0], baseline), theirs[0]
    return ours[0], _closest(ours[0], candidate)


def _closest(names: Names, others: Sequence[Names]) -> Names:
    return max(others[:VARIANTS], key=lambda other: together(names, other))


def _shapes(
    names: Names, baseline: Counter[Names], candidate: Counter[Names]
) -> tuple[int, tuple[str, str], tuple[int, int]] | None:
    """Where one sequence of names runs on shapes that the other trace does not know; None where shapes are missing."""
    ours = [shapes for shapes, _ in baseline.most_common() if shapes not in candidate]
    theirs = [shapes for shapes, _ in candidate.most_common() if shapes not in baseline]
    unknown = ("",) * len(names)
    if not (ours or theirs) or unknown in baseline or unknown in candidate:
        return None
    one, other = _pair(ours, theirs, list(baseline), list(candidate))
    at = together(one, other)
    return at, (one[at], other[at]), (sum(baseline[s] for s in ours), sum(candidate[s] for s in theirs))


def together(ours: Names, theirs: Names) -> int:
    """How many entries they begin with alike; one more than there are when they are alike to the end."""
    pairs = enumerate(zip_longest(ours, theirs))
    return next((at for at, (one, other) in pairs if one != other), len(ours) + 1)


def _at(names: Names, at: int) -> str:
    return names[at] if at < len(names) else ""


@dataclass(slots=True)
class ShortNames:
    """Normalised names of one arm, each computed once, and by which of them each neutral name is called there."""

    known: dict[str, str] = field(default_factory=dict)
    called: dict[str, dict[str, None]] = field(default_factory=dict)

    def of(self, name: str) -> str:
        """The normalised name."""
        if name not in self.known:
            self.known[name] = normalised(name)
        return self.known[name]

    def key(self, name: str) -> str:
        """The name without the vendor in it, by which sequences are compared."""
        short = self.of(name)
        key = neutral(short)
        self.called.setdefault(key, {}).setdefault(short)
        return key

    def shown(self, key: str) -> str:
        """A neutral name as this arm calls it."""
        return next(iter(self.called.get(key, {key: None})))


Known = tuple[ShortNames, ShortNames]


def renamed(known: Known) -> tuple[tuple[str, str], ...]:
    """What the arms call by another name, which differs by the vendor of a library only."""
    ours, theirs = known
    both = [key for key in ours.called if key in theirs.called]
    return tuple((ours.shown(k), theirs.shown(k)) for k in both if not ours.called[k].keys() & theirs.called[k].keys())


Lanes = Mapping[str, Runs]


def operators(events: Events, steps: Windows, names: ShortNames) -> Lanes:
    """The operators on the thread that marks the steps, or on the busiest one; nothing when there is no operator."""
    found = events.of(Kind.OPERATOR)
    if not len(found):
        return {}
    marks = events.of(Kind.STEP) if steps.are_steps else found
    main = Counter(marks.lane.tolist()).most_common(1)[0][0]
    return {"operators": _runs(found.where(found.lane == main), steps, names)}


def kernels(events: Events, steps: Windows, names: ShortNames) -> Lanes:
    """The kernels of each stream, the stream with the most of them first: streams are numbered anew in each process."""
    found = events.of(Kind.KERNEL, Kind.COMMUNICATION)
    busiest = sorted(Counter(found.lane.tolist()).items(), key=lambda one: (-one[1], one[0]))
    return {
        f"kernels of stream {rank}": _runs(found.where(found.lane == lane), steps, names)
        for rank, (lane, _) in enumerate(busiest, 1)
    }


def _runs(events: Events, steps: Windows, names: ShortNames) -> Runs:
    """The sequences that the steps run."""
    short = {code: names.key(events.names[code]) for code in np.unique(events.name).tolist()}
    first, last = np.searchsorted(events.start, steps.start), np.searchsorted(events.start, steps.end)
    found: dict[Names, Counter[Names]] = {}
    for a, b in zip(first.tolist(), last.tolist(), strict=True):
        names_of = tuple(short[code] for code in events.name[a:b].tolist())
        shapes = tuple(events.shapes[code] for code in events.shape[a:b].tolist())
        found.setdefault(names_of, Counter())[shapes] += 1
    return dict(sorted(found.items(), key=lambda run: -run[1].total()))


def pooled(lanes: Iterable[Lanes]) -> Lanes:
    """The lanes of several runs as those of one: their steps together."""
    found: dict[str, dict[Names, Counter[Names]]] = {}
    for of_run in lanes:
        for lane, runs in of_run.items():
            for names, shapes in runs.items():
                found.setdefault(lane, {}).setdefault(names, Counter()).update(shapes)
    return {lane: dict(sorted(runs.items(), key=lambda run: -run[1].total())) for lane, runs in found.items()}


def partings(baseline: Lanes, candidate: Lanes, known: Known) -> list[Parting]:
    """The parting of each lane; a lane that one trace lacks is empty there."""
    nothing: Runs = {(): Counter({(): 1})}
    return [
        parting(lane, baseline.get(lane, nothing), candidate.get(lane, nothing), known)
        for lane in dict.fromkeys([*baseline, *candidate])
    ]
