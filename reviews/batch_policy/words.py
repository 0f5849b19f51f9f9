"""A report in plain lines and tables, the same on the command line, in the method sheet and in tests."""

from collections.abc import Iterator, Sequence

from analysis.batch_charts import next_run, typical
from analysis.batch_front import Front, Objective
from analysis.batch_region import LimitAnswer, PointState, RegionChange
from analysis.batch_sweep import BatchSweep
from analysis.policy_table import OBJECTIVES, PolicyTable, RateRow, Threshold, cost_of
from reviews import printing
from reviews.batch_policy.report import Compared, PolicyReport

Rows = list[tuple[str, ...]]
SINGLE = "–"
CHANGES = (
    ("gained", "gained (not feasible before, feasible now)"), ("lost", "lost (feasible before, not feasible now)"),
    ("kept", "feasible in both"), ("out", "not feasible in either"), ("uncertain", "uncertain"),
)  # fmt: skip


def curve_table(sweep: BatchSweep) -> tuple[tuple[str, ...], Rows]:
    """Heads and rows: the typical run of each quantity, and the bound of the next one."""
    heads = [sweep.varied, "runs"]
    for one in sweep.quantities:
        heads += [one.name, f"{one.name}, next run"]
    rows: Rows = []
    for point in sweep.points:
        row = [point.label, str(len(point.runs))]
        for one in sweep.quantities:
            unit = one.unit if one.unit != "1" else ""
            row += [said(typical(point, one.name), unit), said(next_run(point, one), unit)]
        rows.append(tuple(row))
    return tuple(heads), rows


def said(value: float | None, unit: str) -> str:
    """A value as people read it; a dash where there is none."""
    return SINGLE if value is None else printing.quantity(value, unit)


def state_line(point: PointState) -> str:
    """One point in words, with what decided."""
    return f"{point.label}: {point.state}" + (
        f" ({'; '.join(map(answer_said, point.answers))})" if point.answers else ""
    )


def answer_said(answer: LimitAnswer) -> str:
    """One limit at one point, in words."""
    if answer.check is None:
        why = answer.refusal.message if answer.refusal else ""
        return f"{answer.quantity} undetermined: {why}"
    run = "typical" if answer.answer == "broken" else "next"
    unit = answer.check.unit if answer.check.unit != "1" else ""
    bound, limit = said(answer.bound, unit), said(answer.limit, unit)
    text = f"{answer.quantity} {answer.answer}: bound of the {run} run {bound}, limit {limit}"
    return f"{text}. {answer.refusal.message}" if answer.refusal else text


def region_lines(report: PolicyReport) -> Iterator[str]:
    """The region, point by point."""
    if report.region is None:
        return
    level = printing.confidence(report.region.confidence)
    yield f"Feasible {report.region.varied}: {listed(report.region.labels('feasible'))}."
    yield f"A limit is met when the one-sided {level} prediction bound of the next run keeps it."
    yield from (f"  {state_line(point)}" for point in report.region.points)


def front_lines(report: PolicyReport) -> Iterator[str]:
    """Which points no other one beats."""
    front = report.front
    if front is None:
        yield f"Front: {report.refusals['front'].message} {report.refusals['front'].needs}"
        return
    yield from _standings(front)


def _standings(front: Front) -> Iterator[str]:
    yield f"Front in {', '.join(front.objectives)}: {listed([p.label for p in front.points if p.standing == 'front'])}."
    for point in front.points:
        if point.standing == "not_separated":
            yield f"  {point.label} is not separated from {point.by}: typical runs differ by less than the intervals."
        elif point.standing == "dominated":
            yield f"  {point.label} is dominated by {point.by}."


def interactivity_lines(report: PolicyReport) -> Iterator[str]:
    """Output tokens per second of one user and of a device, of an engine that batches in flight."""
    found, refusal = report.interactivity, report.refusals.get("interactivity")
    if refusal is not None:
        yield f"Tokens per second of a device and of one user: {refusal.message} {refusal.needs}"
    if found is None:
        return
    per = f"one of {found.devices} devices" if found.devices > 1 else "the server"
    yield f"Output tokens per second, of one user ({found.per_user}) and of {per}:"
    for point in found.front.points:
        user, device = (_rate(one) for one in point.objectives)
        yield f"  {point.label}: {user} and {device}"
    yield from _standings(found.front)


