"""The chart of the stages of a comparison: one interval a stage, in their order, against no change."""

from analysis.charts import Axis, Band, ChartSpec, Column, IntervalBar, Mark
from analysis.exact import plain_decimal
from analysis.results import AssessmentResult


def stages_chart(result: AssessmentResult) -> ChartSpec | None:
    """The stages that have an interval, the first on top; None when there is none."""
    answer = result.stages
    if answer is None or answer.basis is None:
        return None
    ratio = result.plan.scale == "ratio"
    unit = "" if ratio else "s"
    judged = [(part, part.lo, part.hi) for part in answer.stages if part.lo is not None and part.hi is not None]
    bars = tuple(
        IntervalBar(part.name, float(len(judged) - at), lo, hi, part.estimate, "interval")
        for at, (part, lo, hi) in enumerate(judged)
    )
    neutral, margin = float(result.plan.neutral), answer.margin
    ends = (1 / margin, margin) if ratio else (-margin, margin)
    together = plain_decimal(100 * (answer.basis.together or 0), significant=4)
    return ChartSpec(
        title=f"{result.plan.metric} {result.plan.stat} by stage, candidate against baseline",
        subtitle=f"all intervals hold together at {together} %",
        x=Axis("ratio candidate / baseline" if ratio else "difference candidate - baseline", unit, log=False, ticks=()),
        y=Axis("", "", log=False, ticks=tuple((bar.at, bar.name) for bar in bars)),
        series=(),
        intervals=bars,
        bands=(Band("within the margin", "x", ends[0], ends[1], "margin"),),
        marks=(Mark("no change", "x", neutral),),
        columns=(Column("stage", ""), Column("low", unit), Column("estimate", unit), Column("high", unit)),
        rows=tuple((part.name, part.lo, part.estimate, part.hi) for part in answer.stages),
    )
