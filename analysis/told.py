"""What the runs of both arms say of each setting: from their files, from what somebody stated, and from their rows.

A file comes first; what somebody states fills what no file says; what is computed from rows fills what neither says.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from analysis.errors import Refused
from analysis.exact import parse_exact
from analysis.heard import heard
from analysis.inputs import ARMS, Arm, LabelledRun, Stated
from analysis.measurements import SettingRole
from analysis.work_names import under_wanted_names

ABSENT: Final = "not recorded"
TYPED: Final = "typed by user"
REPETITION: Final = "seed"
NOTHING: Final[Mapping[str, "Word"]] = {}


@dataclass(frozen=True, slots=True)
class Word:
    """What one run says of one setting. follows: it follows from the speed of the run, so that it is no work."""

    value: str = ABSENT
    role: SettingRole = "configuration"
    source: str = ""
    follows: bool = False

    def with_another(self, other: "Word") -> "Word":
        """Both values, when a file says two different things of one run."""
        return self if other.value == self.value else replace(self, value=f"{self.value}, {other.value}")


@dataclass(frozen=True, slots=True)
class Told:
    """What the runs of both arms say of one setting. by_run: by label; values: the distinct ones of each arm."""

    name: str
    values: Mapping[Arm, tuple[str, ...]]
    role: SettingRole
    sources: tuple[str, ...]
    follows: bool = False
    by_run: Mapping[str, tuple[Arm, str]] = field(default_factory=dict)

    @property
    def silent(self) -> tuple[Arm, ...]:
        """The arms in which some run says nothing of it."""
        return tuple(arm for arm in ARMS if ABSENT in self.values[arm])

    @property
    def same(self) -> bool:
        """Work that differs from run to run, but in both arms alike, is part of the noise between runs."""
        if self.values["baseline"] == self.values["candidate"]:
            return True
        return self.role == "work" and not self.silent and self.spread == 1

    @property
    def spread(self) -> Fraction | None:
        """Greatest over smallest number said by any run; None when it is no positive number everywhere."""
        return spread_of(self.numbers())

    def numbers(self) -> list[Fraction] | None:
        """The numbers said by any run, None when one says no number."""
        return numbers(value for arm in ARMS for value in self.values[arm])


Table = Mapping[str, Told]


def numbers(values: Iterable[str]) -> list[Fraction] | None:
    """The exact numbers, None when one is no number."""
    try:
        return [parse_exact(value) for value in values]
    except Refused:
        return None


def spread_of(found: Collection[Fraction] | None) -> Fraction | None:
    """Greatest over smallest; one when all are zero or none is there; None when they are no positive numbers."""
    if found is None:
        return None
    if not any(found):
        return Fraction(1)
    return max(found) / min(found) if min(found) > 0 else None


def tell(
    runs: Collection[LabelledRun],
    stated: Collection[Stated],
    *,
    failed: Collection[str],
    wanted: Collection[str] = (),
    computed: Mapping[str, Mapping[str, Word]] | None = None,
) -> Table:
    """Every setting of configuration or work, with its values by arm; `failed` labels tell no work, nor its absence.

    Args:
        wanted: settings that a plan names; a run that says one under another of its names says it under this one.
        computed: by label, what follows from the rows of a run.
    """
    spoken = [(run, _said_by(run, stated, wanted, (computed or {}).get(run.label, NOTHING))) for run in runs]
    names = sorted({name for run, said in spoken if not run.excluded for name in said})
    return {name: _told(name, spoken, failed) for name in names}


def _said_by(
    run: LabelledRun, stated: Iterable[Stated], wanted: Collection[str], computed: Mapping[str, Word]
) -> Mapping[str, Word]:
    """By name, what the run says; an excluded one its seed only, for leaving out a repetition changes no setting."""
    said: dict[str, Word] = {}
    for s in heard(run):
        if s.role != "identity" and (s.name == REPETITION or not run.excluded):
            word = Word(s.value, s.role, s.source)
            said[s.name] = said[s.name].with_another(word) if s.name in said else word
    said = under_wanted_names(said, wanted)
    if run.excluded:
        return {name: word for name, word in said.items() if name == REPETITION}
    for told in stated:
        if told.arm == run.arm:
            said.setdefault(told.setting, Word(told.value, "configuration", TYPED))
    return {**computed, **said}


def _told(name: str, spoken: Collection[tuple[LabelledRun, Mapping[str, Word]]], failed: Collection[str]) -> Told:
    """A setting is work when some run says so, and then only the runs that did not fail tell it."""
    is_work = any(said[name].role == "work" for _, said in spoken if name in said)
    spoke = [
        (run, said.get(name, Word()))
        for run, said in spoken
        if (name in said if run.excluded else not is_work or run.label not in failed)
    ]
    role: SettingRole = "work" if any(word.role == "work" for _, word in spoke) else "configuration"
    return Told(
        name=name,
        values={arm: tuple(sorted({word.value for run, word in spoke if run.arm == arm})) for arm in ARMS},
        role=role,
        sources=_sources({word.source for _, word in spoke if word.source}),
        follows=any(word.follows for _, word in spoke),
        by_run={run.label: (run.arm, word.value) for run, word in spoke},
    )


def _sources(found: Collection[str]) -> tuple[str, ...]:
    return tuple(sorted(found))


def differences(table: Table, *, varied: Collection[str]) -> tuple[str, ...]:
    """The settings in which the arms differ, by name, other than those in `varied`.

    A setting that a run leaves out counts as "not recorded" there.
    """
    return tuple(name for name, told in table.items() if name not in varied and not told.same)


def unstated(table: Table, *, required: Collection[str]) -> tuple[str, ...]:
    """The required settings that some run leaves out, by name. Two silent arms do not differ; silence is found here."""
    return tuple(name for name in sorted(set(required)) if name not in table or table[name].silent)
