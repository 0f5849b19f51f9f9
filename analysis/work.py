"""The matched-work audit: did both arms do the same work in the same way, but for what was varied on purpose?

Two questions, because equality and silence are two: `differences` finds what the arms state differently,
`unstated` what somebody had to state and did not. Evidence that states nothing would pass the first.

Work numbers (tokens, requests, samples) are compared by the extremes over the runs of both arms; configuration as
the set of values over the runs of each arm. Work that only one arm names differs in kind: no explanation helps.
Failed requests are measured against the completed ones, because they are what is missing from the work.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Literal

from analysis.errors import Refused
from analysis.exact import parse_exact, plain_decimal
from analysis.heard import heard
from analysis.inputs import ARMS, Arm, AssessmentRequest, Explained, LabelledRun, Stated
from analysis.measurements import SettingRole
from analysis.notices import Notice, named

State = Literal["same", "differs_as_declared", "differs", "not_recorded"]

ABSENT: Final = "not recorded"
TYPED: Final = "typed by user"
FAILED_REQUESTS: Final = "requests_failed"
COMPLETED_REQUESTS: Final = "requests_completed"
REPETITION: Final = "seed"


class NotComparable(Refused):
    """The arms did not do the same work in the same way."""


@dataclass(frozen=True, slots=True)
class AuditRow:
    """What the audit says of one setting.

    baseline, candidate: the distinct values over the runs of the arm, "not recorded" among them where a run is silent.
    tolerance: of the template, relative. greatest_effect: the ratio by which this row widens the interval, or None.
    blocks: whether this row alone makes the arms not comparable.
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


@dataclass(frozen=True, slots=True)
class _Told:
    """What the runs of both arms say of one setting."""

    name: str
    values: Mapping[Arm, tuple[str, ...]]
    role: SettingRole
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Word:
    """What one run says of one setting."""

    value: str = ABSENT
    role: SettingRole = "configuration"
    source: str = ""

    def with_another(self, other: "_Word") -> "_Word":
        """Both values, when a file says two different things of one run."""
        return self if other.value == self.value else replace(self, value=f"{self.value}, {other.value}")


Table = Mapping[str, _Told]


def tell(runs: Collection[LabelledRun], stated: Collection[Stated], *, failed: Collection[str]) -> Table:
    """Every setting of configuration or work, with its values by arm; `failed` labels tell no work, nor its absence."""
    spoken = [(run, _said_by(run, stated)) for run in runs]
    names = sorted({name for run, said in spoken if not run.excluded for name in said})
    return {name: _told(name, spoken, failed) for name in names}


def _said_by(run: LabelledRun, stated: Iterable[Stated]) -> Mapping[str, _Word]:
    """By name, what the run says; an excluded one its seed only, for leaving out a repetition changes no setting."""
    said: dict[str, _Word] = {}
    for s in heard(run):
        if s.role != "identity" and (s.name == REPETITION or not run.excluded):
            word = _Word(s.value, s.role, s.source)
            said[s.name] = said[s.name].with_another(word) if s.name in said else word
    for told in stated:
        if told.arm == run.arm and not run.excluded:
            said.setdefault(told.setting, _Word(told.value, "configuration", TYPED))
    return said


def _told(name: str, spoken: Collection[tuple[LabelledRun, Mapping[str, _Word]]], failed: Collection[str]) -> _Told:
    """A setting is work when some run says so, and then only the runs that did not fail tell it."""
    is_work = any(said[name].role == "work" for _, said in spoken if name in said)
    heard = [
        (run.arm, said.get(name, _Word()))
        for run, said in spoken
        if (name in said if run.excluded else not is_work or run.label not in failed)
    ]
    role: SettingRole = "work" if any(word.role == "work" for _, word in heard) else "configuration"
    sources = tuple(sorted({word.source for _, word in heard if word.source}))
    values = {arm: tuple(sorted({word.value for of, word in heard if of == arm})) for arm in ARMS}
    return _Told(name, values, role, sources)


