"""Options of `compare` that name a procedure, and what came of it."""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final, get_args

from analysis.assess import AssessmentResult
from analysis.inputs import ARMS, Estimator, MeasurementError, Unit
from analysis.served import GOODPUT
from analysis.service_level import ServiceLevel
from reviews import procedure_words
from reviews.cli.command import UsageError, pairs
from reviews.cli.compared import Asked, by_metric, share, split

UNITS: Final[tuple[Unit, ...]] = get_args(Unit)
ESTIMATORS: Final[tuple[Estimator, ...]] = get_args(Estimator)


def arguments(parser: ArgumentParser) -> None:
    """What is counted, by which estimator, and what else a plan can name."""
    named = parser.add_argument_group("procedures that a plan can name")
    named.add_argument(
        "--unit",
        action="append",
        default=[],
        metavar="[NAME=]run|item",
        help="count runs, or the items that they scored",
    )
    named.add_argument(
        "--estimator",
        action="append",
        default=[],
        metavar="[NAME=]typical|ratio_of_means",
        help="typical runs, or arithmetic means",
    )
    named.add_argument("--equivalence-level", metavar="0.90", help="the interval that decides within the margin alone")
    named.add_argument(
        "--measurement-error",
        action="append",
        default=[],
        metavar="[ARM=]RATIO",
        help="greatest systematic error of a run's value of the first metric, in both arms or in one (1.005)",
    )
    named.add_argument("--shared-gain", action="store_true", help="one instrument measured both arms")
    named.add_argument(
        "--service-level", action="append", default=[], metavar="METRIC=SECONDS", help="of a goodput: a request's limit"
    )
    named.add_argument(
        "--attainment", metavar="SHARE", help="of the requests of a rate, that must keep it (default: all)"
    )


def settle(options: Namespace) -> None:
    """Fills in the statistics that go with what was asked for, where none was named."""
    units = by_metric(options.unit, "--unit", UNITS, "")
    if options.stat is None and units.get("") == "item":
        options.stat = "mean"
    for name in ("metric", "claim", "screening"):
        texts = getattr(options, name) or []
        primary = texts[0] if name == "metric" and texts and options.stat else None
        setattr(options, name, [text if text is primary else _with_stat(text, units) for text in texts])


def _with_stat(text: str, units: Mapping[str, Unit]) -> str:
    metric, stat, margin = split(text)
    usual = "mean" if units.get(metric) == "item" else "rate" if metric == GOODPUT else ""
    named = f"{metric}:{stat or usual}" if stat or usual else metric
    return f"{named}={margin}" if margin else named


def fields(options: Namespace, one: Asked) -> dict[str, Any]:
    """The members of the analysis's plan of one comparison. Raises UsageError for what is no number."""
    primary = one.role == "primary"
    units, estimators = (
        by_metric(options.unit, "--unit", UNITS, ""),
        by_metric(options.estimator, "--estimator", ESTIMATORS, ""),
    )
    level, error, served = options.equivalence_level, _error(options), _level(options)
    return {
        "unit": units.get(one.metric) or (units.get("") if primary else None) or "run",
        "estimator": estimators.get(one.metric) or (estimators.get("") if primary else None) or "typical",
        "equivalence_level": float(share(level)) if level else None,
        "measurement_error": error if primary else None,
        "service_level": served if one.metric == GOODPUT or primary else None,
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
        said |= dict.fromkeys((arm,) if arm else ARMS, share(ratio))
    one = Fraction(1)
    return MeasurementError(said.get("baseline", one), said.get("candidate", one), options.shared_gain)


def _level(options: Namespace) -> ServiceLevel | None:
    limits = pairs(options.service_level, "--service-level")
    if not limits:
        if options.attainment is not None:
            raise UsageError("--attainment is of a --service-level, and none is stated.")
        return None
    named = {metric: share(limit) for metric, limit in limits.items()}
    return ServiceLevel(named, Fraction(1) if options.attainment is None else share(options.attainment))


def lines(result: AssessmentResult) -> tuple[str, ...]:
    """What came of it, in lines; the estimand first, because other words would compare another thing."""
    estimand = (f"Speaks of: {result.estimate.frame.estimand}",) if result.estimate is not None else ()
    return (*estimand, *(f"{name}: {said}" for name, said in procedure_words.lines(result)))
