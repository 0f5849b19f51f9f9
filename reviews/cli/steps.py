"""What `countersign compare` is told of the steps of the runs, and what it says of them."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Final

from analysis.assess import AssessmentResult
from reviews import step_words
from reviews.step_words import RunLine

HEADS: Final = ("rows", "cut", "course")
TAIL: Final = "beyond"


def arguments(parser: ArgumentParser) -> None:
    """What is cut from the start of every run, and how much of it must be left."""
    parser.add_argument("--warmup", type=int, default=0, metavar="STEPS", help="steps cut from the start of every run")
    parser.add_argument(
        "--warmup-seconds", metavar="S", help="the same in seconds of each run's own clock, in place of --warmup"
    )
    parser.add_argument(
        "--minimum-steps",
        type=int,
        default=0,
        metavar="N",
        help="fewest steps or requests left in a run; a partial run that kept so many is used",
    )


def heads(result: AssessmentResult) -> tuple[str, ...]:
    """The heads of the columns that the table of the runs gets."""
    return (*HEADS, TAIL) if _has_tails(result) else HEADS


def cells(result: AssessmentResult) -> dict[str, tuple[str, ...]]:
    """The cells below them, by the run's label."""
    tails = _has_tails(result)
    return {one.label: _cells(one, tails=tails) for one in step_words.run_lines(result)}


def _cells(one: RunLine, *, tails: bool) -> tuple[str, ...]:
    said = (one.recorded, one.cut, one.course)
    return (*said, one.tail) if tails else said


def _has_tails(result: AssessmentResult) -> bool:
    return any(one.tail for one in step_words.run_lines(result))


def lines(result: AssessmentResult) -> Iterator[str]:
    """The cut, the effect at a longer one, the two answers to who is left out, the lost runs and their worst case."""
    yield from (f"{name}: {said}" for name, said in step_words.facts(result))
