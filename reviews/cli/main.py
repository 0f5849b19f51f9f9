"""`countersign`: one parser made from the table of commands, one translation of refusals."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from importlib.metadata import version
from typing import Final, NoReturn

from analysis.errors import AnalysisError
from reviews.cli import (
    attach,
    bisect,
    bounds,
    compare,
    drivers,
    event,
    fairness,
    inspect,
    lab,
    memo_check,
    memo_push,
    memo_status,
    next_measurement,
    permit,
    plan,
    queue,
    run,
    summary,
    sweep,
    trace,
    verify,
)
from reviews.cli.command import Command, Exit, UsageError, complain
from reviews.errors import Refusal

COMMANDS: Final[tuple[Command, ...]] = (
    compare.COMMAND,
    summary.COMMAND,
    bounds.COMMAND,
    inspect.COMMAND,
    plan.COMMAND,
    next_measurement.COMMAND,
    bisect.COMMAND,
    sweep.COMMAND,
    fairness.COMMAND,
    queue.COMMAND,
    drivers.COMMAND,
    lab.COMMAND,
    trace.COMMAND,
    run.COMMAND,
    attach.COMMAND,
    memo_check.COMMAND,
    memo_push.PUSH,
    memo_push.PULL,
    memo_status.COMMAND,
    permit.COMMAND,
    event.COMMAND,
    verify.COMMAND,
)
GROUPS: Final = {"memo": "file, check and fetch memos"}


class Parser(ArgumentParser):
    """A parser whose complaints end with the exit code for usage."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(Exit.USAGE, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; the exit code says what came of it. A refusal goes to standard error, with its way out."""
    parser = parser_of(COMMANDS)
    options = parser.parse_args(arguments)
    try:
        return int(options.command.run(options))
    except UsageError as error:
        complain(f"countersign {options.command.words}: {error}")
        return int(Exit.USAGE)
    except AnalysisError as refused:
        complain(f"{refused} [{refused.code}]")
        return int(Exit.REFUSED)
    except Refusal as refused:
        _tell(refused)
        return int(Exit.REFUSED)
    except BrokenPipeError:
        return int(Exit.FAILED)


def parser_of(commands: Sequence[Command]) -> Parser:
    """The parser of `countersign`, with a sub-parser per command; "memo check" stands under "memo"."""
    parser = Parser(prog="countersign", description="Honest numbers and signed decisions for accelerator changes.")
    parser.add_argument("--version", action="version", version=f"countersign {version('countersign')}")
    top = parser.add_subparsers(required=True, metavar="COMMAND")
    groups = {}
    for command in commands:
        group, _, name = command.words.rpartition(" ")
        if group and group not in groups:
            words = top.add_parser(group, help=GROUPS[group])
            groups[group] = words.add_subparsers(required=True, metavar="COMMAND")
        sub = (groups[group] if group else top).add_parser(name, help=command.title, description=command.title)
        command.arguments(sub)
        sub.set_defaults(command=command)
    return parser


def _tell(refused: Refusal) -> None:
    complain(" ".join(part for part in (refused.message, refused.needs) if part) + f" [{refused.code}]")
    for lack in refused.missing:
        complain(f"  {lack.sentence} ({lack.who})" if lack.who else f"  {lack.sentence}")
