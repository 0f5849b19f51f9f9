"""A comparison's result for a terminal and for a pull request: effect, uncertainty and cause kept apart."""

from collections.abc import Iterator

from analysis import failures
from analysis.assess import AssessmentResult, RunPoint
from analysis.claims import ConfidenceInterval, WidenedInterval
from analysis.families import ALONE
from analysis.looks import ONLY_IF
from reviews import printing
from reviews.cli import parts, procedures, steps
from reviews.cli.command import table
from reviews.cli.metering import energies, in_markdown
from reviews.metered import widened_by
from reviews.step_words import WITHOUT


def text(result: AssessmentResult) -> str:
    """Plain lines."""
    beside = (*parts.text(result), *energies(result))
    return "\n".join((*_summary(result), "", _runs(result), *beside, *_audit(result), *_notices(result)))


def markdown(result: AssessmentResult) -> str:
    """The same for a pull request."""
    plan = result.plan
    beside = steps.cells(result)
    rows = [
        f"| {_cell(p.label)} | {p.arm} | {p.block or printing.NOTHING} | {printing.quantity(p.value, p.unit)} | "
        f"{_cell(_status(p))} | {' | '.join(beside[p.label])} |"
        for p in result.runs
    ]
    lines = [f"### {plan.what}: {headline(result)}", "", *(f"- {line}" for line in _summary(result)[1:])]
    more = steps.heads(result)
    heads = ["", f"| run | arm | block | value | status | {' | '.join(more)} |", f"|{'---|' * (5 + len(more))}"]
    rest = (f"- {line.strip()}" for line in (*_audit(result), *_notices(result)))
    return "\n".join((*lines, *heads, *rows, *parts.markdown(result), *in_markdown(result), "", *rest))


def brief(result: AssessmentResult) -> str:
    """What it says, without its runs and its audit."""
    return "\n".join((*_summary(result), *(f"  {notice.sentence}" for notice in result.notices)))


def brief_markdown(result: AssessmentResult) -> str:
    """The same for a pull request."""
    plan, (_, *lines) = result.plan, _summary(result)
    said = [*lines, *(notice.sentence for notice in result.notices)]
    return "\n".join((f"#### {plan.role}: {plan.what}: {headline(result)}", "", *(f"- {line}" for line in said)))


def headline(result: AssessmentResult) -> str:
    """The verdict's sentence, or why there is none; of a claim or a screening, that it is taken alone."""
    if result.outcome == "verdict" and result.verdict is not None:
        return f"{ALONE.get(result.plan.role, '')}{result.verdict.headline}."
    if result.outcome == "failed_to_serve":
        return "The candidate failed to serve."
    return result.refusal.message if result.refusal is not None else result.outcome.replace("_", " ")


def _summary(result: AssessmentResult) -> tuple[str, ...]:
    plan = result.plan
    lines = [f"{plan.what}, {plan.better} is better: {headline(result)}"]
    if result.refusal is not None and result.refusal.needs:
        lines.append(f"What would help: {result.refusal.needs}")
    if result.among:
        lines += [f"Failed: {failures.in_words(count)}" for count in result.failures]
    if result.governing is not None:
        among = f" {result.among}" if result.among else ""
        lines.append(f"Effect{among}, {_compared(result)}: {_interval(result.governing, widened_by(result))}")
    if result.secondary is not None:
        without = WITHOUT if result.allowances else ""
        lines.append(f"These placements only: {_interval(result.secondary)}{without}")
    if result.estimate is not None and result.interval is None:
        value = printing.significant(result.estimate.value)
        lines.append(f"Observed size, without any uncertainty: {value} ({_compared(result)}).")
    if result.single_look is not None:
        lines.append(f"Struck, {ONLY_IF}: {_interval(result.single_look)}{WITHOUT if result.allowances else ''}")
    if result.slo is not None:
        lines.append(f"Limit, beside the verdict: {result.slo.said}")
    lines += [*procedures.lines(result), *steps.lines(result)]
    lines.append(f"Cause: {result.attribution.sentence}")
    return tuple(lines)


def _compared(result: AssessmentResult) -> str:
    """How the number stands to the arms: a ratio, or a difference in its unit."""
    if result.plan.scale == "ratio" or result.estimate is None:
        return "candidate/baseline"
    unit = result.estimate.frame.unit
    return "candidate - baseline" + (f" in {unit}" if unit != "1" else "")


def _interval(found: ConfidenceInterval | WidenedInterval, by: str = "") -> str:
    inner = found.statistical if isinstance(found, WidenedInterval) else found
    words = printing.IntervalWords(
        level=inner.confidence,
        method=f"{inner.method} widened by {by}" if by else inner.method,
        replicates=f"{inner.units} {inner.frame.counted}",
        scope=inner.frame.scope,
    )
    return printing.interval(inner.estimate, found.lo, found.hi, words)


def _runs(result: AssessmentResult) -> str:
    beside = steps.cells(result)
    rows = [
        (
            p.arm,
            p.label,
            p.block or printing.NOTHING,
            p.placement or "unknown",
            printing.quantity(p.value, p.unit),
            *beside[p.label],
            _status(p),
        )
        for p in result.runs
    ]
    return table(rows, ("arm", "run", "block", "placement", "value", *steps.heads(result), "status"))


def _status(point: RunPoint) -> str:
    """What became of a run, and why it is not used."""
    return f"{point.status}: {point.reason}" if point.reason else point.status


def _cell(said: str) -> str:
    """Words that stay in one cell of a Markdown table."""
    return " ".join(said.replace("|", r"\|").split())


def _audit(result: AssessmentResult) -> Iterator[str]:
    same = sum(row.state == "same" for row in result.audit)
    told = sorted((row for row in result.audit if row.state != "same"), key=lambda row: (not row.blocks, row.follows))
    yield ""
    yield f"Work audit: {printing.plural(same, 'setting')} the same{', and:' if told else '.'}"
    for row in told:
        yield f"  {row.sentence}"


def _notices(result: AssessmentResult) -> Iterator[str]:
    if result.notices:
        yield ""
        yield "Notices:"
    for notice in result.notices:
        yield f"  {notice.sentence}"
