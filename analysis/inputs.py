"""All that goes into an assessment: a registered plan, labelled runs, explanations, stated settings, predictions."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from analysis.companions import Companion
from analysis.errors import Refused
from analysis.measurements import FileRun
from analysis.metering import Metering, check_metering
from analysis.quantile import require_plain_stat
from analysis.reading import Reading
from analysis.service_level import ServiceLevel

Arm = Literal["baseline", "candidate"]
Better = Literal["higher", "lower"]
Scale = Literal["ratio", "difference", "proportion", "count"]
StageKind = Literal["exclusive", "cumulative", "summed"]
Unit = Literal["run", "item"]
Estimator = Literal["typical", "ratio_of_means"]
Side = tuple[Fraction, Fraction]

ARMS: Final[tuple[Arm, Arm]] = ("baseline", "candidate")


@dataclass(frozen=True, slots=True)
class LabelledRun:
    """One run of a file, as labelled for a comparison.

    artifact: SHA-256 of the file. label: unique in the comparison, for people.
    block, placement: "" when not labelled; an unlabelled placement is unknown, which counts as one.
    placement_verified: the placement was captured, not typed. excluded: the rule that excludes it, or "".
    companions: the files beside its own. clock: of its own file, as somebody states it, "" for nothing.
    """

    run: FileRun
    reading: Reading
    artifact: str
    label: str
    arm: Arm
    block: str
    placement: str
    placement_verified: bool
    excluded: str
    companions: tuple[Companion, ...] = ()
    clock: str = ""


@dataclass(frozen=True, slots=True)
class Explained:
    """Why a difference does not matter. greatest_effect: a ratio; accepted: by somebody other than the author."""

    setting: str
    greatest_effect: Fraction | None
    accepted: bool
    text: str
    by: str


@dataclass(frozen=True, slots=True)
class Stated:
    """A setting that the files of one arm do not record, as somebody states it."""

    setting: str
    arm: Arm
    value: str
    by: str


@dataclass(frozen=True, slots=True)
class MeasurementError:
    """The greatest systematic error of a run's value in each arm, as a ratio (1.005): timer rate, gain of a meter.

    shared_gain: one instrument served both arms, so that what is common to the errors drops out of a ratio.
    """

    baseline: Fraction
    candidate: Fraction
    shared_gain: bool = False

    @property
    def of_ratio(self) -> Fraction:
        """By which factor a ratio of the arms may be off, on either side."""
        low, high = sorted((self.baseline, self.candidate))
        return high / low if self.shared_gain else high * low

    @property
    def said(self) -> str:
        """In words, as a part of a sentence."""
        shared = ", with the common part dropped because one instrument served both arms" if self.shared_gain else ""
        return (
            f"the value of a run may be off by a factor of up to {float(self.baseline):g} in the baseline and "
            f"{float(self.candidate):g} in the candidate{shared}"
        )


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """What is compared and how it will be judged, fixed before the runs.

    margin: worst acceptable candidate/baseline ratio (0.98; 1.02 when lower is better), or on the scales
        difference and proportion the worst acceptable difference in base units (-0.5; 0.5 when lower is better).
    varied: settings that differ on purpose. required: settings that both arms must record.
    tolerances: by setting, the greatest relative difference that only widens the interval.
    warmup_steps: steps or requests cut from the start of every run. minimum_requests: fewest steps or requests left
        in a run; a partial run that kept so many is used.
    hardware_varied: the hardware itself is compared, one system per arm.
    slo: a limit that the candidate must keep, in base units of the metric, None for none. It decides nothing here.
    match: "same_requests" or "traffic_split". confidence: of one look, in (0, 1). looks, look: declared, and this one.
    metering: how power is measured, when the metric is an energy that is computed here.
    warmup_seconds: the warmup in seconds of each run's own clock, in place of warmup_steps; None when it is in steps.
    stages: what the times of stages are: "exclusive" of each other; "cumulative", each with all before it; or "summed",
        exclusive ones whose sum is the number of the run. unit_of_work: the recorded work by which counters are
        divided, "" for the only one that the runs record. counter_margin: what counts as a movement of a counter,
        relative, or as a difference of a share.
    unit: what is counted: runs, or the scored items of a quality evaluation.
    estimator: the effect on typical (geometric-mean) runs, or the ratio of arithmetic means.
    equivalence_level: the confidence of the interval that decides "within the margin", None for that of all else.
    measurement_error: of the values of runs, None for none that matters. service_level: of a goodput.
    """

    metric: str
    stat: str
    better: Better
    scale: Scale
    margin: Fraction
    role: str
    varied: tuple[str, ...]
    required: tuple[str, ...]
    tolerances: Mapping[str, Fraction]
    warmup_steps: int
    minimum_requests: int
    hardware_varied: bool
    slo: Fraction | None
    match: str
    confidence: float
    looks: int
    look: int
    metering: Metering | None = None
    warmup_seconds: Fraction | None = None
    stages: StageKind = "exclusive"
    unit_of_work: str = ""
    counter_margin: Fraction = Fraction(3, 100)
    unit: Unit = "run"
    estimator: Estimator = "typical"
    equivalence_level: float | None = None
    measurement_error: MeasurementError | None = None
    service_level: ServiceLevel | None = None

    @property
    def what(self) -> str:
        """What is compared, in words; a goodput with its service level, without which it is no metric."""
        level = self.service_level
        if level is None:
            return f"{self.metric} {self.stat}"
        return f"{self.metric} {self.stat} ({level.said if self.stat == 'max' else level.kept_said})"

    @property
    def level(self) -> float:
        """The confidence of each of the declared looks together: 1 - (1 - confidence) / looks."""
        return 1 - (1 - self.confidence) / self.looks

    @property
    def neutral(self) -> int:
        """The value of an effect that is none: 1 for a ratio, 0 for a difference."""
        return 1 if self.scale == "ratio" else 0


@dataclass(frozen=True, slots=True)
class Predicted:
    """A prediction of hypothesis `hypothesis`, candidate/baseline (or the difference); None is an open end."""

    key: str
    hypothesis: str
    metric: str
    stat: str
    low: Fraction | None
    high: Fraction | None
    registered_ns: int | None


@dataclass(frozen=True, slots=True)
class AssessmentRequest:
    """One comparison at one look. The order of its parts means nothing."""

    plan: ComparisonPlan
    runs: tuple[LabelledRun, ...]
    explained: tuple[Explained, ...]
    stated: tuple[Stated, ...]
    predictions: tuple[Predicted, ...]


def check(request: AssessmentRequest) -> None:
    """Refuses a request that asks for what no numbers can answer.

    Raises:
        Refused: count_is_described, bad_margin, bad_plan, two_warmups, bad_counter_margin, duplicate_run;
            average_of_percentiles, max_of_percentiles, aggregate_only (the plan's statistic is no statistic of a run);
            what `check_metering` refuses.
    """
    _check_plan(request.plan)
    seen: dict[tuple[str, str], str] = {}
    for run in request.runs:
        other = seen.setdefault((run.artifact, run.run.key), run.label)
        if other != run.label or sum(r.label == run.label for r in request.runs) > 1:
            raise Refused(
                "duplicate_run",
                f"{other} and {run.label} are the same run or carry the same label.",
                "Attach every run once, under its own label.",
            )


def _check_plan(plan: ComparisonPlan) -> None:
    require_plain_stat(plan.stat)
    if plan.metering is not None:
        check_metering(plan.metering)
    if plan.scale == "count":
        raise Refused(
            "count_is_described", "A count is described, not compared by an interval.", "Choose another scale."
        )
    if not (0 < plan.confidence < 1 and plan.looks >= 1 and plan.look >= 1):
        raise Refused(
            "bad_plan",
            "The plan has a confidence outside (0, 1), or no look.",
            "Register a plan with a confidence in (0, 1) and at least one look.",
        )
    for what, number in (("a warmup", plan.warmup_steps), ("a fewest number", plan.minimum_requests)):
        if number < 0:
            raise Refused("bad_plan", f"The plan has {what} of {number} steps.", "Declare zero or more.")
    _check_warmup(plan)
    if not 0 < plan.counter_margin < 1:
        raise Refused(
            "bad_counter_margin",
            f"A movement of {float(plan.counter_margin):g} is no margin of a counter.",
            "State it above 0 and below 1, for example 0.03.",
        )
    if not has_margin(plan):
        raise Refused(
            "bad_margin",
            f"With {plan.better} better, a margin of {float(plan.margin):g} accepts nothing worse.",
            f"State the worst acceptable {'ratio' if plan.scale == 'ratio' else 'difference'}, on the worse side of "
            f"{plan.neutral}.",
        )


def _check_warmup(plan: ComparisonPlan) -> None:
    if plan.warmup_seconds is None:
        return
    if plan.warmup_steps:
        raise Refused(
            "two_warmups",
            "The plan declares its warmup in steps and in seconds; one run may reach the two at different places.",
            "Declare the warmup in steps or in seconds.",
        )
    if plan.warmup_seconds <= 0:
        raise Refused(
            "bad_plan", "A warmup in seconds is longer than none.", "Declare more than 0 seconds, or no warmup."
        )


def has_margin(plan: ComparisonPlan) -> bool:
    """Whether the margin lies on the worse side of no effect, as it must."""
    if plan.scale == "ratio" and plan.margin <= 0:
        return False
    return plan.margin < plan.neutral if plan.better == "higher" else plan.margin > plan.neutral
