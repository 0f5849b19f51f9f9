"""Numbers that are easily misread: each is noticed and said, with what it may be instead. None changes a number.

Where a number cannot mean what its name says (a time between tokens that counts chunks), it is refused.
"""

import math
import statistics
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from typing import Final

from analysis import loss_series
from analysis.audit_row import AuditRow
from analysis.design import used
from analysis.errors import Refused
from analysis.exact import plain_decimal
from analysis.inputs import ARMS, AssessmentRequest, LabelledRun
from analysis.notices import Notice, named
from analysis.offered_load import achieved_rate, load_of, offered_rate
from analysis.runs import RunPoint
from analysis.told import numbers
from analysis.work_names import unsaid
from analysis.work_size import factor_of

FASTER: Final = 1.05
STANDS_OUT: Final = {3: 27.0, 4: 3.8, 5: 1.8}
"""Number of runs -> by how many ranges of the later ones the first stands out in one of 100 arms by normal noise."""
STANDS_OUT_OF_MORE: Final = 1.2
LIKE: Final = 1.05
OTHER_WORK: Final = 2
NOT_MET: Final = Fraction(5, 100)
ASKED: Final = {
    "random_input_len": "input_tokens",
    "input.prompt.input_tokens.mean": "input_tokens",
    "random_output_len": "output_tokens",
    "input.prompt.output_tokens.mean": "output_tokens",
}
"""What files call the length that was asked for, and the work in which it shows."""
CACHE_OFF: Final = ("false", "0", "off", "no")

Points = Collection[RunPoint]


def notices(request: AssessmentRequest, points: Points, audit: Collection[AuditRow]) -> tuple[Notice, ...]:
    """All of them, for the runs that are used."""
    label = {point.label for point in used(points)}
    runs = [run for run in request.runs if run.label in label]
    return (
        *_of_load(runs),
        *_of_aggregates(request, runs),
        *_of_order(request, runs, points),
        *_of_lengths(runs),
        *_of_size(request, points, audit),
        *_of_silence(audit),
        *loss_series.notices(request, [run.label for run in runs]),
    )


def require_token_times(request: AssessmentRequest) -> None:
    """Passes unless the metric is a time between tokens, and a run shows that it counts chunks of several tokens.

    Raises:
        Refused: itl_counts_chunks.
    """
    if request.plan.metric != "itl":
        return
    found = []
    for run in request.runs:
        between, each = (_aggregate(run, metric, "mean") for metric in ("itl", "tpot"))
        if between is not None and each is not None and between < each / 2:
            found.append(run.label)
    if found:
        raise Refused(
            "itl_counts_chunks",
            f"In {named(found)} the time between tokens is less than half the time per output token: several tokens "
            "came in one chunk, and the gaps are those between chunks.",
            "Compare tpot, the time per output token.",
        )


def _aggregate(run: LabelledRun, metric: str, stat: str) -> float | None:
    rows = run.reading.of_run(run.run.key).only(metric=metric, kind="aggregate", stat=stat).measured()
    return float(rows.values[0]) if len(rows) == 1 else None


def _of_load(runs: Sequence[LabelledRun]) -> Iterator[Notice]:
    states = {run.label: load_of(run) for run in runs}
    behind, untold = (
        [_rates(run) for run in runs if states[run.label] == state] for state in ("fell behind", "cannot be told")
    )
    said = []
    if behind:
        said.append(f"In {named(behind)} it was saturated: its requests waited.")
    if untold:
        said.append(f"In {named(untold)} it was saturated, or the run was too short to tell.")
    if said:
        yield Notice(
            "below_offered_rate",
            f"Fewer requests were completed than offered, by more than the chance of their arrivals. {' '.join(said)}",
        )


def _rates(run: LabelledRun) -> str:
    offered, achieved = (
        plain_decimal(rate or Fraction(0), significant=3) for rate in (offered_rate(run), achieved_rate(run))
    )
    return f"{run.label} ({achieved} of {offered} requests/s)"


def _of_aggregates(request: AssessmentRequest, runs: Sequence[LabelledRun]) -> Iterator[Notice]:
    metric, wrong = request.plan.metric, []
    for run in runs:
        peak = _aggregate(run, metric, "max")
        middle = [_aggregate(run, metric, stat) for stat in ("mean", "rate")]
        if peak is not None and any(one is not None and peak < one for one in middle):
            wrong.append(run.label)
    if wrong:
        yield Notice(
            "peak_below_mean", f"The peak of {metric} is below its mean in {named(wrong)}: one of the two is wrong."
        )


