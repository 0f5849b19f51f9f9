"""What `countersign compare` asks and prints of the parts of runs: stages, sums that add up, counters."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import replace

from analysis.assess import AssessmentResult, ComparisonPlan
from analysis.errors import Refused
from analysis.exact import parse_exact
from analysis.inputs import StageKind
from reviews.breakdowns import PrintedTable, breakdowns
from reviews.cli.command import UsageError, table
from reviews.vocabulary import StageTimes


def arguments(parser: ArgumentParser) -> None:
    """What the times of stages are, and how counters are read."""
    parser.add_argument(
        "--stages",
        choices=StageTimes.values,
        default="exclusive",
        help="what the times of stages are (default: exclusive)",
    )
    parser.add_argument("--unit-of-work", default="", metavar="NAME", help="the recorded work that counters are per")
    parser.add_argument(
        "--counter-margin", default="0.03", metavar="SHARE", help="what counts as a movement of a counter (0.03)"
    )


def with_parts(plan: ComparisonPlan, options: Namespace) -> ComparisonPlan:
    """The plan with what the options say: of stages, when it is that of the primary metric. Raises UsageError."""
    try:
        margin = parse_exact(options.counter_margin)
    except Refused as refused:
        raise UsageError(f"{options.counter_margin!r} is no number: {refused.message}") from refused
    stages: StageKind = options.stages if plan.role == "primary" else "exclusive"
    return replace(plan, stages=stages, unit_of_work=options.unit_of_work, counter_margin=margin)


def text(result: AssessmentResult) -> Iterator[str]:
    """Plain lines, each answer after an empty one; nothing when the runs record no parts."""
    for found in breakdowns(result):
        yield from ("", f"{found.title}: {found.sentence}")
        if found.needs:
            yield f"What would help: {found.needs}"
        yield from (table(shown.rows, shown.heads) for shown in found.tables)
        yield from (f"{name}: {said}" for name, said in found.about)


def markdown(result: AssessmentResult) -> Iterator[str]:
    """The same with tables, for a pull request."""
    for found in breakdowns(result):
        yield from ("", f"**{found.title}.** {found.sentence} {found.needs}".rstrip())
        for shown in found.tables:
            yield from ("", *_table(shown))
        if found.about:
            yield from ("", *(f"- {name}: {said}" for name, said in found.about))


def _table(shown: PrintedTable) -> Iterator[str]:
    yield f"| {' | '.join(shown.heads)} |"
    yield "|---" * len(shown.heads) + "|"
    yield from (f"| {' | '.join(row)} |" for row in shown.rows)
