"""manage.py recompute: do the stored measurements still give every assessment, digit by digit?"""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from reviews.queries.trail import memos_numbered
from reviews.services import assessments


class Command(BaseCommand):
    help = "Computes the assessments of memos again from their stored measurements. Ends with 1 when one differs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("numbers", nargs="*", metavar="NUMBER", help="memos; without any, all of them")

    def handle(self, *, numbers: list[str], **_options: object) -> None:
        memos = memos_numbered(numbers)
        if unknown := sorted(set(numbers) - {memo.number for memo in memos}):
            raise CommandError(f"There is no memo {', '.join(unknown)}.")
        differing = 0
        for memo in memos:
            for assessment in memo.assessments.order_by("pk"):
                said = assessments.computed_again(assessment)
                differing += said == "DIFFERS"
                self.stdout.write(f"{memo.number} {assessment.comparison} look {assessment.look}: {said}")
        if differing:
            raise CommandError(f"{differing} assessment(s) cannot be computed again.")
