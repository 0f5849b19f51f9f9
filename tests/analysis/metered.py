"""Comparisons of energy, from files in our own format, as the tests of the analysis need them."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from analysis.assess import AssessmentRequest, AssessmentResult, LabelledRun, assess
from analysis.inputs import Arm
from analysis.metering import Metering
from tests.analysis.props import a_plan, a_request
from tests.evidence import make

METRIC = "energy_per_output_tokens"
POWER = (100, 200, 300, 200)
SECONDS = (0, 1, 2, 3)
COUNTS = (4294967000, 200)
COUNTED = {"counter_unit": "1 mJ", "counter_modulus": 2**32}
FIVE = Fraction("0.05")
SAMPLES = Metering("samples")
RANGE = Metering("samples", between="range", floor=Fraction(50), cap=Fraction(400))
SLEW = replace(RANGE, between="slew", slew=Fraction(150))
NEIGHBOURS = Metering("samples", between="neighbours", floor=Fraction(0), cap=Fraction(400))
COUNTER = Metering("counter", between="range", floor=Fraction(0), cap=Fraction(700))


def power(watts: Sequence[object] = POWER, at: Sequence[object] = SECONDS, **more: object) -> dict[str, object]:
    return {"metric": "power", "unit": "W", "values": list(watts), "at": list(at), "reason": "no answer", **more}


def counts(read: Sequence[object] = COUNTS, at: Sequence[object] = (0, 1), **more: object) -> dict[str, object]:
    return {"metric": "energy_counter", "unit": "1", "values": list(read), "at": list(at), **more}


def a_metered(arm: Arm = "baseline", number: int = 1, *rows: dict[str, object], **fields: Any) -> LabelledRun:
    """A run "b1" of a file in our own format. rows: measurements, the four samples without any; fields of the run."""
    ordinary: dict[str, Any] = {
        "window_start": 0, "window_end": 3, "work": {"output_tokens": 1000},
        "identity": {"host": "host-1"}, "settings": {"image": arm}, "measurements": list(rows or (power(),)),
    }  # fmt: skip
    reading = make.read(make.measurements(**{**ordinary, **fields}))
    label = f"{arm[0]}{number}"
    return LabelledRun(
        reading.runs[0], reading, f"sha-{label}", label, arm, "", "host-1", placement_verified=True, excluded=""
    )


def a_counted(arm: Arm = "baseline", number: int = 1, *rows: dict[str, object], **fields: Any) -> LabelledRun:
    """A run with two readings of a counter that wraps between them."""
    ordinary = {"window_end": 1, "identity": {"host": "host-1", **COUNTED}}
    return a_metered(arm, number, *(rows or (counts(),)), **{**ordinary, **fields})


def arms(watts: Sequence[Sequence[object]], other: Sequence[Sequence[object]]) -> tuple[LabelledRun, ...]:
    """Runs of both arms, by their samples of power."""
    return (
        *(a_metered("baseline", i, power(w)) for i, w in enumerate(watts)),
        *(a_metered("candidate", i, power(w)) for i, w in enumerate(other)),
    )


def asked(runs: Sequence[LabelledRun], metering: Metering | None, **plan: Any) -> AssessmentRequest:
    ordinary = {"metric": METRIC, "required": (), "metering": metering}
    return a_request(runs, a_plan(**{**ordinary, **plan}))


def assessed(runs: Sequence[LabelledRun], metering: Metering | None, **plan: Any) -> AssessmentResult:
    return assess(asked(runs, metering, **plan))
