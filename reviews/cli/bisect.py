"""`countersign bisect`: where in an ordered list of builds an effect begins, from results of `countersign compare`."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from analysis import restored
from analysis.bisection import MATERIALITY, Bisection, Standing, Tried, bisect, standing_of
from analysis.families import verdict_of
from analysis.results import AssessmentResult
from reviews import printing
from reviews.cli.command import Command, Exit, UsageError, table, write, write_json
from reviews.cli.texts import text_of

HEADS: Final = ("build", "stands", "verdict against the base")
WORDS: Final[Mapping[Standing, str]] = {
    "as_the_base": "as the base",
    "moved": "beyond the margin",
    "undecided": "undecided",
}


def arguments(parser: ArgumentParser) -> None:
    """The builds in their order, each with the results of its comparisons with the base."""
    parser.add_argument(
        "builds",
        nargs="+",
        metavar="BUILD[=RESULT.json]",
        help="in order, the base first, the candidate last; RESULT.json is what `compare --json` printed of the base "
        "against this build, several with commas between them",
    )
    parser.add_argument(
        "--runs", type=int, default=5, metavar="N", help="runs of each arm in a step (5); a single run decides nothing"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: Namespace) -> Exit:
    """Prints which build to run next, or where the effect begins; exit 2 while it is not located."""
    names = [text.partition("=")[0] for text in options.builds]
    seen = [
        (name, _result(path))
        for name, text in zip(names, options.builds, strict=True)
        for path in text.partition("=")[2].split(",")
        if path
    ]
    ends = [verdict_of(one) for name, one in seen if name == names[-1]]
    effect = next((end.materiality for end in ends if end is not None and end.materiality in MATERIALITY), "")
    lines = [(name, one, _standing(one, effect)) for name, one in seen]
    found = bisect(names, [Tried(name, standing) for name, _, standing in lines], runs_each=options.runs)
    if options.json:
        write_json(as_json(found))
    else:
        write(_text(found, [(name, WORDS[standing], _said(one)) for name, one, standing in lines]))
    return Exit.OK if found.located else Exit.UNDECIDED


def _result(path: str) -> AssessmentResult:
    try:
        return restored.from_json(json.loads(text_of(path)))
    except (ValueError, KeyError, TypeError, AttributeError, msgspec.ValidationError) as error:
        raise UsageError(f"{path} is no result of countersign compare --json of one comparison.") from error


def _standing(result: AssessmentResult, effect: str) -> Standing:
    found = verdict_of(result)
    return standing_of(found.materiality if found is not None else None, effect)


def _said(result: AssessmentResult) -> str:
    found = verdict_of(result)
    return found.headline if found is not None else result.outcome.replace("_", " ")


def as_json(found: Bisection) -> dict[str, Any]:
    """The bisection as JSON values."""
    return {
        "kind": "bisection",
        "base": found.base,
        "after": found.after,
        "upto": found.upto,
        "left": list(found.left),
        "next": found.next,
        "again": found.again,
        "located": found.located,
        "steps_expected": found.steps_expected,
        "steps_most": found.steps_most,
        "runs_expected": found.runs_expected,
        "runs_most": found.runs_most,
        "wrong_at_most": found.wrong_at_most,
        "sentence": found.sentence,
    }


def _text(found: Bisection, lines: list[tuple[str, str, str]]) -> str:
    left = (
        f"{printing.shortest(found.runs_expected)} runs are expected, {found.runs_most} at most, if no step stays "
        "undecided."
    )
    chance = printing.percent(found.wrong_at_most)
    return "\n".join(
        (
            found.sentence,
            *(() if found.located else (left,)),
            f"The chance that any step is judged wrongly is at most {chance}.",
            "",
            table(lines, HEADS),
        )
    )


COMMAND = Command("bisect", "where in an ordered list of builds an effect begins", arguments, run)
