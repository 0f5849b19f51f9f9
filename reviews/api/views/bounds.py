"""Deterministic bounds, computed from the request alone and not stored."""

from collections.abc import Mapping

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from analysis.bounds import Bounds, bound, bounds_to_json, ratio_bounds, work_bound
from analysis.histogram import histogram_quantile_to_json
from reviews.api.authentication import READ
from reviews.api.base import Door, given, shown
from reviews.api.once import once
from reviews.api.shapes.bounds import HistogramQuestion, QuantileBoundsShape, RatioBoundsShape, RatioQuestion


class Ratio(Door):
    """The ratio of two bounded quantities."""

    writes = READ

    @extend_schema(operation_id="bounds_ratio", request=RatioQuestion, responses=RatioBoundsShape)
    @once
    def post(self, request: Request) -> Response:
        """The conservative ratio of throughputs, candidate over baseline, rounded outward; no confidence level."""
        body = given(RatioQuestion, request)
        arms = {arm: _range(body[arm], body["unit"], arm) for arm in ("baseline", "candidate")}
        ratio = ratio_bounds(
            arms["baseline"],
            arms["candidate"],
            baseline_work=_work(body["baseline_work"]),
            candidate_work=_work(body["candidate_work"]),
            shared_scale=body["shared_scale"],
        )
        return shown(RatioBoundsShape(bounds_to_json(ratio, digits=body["digits"])))


class HistogramQuantile(Door):
    """The quantile of a histogram."""

    writes = READ

    @extend_schema(operation_id="bounds_histogram_quantile", request=HistogramQuestion, responses=QuantileBoundsShape)
    @once
    def post(self, request: Request) -> Response:
        """The edges of the bucket that holds the quantile, never interpolated; no confidence level."""
        body = given(HistogramQuestion, request)
        found = histogram_quantile_to_json(
            body["edges"], body["counts"], body["p"], unit=body["unit"], digits=body["digits"]
        )
        return shown(QuantileBoundsShape(found))


def _range(said: Mapping[str, str], unit: str, arm: str) -> Bounds:
    words = f"the {arm} lies between {said['low']} and {said['high']} {unit}"
    return bound(said["low"], said["high"], unit=unit, assumption=words)


def _work(said: Mapping[str, str] | None) -> Bounds | None:
    if said is None:
        return None
    return work_bound(said["low"], said["high"], assumption=f"valid work lies between {said['low']} and {said['high']}")