def _of_order(request: AssessmentRequest, runs: Sequence[LabelledRun], points: Points) -> Iterator[Notice]:
    values = {point.label: point.value for point in points if point.value is not None and point.value > 0}
    for arm in ARMS:
        mine = [run for run in runs if run.arm == arm and run.label in values and run.run.started_ns is not None]
        mine.sort(key=lambda run: (run.run.started_ns or 0, run.label))
        times = [values[run.label] if request.plan.better == "lower" else 1 / values[run.label] for run in mine]
        if len(times) > 1:
            yield from _of_starts(arm, mine, times)


def _of_starts(arm: str, runs: Sequence[LabelledRun], times: Sequence[float]) -> Iterator[Notice]:
    """The runs of an arm in the order of their starts; times: lower is better, whatever the metric."""
    rest = times[1:]
    faster = all(later < earlier for earlier, later in zip(times, rest, strict=False))
    seeds = {_setting(run, "seed") for run in runs}
    cached = any(_setting(run, "enable_prefix_caching").lower() not in CACHE_OFF for run in runs)
    if faster and len(seeds) == 1 and seeds != {""} and cached and times[0] > FASTER * times[-1]:
        yield Notice(
            "warm_cache",
            f"The {arm} runs repeat the same requests (seed {seeds.pop()}), and each was faster than the one before: a "
            f"warm prefix cache looks like that, and so does chance, in one of {math.factorial(len(times))} arms. "
            "Record whether it was on, and empty it before every run.",
        )
    elif len(rest) > 1 and times[0] > max(FASTER * max(rest), max(rest) + _usual(len(times)) * (max(rest) - min(rest))):
        yield Notice(
            "first_run_stands_out",
            f"The first {arm} run, {runs[0].label}, is slower than all later ones by a factor of at least "
            f"{times[0] / max(rest):.3g}: the first run of a fresh server carries its warm-up. Warm both alike.",
        )


def _usual(runs: int) -> float:
    """How many ranges of the later runs the first of so many may lie beyond them."""
    return STANDS_OUT.get(runs, STANDS_OUT_OF_MORE)


def _setting(run: LabelledRun, name: str) -> str:
    return next((s.value for s in run.reading.settings_of(run.run.key) if s.name == name), "")


def _of_lengths(runs: Sequence[LabelledRun]) -> Iterator[Notice]:
    for asked, counted in ASKED.items():
        missed = {run.label: said for run in runs if (said := _missed(run, asked, counted))}
        if missed:
            first = next(iter(missed))
            yield Notice(
                "requested_length_not_met",
                f"{asked} is not what was run in {named(list(missed))}: {missed[first]} in {first}.",
            )


def _missed(run: LabelledRun, asked: str, counted: str) -> str:
    """What was asked for and what was run, of the tokens of a request, when they differ; else ""."""
    dataset = _setting(run, "dataset_name")
    if dataset not in ("", "random"):
        return ""
    found = numbers(_setting(run, name) for name in (asked, counted, "requests_completed"))
    if found is None or min(found) <= 0:
        return ""
    wanted, real = found[0], found[1] / found[2]
    if abs(real / wanted - 1) <= NOT_MET:
        return ""
    return f"{plain_decimal(real, significant=4)} of {plain_decimal(wanted, significant=4)} tokens a request"


def _of_size(request: AssessmentRequest, points: Points, audit: Collection[AuditRow]) -> Iterator[Notice]:
    plan = request.plan
    arms = [[p.value for p in used(points) if p.arm == arm and p.value is not None and p.value > 0] for arm in ARMS]
    if not all(arms):
        return
    ratio = statistics.geometric_mean(arms[1]) / statistics.geometric_mean(arms[0])
    of_time = any(point.unit == "s" for point in used(points))
    for row in audit:
        factor = factor_of(row) if row.state in ("differs", "differs_as_declared") and not row.follows else None
        if factor is None:
            continue
        most = max(factor, 1 / factor)
        if row.role == "work" and of_time and most >= OTHER_WORK and 1 / LIKE < ratio < LIKE:
            yield Notice(
                "latency_ignores_work",
                f"{plan.metric} is nearly the same (ratio {ratio:.3g}) though {row.setting} differs by a factor of "
                f"{plain_decimal(most, significant=4)}: check that the work was done.",
            )
        if row.setting == "batch_size" and "throughput" in plan.metric and (ratio < 1) == (factor > 1):
            yield Notice(
                "throughput_falls_with_batch",
                f"{plan.metric} falls where the batch is larger: check that it counts samples, and not batches.",
            )


def _of_silence(audit: Collection[AuditRow]) -> Iterator[Notice]:
    silent = unsaid({row.setting for row in audit if row.state != "not_recorded"})
    if silent and audit:
        yield Notice(
            "not_known_to_be_the_same",
            f"Neither arm records {', '.join(silent)}: what is not recorded is not known to be the same.",
        )
