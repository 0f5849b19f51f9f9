"""How much of its work a run did in the window of its energy: as it states it, or by the rates that LoadGen reports."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from analysis import per_unit
from analysis.inputs import LabelledRun
from analysis.power import Window
from analysis.run_windows import LOADGEN

RATES: Final[Mapping[str, str]] = {
    "sample": "throughput",
    "samples": "throughput",
    "output_token": "output_throughput",
    "output_tokens": "output_throughput",
    "query": "query_throughput",
    "queries": "query_throughput",
}
"""LoadGen states rates and no counts: MLPerf divides the mean power by them."""


def work_of(run: LabelledRun, name: str, window: Window) -> Fraction:
    """How much the run did of what the metric names: "request" is `request`, `requests` or `requests_completed`.

    Raises:
        Refused: work_not_stated, zero_work.
    """
    rated = _by_rate(run, name, window) if per_unit.stated_work(run, name) is None else None
    return per_unit.work_of(run, name) if rated is None else rated


def _by_rate(run: LabelledRun, name: str, window: Window) -> Fraction | None:
    if run.reading.format != LOADGEN or name not in RATES:
        return None
    rates = run.reading.of_run(run.run.key).only(metric=RATES[name], stat="rate").measured()
    return Fraction(float(rates.values[0])) * window.seconds if len(rates) else None
