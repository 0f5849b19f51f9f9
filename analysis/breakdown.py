"""What stands beside a verdict when runs record parts: stages, sums that add up, and counters. It decides nothing."""

from dataclasses import replace

from analysis import counters, stages
from analysis.counter_values import CYCLES, recorded
from analysis.design import used
from analysis.inputs import AssessmentRequest
from analysis.part_effects import Layout
from analysis.parts import SplitAnswer
from analysis.results import AssessmentResult
from analysis.widening import NOT_WIDENED


def _said_unwidened(split: SplitAnswer) -> SplitAnswer:
    """The split with the word that its intervals hold no allowance: what an allowance moves in each part is unknown."""
    basis = split.basis
    told = None if basis is None else replace(basis, assumptions=(*basis.assumptions, NOT_WIDENED))
    return replace(split, basis=told)


def broken_down(request: AssessmentRequest, result: AssessmentResult) -> AssessmentResult:
    """The result with what its used runs say of their parts; unchanged when they record none, or have no design.

    What is counted are runs: sweeps and items have no parts.
    """
    if result.design is None or result.design.kind == "items" or result.sweeps:
        return result
    layout = Layout(result.plan, used(result.runs), result.design)
    staged, counted = stages.staged_rows(request), recorded(request)
    allowed = 0.0 if result.widened is None else result.widened.allowance
    times = stages.times_of(staged, layout) if staged else None
    splits = [] if times is None else [stages.split(times, layout)]
    if CYCLES in counted:
        splits.append(counters.time_split(request, counted[CYCLES], layout))
    return replace(
        result,
        stages=None if times is None else stages.answer(times, layout, allowed=allowed),
        splits=tuple(_said_unwidened(split) for split in splits) if allowed else tuple(splits),
        mechanisms=counters.answer(request, counted, layout) if counted else None,
    )
