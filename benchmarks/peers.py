"""The peers that are installed for the benchmarks alone, as functions of plain values; or why one is skipped."""

import importlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Values = Sequence[float]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A peer that cannot be measured here, and why."""

    name: str
    reason: str


def is_significant() -> Callable[[Values, Values], bool] | Skipped:
    """pyperf's decision whether two pooled samples differ."""
    found = _attribute("pyperf", "pyperf._utils", "is_significant")
    if isinstance(found, Skipped):
        return found
    return lambda baseline, candidate: bool(found(list(baseline), list(candidate))[0])


def inference_doctor() -> Callable[[Values, Values], tuple[float, float]] | Skipped:
    """inference-doctor's interval for the ratio of run means; at 95 %, while its own default is 90 %."""
    found = _attribute("inference-doctor", "inference_doctor.stats", "welch_log_ratio_interval")
    if isinstance(found, Skipped):
        return found

    def interval(baseline: Values, candidate: Values) -> tuple[float, float]:
        told = found(baseline, candidate, 0.95)
        return told.low, told.high

    return interval


def benchmatrix(resamples: int) -> Callable[[Values, Values], tuple[float, float]] | Skipped:
    """benchmatrix's BCa interval for the ratio of run medians; its own default is 50,000 resamples.

    NaN where it gives none.
    """
    found = _attribute("benchmatrix", "benchmatrix.bench_statistics", "bootstrap_median_ratio_interval")
    if isinstance(found, Skipped):
        return found

    def interval(baseline: Values, candidate: Values) -> tuple[float, float]:
        told = found(
            baseline, candidate, lower_is_better=False, confidence_level=0.95, resamples=resamples, random_seed=0
        )
        if not told.adequate:
            return math.nan, math.nan
        return 1 + told.low / 100, 1 + told.high / 100

    return interval


def arch_bootstrap(resamples: int) -> Callable[[Any, Any], Any] | Skipped:
    """arch's percentile interval of the difference of means of two independent samples, here of logs."""
    found = _attribute("arch", "arch.bootstrap", "IndependentSamplesBootstrap")
    if isinstance(found, Skipped):
        return found

    def interval(baseline: Any, candidate: Any) -> Any:
        drawn = found(candidate, baseline, seed=1)
        return drawn.conf_int(lambda one, other: one.mean() - other.mean(), resamples, method="percentile")

    return interval


def _attribute(
    package: str, module: str, name: str
) -> Callable[..., Any] | Skipped:  # what is not installed has no type
    try:
        found: Callable[..., Any] = getattr(importlib.import_module(module), name)
    except ImportError as error:
        return Skipped(package, f"not installed here ({error})")
    return found
