"""The procedures that a planned comparison names, as the analysis takes them; what does not go together is refused."""

from fractions import Fraction
from typing import Any, Final, cast

from analysis import estimation
from analysis.errors import Refused
from analysis.inputs import ComparisonPlan, MeasurementError, Scale
from analysis.service_level import ServiceLevel
from reviews.errors import BadInput
from reviews.plan_content import PlanContent, PlannedComparison, PlannedError, PlannedLevel
from reviews.services import wellformed

PLACES: Final = {
    "bad_unit": "unit",
    "bad_estimator": "estimator",
    "bad_equivalence_level": "equivalence_level",
    "bad_measurement_error": "measurement_error",
}
"""The field that a refusal of the analysis is about; every other one is about the service level."""


def procedures_of(row: PlannedComparison) -> dict[str, Any]:
    """The members of the analysis's plan that name procedures."""
    return {
        "unit": row.unit,
        "estimator": row.estimator,
        "equivalence_level": float(row.equivalence_level) if row.equivalence_level else None,
        "measurement_error": _error(row.measurement_error) if row.measurement_error else None,
        "service_level": _level(row.service_level) if row.service_level else None,
    }


def _error(error: PlannedError) -> MeasurementError:
    return MeasurementError(Fraction(error.baseline), Fraction(error.candidate), error.shared_gain)


def _level(level: PlannedLevel) -> ServiceLevel:
    return ServiceLevel({metric: Fraction(limit) for metric, limit in level.limits.items()}, Fraction(level.share))


def require_procedures(content: PlanContent) -> None:
    """Nothing, when the analysis can do what every comparison asks for.

    Raises:
        BadInput: a number that is none; what the analysis refuses, under its own code; each with its path.
    """
    for row in content.comparisons:
        where = f"comparisons.{row.key}"
        _require_numbers(row, where)
        try:
            estimation.check(_asked(row))
        except Refused as refused:
            field = PLACES.get(refused.code, "service_level")
            raise BadInput(
                refused.message, needs=refused.needs, code=refused.code, where=f"{where}.{field}"
            ) from refused


def _require_numbers(row: PlannedComparison, where: str) -> None:
    if row.equivalence_level:
        wellformed.require_number(row.equivalence_level, f"{where}.equivalence_level")
    if (error := row.measurement_error) is not None:
        wellformed.require_number(error.baseline, f"{where}.measurement_error.baseline")
        wellformed.require_number(error.candidate, f"{where}.measurement_error.candidate")
    if (level := row.service_level) is not None:
        wellformed.require_number(level.share, f"{where}.service_level.share")
        for metric, limit in level.limits.items():
            wellformed.require_number(limit, f"{where}.service_level.limits.{metric}")


def _asked(row: PlannedComparison) -> ComparisonPlan:
    """What the check reads of the plan; the rest is of no account to it."""
    return ComparisonPlan(
        metric=row.metric,
        stat=row.stat,
        better="higher",
        scale=cast(Scale, row.scale),
        margin=Fraction(row.margin),
        role=row.role,
        varied=(),
        required=(),
        tolerances={},
        warmup_steps=row.warmup_steps,
        minimum_requests=0,
        hardware_varied=False,
        slo=None,
        match=row.match,
        confidence=0.95,
        looks=1,
        look=1,
        **procedures_of(row),
    )
