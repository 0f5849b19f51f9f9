"""manage.py demo: plays one whole case, with a real worker. The last line of its output is a JSON object."""

import json
import signal
import sys
from argparse import ArgumentParser
from typing import Final

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from reviews.demo import personas, play
from reviews.demo.story import StoryBroken
from reviews.demo.worker import WorkerTrouble
from reviews.errors import Refusal

TERMINATED: Final = 128 + signal.SIGTERM


class Command(BaseCommand):
    help = "Plays one whole case on this installation: from a pasted memo to a recorded decision and its PDF."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--if-empty", action="store_true", help="do nothing where other memos stand; print no JSON either"
        )

    def handle(self, *, if_empty: bool, **_options: object) -> None:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
        call_command("migrate", verbosity=0)
        if not play.may_play():
            self._leave_alone(quietly=if_empty)
            return
        try:
            result = play.play(self._tell)
        except (Refusal, StoryBroken, WorkerTrouble) as error:
            raise CommandError(f"The story broke off: {error}") from error
        self._tell_logins()
        if not if_empty:
            self.stdout.write(json.dumps(result.as_json()))

    def _leave_alone(self, *, quietly: bool) -> None:
        said = "This installation holds memos of its own; the demo would mix its people with yours."
        if not quietly:
            raise CommandError(f"{said} Set COUNTERSIGN_DATA_DIR to an empty folder and try again.")
        self.stdout.write("This installation holds memos already: the demo is left out.")

    def _tell(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()

    def _tell_logins(self) -> None:
        self._tell(f"Sign in (make serve) with the password {personas.PASSWORD} as:")
        for line in personas.logins():
            self._tell(f"  {line}")
