"""vLLM `bench serve` (earlier `benchmark_serving.py`) result files, and the forks that copied its keys.

In the file: one object per run, alone, appended one after the other, or in a list (`summary.json` of a sweep).
Aggregates over completed requests in ms (in s for keys without "_ms"), rates as work / duration; with
`--save-detailed` also lists with one item per request, in s. Here: one run per object. Old files write
`request_goodput:` with a colon. Not trusted: a latency or rate of 0 (the tool writes it when nothing was measured).
"""

import re
from dataclasses import replace
from typing import Final

from analysis.evidence import collect, json_reader, serving, text_reader, values
from analysis.evidence.collect import Collection, Run, aggregate
from analysis.evidence.format import Document, Format
from analysis.evidence.serving import Record
from analysis.evidence.values import Json, Numeral
from analysis.measurements import FileRun
from analysis.reading import Reading

NAME: Final = "vllm-bench-serve"
VERSION: Final = 2

TOTAL: Final = re.compile(rb'"total_token_throughput"\s*:\s*(?:[-\d]|NaN|Infinity)')
REQUESTS: Final = re.compile(rb'"request_throughput"\s*:\s*(?:[-\d]|NaN|Infinity)')
PYTORCH: Final = b'"benchmark_values"'  # the twin in the schema of PyTorch repeats the run
OF_TRTLLM: Final = b'"first_token_timestamp"'  # its lists of requests have a total_token_throughput of each
MODEL: Final = re.compile(rb'"model_id"\s*:\s*"')

RATES: Final = {
    "request_throughput": "request_throughput",
    "output_throughput": "output_throughput",
    "input_throughput": "input_throughput",
    "total_token_throughput": "total_token_throughput",
}
WORK: Final = {
    "completed": "requests_completed",
    "failed": "requests_failed",
    "total_input_tokens": "input_tokens",
    "total_output_tokens": "output_tokens",
    "total_input_sequences": "input_sequences",
}
GOODPUT: Final = ("request_goodput", "request_goodput:")
IDENTITY: Final = ("date", "label", "timestamp", "run_number")
SETTINGS: Final = {"model_id": "model"}  # what the work settings of templates call it
MOMENTS: Final = ("benchmark_start_time_unix", "benchmark_end_time_unix")
OUTCOMES: Final = re.compile(r"(?:spec_decode|probe|client_queue_time)\w*")
OTHER_OUTCOMES: Final = re.compile(r"(?:mean|median|std|p\d+(?:\.\d+)?)_.*|.*_(?:throughput|per_gpu)")
UNTIMED: Final = "The file does not say how long the run took: its rates cannot be checked."
NO_GOODPUT: Final = "no goodput objective was given"
NO_AUDIO: Final = "no audio was served"


def looks_right(document: Document) -> str | None:
    """The reason why this is a vLLM serving result, or None."""
    for part in text_reader.ends(document):
        if PYTORCH in part or OF_TRTLLM in part:
            return None
        if TOTAL.search(part):
            return 'it has a number "total_token_throughput"'
        if REQUESTS.search(part) and MODEL.search(part):
            return 'it has a number "request_throughput" and a "model_id"'
    return None


def parse(document: Document) -> Reading:
    """One run per result object.

    Raises:
        MalformedEvidence: no JSON, a field that is missing or no number, a time or rate below zero, lists of requests
            that differ in length.
    """
    read = json_reader.read(document)
    collection = Collection(document)
    seen: set[tuple[str, str]] = set()
    for record in serving.records(read.values, document.name):
        if _repeats(record, seen):
            collection.notice(f"{record.where}: the same date and run_number stand above; it is counted once.")
        elif "error" in record.fields and "duration" not in record.fields:
            reason = f"the tool reported: {values.written(record.fields['error'])}"[:300]
            collection.add(collect.failed(record.key, record.where, reason))
        else:
            _run(collection, record)
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _repeats(record: Record, seen: set[tuple[str, str]]) -> bool:
    """Whether a sweep's summary lists the run again."""
    date, number = record.fields.get("date"), record.fields.get("run_number")
    if date is None or number is None:
        return False
    identity = (values.written(date), values.written(number))
    if identity in seen:
        return True
    seen.add(identity)
    return False


def _run(collection: Collection, record: Record) -> None:
    if not any(key in record.fields for key in RATES):
        record.needed("request_throughput")
    served = record.count("completed")
    run = collection.add(_facts(record, served))
    if "duration" in record.fields:
        run.lasted(record.fields["duration"], record.place("duration"))
    else:
        collection.notice(UNTIMED)
    for key in record.fields:
        _field(collection, run, record, key)
    serving.request_details(collection, run, record)
    _checks(collection, record, served)