def _rate(one: Objective) -> str:
    if one.lo is None:
        return f"{said(one.typical, '1/s')} (no interval: fewer than two usable runs)"
    return f"{said(one.typical, '1/s')} ({said(one.lo, '1/s')} to {said(one.hi, '1/s')})"


def efficiency_lines(report: PolicyReport) -> Iterator[str]:
    """The efficiency batches, or why there are none."""
    if report.fit is None:
        refusal = report.refusals["efficiency"]
        yield f"Efficiency batch: {refusal.message} {refusal.needs}"
        return
    fixed, each = said(report.fit.alpha, "s"), said(report.fit.beta, "s")
    yield f"A batch of b takes {fixed} + b × {each}, at most {printing.percent(round(report.fit.residual, 6))} off."
    for one in report.efficiency:
        share, batch = printing.percent(one.share), printing.significant(one.batch)
        yield f"  {share} of the greatest throughput at a batch of {batch}."


def policy_rows(table: PolicyTable) -> tuple[tuple[str, ...], Rows]:
    """Heads and rows of the policy table."""
    joules = table.objective == "joules"
    heads = (
        "arrivals",
        "policy",
        "p99, simulated",
        "upper end",
        "energy each" if joules else "server time each",
        "load",
    )
    return heads, [_policy_row(row, table) for row in table.rows]


def _policy_row(row: RateRow, table: PolicyTable) -> tuple[str, ...]:
    rate = said(row.rate, "1/s")
    if row.chosen is None or row.chosen.tail is None:
        lowest = row.lowest.tail.value if row.lowest is not None and row.lowest.tail is not None else None
        least = f"lowest p99 {said(lowest, 's')}" if lowest is not None else "every queue grows"
        return (rate, "none keeps the limit", least, SINGLE, SINGLE, SINGLE)
    tail, unit = row.chosen.tail, "J" if table.objective == "joules" else "s"
    cost = said(cost_of(row.chosen, table.objective), unit)
    return (rate, row.chosen.policy.said, said(tail.value, "s"), said(tail.hi, "s"), cost, printing.percent(tail.load))


def policy_lines(table: PolicyTable) -> Iterator[str]:
    """What the table rests on, and where an adaptive policy changes."""
    limit = said(table.limit, "s")
    yield f"Chosen: the least {OBJECTIVES[table.objective]}, with the upper end of the p99 at most {limit}."
    effort = table.effort
    yield (
        f"Arrivals: {table.traffic}. {effort.replications} replications of {printing.count(effort.requests)} requests, "
        f"seed {effort.seed}; the interval is one of another replication, 95 %."
    )
    yield from (threshold_said(one) for one in table.thresholds)


def threshold_said(one: Threshold) -> str:
    """A threshold in words."""
    below = one.below.said if one.below else "nothing that keeps the limit"
    above = one.above.said if one.above else "nothing that keeps the limit"
    return f"Above {said(one.up, '1/s')}: {above}; back to {below} below {said(one.down, '1/s')}."


def change_lines(change: RegionChange) -> Iterator[str]:
    """What a candidate gains and loses."""
    for name, words in CHANGES:
        labels = [point.label for point in change.points if point.change == name]
        if labels:
            yield f"{words}: {', '.join(labels)}"


def notice_lines(sweep: BatchSweep) -> Iterator[str]:
    """What a reader has to know."""
    yield from (f"! {notice.sentence} [{notice.code}]" for notice in sweep.notices)


def listed(labels: Sequence[str]) -> str:
    """Labels with commas; "none" for none."""
    return ", ".join(labels) or "none"


def compared_lines(found: Compared) -> Iterator[str]:
    """The difference of the regions, when there is one."""
    if found.change is not None:
        yield f"Candidate against baseline, {found.change.varied}:"
        yield from (f"  {line}" for line in change_lines(found.change))
