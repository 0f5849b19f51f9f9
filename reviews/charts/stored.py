"""A chart specification as JSON, as it stands in assessments and dossiers, and back without loss."""

from typing import Any

import msgspec

from analysis.charts import ChartSpec


def to_json(spec: ChartSpec) -> dict[str, Any]:
    """`spec` as JSON values."""
    return dict(msgspec.to_builtins(spec))


def from_json(value: object) -> ChartSpec:
    """The specification from JSON values; raises msgspec.ValidationError naming the path (`$.series[0].role`)."""
    return msgspec.convert(value, ChartSpec)
