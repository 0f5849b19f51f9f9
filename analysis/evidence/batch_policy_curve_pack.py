"""Batch policy curve pack: the curves of a batch sweep with their feasible region, as one JSON document of our own.

In the file: per batch size the run values of throughput (1/s) and p99 latency, and of power where it was measured,
decimal texts in the unit that stands beside them; the bounds and limits that follow, and the digests of the files that
the values came from. Version 1 names batch sizes `max_batch`, version 2 names the setting that was `varied`. Here: each
run of each batch size is a run, with its values; a notice says why the pack is sufficient. Not read: bounds, limits and
regions, which follow from the runs.
Refused: fewer than two batch sizes, fewer than three runs of one, a pack that names no source, and in version 2 one
that judges no limit, or that neither holds the power of a point nor says why not.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, json_reader, text_reader, values
from analysis.evidence.collect import Collection, Run
from analysis.evidence.format import Document, Format
from analysis.evidence.values import Json, Numeral
from analysis.reading import Reading

NAME: Final = "batch-policy-curve-pack"
VERSION: Final = 3

MARK: Final = re.compile(rb'\s*\{\s*"kind"\s*:\s*"batch_policy_curve_pack"')
FEWEST_POINTS: Final = 2
FEWEST_RUNS: Final = 3
CURVES: Final = (("throughput", "throughput", "rate"), ("e2e_latency_p99", "e2e_latency", "p99"))
SECOND: Final = (("throughput", "rate"), ("p99", "p99"), ("power", "mean"))
SUFFICIENT: Final = "Sufficient: "
FOLLOWS: Final = "Bounds, limits and regions of the pack are not read: they follow from the runs."
Fields = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Curve:
    """The run values of one quantity at one point. where: of its field."""

    metric: str
    stat: str
    unit: str
    runs: list[Json]
    where: str


def looks_right(document: Document) -> str | None:
    """The reason why this is a curve pack, or None."""
    head, _ = text_reader.ends(document)
    return 'it says "kind": "batch_policy_curve_pack"' if MARK.match(head) else None


def parse(document: Document) -> Reading:
    """One run per run of each batch size.

    Raises:
        MalformedEvidence: no JSON, too few batch sizes or runs, curves of different length, a value that is not
            positive, no source; in version 2 no limit, or neither power nor the reason why there is none.
    """
    read = json_reader.read(document)
    collection, name = Collection(document), document.name
    pack = values.fields(read.only(name), name)
    if not _items(pack, "sources", name):
        raise MalformedEvidence("it names no file that it was made of", where=f"{name}:sources", code="no_source")
    second = values.count(pack.get("version", Numeral("1")), f"{name}:version") > 1
    if second and not _items(pack, "limits", name):
        raise MalformedEvidence("it judges no limit", where=f"{name}:limits", code="missing")
    varied = values.text(values.needed(pack, "varied", f"{name}:varied"), f"{name}:varied") if second else "max_batch"
    points = _items(pack, "points", name)
    if len(points) < FEWEST_POINTS:
        message = f"a curve needs at least {FEWEST_POINTS} batch sizes, and it has {len(points)}"
        raise MalformedEvidence(message, where=f"{name}:points", code="too_few_points")
    seen = []
    for i, one in enumerate(points):
        where = f"{name}:points[{i}]"
        point = values.fields(one, where)
        curves = list(_second(point, where) if second else _first(point, where))
        _point(collection, varied, point, "at" if second else "max_batch", curves, where)
        seen.append(curves)
    judged = list(_judged(pack, name)) if second else []
    collection.notice(_sufficient(varied, seen, judged))
    collection.notice(FOLLOWS)
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _judged(pack: Fields, name: str) -> Iterator[str]:
    """The limits in words."""
    for i, one in enumerate(_items(pack, "limits", name)):
        where = f"{name}:limits[{i}]"
        limit = values.fields(one, where)
        side = "at_least" if "at_least" in limit else "at_most"
        said = [values.text(values.needed(limit, key, where), where) for key in ("quantity", side, "unit")]
        yield f"{said[0]} {side.replace('_', ' ')} {said[1]} {said[2]}"


def _sufficient(varied: str, seen: Sequence[Sequence[Curve]], judged: Sequence[str]) -> str:
    """Why the pack is sufficient: what it covers, on how many runs, and under which limits it judges."""
    fewest = min(len(curves[0].runs) for curves in seen)
    power = sum(len(curves) == len(SECOND) for curves in seen)
    return (
        f"{SUFFICIENT}throughput and p99 at {len(seen)} values of {varied}, at least {fewest} runs at each; power at "
        f"{power} of them; judged under {' and '.join(judged) or 'no limit, as version 1 of the pack does'}."
    )


def _items(record: Fields, key: str, name: str) -> list[Json]:
    return values.items(values.needed(record, key, f"{name}:{key}"), f"{name}:{key}")


def _point(collection: Collection, varied: str, point: Fields, key: str, curves: list[Curve], where: str) -> None:
    size = values.needed(point, key, f"{where}.{key}")
    said = values.text(size, f"{where}.{key}") if key == "at" else str(values.count(size, f"{where}.{key}"))
    if len({len(curve.runs) for curve in curves}) > 1 or len(curves[0].runs) < FEWEST_RUNS:
        message = f"each curve needs the values of the same {FEWEST_RUNS} or more runs at {varied} {said}"
        raise MalformedEvidence(message, where=where, code="too_few_runs")
    for at in range(len(curves[0].runs)):
        run = collection.add(collect.completed(f"{varied}={said}#{at}", where))
        run.configured(varied, size, f"{where}.{key}")
        for curve in curves:
            _measure(run, curve, at)


def _first(point: Fields, where: str) -> Iterator[Curve]:
    for key, metric, stat in CURVES:
        yield _curve(point, key, metric, stat, where)


def _second(point: Fields, where: str) -> Iterator[Curve]:
    """Throughput, the p99 of the latency that the pack names, and power unless the pack says why there is none."""
    for key, stat in SECOND:
        place = f"{where}.{key}"
        curve = values.fields(values.needed(point, key, place), place)
        if key == "power" and not curve.get("runs") and values.text(curve.get("reason", ""), f"{place}.reason"):
            continue
        metric = values.text(values.needed(curve, "metric", f"{place}.metric"), f"{place}.metric")
        yield _curve(point, key, metric, stat, where)


def _curve(point: Fields, key: str, metric: str, stat: str, where: str) -> Curve:
    place = f"{where}.{key}"
    curve = values.fields(values.needed(point, key, place), place)
    unit = values.text(values.needed(curve, "unit", f"{place}.unit"), f"{place}.unit")
    runs = values.items(values.needed(curve, "runs", f"{place}.runs"), f"{place}.runs")
    return Curve(metric, stat, unit, runs, place)


def _measure(run: Run, curve: Curve, at: int) -> None:
    where = f"{curve.where}.runs[{at}]"
    number = values.number_in(values.text(curve.runs[at], where))
    run.measured(curve.metric, collect.positive(number, curve.unit, where), collect.aggregate(curve.stat, None))


FORMAT: Final = Format(NAME, "batch policy curve pack", VERSION, looks_right, parse)
