"""The matched-work audit: did both arms do the same work in the same way, but for what was varied on purpose?

Two questions, because equality and silence are two: `differences` finds what the arms state differently,
`unstated` what somebody had to state and did not. Evidence that states nothing would pass the first.

Work numbers (tokens, requests, samples) are compared by the extremes over the runs of both arms; configuration as
the set of values over the runs of each arm. Work that only one arm names differs in kind: no explanation helps.
Failed requests are measured against the completed ones, because they are what is missing from the work.
Under a metric per unit of some work, that work divides out, and any other is measured per unit of it.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Final

from analysis import lengths, workload
from analysis.audit_row import (
    MUST_BE_EXPLAINED,
    AuditRow,
    State,
    accepted_effect,
    percent,
    tolerated,
    widens,
    words_of,
)
from analysis.errors import Refused
from analysis.inputs import ARMS, AssessmentRequest, Explained
from analysis.notices import Notice, named
from analysis.per_unit import divided_by
from analysis.told import ABSENT, Table, Told, differences, spread_of, tell, unstated
from analysis.work_size import GREATEST_SIZE, per_each

__all__ = [
    "AuditRow", "NotComparable", "State", "audit", "differences", "notices", "require_comparable", "tell", "unstated",
    "widening",
]  # fmt: skip

FAILED_REQUESTS: Final = "requests_failed"
COMPLETED_REQUESTS: Final = "requests_completed"


class NotComparable(Refused):
    """The arms did not do the same work in the same way."""


def audit(request: AssessmentRequest, *, failed: Collection[str]) -> tuple[AuditRow, ...]:
    """One row for every setting of configuration or work, and for every required one.

    Args:
        failed: labels of runs that failed; their configuration counts, their work does not.
    """
    plan = request.plan
    wanted = {*plan.required, *plan.varied, *plan.tolerances}
    facts = workload.facts_of(request)
    table = tell(request.runs, request.stated, failed=failed, wanted=wanted, computed=facts)
    divided = next((table[name] for name in divided_by(request) if name in table), None)
    rows = {name: _row(told, request, table, divided) for name, told in table.items()}
    rows |= {row.setting: row for row in lengths.rows(request, rows, failed=failed)}
    nothing = dict.fromkeys(ARMS, (ABSENT,))
    for name in unstated(table, required=plan.required):
        if name not in rows:
            rows[name] = _silent_row(Told(name, nothing, "configuration", ()), _explained(name, request), required=True)
    judged = any(not row.follows for row in rows.values())
    return tuple(rows[name] for name in sorted(rows)) if judged else ()


def _explained(name: str, request: AssessmentRequest) -> Explained | None:
    return next((e for e in request.explained if e.setting == name), None)


def _row(told: Told, request: AssessmentRequest, table: Table, divided: Told | None) -> AuditRow:
    plan, explained = request.plan, _explained(told.name, request)
    required = told.name in plan.required
    if told.follows and not required and told.name not in (*plan.varied, *plan.tolerances):
        return _described_row(told)
    if told.silent and (required or (told.name not in plan.varied and not told.same)):
        return _silent_row(told, explained, required=required)
    return _spoken_row(told, explained, request, table, divided)


def _same_row(told: Told, tolerance: Fraction | None) -> AuditRow:
    values, said = told.values, f"{told.name} is the same."
    return AuditRow(
        told.name, "same", values["baseline"], values["candidate"], told.role, told.sources, tolerance, None, "",
        blocks=False, sentence=said,
    )  # fmt: skip


def _described_row(told: Told) -> AuditRow:
    """What follows from the speed of the runs: it differs when they do, and is no work."""
    row = replace(_same_row(told, None), follows=True)
    if told.same:
        return row
    base, cand = (named(list(told.values[arm])) for arm in ARMS)
    arms = f"{told.name}: {base} in the baseline, {cand} in the candidate."
    said = f"{arms} It follows from the work and its speed, and is not judged."
    return replace(row, state="not_recorded" if told.silent else "differs", sentence=said)


def _silent_row(told: Told, explained: Explained | None, *, required: bool) -> AuditRow:
    row, name = _same_row(told, None), told.name
    one_arm_only = any(told.values[arm] == (ABSENT,) for arm in ARMS) and told.role == "work"
    if one_arm_only and name != FAILED_REQUESTS:
        sentence = f"Only one arm counts {name}: the work differs in kind, and is never comparable."
        return replace(row, state="differs", blocks=True, sentence=sentence)
    where = "both arms" if len(told.silent) > 1 else f"the {told.silent[0]}"
    effect = None if required else accepted_effect(explained)
    lift = "Somebody must state it." if required else "State it, or explain its greatest effect."
    return replace(
        row,
        state="not_recorded",
        greatest_effect=effect,
        explanation=words_of(explained),
        blocks=effect is None,
        sentence=f"{name} is not recorded for {where}. {lift if effect is None else widens(effect)}",
    )


def _spoken_row(
    told: Told, explained: Explained | None, request: AssessmentRequest, table: Table, divided: Told | None
) -> AuditRow:
    name, tolerance = told.name, request.plan.tolerances.get(told.name)
    row = _same_row(told, tolerance)
    if divided is None and told.same:
        return row
    if name in request.plan.varied:
        said = row.sentence if told.same else f"{name} differs, as declared."
        return replace(row, state="same" if told.same else "differs_as_declared", sentence=said)
    if divided is not None and told.role == "work" and name != FAILED_REQUESTS:
        return _per_unit_row(row, told, explained, divided)
    if told.same:
        return row
    spread = _failed_share(told, table) if name == FAILED_REQUESTS else told.spread
    return _differing_row(row, explained, spread, f"{name} differs{_by(spread)}")


def _per_unit_row(row: AuditRow, told: Told, explained: Explained | None, divided: Told) -> AuditRow:
    """Work under a metric per unit of `divided`: that work divides out, another is judged by how much of it is in each.

    What does not grow with the work may be all of a tiny run: sizes more than ten times apart do not divide out.
    """
    each, whole = per_each(told, divided), told.spread
    if told.name == divided.name:
        if told.same:
            return row
        divides = whole is not None and each is not None and whole <= GREATEST_SIZE
        if whole is None or not divides or (row.tolerance is not None and whole - 1 <= row.tolerance):
            return _differing_row(row, explained, whole, f"{told.name} differs{_by(whole)}")
        said = f"{told.name} differs{_by(whole)}. The metric is per unit of it, so its size divides out."
        return replace(row, state="differs", sentence=said)
    if each is None and told.same:
        return row
    spread = spread_of(each)
    if spread == 1:
        said = f"{told.name} is the same per unit of {divided.name}."
        return replace(row, state="same" if told.same else "differs", sentence=row.sentence if told.same else said)
    return _differing_row(row, explained, spread, f"{told.name} per unit of {divided.name} differs{_by(spread)}")


def _differing_row(row: AuditRow, explained: Explained | None, spread: Fraction | None, said: str) -> AuditRow:
    tolerance = row.tolerance
    within = spread is not None and tolerance is not None and spread - 1 <= tolerance
    effect = spread if within else accepted_effect(explained)
    start = f"{said}{tolerated(tolerance)}."
    lift = MUST_BE_EXPLAINED if effect is None else f"{'' if within else 'Explained and accepted. '}{widens(effect)}"
    return replace(
        row,
        state="differs",
        greatest_effect=effect,
        explanation=words_of(explained),
        blocks=effect is None,
        sentence=f"{start} {lift}",
    )


def _by(spread: Fraction | None) -> str:
    return "" if spread is None else f" by {percent(spread - 1)} between the extremes"


def _failed_share(told: Told, table: Table) -> Fraction | None:
    """One plus the difference in failed requests over the fewest completed; None when either is unknown."""
    completed = table.get(COMPLETED_REQUESTS)
    failed, done = told.numbers(), completed.numbers() if completed else None
    return 1 + (max(failed) - min(failed)) / min(done) if failed and done and min(done) > 0 else None


def require_comparable(rows: Iterable[AuditRow], way_out: str = "") -> None:
    """Passes when no row blocks.

    Args:
        way_out: what could be compared instead, "" for nothing.

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
        " ".join([row.sentence for row in blocking[:6]] + ([way_out] if way_out else [])),
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
