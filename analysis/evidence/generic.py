"""What our own formats share: the declaration, runs with their settings, measurements with their unit."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, cast, get_args

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, scale, text_reader, timing, values
from analysis.evidence.collect import Collection, Figure, Run, Sample
from analysis.evidence.format import Document
from analysis.evidence.json_reader import JsonText
from analysis.evidence.values import Json
from analysis.measurements import FileRun, Kind, Phase, Status
from analysis.units import FACTORS

STAT: Final = re.compile(r"value|mean|median|std|min|max|total|rate|p\d{1,3}(?:\.\d+)?")
WORD: Final = re.compile(r"[a-z][a-z0-9_]*")
SUPPORTED: Final = "1"
UNITS: Final = {
    **dict.fromkeys(("ttft", "tpot", "itl", "e2e_latency", "latency", "step_time", "wall_time", "time_to_train"), "s"),
    **dict.fromkeys(("output_throughput", "input_throughput", "total_token_throughput"), "1/s"),
    **dict.fromkeys(("request_throughput", "throughput"), "1/s"),
    "power": "W",
    "energy": "J",
    "energy_per_request": "J",
    "energy_counter": "1",
    **dict.fromkeys(("cycles", "flops", "memory_stall_share", "idle_gap_share"), "1"),
    **dict.fromkeys(("low_precision_share", "throttle_share"), "1"),
    "dram_bytes": "B",
    **dict.fromkeys(("queue_wait", "queue_time", "core_busy", "mapping_fallback"), "s"),
    "clock": "1/s",
}
COUNTER: Final = "energy_counter"
MAY_BE_NOTHING: Final = frozenset({"queue_wait", "queue_time", "core_busy", "mapping_fallback"})
"""Times of a request that may be 0: it did not wait, or nothing fell back."""


def declares(document: Document, what: str) -> bool:
    """Whether the file says that it is our format `what`, in any version."""
    return re.search(rb'"countersign"\s*:\s*"' + what.encode() + rb"/", text_reader.ends(document)[0]) is not None


def declared(read: JsonText, what: str, name: str) -> dict[str, Json]:
    """The only object of the file, if it is of a version that we read."""
    whole = values.fields(read.only(name), name)
    version = values.written(whole.get("countersign"))
    if version != f"{what}/{SUPPORTED}":
        message = f'"{version}" is not read here: write "{what}/{SUPPORTED}"'
        raise MalformedEvidence(message, where=f"{name}:countersign", code="unsupported_version")
    return whole


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a file says about a run. fields: status, reason, times, attempted and failed, where it has them."""

    key: str
    fields: Mapping[str, Json]
    settings: dict[str, Json]
    work: dict[str, Json]
    identity: dict[str, Json]
    where: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One measurement as the file has it; where is the place of its value."""

    fields: Mapping[str, Json]
    where: str


def begin(collection: Collection, facts: RunFacts) -> Run:
    """The run, with its settings.

    Raises:
        MalformedEvidence: repeated_run, unknown_status, missing, not_a_time, not_plain, and those of the window.
    """
    if not facts.key or any(run.facts.key == facts.key for run in collection.runs):
        raise MalformedEvidence(f'the run name "{facts.key}" is empty or taken', where=facts.where, code="repeated_run")
    status, reason = _status(facts)
    run = collection.add(
        FileRun(
            key=values.text(facts.key, facts.where),
            status=status,
            reason=reason,
            started_ns=timing.epoch_ns(facts.fields, "started_at", facts.where),
            ended_ns=timing.epoch_ns(facts.fields, "ended_at", facts.where),
            attempted=_count(facts, "attempted"),
            failed=_count(facts, "failed"),
            where=facts.where,
        )
    )
    timing.keep_window(run, facts.fields, facts.where)
    for name, value in facts.settings.items():
        run.configured(name, _scalar(value, f"{facts.where}.settings.{name}"), f"{facts.where}.settings.{name}")
    for name, value in facts.work.items():
        if name == "duration":
            run.lasted(value, f"{facts.where}.work.{name}")
        else:
            run.worked(name, value, f"{facts.where}.work.{name}")
    for name, value in facts.identity.items():
        run.identified(name, _scalar(value, f"{facts.where}.identity.{name}"), f"{facts.where}.identity.{name}")
    return run


def _status(facts: RunFacts) -> tuple[Status, str]:
    status = facts.fields.get("status", "completed")
    if status not in get_args(Status):
        message = f"{values.shown(status)} is no status; known are {', '.join(get_args(Status))}"
        raise MalformedEvidence(message, where=f"{facts.where}.status", code="unknown_status")
    reason = values.text(facts.fields.get("reason", ""), f"{facts.where}.reason")
    if status != "completed" and not reason:
        message = f"a run that is {status} needs a reason"
        raise MalformedEvidence(message, where=f"{facts.where}.reason", code="missing")
    return cast(Status, status), reason


def _count(facts: RunFacts, key: str) -> int | None:
    return values.count(facts.fields[key], f"{facts.where}.{key}") if key in facts.fields else None


def _scalar(value: Json, where: str) -> Json:
    if isinstance(value, list | dict):
        raise MalformedEvidence("a setting is a text, a number, true, false or null", where=where, code="not_plain")
    return value


def measure(run: Run, entry: Entry) -> None:
    """Add one measurement.

    Raises:
        MalformedEvidence: missing, unknown_unit, unit_mismatch, unknown_stat, unknown_kind, item_of_aggregate, and
            those of values.
    """
    metric, sample = _metric(entry), _sample(entry)
    if entry.fields.get("at") is not None:
        sample = replace(sample, started_ns=timing.timed(run, entry.fields["at"], f"{entry.where} (at)"))
    run.measured(metric, _figure(entry, metric, entry.fields["value"], spread=sample.stat == "std"), sample)


def measure_all(run: Run, entry: Entry, several: list[Json]) -> None:
    """Add raw measurements that differ only in their value and time. Raises what `measure` raises, lengths_differ."""
    metric, sample = _metric(entry), _sample(entry)
    written = entry.fields.get("at")
    times = [] if written is None else timing.timed_all(run, written, f"{entry.where} (at)", len(several))
    for i, value in enumerate(several):
        one = Entry(entry.fields, f"{entry.where}[{i}]")
        at = times[i] if times else None
        run.measured(metric, _figure(one, metric, value, spread=False), replace(sample, index=i, started_ns=at))


def _metric(entry: Entry) -> str:
    return _matching(entry, "metric", WORD, "")


def _sample(entry: Entry) -> Sample:
    stat = _matching(entry, "stat", STAT, "value")
    kind = _one_of(entry, "kind", get_args(Kind), "raw" if stat == "value" else "aggregate")
    item, subject = (values.text(entry.fields.get(key, ""), entry.where) for key in ("item", "subject"))
    if subject and not item:
        raise MalformedEvidence(
            'a score of a "subject" needs the name of its "item"', where=entry.where, code="missing"
        )
    if item and kind != "raw":
        message = f'an "item" has one score, which is raw; "{stat}" is computed from several'
        raise MalformedEvidence(message, where=entry.where, code="item_of_aggregate")
    return Sample(
        kind=cast(Kind, kind),
        stat=stat,
        n=_whole(entry, "n", 1 if kind == "raw" else None),
        index=_whole(entry, "index", None),
        phase=cast(Phase, _one_of(entry, "phase", get_args(Phase), "measured")),
        stage=values.text(entry.fields.get("stage", ""), entry.where),
        item=item,
        subject=subject,
    )


def _matching(entry: Entry, key: str, pattern: re.Pattern[str], otherwise: str) -> str:
    word = values.text(entry.fields.get(key, otherwise), entry.where)
    if not pattern.fullmatch(word):
        message = f'"{word}" is no {key}; write it like {pattern.pattern}'
        raise MalformedEvidence(message, where=entry.where, code=f"unknown_{key}")
    return word


def _one_of(entry: Entry, key: str, known: tuple[str, ...], otherwise: str) -> str:
    word = values.text(entry.fields.get(key, otherwise), entry.where)
    if word not in known:
        message = f'"{word}" is no {key}; known are {", ".join(known)}'
        raise MalformedEvidence(message, where=entry.where, code=f"unknown_{key}")
    return word


def _whole(entry: Entry, key: str, otherwise: int | None) -> int | None:
    value = entry.fields.get(key)
    return otherwise if value is None else values.count(value, entry.where)


def _figure(entry: Entry, metric: str, value: Json, *, spread: bool) -> Figure:
    if value is None:
        reason = values.text(entry.fields.get("reason", ""), entry.where)
        if not reason:
            raise MalformedEvidence("a value that is null needs a reason", where=entry.where, code="missing")
        unit = values.text(entry.fields.get("unit", UNITS.get(metric, "1")), entry.where)
        figure = collect.nothing(None, unit, entry.where, reason)
    else:
        unit = values.text(values.needed(entry.fields, "unit", f"{entry.where} (unit)"), entry.where)
        figure = signed(value, unit, entry.where, spread=spread or metric in MAY_BE_NOTHING)
    refuse_unit(metric, figure.unit, entry.where)
    if metric == COUNTER and value is not None:
        _require_counts(value, figure, entry.where)
    return figure


def _require_counts(value: Json, figure: Figure, where: str) -> None:
    """A counter counts: whole numbers, and what a count is worth is a setting of the run."""
    if FACTORS[figure.original_unit.strip()][1] != 1:
        message = f'"{COUNTER}" is in counts, not in {figure.original_unit}'
        raise MalformedEvidence(message, where=where, code="unit_mismatch")
    values.count(value, where)


def refuse_unit(metric: str, base: str, where: str) -> None:
    """Nothing; or unit_mismatch, when the metric is one of ours and has another unit."""
    if UNITS.get(metric, base) != base:
        message = f'"{metric}" is in {UNITS[metric]}, not in {base or "1"}'
        raise MalformedEvidence(message, where=where, code="unit_mismatch")


def signed(value: Json, unit: str, where: str, *, spread: bool) -> Figure:
    """The figure with the sign that its unit allows: times, rates, energies and powers are positive."""
    base = scale.base_of(unit, where)
    if spread or base == "B":
        return collect.not_negative(value, unit, where)
    return collect.finite(value, unit, where) if base == "1" else collect.positive(value, unit, where)
