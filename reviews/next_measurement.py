"""What to measure next, as people write it and read it: the same in a file, in the API and on the command line."""

from typing import Any, Final

import msgspec

from analysis.errors import Refused
from analysis.exact import nearest_float, parse_exact
from analysis.next_measurement import Next, Planned, Ranking, Rival, next_measurement
from reviews import printing

Number = str | int | float
HEADS: Final = ("measurement", "bits", "bits a minute", "minutes", "standard error", "predicts nothing")
_DIGITS: Final = 3


class WrittenPrediction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ratio, candidate over baseline, that a hypothesis predicts; an end that is left out is open."""

    hypothesis: str
    low: Number | None = None
    high: Number | None = None


class WrittenMeasurement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A measurement that could be made. standard_error: of the log ratio, so that 0.01 is 1 %."""

    name: str
    standard_error: Number
    predictions: tuple[WrittenPrediction, ...]
    minutes: Number | None = None


class WrittenHypothesis(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    key: str
    statement: str = ""
    prior: Number | None = None


class Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Hypotheses and measurements as somebody wrote them."""

    hypotheses: tuple[WrittenHypothesis, ...]
    measurements: tuple[WrittenMeasurement, ...]


def from_text(text: str) -> Written:
    """The question of a JSON text. Raises msgspec.DecodeError, which names the place, for any other text."""
    return msgspec.json.decode(text, type=Written)


def from_values(values: Any) -> Written:
    """The question of JSON values. Raises msgspec.ValidationError."""
    return msgspec.convert(values, Written)


def rivals_of(written: Written) -> list[Rival]:
    """The hypotheses. Raises Refused: not_a_number, not_finite."""
    return [Rival(one.key, _number(one.prior)) for one in written.hypotheses]


def planned_of(written: Written) -> list[Planned]:
    """The measurements. Raises Refused: not_a_number, not_finite, named_twice."""
    return [
        Planned(
            name=one.name,
            se=_needed(one.standard_error),
            minutes=_number(one.minutes),
            predictions=_predictions(one),
        )
        for one in written.measurements
    ]


def _predictions(one: WrittenMeasurement) -> dict[str, tuple[float | None, float | None]]:
    found: dict[str, tuple[float | None, float | None]] = {}
    for said in one.predictions:
        if said.hypothesis in found:
            raise Refused(
                "named_twice",
                f"{one.name} has two predictions of {said.hypothesis}.",
                "Give each hypothesis one prediction a measurement.",
            )
        found[said.hypothesis] = (_number(said.low), _number(said.high))
    return found


def _needed(said: Number) -> float:
    return nearest_float(parse_exact(said))


def _number(said: Number | None) -> float | None:
    return None if said is None else _needed(said)


def ranked(written: Written) -> Ranking:
    """The ranking of what was written. Raises Refused: as `rivals_of`, `planned_of` and `next_measurement`."""
    return next_measurement(rivals_of(written), planned_of(written))


def row_of(row: Next) -> tuple[str, ...]:
    """A measurement as printed, in the order of HEADS."""
    return (
        row.name,
        printing.bits(row.bits),
        printing.NOTHING if row.bits_per_minute is None else printing.significant(row.bits_per_minute, _DIGITS),
        "not known" if row.minutes is None else printing.significant(row.minutes, _DIGITS),
        printing.percent(row.se),
        ", ".join(row.unpredicted) or printing.NOTHING,
    )
