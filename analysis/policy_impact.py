"""What two batch policies do to queue wait, tail latency and throughput, at the same offered load.

Every offered load is answered by itself, from the runs of both arms at that load; nothing is simulated, and nothing is
carried from one load to another.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from analysis import work
from analysis.errors import Refused
from analysis.exact import parse_exact, plain_decimal
from analysis.inputs import AssessmentRequest, ComparisonPlan, LabelledRun, Scale
from analysis.looking import Changes, Values, changes_of, completed, layout_of, plan_of
from analysis.notices import Refusal, as_value, named
from analysis.queue_waits import NUMBERS, SHARE, ArmWaits, require_recorded, waits_of
from analysis.request_times import records_requests
from analysis.run_values import RunValue, run_value

LOADS: Final[Mapping[str, str]] = {"request_rate": "requests/s", "max_concurrency": "at once"}
"""Settings that say which load was offered, and their units in words."""
NO_LOAD: Final = "offered load not stated"
UNSTATED: Final = (
    "The files do not state the offered load (request_rate or max_concurrency): whether it was the same is not known."
)
THROUGHPUTS: Final = ("request_throughput", "throughput", "output_throughput")
TAILS: Final = ("e2e_latency", "latency", "ttft")


@dataclass(frozen=True, slots=True)
class LoadAnswer:
    """What the runs at one offered load show. changes: of the candidate; None without one, or by `refusal`.

    work: what the matched-work audit finds different, or not recorded, between the arms.
    """

    load: str
    arms: tuple[ArmWaits, ...]
    changes: Changes | None
    refusal: Refusal | None
    work: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QueueAnswer:
    """The queue waits of one arm or two, at each offered load."""

    loads: tuple[LoadAnswer, ...]
    notices: tuple[str, ...]


def queue_answer(
    baseline: Sequence[LabelledRun],
    candidate: Sequence[LabelledRun],
    *,
    varied: Sequence[str] = (),
    warmup: int = 0,
    confidence: float = 0.95,
) -> QueueAnswer:
    """The queue waits, and with a candidate what changes at each load that both arms were offered.

    Args:
        varied: settings that differ on purpose, the policy itself. warmup: requests cut from the start of every run.

    Raises:
        Refused: no_runs, no_queue_wait, no_matched_load.
    """
    plan = plan_of("queue_wait", "mean", better="lower", scale="difference", warmup=warmup, confidence=confidence)
    strange = [run.label for run in completed((*baseline, *candidate)) if not records_requests(run)]
    ours, theirs = _by_load(baseline), _by_load(candidate)
    both = sorted(set(ours) & set(theirs) if candidate else set(ours))
    if candidate and not both:
        raise Refused(
            "no_matched_load",
            f"No load was offered to both arms: to the baseline {named(sorted(ours)) or 'none'}, to the candidate"
            f" {named(sorted(theirs)) or 'none'}.",
            "Run both policies at the same request_rate or max_concurrency.",
        )
    loads = tuple(_at(load, ours[load], theirs.get(load, ()), plan, varied) for load in both)
    if not loads:
        raise Refused("no_runs", "No baseline run is left.", "Attach at least two completed runs.")
    require_recorded([arm for load in loads for arm in load.arms])
    told = tuple(load for load in loads if any(arm.recorded for arm in load.arms))
    silent = [load.load for load in loads if load not in told]
    return QueueAnswer(told, tuple(_notices(ours, theirs if candidate else ours, strange, silent)))


def load_of(run: LabelledRun) -> str:
    """The offered load in words."""
    stated = {setting.name: setting.value for setting in run.reading.settings_of(run.run.key)}
    said = [f"{_plain(stated[name])} {unit}" for name, unit in LOADS.items() if stated.get(name)]
    return ", ".join(said) or NO_LOAD


def _plain(value: str) -> str:
    """A number without what does not matter: 4.0 is 4."""
    try:
        return plain_decimal(parse_exact(value), significant=10)
    except Refused:
        return value


def _by_load(runs: Sequence[LabelledRun]) -> Mapping[str, list[LabelledRun]]:
    """The runs that hold requests; those that did not complete count in the layout."""
    found: dict[str, list[LabelledRun]] = defaultdict(list)
    for run in runs:
        if records_requests(run) or run.run.status != "completed":
            found[load_of(run)].append(run)
    return {load: held for load, held in found.items() if completed(held)}


def _notices(
    ours: Mapping[str, object], theirs: Mapping[str, object], strange: Sequence[str], silent: Sequence[str]
) -> list[str]:
    found = [UNSTATED] if (NO_LOAD in ours or NO_LOAD in theirs) and NO_LOAD not in silent else []
    if strange:
        found.append(f"Runs without any wait or latency are left out: {named(list(strange))}.")
    if silent:
        found.append(f"A queue wait is not recorded at: {named(list(silent))}.")
    for arm, held, other in (("baseline", ours, theirs), ("candidate", theirs, ours)):
        alone = sorted(set(held) - set(other))
        if alone:
            found.append(f"Only the {arm} was offered: {named(alone)}. These runs are left out.")
    return found


def _at(
    load: str,
    baseline: Sequence[LabelledRun],
    candidate: Sequence[LabelledRun],
    plan: ComparisonPlan,
    varied: Sequence[str],
) -> LoadAnswer:
    first = waits_of("baseline", baseline, plan)
    if not candidate:
        return LoadAnswer(load, (first,), None, None, ())
    arms = first, waits_of("candidate", candidate, plan)
    runs = (*baseline, *candidate)
    differs = _audited(runs, plan, varied)
    try:
        layout = layout_of(runs, plan)
    except Refused as refused:
        return LoadAnswer(load, arms, None, as_value(refused), differs)
    return LoadAnswer(load, arms, changes_of(layout, _asked(arms, runs, plan)), None, differs)


def _audited(runs: tuple[LabelledRun, ...], plan: ComparisonPlan, varied: Sequence[str]) -> tuple[str, ...]:
    declared = replace(plan, varied=tuple(varied))
    request = AssessmentRequest(plan=declared, runs=runs, explained=(), stated=(), predictions=())
    kept = {run.label for run in completed(runs)}
    rows = work.audit(request, failed=[run.label for run in runs if run.label not in kept])
    return tuple(row.sentence for row in rows if row.state in ("differs", "not_recorded") and not row.follows)


def _asked(
    arms: Sequence[ArmWaits], runs: Sequence[LabelledRun], plan: ComparisonPlan
) -> list[tuple[str, Values, Scale, str]]:
    asked: list[tuple[str, Values, Scale, str]] = []
    for name in NUMBERS:
        known = {label: value for arm in arms for label, value in arm.by_run(name).items()}
        said = f"queue wait, {name}" if name != SHARE else f"queue wait, {SHARE}"
        asked.append((said, known, "difference", "1" if name == SHARE else "s"))
    for name, metrics, stats in (("latency", TAILS, ("p99",)), ("throughput", THROUGHPUTS, ("rate", "mean"))):
        asked.append(_measured(name, metrics, stats, runs, plan))
    return asked


def _measured(
    name: str, metrics: Sequence[str], stats: Sequence[str], runs: Sequence[LabelledRun], plan: ComparisonPlan
) -> tuple[str, Values, Scale, str]:
    """The first of these metrics that every run has a number of; else the first that some run has."""
    found = [_values(metric, stat, runs, plan) for metric in metrics for stat in stats]
    some = [one for one in found if any(value is not None for value in one[1].values())]
    whole = [one for one in some if None not in one[1].values()]
    said, values = (whole or some or [(f"{name} {stats[0]}", found[0][1])])[0]
    return said, values, "ratio", "1"


def _values(metric: str, stat: str, runs: Sequence[LabelledRun], plan: ComparisonPlan) -> tuple[str, Values]:
    """The number of each run. Where some are the tool's own and some computed here, the computed ones only."""
    asked = plan_of(metric, stat, better="lower", scale="ratio", warmup=plan.warmup_steps, confidence=plan.confidence)
    found: dict[str, RunValue | None] = {}
    for run in completed(runs):
        try:
            found[run.label] = run_value(run.reading.of_run(run.run.key).only(metric=metric), asked)
        except Refused:
            found[run.label] = None
    mixed = len({one.computed for one in found.values() if one is not None}) > 1
    values = {
        label: None if one is None or (mixed and one.computed != "ours") else one.value for label, one in found.items()
    }
    return f"{metric} {stat}{' computed from requests' if mixed else ''}", values
