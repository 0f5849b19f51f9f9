"""manage.py recompute: do the stored files and measurements still give every result, digit by digit?"""

from argparse import ArgumentParser
from collections.abc import Iterator

from django.core.management.base import BaseCommand, CommandError

from reviews.models import Memo, TraceComparison
from reviews.queries.trail import memos_numbered
from reviews.services import assessments, trace_comparisons


class Command(BaseCommand):
    help = (
        "Computes the assessments of memos again from their stored measurements, and the comparisons of their traces"
        " from the stored files. Ends with 1 when one differs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("numbers", nargs="*", metavar="NUMBER", help="memos; without any, all of them")

    def handle(self, *, numbers: list[str], **_options: object) -> None:
        memos = memos_numbered(numbers)
        if unknown := sorted(set(numbers) - {memo.number for memo in memos}):
            raise CommandError(f"There is no memo {', '.join(unknown)}.")
        differing: dict[str, int] = {}
        for memo in memos:
            for kind, name, said in _computed_again(memo):
                differing[kind] = differing.get(kind, 0) + (said == "DIFFERS")
                self.stdout.write(f"{memo.number} {name}: {said}")
        if any(differing.values()):
            these = " and ".join(f"{count} {kind}(s)" for kind, count in differing.items() if count)
            raise CommandError(f"{these} cannot be computed again.")


def _computed_again(memo: Memo) -> Iterator[tuple[str, str, str]]:
    """The kind of each result, what it is called, and what came of computing it again."""
    for assessment in memo.assessments.order_by("pk"):
        name = f"{assessment.comparison} look {assessment.look}"
        yield "assessment", name, assessments.computed_again(assessment)
    rows = TraceComparison.objects.filter(evidence_set__memo=memo).select_related("evidence_set")
    for row in rows.order_by("pk"):
        name = f"traces of set {row.evidence_set.number}, margin {trace_comparisons.percent_of(row)} %"
        yield "comparison of traces", name, trace_comparisons.computed_again(row)
