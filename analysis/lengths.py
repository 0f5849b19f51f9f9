"""The lengths of requests, one by one: equal totals can hide a different mix of short and long requests.

Runs whose requests have the same lengths, in whatever order, are the same. Else what is stated is a distance: the share
of all tokens that would have to move between requests for the lengths to be equal (the Wasserstein distance over the
mean), which is never below the difference of the means, and beside it the Kolmogorov-Smirnov distance. No test is made:
that a difference is not significant would not make it none.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any, Final

import numpy as np

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
from analysis.inputs import ARMS, Arm, AssessmentRequest, LabelledRun
from analysis.table import Floats
from analysis.told import ABSENT

LENGTHS: Final = ("input_tokens", "output_tokens")
PER_REQUEST: Final = "_per_request"
MOST_PLACES: Final = 2


@dataclass(frozen=True, slots=True)
class Lengths:
    """What the requests of one run hold of one kind of token, sorted, and the file that says so."""

    arm: Arm
    sizes: Floats
    file: str

    @property
    def said(self) -> str:
        """In words: how many requests, and how long they are."""
        middle = float(self.sizes[(self.sizes.size - 1) // 2])
        return f"{self.sizes.size} requests of {self.sizes[0]:g} to {self.sizes[-1]:g}, half of them up to {middle:g}"


@dataclass(frozen=True, slots=True)
class Distance:
    """How far the lengths of two runs are apart. moved: share of the tokens of the run that has fewer on average."""

    moved: Fraction | None
    kolmogorov_smirnov: float


def rows(
    request: AssessmentRequest, totals: Mapping[str, AuditRow], *, failed: Collection[str]
) -> tuple[AuditRow, ...]:
    """A row for each kind of token that some run records request by request.

    Args:
        totals: by name, the row of the sum, whose tolerance and explanation also serve the lengths.
        failed: labels of runs that failed, which tell no work.
    """
    runs = [run for run in request.runs if not run.excluded and run.label not in failed]
    found = (_row(name, runs, request, totals.get(name)) for name in LENGTHS)
    return tuple(row for row in found if row is not None)


def lengths_of(run: LabelledRun, name: str) -> Lengths | None:
    """The lengths of the requests of a run; None when it does not record them one by one."""
    raw = run.reading.of_run(run.run.key).only(metric=name, kind="raw", phase="measured", stage="").measured()
    if not len(raw):
        return None
    return Lengths(run.arm, np.sort(raw.values), raw[0].where.partition(":")[0])


def distance(one: Floats, other: Floats) -> Distance:
    """The distance of two sorted samples of whatever sizes."""
    at = np.concatenate([one, other])
    at.sort(kind="mergesort")
    parts = [np.searchsorted(sizes, at, side="right") / sizes.size for sizes in (one, other)]
    apart = np.abs(parts[0] - parts[1])
    fewer = min(float(one.mean()), float(other.mean()))
    area = float(np.sum(apart[:-1] * np.diff(at)))
    return Distance(Fraction(area / fewer).limit_denominator(10**9) if fewer > 0 else None, float(apart.max()))


def _row(
    name: str, runs: Collection[LabelledRun], request: AssessmentRequest, total: AuditRow | None
) -> AuditRow | None:
    spoken = [(run.arm, lengths_of(run, name)) for run in runs]
    known = [found for _, found in spoken if found is not None]
    if not known:
        return None
    silent = {arm for arm, found in spoken if found is None}
    row = AuditRow(
        f"{name}{PER_REQUEST}", "same", _said(known, "baseline", silent), _said(known, "candidate", silent), "work",
        _sources(known), None, None, "", blocks=False, sentence=f"{name}{PER_REQUEST} is the same, request by request.",
    )  # fmt: skip
    if silent:
        return _silent_row(row, silent, required=row.setting in request.plan.required)
    if _alike(known):
        return row
    return _differing(row, known, request, total)


def _said(known: Collection[Lengths], arm: Arm, silent: Collection[Arm]) -> tuple[str, ...]:
    said = {one.said for one in known if one.arm == arm} | ({ABSENT} if arm in silent else set())
    return tuple(sorted(said))


def _sources(known: Collection[Lengths]) -> tuple[str, ...]:
    files = sorted({one.file for one in known})
    if len(files) > MOST_PLACES:
        return (f"computed from the requests in {len(files)} files",)
    return tuple(f"computed from the requests in {file}" for file in files)


def _silent_row(row: AuditRow, silent: Collection[Arm], *, required: bool) -> AuditRow:
    """Lengths that only some runs record: that they are the same is not known, which blocks where they are required."""
    return _with(
        row, "not_recorded",
        f"{row.setting} is not recorded by all runs of the {' and the '.join(sorted(silent))}: whether they "
        "were as long is not known.",
        blocks=required,
    )  # fmt: skip


def _alike(known: Collection[Lengths]) -> bool:
    """Whether both arms have the same set of lengths of requests: what differs inside both alike is noise."""
    mixes = {arm: {one.sizes.tobytes() for one in known if one.arm == arm} for arm in ARMS}
    return mixes["baseline"] == mixes["candidate"]


def _differing(
    row: AuditRow, known: Collection[Lengths], request: AssessmentRequest, total: AuditRow | None
) -> AuditRow:
    plan, base = request.plan, row.setting.removesuffix(PER_REQUEST)
    if {row.setting, base} & set(plan.varied):
        return _with(row, "differs_as_declared", f"{row.setting} differs, as declared.")
    distinct = {one.sizes.tobytes(): one.sizes for one in known}
    pairs = [distance(one, other) for one, other in combinations(distinct.values(), 2)]
    shares = [one.moved for one in pairs]
    moved = None if None in shares else max(share for share in shares if share is not None)
    tolerance = plan.tolerances.get(row.setting, plan.tolerances.get(base))
    apart = "" if moved is None else f" by {percent(moved)} of the tokens"
    said = (
        f"{row.setting} differs{apart} (Kolmogorov-Smirnov distance "
        f"{max(one.kolmogorov_smirnov for one in pairs):.2g} of 1){tolerated(tolerance)}."
    )
    own = next((e for e in request.explained if e.setting == row.setting), None)
    found = _with(row, "differs", said, tolerance=tolerance, explanation=words_of(own))
    if moved is not None and tolerance is not None and moved <= tolerance:
        return _beyond(found, 1 + moved, total, "")
    if accepted_effect(own) is not None:
        return _beyond(found, accepted_effect(own) or Fraction(1), None, "Explained and accepted. ")
    if total is not None and total.state == "differs" and total.explanation and not total.blocks:
        return _with(found, "differs", f"{said} The accepted explanation of {base} serves it too.")
    return _with(found, "differs", f"{said} {MUST_BE_EXPLAINED}", blocks=True)


def _beyond(row: AuditRow, effect: Fraction, total: AuditRow | None, why: str) -> AuditRow:
    """The row with what it widens beyond what its total does already: no allowance counts twice."""
    taken = total.greatest_effect if total is not None and total.greatest_effect is not None else Fraction(1)
    rest = max(effect / taken, Fraction(1))
    return _with(row, "differs", f"{row.sentence} {why}{widens(rest)}", greatest_effect=rest)


def _with(row: AuditRow, state: State, sentence: str, **changes: Any) -> AuditRow:
    return replace(row, state=state, sentence=sentence, **changes)
