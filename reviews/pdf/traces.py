"""A comparison of traces of the dossier as the PDF shows it: where they part, the stages, and the first kernels."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from analysis import trace_answer
from analysis.trace_answer import TraceAnswer
from analysis.trace_chart import timeline_chart
from reviews import trace_words
from reviews.breakdowns import Breakdown, PrintedTable
from reviews.pdf.comparisons import Drawing, drawing_of

JSON = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TraceSheet:
    """All that is printed of the traces of one set. kernels: in all, of which the table holds the first."""

    cited: JSON
    found: TraceAnswer
    over_runs: Breakdown | None
    facts: tuple[str, ...]
    stages: PrintedTable
    kernel_table: PrintedTable
    timeline: Drawing | None


def trace_sheet(cited: JSON) -> TraceSheet:
    """The sheet of one entry of the dossier's `traces`."""
    found = trace_answer.from_json(cited["result"])
    facts = (trace_words.counted(found), trace_words.whole_step(found), *found.notices)
    return TraceSheet(
        cited=cited,
        found=found,
        over_runs=trace_words.intervals(found),
        facts=tuple(fact for fact in facts if fact),
        stages=trace_words.stages(found),
        kernel_table=trace_words.kernels_table(found.description.kernels),
        timeline=drawing_of(timeline_chart(found)),
    )
