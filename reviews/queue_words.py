"""Queue waits and the impact of a batch policy: as JSON, as printed tables, and in sentences."""

from collections.abc import Iterator

from analysis import canonical
from analysis.policy_impact import LoadAnswer, QueueAnswer
from analysis.queue_waits import SHARE, ArmWaits
from reviews import printing
from reviews.breakdowns import PrintedTable, Row
from reviews.driver_words import basis_lines, change_said, number, refused, spread, with_spread

NO_VERDICT = "No margin is declared for the queue, so this is no verdict."
UNMATCHED = "The matched-work audit finds:"


def as_json(found: QueueAnswer) -> dict[str, object]:
    """All of it as JSON values."""
    return {
        "kind": "queue",
        "loads": canonical.as_json(found.loads),
        "notices": list(found.notices),
    }


def lines(found: QueueAnswer) -> Iterator[str]:
    """Plain sentences, load by load."""
    yield from found.notices
    for load in found.loads:
        yield f"Offered load: {load.load}."
        for arm in load.arms:
            yield from _arm(arm)
        yield from impact_lines(load)


def impact_lines(load: LoadAnswer) -> Iterator[str]:
    """What changes at this load, and what stands beside it."""
    for change in () if load.changes is None else load.changes.changes:
        yield f"Candidate against baseline, {change.name}: {change_said(change)}."
    yield from remarks(load)


def remarks(load: LoadAnswer) -> Iterator[str]:
    """What the audit finds, why the arms are not held against each other, and that it is no verdict."""
    if load.refusal is not None:
        yield f"The arms are not held against each other: {refused(load.refusal)}"
    if load.changes is not None:
        yield from basis_lines(load.changes.basis)
    if load.work:
        yield f"{UNMATCHED} {' '.join(load.work)}"
    if len(load.arms) > 1:
        yield NO_VERDICT


def profile_table(load: LoadAnswer) -> PrintedTable:
    """The typical run of each arm."""
    heads = ("queue wait", "arm", "typical run", "interval over runs", "runs")
    rows = [_row(arm, at) for at in range(len(load.arms[0].numbers)) for arm in load.arms]
    return PrintedTable(heads, tuple(rows))


def runs_table(load: LoadAnswer) -> PrintedTable:
    """Each run, with the order statistics around its quantiles."""
    heads = ("run", "arm", "recorded as", "requests", "mean", "p50", "p95", "p99", SHARE)
    return PrintedTable(heads, tuple(_run(arm, at) for arm in load.arms for at in range(len(arm.runs))))


def impact_table(load: LoadAnswer) -> PrintedTable:
    """The changes at this load."""
    changes = () if load.changes is None else load.changes.changes
    return PrintedTable(("change", "candidate against baseline"), tuple((c.name, change_said(c)) for c in changes))


def _row(arm: ArmWaits, at: int) -> Row:
    own = arm.numbers[at]
    unit = "1" if own.name == SHARE else "s"
    if own.typical is None:
        return own.name, arm.arm, "not recorded in every run", "", ""
    return own.name, arm.arm, number(own.typical.estimate, unit), spread(own.typical, unit), str(own.typical.runs)


def _run(arm: ArmWaits, at: int) -> Row:
    run = arm.runs[at]
    quantiles = (
        number(one.value, "s")
        + ("" if one.lo is None or one.hi is None else f" ({printing.range_in(one.lo, one.hi, 's')})")
        for one in run.quantiles
    )
    requests = "unknown" if run.requests is None else printing.count(run.requests)
    share = run.share_reason if run.share is None else printing.percent(run.share)
    return run.label, arm.arm, run.metric or "not recorded", requests, number(run.mean, "s"), *quantiles, share


def _arm(arm: ArmWaits) -> Iterator[str]:
    yield f"{arm.arm.capitalize()}, {printing.plural(len(arm.runs), 'run')}:"
    for own in arm.numbers:
        unit = "1" if own.name == SHARE else "s"
        if own.typical is None:
            yield f"  {own.name}: not recorded, or too few requests, in {_lacking(arm, own.name)}."
        else:
            yield f"  {own.name}: {with_spread(own.typical, unit)}."


def _lacking(arm: ArmWaits, name: str) -> str:
    return printing.plural(sum(value is None for value in arm.by_run(name).values()), "run")
