"""What a run says of its settings: by its own file first, then by the files beside it, each with its source."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from analysis.errors import Refused
from analysis.exact import parse_exact
from analysis.inputs import LabelledRun
from analysis.measurements import SettingRole


@dataclass(frozen=True, slots=True)
class Heard:
    """One setting as one source has it. source: in words, "file field", "server log a.log", "captured"."""

    name: str
    value: str
    role: SettingRole
    source: str


def heard(run: LabelledRun) -> Iterator[Heard]:
    """All settings of the run; what a file beside it says otherwise stands beside, what it says alike does not."""
    own = [Heard(s.name, s.value, s.role, s.source) for s in run.reading.settings_of(run.run.key)]
    yield from own
    known = {one.name: [other.value for other in own if other.name == one.name] for one in own}
    for companion in run.companions:
        for s in companion.settings():
            values = known.setdefault(s.name, [])
            if not any(alike(s.value, value) for value in values):
                values.append(s.value)
                yield Heard(s.name, s.value, "configuration", companion.source_of(s))


def clashes(run: LabelledRun) -> Mapping[str, str]:
    """The settings of which the sources of one run disagree, with what each says."""
    own = {s.source for s in run.reading.settings_of(run.run.key)}
    first: dict[str, Heard] = {}
    found: dict[str, str] = {}
    for one in heard(run):
        before = first.setdefault(one.name, one)
        if one.source != before.source and one.source not in own:
            found.setdefault(one.name, f"{before.value} ({before.source}) and {one.value} ({one.source})")
    return found


def alike(one: str, other: str) -> bool:
    """Whether two texts say the same: "true" and "True", "1" and "1.0"."""
    if one.casefold() == other.casefold():
        return True
    try:
        return parse_exact(one) == parse_exact(other)
    except Refused:
        return False
