"""MLPerf training result logs (`result_N.txt`).

In the file: MLPerf entries between the lines of other programs, perhaps of many ranks. Here: one file is one run; its
score is run_stop - run_start, metric "time_to_train". Losses and accuracies are raw, by samples_count. By the rules of
MLPerf the seeds of replicates differ: the seed is identity. A run whose run_stop is missing or does not say success
has failed. Refused: two runs in one file, a stop before the start.
"""

import re
from collections.abc import Iterable
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, mlperf_lines, scale, text_reader, values
from analysis.evidence.collect import VALUE, Collection, Figure, Run, Sample
from analysis.evidence.format import Document, Format
from analysis.evidence.mlperf_lines import Event
from analysis.evidence.values import Json, Numeral
from analysis.measurements import FileRun
from analysis.reading import Reading

NAME: Final = "mlperf-training"
VERSION: Final = 1

JSON_LINE: Final = re.compile(
    rb':::MLL(?:OG|v[\d.]+)\s+\{[^\n]*"key":\s*"(?:run_start|run_stop|submission_benchmark|init_start|init_stop)"'
)
OLD_LINE: Final = re.compile(rb"(?::::MLPv[\d.]+ \S+ [\d.]+ \([^)\n]*\)|MLPerf: \S+ \[[^\]\n]+\],) run_\w+")
LOADGEN: Final = re.compile(rb'"key":\s*"(?:loadgen_|requested_scenario|effective_)')

MEASURED: Final = re.compile(r"(?:train|eval)_\w*(?:loss|accuracy|error)|loss")
OUTCOMES: Final = ("Total runtime",)
SEEDS: Final = ("seed", "run_set_random_seed")
IDENTITY: Final = (*SEEDS, "submission_org", "submission_poc_name", "submission_poc_email")
HYPERPARAMETERS: Final = ("model_", "opt_", "input_", "preproc_")
POSITIONS: Final = ("samples_count", "epoch_num", "step_num", "step")

SEED: Final = "The seed is identity: by the rules of MLPerf the seeds of replicates differ."
COARSE: Final = "The log has whole seconds on a clock without zone: the time to train is known to within 1 s."
NO_STATUS: Final = "This generation of the log states no status: a run_stop is taken as success."
UNFINISHED: Final = "the log has no run_stop"


def looks_right(document: Document) -> str | None:
    """The reason why this is a training log, or None."""
    for part in text_reader.ends(document):
        if LOADGEN.search(part) is None and (JSON_LINE.search(part) or OLD_LINE.search(part)):
            return "it has MLPerf entries with run_start, run_stop or a submission"
    return None


def parse(document: Document) -> Reading:
    """One run.

    Raises:
        MalformedEvidence: no run_start, several runs, a stop before the start, an entry that is no JSON.
    """
    lines, decoding = text_reader.lines(document)
    leniences = dict.fromkeys(decoding)
    events = _once(mlperf_lines.events(document, lines, leniences))
    starts = [event for event in events if event.key == "run_start"]
    if not starts:
        raise MalformedEvidence("there is no run_start in it", where=document.name, code="no_runs")
    collection = Collection(document)
    start = min(starts, key=lambda event: event.time_ns)
    if len(starts) > 1:
        collection.notice(f"There are {len(starts)} run_start entries (one a rank): the earliest is taken.")
    stop = _stop(events, starts)
    run = collection.add(_facts(start, stop, document.name))
    run.measured("time_to_train", _score(start, stop, run), VALUE)
    _log(collection, run, events, start)
    _remarks(collection, events, stop)
    return collection.reading(NAME, VERSION, leniences, incomplete=False)


def _once(events: Iterable[Event]) -> list[Event]:
    """The events without the repetitions of other ranks: same key, value, moment and metadata."""
    seen: dict[tuple[str, str, int, str], Event] = {}
    for event in events:
        position = values.written({k: event.metadata[k] for k in POSITIONS if k in event.metadata})
        seen.setdefault((event.key, values.written(event.value), event.time_ns, position), event)
    return list(seen.values())


def _stop(events: list[Event], starts: list[Event]) -> Event | None:
    stops = [event for event in events if event.key == "run_stop"]
    if not stops:
        return None
    if max(event.time_ns for event in starts) > min(event.time_ns for event in stops):
        message = "a run_start comes after a run_stop: split the file by run"
        raise MalformedEvidence(message, where=starts[-1].where, code="several_runs")
    return next((event for event in stops if _failure(event)), max(stops, key=lambda event: event.time_ns))


def _failure(stop: Event) -> str:
    """What the run_stop says against success; "" when it says nothing against it."""
    status = stop.metadata.get("status")
    if stop.metadata.get("success") is False:
        return "run_stop does not say success"
    if stop.form == "json" and status != "success":
        return f"the status of run_stop is {values.shown(status)}"
    return ""


