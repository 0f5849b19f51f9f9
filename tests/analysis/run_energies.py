"""The energy of one run, as the tests of it ask for it."""

from typing import Any

from analysis.assess import LabelledRun
from analysis.metering import Metering
from analysis.run_energy import RunEnergy, of_request
from tests.analysis.metered import METRIC, SAMPLES, asked


def of(run: LabelledRun, metering: Metering | None = SAMPLES, metric: str = METRIC, **plan: Any) -> RunEnergy:
    return of_request(asked([run], metering, metric=metric, stat="value", **plan))[run.label]


def ends(found: RunEnergy) -> tuple[float, float]:
    assert found.bounds is not None
    return float(found.bounds.lo), float(found.bounds.hi)


def why(found: RunEnergy) -> str:
    assert found.problem is not None
    assert found.value is None
    return found.problem.code
