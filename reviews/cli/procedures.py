"""Options of `compare` that name a procedure, and what came of it."""

from argparse import ArgumentParser, Namespace
from fractions import Fraction
from typing import Any, Final

from analysis.assess import AssessmentResult
from analysis.errors import Refused
from analysis.exact import parse_exact
from analysis.inputs import ARMS, MeasurementError
from analysis.service_level import ServiceLevel
from reviews import procedure_words
from reviews.cli.command import UsageError, pairs

STATS: Final = {"goodput": "rate"}


def arguments(parser: ArgumentParser) -> None:
    """What is counted, by which estimator, and what else a plan can name."""
    named = parser.add_argument_group("procedures that a plan can name")
    named.add_argument(
        "--unit", choices=("run", "item"), default="run", help="count runs, or the items that they scored"
    )
    named.add_argument(
        "--estimator",
        choices=("typical", "ratio_of_means"),
        default="typical",
        help="typical runs, or arithmetic means",
    )
    named.add_argument("--equivalence-level", metavar="0.90", help="the interval that decides within the margin alone")
    named.add_argument(
        "--measurement-error",
        action="append",
        default=[],
        metavar="[ARM=]RATIO",
        help="greatest systematic error of a run's value, of both arms or of one (1.005)",
    )
    named.add_argument("--shared-gain", action="store_true", help="one instrument measured both arms")
    named.add_argument(
        "--service-level", action="append", default=[], metavar="METRIC=SECONDS", help="of a goodput: a request's limit"
    )
    named.add_argument(
        "--attainment", default="1", metavar="SHARE", help="of the requests of a rate, that must keep it"
    )


def settle(options: Namespace) -> None:
    """Fills in the statistic that goes with what was asked for, where none was named."""
    if options.stat is None:
        options.stat = "mean" if options.unit == "item" else STATS.get(options.metric or "")


def fields(options: Namespace) -> dict[str, Any]:
    """The members of the analysis's plan. Raises UsageError for what is no number."""
    level = _number(options.equivalence_level, "--equivalence-level") if options.equivalence_level else None
    return {
        "unit": options.unit,
        "estimator": options.estimator,
        "equivalence_level": None if level is None else float(level),
        "measurement_error": _error(options),
        "service_level": _level(options),
    }


def _error(options: Namespace) -> MeasurementError | None:
    if not options.measurement_error:
        if options.shared_gain:
            raise UsageError("--shared-gain is of a --measurement-error, and none is stated.")
        return None
    said: dict[str, Fraction] = {}
    for text in options.measurement_error:
        arm, _, ratio = text.rpartition("=")
        if arm not in ("", *ARMS):
            raise UsageError(f"{text!r} is no measurement error: write 1.005, or {ARMS[0]}=1.005.")
        said |= dict.fromkeys((arm,) if arm else ARMS, _number(ratio, "--measurement-error"))
    one = Fraction(1)
    return MeasurementError(said.get("baseline", one), said.get("candidate", one), options.shared_gain)


def _level(options: Namespace) -> ServiceLevel | None:
    limits = pairs(options.service_level, "--service-level")
    if not limits:
        return None
    named = {metric: _number(limit, "--service-level") for metric, limit in limits.items()}
    return ServiceLevel(named, _number(options.attainment, "--attainment"))


def _number(text: str, option: str) -> Fraction:
    try:
        return parse_exact(text)
    except Refused as refused:
        raise UsageError(f"{option} {text!r} is no number: {refused.message}") from refused


def lines(result: AssessmentResult) -> tuple[str, ...]:
    """What came of it, in lines; the estimand first, because other words would compare another thing."""
    estimand = (f"Speaks of: {result.estimate.frame.estimand}",) if result.estimate is not None else ()
    return (*estimand, *(f"{name}: {said}" for name, said in procedure_words.lines(result)))
