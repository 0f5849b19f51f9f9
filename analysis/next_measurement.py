"""What to measure next, from stated hypotheses and what each of them predicts for possible measurements.

The arithmetic is `information.py`; here stand the names. The answer does not depend on the order in which hypotheses
or measurements are given. It orders work to be done, and is no evidence for any hypothesis.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, log2
from typing import Final, Literal

from analysis.errors import Refused
from analysis.information import PossibleMeasurement, PredictedRatio, rank_measurements

RankedBy = Literal["bits_per_minute", "bits"]

NO_EVIDENCE: Final = "This orders what could be measured; it is no evidence for any hypothesis."


@dataclass(frozen=True, slots=True)
class Rival:
    """A hypothesis that is still open. prior: None when none is stated."""

    key: str
    prior: float | None


@dataclass(frozen=True, slots=True)
class Planned:
    """A measurement that could be made.

    se: the standard error of the log ratio, as planned. minutes: what it takes, None when nobody knows.
    predictions: by hypothesis, the ratio that it predicts; an end that is None is open. A hypothesis that is left out
    predicts nothing.
    """

    name: str
    se: float
    minutes: float | None
    predictions: Mapping[str, tuple[float | None, float | None]]


@dataclass(frozen=True, slots=True)
class Next:
    """A measurement in its place. bits_per_minute: None when its minutes are not known. unpredicted: hypotheses."""

    name: str
    bits: float
    bits_per_minute: float | None
    se: float
    minutes: float | None
    unpredicted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Measurements, the most telling first. most_bits: what would tell the hypotheses apart for certain."""

    rows: tuple[Next, ...]
    ranked_by: RankedBy
    priors: Mapping[str, float]
    priors_stated: bool
    most_bits: float


def next_measurement(rivals: Sequence[Rival], planned: Sequence[Planned]) -> Ranking:
    """The planned measurements by what they are expected to tell of which hypothesis holds.

    Raises:
        Refused: one_hypothesis, no_measurements, named_twice, unknown_hypothesis, bad_priors, not_positive,
            bad_standard_error, bad_minutes, reversed, not_finite.
    """
    ordered = sorted(rivals, key=lambda rival: rival.key)
    keys = [rival.key for rival in ordered]
    _require_names(keys, planned)
    priors = _priors(ordered)
    possible = [
        PossibleMeasurement(one.name, one.se, one.minutes, tuple(_predicted(one, key) for key in keys))
        for one in sorted(planned, key=lambda one: one.name)
    ]
    known = {one.name: one for one in planned}
    found = rank_measurements(possible, priors=priors)
    rows = tuple(
        Next(
            name=row.name,
            bits=row.bits,
            bits_per_minute=row.bits_per_minute,
            se=known[row.name].se,
            minutes=known[row.name].minutes,
            unpredicted=tuple(keys[at] for at in row.unpredicted),
        )
        for row in found
    )
    weights = priors or [1 / len(keys)] * len(keys)
    return Ranking(
        rows=rows,
        ranked_by="bits_per_minute" if all(one.minutes is not None for one in planned) else "bits",
        priors=dict(zip(keys, weights, strict=True)),
        priors_stated=priors is not None,
        most_bits=fsum(-p * log2(p) for p in weights if p > 0),
    )


def _predicted(one: Planned, key: str) -> PredictedRatio:
    """Both ends open is no prediction."""
    ends = one.predictions.get(key)
    return None if ends in (None, (None, None)) else ends


def _priors(rivals: Sequence[Rival]) -> list[float] | None:
    stated = [rival.prior for rival in rivals if rival.prior is not None]
    if stated and len(stated) < len(rivals):
        raise Refused(
            "bad_priors", "Some hypotheses have a prior and some have none.", "Give all of them one, or none."
        )
    return stated or None


def _require_names(keys: Sequence[str], planned: Sequence[Planned]) -> None:
    if not planned:
        raise Refused("no_measurements", "There is no measurement to rank.", "Describe at least one.")
    twice = _twice(keys) or _twice(one.name for one in planned)
    if twice:
        raise Refused("named_twice", f"{twice} is named twice.", "Give each hypothesis and measurement one name.")
    for one in planned:
        strange = sorted(set(one.predictions) - set(keys))
        if strange:
            raise Refused(
                "unknown_hypothesis",
                f"{one.name} has a prediction of {strange[0]}, which is no hypothesis here.",
                f"The hypotheses are: {', '.join(keys) or 'none'}.",
            )


def _twice(names: Iterable[str]) -> str:
    return next((name for name, times in sorted(Counter(names).items()) if times > 1), "")


def ranking_to_json(ranking: Ranking) -> dict[str, object]:
    """The ranking as JSON values, with what it assumes and what it is not."""
    return {
        "kind": "ranking_of_measurements",
        "ranked_by": ranking.ranked_by,
        "measurements": [
            {
                "name": row.name,
                "bits": row.bits,
                "bits_per_minute": row.bits_per_minute,
                "standard_error": row.se,
                "minutes": row.minutes,
                "no_prediction": list(row.unpredicted),
            }
            for row in ranking.rows
        ],
        "most_bits": ranking.most_bits,
        "priors": dict(ranking.priors),
        "priors_stated": ranking.priors_stated,
        "assumptions": list(assumptions(ranking)),
        "sentence": NO_EVIDENCE,
    }


def assumptions(ranking: Ranking) -> tuple[str, ...]:
    """What the ranking stands on, in sentences."""
    said = [
        "Each measurement has the standard error of the log ratio that is given with it.",
        "The hypotheses have the priors that were stated."
        if ranking.priors_stated
        else "The hypotheses are equally likely beforehand.",
    ]
    if any(row.unpredicted for row in ranking.rows):
        said.append("A hypothesis without a prediction may give any ratio from 0.5 to 2.")
    if ranking.ranked_by == "bits":
        said.append("Minutes are not known for every measurement, so the order is by bits alone.")
    return tuple(said)
