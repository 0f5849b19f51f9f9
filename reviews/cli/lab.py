"""`countersign lab`: the mean of independent trials, exactly, beside the normal curve."""

from argparse import ArgumentParser, Namespace
from fractions import Fraction

from analysis.sampling import MODELS
from reviews import sampling
from reviews.cli.command import Command, Exit, table, write, write_json


def arguments(parser: ArgumentParser) -> None:
    """The probability, the number of trials, and how to print."""
    parser.add_argument("--p", default=sampling.START_P, help="probability of success, 0 to 1 (default: 0.5)")
    parser.add_argument("--n", default=sampling.START_N, help="trials, 1 to 100 (default: 20)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: Namespace) -> Exit:
    """Prints the lab; raises Refused for what is no experiment."""
    lab = sampling.lab_of_text(options.p, options.n)
    if options.json:
        write_json(sampling.lab_to_json(lab))
        return Exit.OK
    write(MODELS)
    write(table(sampling.facts_of(lab), ("of the mean of the trials", f"p {sampling.number(lab.p)}, n {lab.n}")))
    rows = [
        (
            str(bar.k),
            sampling.number(Fraction(bar.k, lab.n)),
            sampling.probability(bar.exact),
            sampling.probability(bar.normal),
        )
        for bar in lab.bars
    ]
    write("")
    write(table(rows, ("successes", "mean", "exact", "normal")))
    return Exit.OK


COMMAND = Command(
    "lab", "independent trials: exact probabilities, the normal curve, and how far it is off", arguments, run
)
