"""Runs that failed, counted exactly.

A run failed when its file says so, when all its requests failed, or when it completed none. The rule for the
outcome `failed_to_serve`: the candidate has at least one failed run and the baseline has none. When both arms, or
only the baseline, lost runs, the effect is labelled "among completed runs". Where sweeps of rates are what is compared,
they are what is counted: a sweep failed when it held no rate.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal

from analysis.errors import Refused
from analysis.exact import parse_exact
from analysis.inputs import Arm, LabelledRun
from analysis.notices import Notice

COMPLETED_REQUESTS = "requests_completed"
Counted = Literal["runs", "sweeps"]
AMONG: Final[dict[Counted, str]] = {"runs": "among completed runs", "sweeps": "among sweeps that held a rate"}


@dataclass(frozen=True, slots=True)
class FailureCount:
    """`failed` of `runs` runs of an arm, or sweeps as `counted` says, and the Clopper-Pearson 95 % interval of it."""

    arm: Arm
    runs: int
    failed: int
    low: float
    high: float
    counted: Counted = "runs"


def why_failed(run: LabelledRun) -> str:
    """Why the run counts as failed, in words; "" when it does not."""
    file_run = run.run
    if file_run.status == "failed":
        return file_run.reason or "the file marks it as failed"
    if file_run.attempted and file_run.failed is not None and file_run.failed >= file_run.attempted:
        return f"all {file_run.attempted} requests failed"
    return "no request completed" if _completed_nothing(run) else ""


def _completed_nothing(run: LabelledRun) -> bool:
    done = [s.value for s in run.reading.settings_of(run.run.key) if s.name == COMPLETED_REQUESTS]
    try:
        return any(parse_exact(value) == 0 for value in done)
    except Refused:
        return False


def count(statuses: Collection[str], arm: Arm, counted: Counted = "runs") -> FailureCount:
    """The failed of an arm, whose runs or sweeps ended in these statuses; excluded ones are in neither number."""
    kept = [status for status in statuses if status != "excluded"]
    low, high = clopper_pearson(kept.count("failed"), len(kept))
    return FailureCount(arm, len(kept), kept.count("failed"), low, high, counted)


def clopper_pearson(k: int, n: int) -> tuple[float, float]:
    """The exact 95 % interval of a share, k of n; (0, 1) when n is 0. Clopper and Pearson 1934."""
    from scipy.special import betaincinv  # noqa: PLC0415

    low = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, 0.025))
    high = 1.0 if k == n else float(betaincinv(k + 1, n - k, 0.975))
    return low, high


def candidate_failed_to_serve(baseline: FailureCount, candidate: FailureCount) -> bool:
    """Whether the candidate lost runs and the baseline lost none of at least one."""
    return candidate.failed > 0 and baseline.failed == 0 and baseline.runs > 0


def in_words(count_of: FailureCount) -> str:
    """The count as a sentence: "2 of 5 candidate runs failed (95 % interval of the share: 5.3 % to 85.3 %)."."""
    return (
        f"{count_of.failed} of {count_of.runs} {count_of.arm} {count_of.counted} failed (95 % interval of the share: "
        f"{100 * count_of.low:.1f} % to {100 * count_of.high:.1f} %)."
    )


def among(counts: Collection[FailureCount]) -> str:
    """What an effect is among when some failed, "" when none did."""
    return next((AMONG[one.counted] for one in counts if one.failed), "")


def notices(
    runs: Collection[LabelledRun], counts: Collection[FailureCount], *, goodput: bool = False
) -> tuple[Notice, ...]:
    """What failed runs and failed requests do to the reading of an effect, which may be one of a `goodput`."""
    found = [Notice("failed_runs", in_words(one)) for one in counts if one.failed]
    if found:
        found.append(Notice("among_completed_runs", f"The effect is {among(counts)}: a failed one has no value."))
    lossy = [run for run in runs if run.run.failed and not run.excluded and not why_failed(run)]
    if lossy:
        lost = sum(run.run.failed or 0 for run in lossy)
        then = "they kept no limit" if goodput else "values are of completed ones"
        found.append(Notice("failed_requests", f"{lost} requests failed in {len(lossy)} runs; {then}."))
    return tuple(found)
