"""Work that differs in size only: every kind of it by the same factor, as far as it is recorded.

Then, and only then, a metric per unit of the work is offered in the place of one of the whole run.
"""

from collections.abc import Collection
from fractions import Fraction
from typing import Final

from analysis.audit_row import AuditRow, percent
from analysis.exact import plain_decimal
from analysis.inputs import AssessmentRequest
from analysis.lengths import PER_REQUEST
from analysis.metering import energy_metric
from analysis.per_unit import OF_A_WHOLE, divided_by, unit_of
from analysis.told import Told, numbers

FAILED: Final = "requests_failed"
SAME_MIX: Final = Fraction(5, 100)
"""How far the factors of two kinds of work may be apart for their mix to be offered as the same."""
GREATEST_SIZE: Final = 10
"""How many times as large one work may be for its size to divide out: what does not grow with it weighs otherwise."""
COUNTED: Final = ("output_tokens", "tokens", "requests_completed", "samples", "steps", "queries", "epochs")
"""By what the whole is divided in the offer, the first that differs."""


def per_each(told: Told, divided: Told) -> list[Fraction] | None:
    """How much of one work a run did for each unit of another; None when a run says no positive number of either."""
    found = []
    for label, (_, value) in told.by_run.items():
        parts = numbers((value, divided.by_run.get(label, ("", ""))[1]))
        if parts is None or min(parts) <= 0:
            return None
        found.append(parts[0] / parts[1])
    return found


def factor_of(row: AuditRow) -> Fraction | None:
    """How many times the work of the baseline the candidate did, on average; None when they are no positive numbers."""
    arms = [numbers(row.baseline), numbers(row.candidate)]
    means = [sum(found, Fraction(0)) / len(found) for found in arms if found and min(found) > 0]
    return means[1] / means[0] if len(means) == len(arms) else None


def _none(row: AuditRow) -> bool:
    """Whether neither arm did any of it."""
    done = numbers((*row.baseline, *row.candidate))
    return done is not None and not any(done)


def way_out(request: AssessmentRequest, rows: Collection[AuditRow]) -> str:
    """What could be compared in the place of a number of the whole run, when the work differs in size only; else "".

    A rate or a time of one request is per unit of work already: for those the size itself has to be made the same.
    """
    blocking = [row for row in rows if row.blocks]
    lengths = [row for row in rows if row.setting.endswith(PER_REQUEST)]
    work = [
        row for row in rows if row.role == "work" and row.setting != FAILED and row not in lengths and not _none(row)
    ]
    found = [factor_of(row) for row in work]
    factors = [factor for factor in found if factor is not None]
    in_size = all(row.state == "differs" and row in work for row in blocking) and len(factors) == len(found)
    if not blocking or not in_size or max(factors) / min(factors) - 1 > SAME_MIX or divided_by(request):
        return ""
    if max(max(factors), 1 / min(factors)) > GREATEST_SIZE:
        return ""
    return _offer(request, work, factors, known=bool(lengths))


def _offer(
    request: AssessmentRequest, work: Collection[AuditRow], factors: Collection[Fraction], *, known: bool
) -> str:
    plan, most = request.plan, max(factors, key=lambda factor: max(factor, 1 / factor))
    mix = percent(max(factors) / min(factors) - 1)
    unit = next((name for name in COUNTED if any(row.setting == name and row.blocks for row in work)), "")
    by_request = any(row.setting == "requests_completed" for row in work)
    unknown = "; the lengths of single requests are not recorded" if by_request and not known else ""
    size = (
        f"As far as is recorded, the work differs in size only (the candidate did {plain_decimal(most, significant=4)} "
        f"times as much, its mix the same within {mix}{unknown}):"
    )
    if unit and (plan.stat in OF_A_WHOLE or energy_metric(plan.metric) is not None) and not _per_something(plan.metric):
        return f"{size} compare {plan.metric}_per_{unit_of(unit)}, which divides the size out."
    return f"{size} {plan.metric} is per unit of work already, so run both arms with the same amount of it."


def _per_something(metric: str) -> bool:
    """Whether the metric is a rate, or a number of one unit of the work."""
    return "throughput" in metric or "_per_" in metric or "latency" in metric or metric.endswith("goodput")
