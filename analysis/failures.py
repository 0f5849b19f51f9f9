"""Runs that failed, counted exactly.

A run failed when its file says so, when all its requests failed, or when it completed none. The rule for the
outcome `failed_to_serve`: the candidate has at least one failed run and the baseline has none. When both arms, or
only the baseline, lost runs, the effect is labelled "among completed runs".
"""

from collections.abc import Collection
from dataclasses import dataclass

from analysis.errors import Refused
from analysis.exact import parse_exact
from analysis.inputs import Arm, LabelledRun
from analysis.notices import Notice

COMPLETED_REQUESTS = "requests_completed"


@dataclass(frozen=True, slots=True)
class FailureCount:
    """`failed` of `runs` runs of an arm, and the Clopper-Pearson 95 % interval of the share."""

    arm: Arm
    runs: int
    failed: int
    low: float
    high: float


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


def count(runs: Collection[LabelledRun], failed: Collection[str], arm: Arm) -> FailureCount:
    """The failed runs of an arm; excluded runs are in neither number."""
    of_arm = [run.label for run in runs if run.arm == arm and not run.excluded]
    k = sum(label in failed for label in of_arm)
    low, high = clopper_pearson(k, len(of_arm))
    return FailureCount(arm, len(of_arm), k, low, high)


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
        f"{count_of.failed} of {count_of.runs} {count_of.arm} runs failed (95 % interval of the share: "
        f"{100 * count_of.low:.1f} % to {100 * count_of.high:.1f} %)."
    )


def notices(runs: Collection[LabelledRun], counts: Collection[FailureCount]) -> tuple[Notice, ...]:
    """What failed runs and failed requests do to the reading of an effect."""
    found = [Notice("failed_runs", in_words(one)) for one in counts if one.failed]
    if found:
        found.append(
            Notice(
                "among_completed_runs",
                "The effect is among completed runs: a failed run has no value.",
            )
        )
    lossy = [run for run in runs if run.run.failed and not run.excluded and not why_failed(run)]
    if lossy:
        lost = sum(run.run.failed or 0 for run in lossy)
        found.append(
            Notice("failed_requests", f"{lost} requests failed in {len(lossy)} runs; values are of completed ones.")
        )
    return tuple(found)