def differences(table: Table, *, varied: Collection[str]) -> tuple[str, ...]:
    """The settings in which the arms differ, by name, other than those in `varied`.

    A setting that a run leaves out counts as "not recorded" there.
    """
    return tuple(name for name, told in table.items() if name not in varied and not _same(told))


def unstated(table: Table, *, required: Collection[str]) -> tuple[str, ...]:
    """The required settings that some run leaves out, by name. Two silent arms do not differ; silence is found here."""
    return tuple(name for name in sorted(set(required)) if name not in table or _silent(table[name]))


def _same(told: _Told) -> bool:
    """Work that differs from run to run, but in both arms alike, is part of the noise between runs."""
    if told.values["baseline"] == told.values["candidate"]:
        return True
    return told.role == "work" and not _silent(told) and _spread(told) == 1


def _silent(told: _Told) -> tuple[Arm, ...]:
    """The arms in which some run says nothing of it."""
    return tuple(arm for arm in ARMS if ABSENT in told.values[arm])


def _spread(told: _Told) -> Fraction | None:
    """Greatest over smallest number said by any run; None when it is no positive number everywhere."""
    try:
        numbers = [parse_exact(value) for arm in ARMS for value in told.values[arm]]
    except Refused:
        return None
    if not numbers or not any(numbers):
        return Fraction(1)
    return max(numbers) / min(numbers) if min(numbers) > 0 else None


def audit(request: AssessmentRequest, *, failed: Collection[str]) -> tuple[AuditRow, ...]:
    """One row for every setting of configuration or work, and for every required one.

    Args:
        failed: labels of runs that failed; their configuration counts, their work does not.
    """
    table = tell(request.runs, request.stated, failed=failed)
    differ = differences(table, varied=request.plan.varied)
    silent = unstated(table, required=request.plan.required)
    rows = []
    for name in sorted({*table, *silent}):
        told = table.get(name, _Told(name, dict.fromkeys(ARMS, (ABSENT,)), "configuration", ()))
        explained = next((e for e in request.explained if e.setting == name), None)
        if name in silent or (name in differ and _silent(told)):
            rows.append(_silent_row(told, explained, required=name in silent))
        else:
            rows.append(_spoken_row(told, explained, request, table))
    return tuple(rows)


def _same_row(told: _Told, tolerance: Fraction | None) -> AuditRow:
    values, said = told.values, f"{told.name} is the same."
    return AuditRow(
        told.name, "same", values["baseline"], values["candidate"], told.role, told.sources, tolerance, None, "",
        blocks=False, sentence=said,
    )  # fmt: skip


def _silent_row(told: _Told, explained: Explained | None, *, required: bool) -> AuditRow:
    row, name = _same_row(told, None), told.name
    one_arm_only = any(told.values[arm] == (ABSENT,) for arm in ARMS) and told.role == "work"
    if one_arm_only and name != FAILED_REQUESTS:
        sentence = f"Only one arm counts {name}: the work differs in kind, and is never comparable."
        return replace(row, state="differs", blocks=True, sentence=sentence)
    where = "both arms" if len(_silent(told)) > 1 else f"the {_silent(told)[0]}"
    effect = None if required else _accepted_effect(explained)
    lift = "Somebody must state it." if required else "State it, or explain its greatest effect."
    return replace(
        row,
        state="not_recorded",
        greatest_effect=effect,
        explanation=_words(explained),
        blocks=effect is None,
        sentence=f"{name} is not recorded for {where}. {lift if effect is None else _widens(effect)}",
    )


def _spoken_row(told: _Told, explained: Explained | None, request: AssessmentRequest, table: Table) -> AuditRow:
    name, tolerance = told.name, request.plan.tolerances.get(told.name)
    row = _same_row(told, tolerance)
    if _same(told):
        return row
    if name in request.plan.varied:
        return replace(row, state="differs_as_declared", sentence=f"{name} differs, as declared.")
    spread = _failed_share(told, table) if name == FAILED_REQUESTS else _spread(told)
    within = spread is not None and tolerance is not None and spread - 1 <= tolerance
    effect = spread if within else _accepted_effect(explained)
    return replace(
        row,
        state="differs",
        greatest_effect=effect,
        explanation=_words(explained),
        blocks=effect is None,
        sentence=_difference_sentence(row, spread, effect, within=within),
    )


