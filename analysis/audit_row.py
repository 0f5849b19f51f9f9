"""One row of the work audit: what is said of one setting, whether it blocks, and by how much it widens."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from analysis.exact import plain_decimal
from analysis.inputs import Explained
from analysis.measurements import SettingRole

State = Literal["same", "differs_as_declared", "differs", "not_recorded"]

MUST_BE_EXPLAINED: Final = "An explanation with a greatest effect must be accepted."


@dataclass(frozen=True, slots=True)
class AuditRow:
    """What the audit says of one setting.

    baseline, candidate: the distinct values over the runs of the arm, "not recorded" among them where a run is silent.
    tolerance: of the template, relative. greatest_effect: the ratio by which this row widens the interval, or None.
    blocks: whether this row alone makes the arms not comparable. follows: what it tells follows from the speed of the
        runs, so that it is described and not judged.
    """

    setting: str
    state: State
    baseline: tuple[str, ...]
    candidate: tuple[str, ...]
    role: SettingRole
    sources: tuple[str, ...]
    tolerance: Fraction | None
    greatest_effect: Fraction | None
    explanation: str
    blocks: bool
    sentence: str
    follows: bool = False


def accepted_effect(explained: Explained | None) -> Fraction | None:
    """The greatest effect, as a ratio of at least one, when somebody else accepted it."""
    if explained is None or not explained.accepted or explained.greatest_effect is None:
        return None
    effect = explained.greatest_effect
    return max(effect, 1 / effect) if effect > 0 else None


def words_of(explained: Explained | None) -> str:
    """The explanation with who gave it, "" for none."""
    if explained is None:
        return ""
    return f"{explained.text} ({explained.by}, {'accepted' if explained.accepted else 'not accepted'})"


def widens(effect: Fraction) -> str:
    """The sentence on what a row does to the interval."""
    return f"It widens the interval by a factor of {plain_decimal(effect, significant=6)} on each side."


def percent(part: Fraction) -> str:
    """A share as people read it: "0.5 %"."""
    return f"{plain_decimal(100 * part, significant=4)} %"


def tolerated(tolerance: Fraction | None) -> str:
    """The tolerance as a part of a sentence, "" for none."""
    return "" if tolerance is None else f"; {percent(tolerance)} is tolerated"
