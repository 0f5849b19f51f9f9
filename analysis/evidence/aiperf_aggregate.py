"""AIPerf `profile_export_aiperf_aggregate.json`: statistics over several runs, of use only where it lists the runs.

Its own mean, standard error and interval are not read: they are recomputed from the runs, or not given at all.
"""

import re
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, genai_metrics, values
from analysis.evidence.collect import Collection, Run, aggregate
from analysis.evidence.values import Json
from analysis.units import FACTORS

NAME: Final = re.compile(r"(?P<tag>.+?)(?:_(?P<stat>avg|min|max|std|p\d{1,2}))?(?:_ms)?")
OVER_RUNS: Final = "Mean, standard error and interval over the runs are not read but recomputed."


def parse(collection: Collection, whole: dict[str, Json], where: str) -> None:
    """One run for each value of `per_run`.

    Raises:
        MalformedEvidence: only_summaries, when the file does not list its runs; lengths_differ, when metrics disagree.
    """
    metrics = values.fields(values.needed(whole, "metrics", f"{where}metrics"), f"{where}metrics")
    listed = {
        name: values.items(entry["per_run"], f"{where}metrics.{name}.per_run")
        for name, entry in metrics.items()
        if isinstance(entry, dict) and entry.get("per_run")
    }
    if not listed:
        message = "it holds statistics over several runs, and none of the runs"
        raise MalformedEvidence(message, where=f"{where}metrics", code="only_summaries")
    if len({len(each) for each in listed.values()}) > 1:
        raise MalformedEvidence("the lists of runs differ in length", where=f"{where}metrics", code="lengths_differ")
    count = len(next(iter(listed.values())))
    runs = [collection.add(collect.completed(f"per_run[{i}]", f"{where}metrics")) for i in range(count)]
    for name, each in listed.items():
        _metric(collection, runs, (name, each), values.fields(metrics[name], f"{where}metrics.{name}"), where)
    collection.notice(OVER_RUNS)
    collection.leave([key for key in whole if key != "metrics"] + [name for name in metrics if name not in listed])


def _metric(
    collection: Collection, runs: list[Run], listed: tuple[str, list[Json]], entry: dict[str, Json], where: str
) -> None:
    name, each = listed
    unit = entry.get("unit")
    found = NAME.fullmatch(name)
    if found is None or not isinstance(unit, str) or unit not in FACTORS:
        collection.leave([name])
        return
    metric = genai_metrics.METRICS.get(found["tag"], found["tag"])
    stat = genai_metrics.STATS.get(found["stat"] or "avg", found["stat"])
    stat = "rate" if metric in genai_metrics.RATES and stat == "mean" else stat
    for i, (run, value) in enumerate(zip(runs, each, strict=True)):
        place = f"{where}metrics.{name}.per_run[{i}]"
        run.measured(metric, genai_metrics.figure(metric, stat, value, unit, place), aggregate(stat, None))