def _failed_share(told: _Told, table: Table) -> Fraction | None:
    """One plus the difference in failed requests over the fewest completed; None when either is unknown."""
    completed = table.get(COMPLETED_REQUESTS)
    try:
        failed = [parse_exact(v) for arm in ARMS for v in told.values[arm]]
        done = [parse_exact(v) for arm in ARMS for v in completed.values[arm]] if completed else []
    except Refused:
        return None
    return 1 + (max(failed) - min(failed)) / min(done) if failed and done and min(done) > 0 else None


def _accepted_effect(explained: Explained | None) -> Fraction | None:
    """The greatest effect, as a ratio of at least one, when somebody else accepted it."""
    if explained is None or not explained.accepted or explained.greatest_effect is None:
        return None
    effect = explained.greatest_effect
    return max(effect, 1 / effect) if effect > 0 else None


def _words(explained: Explained | None) -> str:
    if explained is None:
        return ""
    return f"{explained.text} ({explained.by}, {'accepted' if explained.accepted else 'not accepted'})"


def _widens(effect: Fraction) -> str:
    return f"It widens the interval by a factor of {plain_decimal(effect, significant=6)} on each side."


def _difference_sentence(row: AuditRow, spread: Fraction | None, effect: Fraction | None, *, within: bool) -> str:
    by = "" if spread is None else f" by {plain_decimal(100 * (spread - 1), significant=4)} % between the extremes"
    limit = "" if row.tolerance is None else f"; {plain_decimal(100 * row.tolerance, significant=4)} % is tolerated"
    said = f"{row.setting} differs{by}{limit}."
    if effect is None:
        return f"{said} An explanation with a greatest effect must be accepted."
    return f"{said} {'' if within else 'Explained and accepted. '}{_widens(effect)}"


def require_comparable(rows: Iterable[AuditRow]) -> None:
    """Passes when no row blocks.

    Raises:
        NotComparable: work_mismatch, setting_differs or not_recorded, with the sentences of the blocking rows.
    """
    blocking = [row for row in rows if row.blocks]
    if not blocking:
        return
    differing = [row for row in blocking if row.state == "differs"]
    kind = "setting_differs" if differing else "not_recorded"
    code = "work_mismatch" if any(row.role == "work" for row in differing) else kind
    raise NotComparable(
        code,
        f"The arms are not comparable: {named([row.setting for row in blocking])}.",
        " ".join(row.sentence for row in blocking[:6]),
    )


def widening(rows: Iterable[AuditRow]) -> tuple[Fraction, tuple[str, ...]]:
    """The product of all greatest effects, and the sentences that say where it comes from."""
    product, reasons = Fraction(1), []
    for row in rows:
        if row.greatest_effect is not None and row.greatest_effect > 1:
            product *= row.greatest_effect
            reasons.append(row.sentence)
    return product, tuple(reasons)


def notices(rows: Iterable[AuditRow], *, varied: Collection[str]) -> tuple[Notice, ...]:
    """What a reader should know of the settings that were varied on purpose."""
    by_name, found = {row.setting: row for row in rows}, list[Notice]()
    for name in sorted(set(varied)):
        row = by_name.get(name)
        if row is None:
            found.append(Notice("varied_not_recorded", f"{name} was to be varied, but no file records it."))
        elif row.state == "same":
            value = named(row.baseline)
            found.append(Notice("varied_is_the_same", f"{name} was to be varied, but both arms record {value}."))
    if len(set(varied)) > 1:
        found.append(Notice("bundle", f"Any effect belongs to the bundle of {named(sorted(set(varied)))}, not to one."))
    return tuple(found)
