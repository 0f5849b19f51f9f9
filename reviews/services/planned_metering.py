"""How a plan says that power is measured: from its texts to the declaration that the analysis takes, or refused."""

from fractions import Fraction
from typing import Final, cast, get_args

from analysis.errors import Refused
from analysis.metering import Between, Metering, Source, check_metering
from reviews.errors import BadInput
from reviews.plan_content import PlannedMetering
from reviews.policies import numbers
from reviews.policies.facts import RuleError

CODE: Final = "bad_metering"


def declared(planned: PlannedMetering | None, where: str) -> Metering | None:
    """The declaration, None for none. Raises BadInput naming the path of what does not fit."""
    if planned is None:
        return None
    for field, words in (("source", get_args(Source)), ("between", get_args(Between))):
        if getattr(planned, field) not in words:
            raise BadInput(
                f"{getattr(planned, field)[:60]!r} is no {field}.",
                needs=f"Choose one of: {', '.join(words)}.",
                code=CODE,
                where=f"{where}.{field}",
            )
    metering = Metering(
        source=cast(Source, planned.source),
        sensor_average=_number(planned.sensor_average, f"{where}.sensor_average"),
        between=cast(Between, planned.between),
        floor=_number(planned.floor, f"{where}.floor"),
        cap=_number(planned.cap, f"{where}.cap"),
        slew=_number(planned.slew, f"{where}.slew"),
        relative=_number(planned.relative, f"{where}.relative") or Fraction(0),
        absolute=_number(planned.absolute, f"{where}.absolute") or Fraction(0),
        one_meter=planned.one_meter,
        load_period=_number(planned.load_period, f"{where}.load_period"),
    )
    try:
        check_metering(metering)
    except Refused as refused:
        raise BadInput(refused.message, needs=refused.needs, code=refused.code, where=where) from refused
    return metering


def _number(text: str, where: str) -> Fraction | None:
    """The decimal number, None for ""."""
    if not text:
        return None
    try:
        return numbers.fraction(text, where)
    except RuleError as error:
        raise BadInput(
            f"{text[:60]!r} is no decimal number.", needs='Write for example "0.05".', code="bad_number", where=where
        ) from error