def _facts(start: Event, stop: Event | None, where: str) -> FileRun:
    reason = _failure(stop) if stop else UNFINISHED
    ours = start.form != "local"
    return FileRun(
        key="0",
        status="failed" if reason else "completed",
        reason=reason,
        started_ns=start.time_ns if ours else None,
        ended_ns=stop.time_ns if stop and ours else None,
        attempted=None,
        failed=None,
        where=where,
    )


def _score(start: Event, stop: Event | None, run: Run) -> Figure:
    if stop is None or run.facts.status == "failed":
        return collect.nothing(None, "s", start.where, run.facts.reason)
    if stop.time_ns <= start.time_ns:
        raise MalformedEvidence("run_stop is not after run_start", where=stop.where, code="not_positive")
    milliseconds, rest = divmod(stop.time_ns - start.time_ns, 10**6)
    elapsed, unit = (stop.time_ns - start.time_ns, "ns") if rest else (milliseconds, "ms")
    return collect.positive(Numeral(str(elapsed)), unit, f"{start.where} to {stop.where}")


def _log(collection: Collection, run: Run, events: list[Event], start: Event) -> None:
    stated: dict[str, list[Event]] = {}
    for event in events:
        if _is_measured(event):
            _progress(run, event)
        elif event.value is not None and event.key not in ("run_stop", "run_start"):
            stated.setdefault(event.key, []).append(event)
    unread = {event.key for event in events if event.value is None} - {"run_start", "run_stop"}
    if "model" in start.metadata:
        run.configured("benchmark", start.metadata["model"], start.where)
    for key, found in stated.items():
        if key in OUTCOMES:
            unread.add(key)
            continue
        several = len({values.written(event.value) for event in found}) > 1
        if several and not key.startswith(HYPERPARAMETERS) and any(e.time_ns > start.time_ns for e in found):
            unread.add(key)
        elif key in IDENTITY:
            run.identified(key, found[0].value, found[0].where)
        else:
            _configured(run, key, found)
    _work(run, events)
    collection.leave(unread)


def _configured(run: Run, key: str, found: list[Event]) -> None:
    """One setting for a key; what it says several times, once each, in the order of the log."""
    said = list(dict.fromkeys(values.written(event.value) for event in found))
    run.configured(key, "; ".join(said), found[0].where)


def _is_measured(event: Event) -> bool:
    if event.key == "tracked_stats":
        return isinstance(event.value, dict)
    is_number = isinstance(event.value, Numeral) or (isinstance(event.value, str) and event.value.endswith("%"))
    return is_number and MEASURED.fullmatch(event.key) is not None


def _progress(run: Run, event: Event) -> None:
    sample = Sample("raw", "value", 1, _position(event), None if event.form == "local" else event.time_ns)
    if isinstance(event.value, dict):
        for name, value in event.value.items():
            if isinstance(value, Numeral):
                unit = "1/s" if name == "throughput" else "1"
                run.measured(name, _figure(value, unit, f"{event.where}.{name}"), sample)
    else:
        run.measured(event.key, _figure(event.value, "1", event.where), sample)


def _figure(value: Json, unit: str, where: str) -> Figure:
    if isinstance(value, str):
        return Figure(scale.in_base(value.removesuffix("%"), "%"), "1", value.removesuffix("%"), "%", where, "")
    if isinstance(value, Numeral) and value.text in ("NaN", "Infinity", "-Infinity"):
        return collect.nothing(value, unit, where, f"the log says {value.text}")
    return collect.positive(value, unit, where) if unit == "1/s" else collect.finite(value, unit, where)


def _position(event: Event) -> int | None:
    for key in POSITIONS:
        if isinstance(event.metadata.get(key), Numeral):
            return values.count(event.metadata[key], f"{event.where}.{key}")
    return None


def _work(run: Run, events: list[Event]) -> None:
    """Samples at the end of the run; where the log does not count them, the epochs."""
    counted = [event for event in events if isinstance(event.metadata.get("samples_count"), Numeral)]
    epochs = [event for event in events if event.key == "train_epoch"]
    if counted:
        place = f"{counted[-1].where}.samples_count"
        values.count(counted[-1].metadata["samples_count"], place)
        run.worked("samples", counted[-1].metadata["samples_count"], place)
    elif epochs:
        run.worked("epochs", Numeral(str(len(epochs))), epochs[-1].where)


def _remarks(collection: Collection, events: list[Event], stop: Event | None) -> None:
    if any(event.key in SEEDS for event in events):
        collection.notice(SEED)
    if any(event.form == "local" for event in events):
        collection.notice(COARSE)
    if stop and stop.form != "json" and "success" not in stop.metadata:
        collection.notice(NO_STATUS)


FORMAT: Final = Format(NAME, "MLPerf training log", VERSION, looks_right, parse)