def _facts(record: Record, served: int | None) -> FileRun:
    attempted, lost = record.count("num_prompts"), record.count("failed")
    if lost is None and attempted is not None and served is not None and attempted >= served:
        lost = attempted - served
    if served == 0:
        return collect.failed(record.key, record.where, serving.NOTHING_SERVED, attempted=attempted, lost=lost)
    run = collect.completed(record.key, record.where, attempted=attempted, failed=lost)
    started_ns, ended_ns = (record.moment(key) for key in MOMENTS)
    return replace(run, started_ns=started_ns, ended_ns=ended_ns)


def _field(collection: Collection, run: Run, record: Record, key: str) -> None:
    value, where, served = record.fields[key], record.place(key), record.count("completed")
    if key in RATES:
        serving.rate(run, RATES[key], record, key, done=_done(record, key))
    elif key in WORK:
        serving.work(run, WORK[key], value, where)
    elif key in GOODPUT:
        figure = collect.positive_or_nothing(value, "1/s", where, _no_goodput(value, served))
        run.measured("request_goodput", figure, aggregate("rate", served))
    elif serving.latency(run, record, key, served) or _peak(run, record, key) or key in ("duration", *serving.DETAILS):
        return
    elif key in IDENTITY or key in MOMENTS:
        run.identified(key, value, where)
    elif OUTCOMES.fullmatch(key) and isinstance(value, Numeral):
        run.measured(key, collect.finite(value, "1", where), aggregate("value", None))
    elif isinstance(value, list | dict) or (OTHER_OUTCOMES.fullmatch(key) and isinstance(value, Numeral)):
        collection.leave([key])
    else:
        run.configured(_setting(record, key), value, where)


def _setting(record: Record, key: str) -> str:
    """The field's own term for a key, unless the file uses that word for something else."""
    name = SETTINGS.get(key, key)
    return key if name in record.fields else name


def _no_goodput(value: Json, served: int | None) -> str:
    if value is None:
        return NO_GOODPUT
    return serving.NOTHING_SERVED if served == 0 else "no request met the goodput objective"


def _peak(run: Run, record: Record, key: str) -> bool:
    """Whether the key is a peak over one-second buckets, or the audio factor; then it was added."""
    value, where = record.fields[key], record.place(key)
    if key == "max_output_tokens_per_s":
        figure = collect.positive_or_nothing(value, "1/s", where, serving.NOTHING_MEASURED)
        run.measured("output_throughput", figure, aggregate("max", None))
    elif key == "max_concurrent_requests":
        figure = collect.positive_or_nothing(value, "1", where, serving.NOTHING_MEASURED)
        run.measured("concurrent_requests", figure, aggregate("max", None))
    elif key == "rtfx":
        run.measured("rtfx", collect.positive_or_nothing(value, "1", where, NO_AUDIO), aggregate("rate", None))
    else:
        return False
    return True


def _done(record: Record, key: str) -> int | None:
    """The work behind a rate; None when the file does not say."""
    tokens_in, tokens_out = record.count("total_input_tokens"), record.count("total_output_tokens")
    match key:
        case "request_throughput":
            return record.count("completed")
        case "output_throughput":
            return tokens_out
        case "input_throughput":
            return tokens_in
    return None if tokens_in is None else tokens_in + (tokens_out or 0)


def _checks(collection: Collection, record: Record, served: int | None) -> None:
    for key in RATES:
        serving.check_rate(collection, record, key, _done(record, key))
    if any(serving.LATENCY.fullmatch(key) and key.startswith("p") for key in record.fields):
        collection.notice(serving.TOOL_PERCENTILES)
    serving.misread(collection, record, served)
    serving.offered_load(collection, record)
    attempted = record.count("num_prompts")
    if attempted and served and served < attempted:
        collection.notice(
            f"{record.where} {served} of {attempted} requests were completed; latencies are of those only."
        )
    peak, mean = record.fields.get("max_output_tokens_per_s"), record.fields.get("output_throughput")
    if isinstance(peak, Numeral) and isinstance(mean, Numeral) and float(peak.text) < float(mean.text):
        collection.notice(f"{record.where} the peak output throughput is below the mean: one of the two is wrong.")


FORMAT: Final = Format(NAME, "vLLM bench serve result", VERSION, looks_right, parse)
