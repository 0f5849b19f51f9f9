"""manage.py verify_trail: do the records of memos still say what was written?"""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from reviews.queries.trail import memos_numbered
from reviews.services import stored_files, verification


class Command(BaseCommand):
    help = "Verifies the chain of events of memos, and their records against it. Ends with 1 when something is wrong."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("numbers", nargs="*", metavar="NUMBER", help="memos; without any, all of them")

    def handle(self, *, numbers: list[str], **_options: object) -> None:
        memos = memos_numbered(numbers)
        if unknown := sorted(set(numbers) - {memo.number for memo in memos}):
            raise CommandError(f"There is no memo {', '.join(unknown)}.")
        wrong = 0
        for memo in memos:
            faults = verification.faults(memo)
            wrong += bool(faults)
            said = ("; ".join(faults) or "holds", *stored_files.redacted(memo))
            self.stdout.write(f"{memo.number}: {'; '.join(said)}")
        if wrong:
            raise CommandError(f"{wrong} of {len(memos)} memo(s) do not hold.")
        self.stdout.write(f"{len(memos)} memo(s) hold.")
