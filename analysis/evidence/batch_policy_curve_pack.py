"""Batch policy curve pack: the curves of a batch sweep with their feasible region, as one JSON document of our own.

In the file: per batch size the run values of throughput (1/s) and p99 latency, decimal texts in the unit that stands
beside them, the bounds and limits that follow, and the digests of the files that the values came from. Here: each run
of each batch size is a run, with its two values. Not read: bounds, limits and regions, which follow from the runs.
Refused: fewer than two batch sizes, fewer than three runs of one, and a pack that names no source.
"""

import re
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, json_reader, text_reader, values
from analysis.evidence.collect import Collection, Run
from analysis.evidence.format import Document, Format
from analysis.evidence.values import Json
from analysis.reading import Reading

NAME: Final = "batch-policy-curve-pack"
VERSION: Final = 1

MARK: Final = re.compile(rb'\s*\{\s*"kind"\s*:\s*"batch_policy_curve_pack"')
FEWEST_POINTS: Final = 2
FEWEST_RUNS: Final = 3
CURVES: Final = (("throughput", "throughput", "rate"), ("e2e_latency_p99", "e2e_latency", "p99"))
FOLLOWS: Final = "Bounds, limits and regions of the pack are not read: they follow from the runs."


def looks_right(document: Document) -> str | None:
    """The reason why this is a curve pack, or None."""
    head, _ = text_reader.ends(document)
    return 'it says "kind": "batch_policy_curve_pack"' if MARK.match(head) else None


def parse(document: Document) -> Reading:
    """One run per run of each batch size.

    Raises:
        MalformedEvidence: no JSON, too few batch sizes or runs, curves of different length, a value that is not
            positive, or no source.
    """
    read = json_reader.read(document)
    collection = Collection(document)
    pack = values.fields(read.only(document.name), document.name)
    if not values.items(values.needed(pack, "sources", f"{document.name}:sources"), f"{document.name}:sources"):
        raise MalformedEvidence(
            "it names no file that it was made of", where=f"{document.name}:sources", code="no_source"
        )
    points = values.items(values.needed(pack, "points", f"{document.name}:points"), f"{document.name}:points")
    if len(points) < FEWEST_POINTS:
        message = f"a curve needs at least {FEWEST_POINTS} batch sizes, and it has {len(points)}"
        raise MalformedEvidence(message, where=f"{document.name}:points", code="too_few_points")
    for i, point in enumerate(points):
        where = f"{document.name}:points[{i}]"
        _point(collection, values.fields(point, where), where)
    collection.notice(FOLLOWS)
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _point(collection: Collection, point: dict[str, Json], where: str) -> None:
    batch = values.count(values.needed(point, "max_batch", f"{where}.max_batch"), f"{where}.max_batch")
    curves = [_curve(point, key, where) for key, _, _ in CURVES]
    if len({len(runs) for runs, _ in curves}) > 1 or len(curves[0][0]) < FEWEST_RUNS:
        message = f"each curve needs the values of the same {FEWEST_RUNS} or more runs at max_batch {batch}"
        raise MalformedEvidence(message, where=where, code="too_few_runs")
    for at in range(len(curves[0][0])):
        run = collection.add(collect.completed(f"max_batch={batch}#{at}", where))
        run.configured("max_batch", point["max_batch"], f"{where}.max_batch")
        for (key, metric, stat), (runs, unit) in zip(CURVES, curves, strict=True):
            _measure(run, metric, stat, runs[at], unit, f"{where}.{key}.runs[{at}]")


def _curve(point: dict[str, Json], key: str, where: str) -> tuple[list[Json], str]:
    """The run values of a curve, and their unit."""
    curve = values.fields(values.needed(point, key, f"{where}.{key}"), f"{where}.{key}")
    unit = values.text(values.needed(curve, "unit", f"{where}.{key}.unit"), f"{where}.{key}.unit")
    return values.items(values.needed(curve, "runs", f"{where}.{key}.runs"), f"{where}.{key}.runs"), unit


def _measure(run: Run, metric: str, stat: str, value: Json, unit: str, where: str) -> None:
    number = values.number_in(values.text(value, where))
    run.measured(metric, collect.positive(number, unit, where), collect.aggregate(stat, None))


FORMAT: Final = Format(NAME, "batch policy curve pack", VERSION, looks_right, parse)
