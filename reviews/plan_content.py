"""The shape of a registered plan: what will be run and how it will be judged, written before the runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from reviews.sections import Prediction


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedMetering:
    """How power is measured for an energy. Fields as in `analysis.metering.Metering`, numbers as texts, "" for none."""

    source: str
    sensor_average: str = ""
    between: str = "unbounded"
    floor: str = ""
    cap: str = ""
    slew: str = ""
    relative: str = ""
    absolute: str = ""
    one_meter: bool = False
    load_period: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedError:
    """The greatest systematic error of a run's value in each arm, as a ratio ("1.005").

    shared_gain: one instrument measured both arms.
    """

    baseline: str
    candidate: str
    shared_gain: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedLevel:
    """What every request must keep: greatest values by metric in seconds ("0.2"), and the share that must ("0.95")."""

    limits: Mapping[str, str]
    share: str = "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedComparison:
    """A comparison to be made. Fields as in `sections.Comparison`.

    warmup_steps, or warmup_seconds of each run's own clock ("" for none), are cut from every run of both arms.
    minimum_steps: fewest steps or requests left in a run; a partial run that kept so many is used. 0: the template's.
    metering: of an energy that is computed from power, None for any other metric.
    stages: what the times of stages are (`vocabulary.StageTimes`). unit_of_work: the recorded work by which counters
    are divided, "" for the only one. counter_margin: what counts as a movement of a counter, "0.03" for 3 %.
    unit: "run" or "item". estimator: "typical" or "ratio_of_means". equivalence_level: "" or "0.90".
    measurement_error, service_level: as in `analysis.inputs.ComparisonPlan`, None for none.
    """

    key: str
    metric: str
    stat: str
    slice: str
    role: str
    better: str
    scale: str
    margin: str
    purpose: str
    match: str
    warmup_steps: int
    exclusion_rules: tuple[str, ...]
    metering: PlannedMetering | None = None
    warmup_seconds: str = ""
    minimum_steps: int = 0
    stages: str = "exclusive"
    unit_of_work: str = ""
    counter_margin: str = "0.03"
    unit: str = "run"
    estimator: str = "typical"
    equivalence_level: str = ""
    measurement_error: PlannedError | None = None
    service_level: PlannedLevel | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPrediction:
    """A prediction of the hypothesis `hypothesis` ("H1")."""

    hypothesis: str
    prediction: Prediction


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRun:
    """A run that will be started; its id goes with the nonce into the run's metadata ("" labels are unknown)."""

    run: str
    arm: str
    block: str
    placement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanContent:
    """varied: settings that differ on purpose. hardware_varied: the hardware itself is what is compared.

    looks: number of declared looks, >= 1. design: "blocks" or "independent".
    """

    title: str
    purpose: str
    design: str
    varied: tuple[str, ...]
    hardware_varied: bool
    looks: int
    comparisons: tuple[PlannedComparison, ...]
    predictions: tuple[PlannedPrediction, ...]
    runs: tuple[PlannedRun, ...]


def plan_from_json(value: object) -> PlanContent:
    """A plan from JSON values; raises msgspec.ValidationError naming the path."""
    return msgspec.convert(value, PlanContent)


def plan_to_json(content: PlanContent) -> dict[str, Any]:
    """A plan as JSON values."""
    return dict(msgspec.to_builtins(content))
