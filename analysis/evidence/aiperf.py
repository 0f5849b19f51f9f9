"""AIPerf `profile_export_aiperf.json` and `.csv`, `profile_export.jsonl` and `gpu_telemetry_export.jsonl`.

In the file: statistics of one run, each with its unit (until October 2025 under `records`); or one object per
request; or one object per sample of a GPU. Here: one run each. Requests of the warmup keep their phase; a request with
an error has it as the reason. Energy is what the counter of each GPU rose by, because statistics of a counter mean
nothing; a GPU that two endpoints show is counted once.
"""

import re
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import (
    aiperf_aggregate,
    aiperf_blocks,
    aiperf_requests,
    aiperf_telemetry,
    blocks,
    genai_csv,
    genai_metrics,
    json_reader,
    text_reader,
    values,
)
from analysis.evidence.collect import Collection
from analysis.evidence.format import Document, Format
from analysis.evidence.values import Json
from analysis.measurements import FileRun
from analysis.reading import Reading

NAME: Final = "aiperf"
VERSION: Final = 1

CONFIG: Final = re.compile(rb'"input_config"\s*:\s*\{')
STATISTICS: Final = re.compile(rb'"request_latency"\s*:\s*\{')
MARKS: Final = re.compile(rb'"(?:benchmark_duration|cli_command|records)"\s*:\s*["{]')
REQUEST: Final = re.compile(rb'\s*\{\s*"metadata"\s*:\s*\{[^{}]*"x_request_id"')
METRICS: Final = re.compile(rb'"metrics"\s*:\s*\{')
OVER_RUNS: Final = re.compile(rb'"aggregation_type"\s*:\s*"confidence"')
SAMPLE: Final = re.compile(rb'\s*\{\s*"timestamp_ns"\s*:\s*\d+,\s*"dcgm_url"')

IDENTITY: Final = ("start_time", "end_time", "aiperf_version", "benchmark_id", "schema_version")
CANCELLED: Final = "the benchmark was cancelled"


def looks_right(document: Document) -> str | None:
    """The reason why this is an export of AIPerf, or None."""
    head, _ = text_reader.ends(document)
    if REQUEST.match(head) and METRICS.search(head):
        return 'its lines have "metadata" with an "x_request_id" and "metrics"'
    if SAMPLE.match(head):
        return 'its lines have a "timestamp_ns" and a "dcgm_url"'
    if re.match(rb"\s*\{", head):
        if OVER_RUNS.search(head):
            return 'its "aggregation_type" is that of statistics over several runs of AIPerf'
        found = CONFIG.search(head) and STATISTICS.search(head) and MARKS.search(head)
        return 'it has "input_config", "request_latency" and a mark of AIPerf' if found else None
    columns = genai_csv.columns_of(document)
    if columns is not None and columns[4:5] == ["p1"]:
        return f"its header begins {','.join(columns[:5])}"
    return None


def parse(document: Document) -> Reading:
    """One run.

    Raises:
        MalformedEvidence: no JSON and no table, a statistic that is no number, a time or rate below zero.
    """
    head, _ = text_reader.ends(document)
    if not re.match(rb"\s*[\[{]", head):
        return genai_csv.parse(document, NAME, VERSION)
    if REQUEST.match(head) or SAMPLE.match(head):
        return blocks.whole_or(document, lambda: aiperf_blocks.parse(document, NAME, VERSION), at_once)
    return at_once(document)


def at_once(document: Document) -> Reading:
    """What `parse` gives, of a file of JSON that is held in memory."""
    read = json_reader.read(document)
    collection = Collection(document)
    first = values.fields(read.values[0], document.name)
    if "x_request_id" in _object(first.get("metadata")):
        aiperf_requests.parse(collection, read.values)
    elif "telemetry_data" in first and "gpu_uuid" in first:
        aiperf_telemetry.parse_samples(collection, read.values)
    elif len(read.values) > 1:
        raise MalformedEvidence("there is more than one export in it", where=document.name, code="several_files")
    elif "aggregation_type" in _object(first.get("metadata")):
        aiperf_aggregate.parse(collection, first, f"{document.name}:")
    else:
        _statistics(collection, first, f"{document.name}:")
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _statistics(collection: Collection, whole: dict[str, Json], where: str) -> None:
    blocks = list(genai_metrics.blocks_in(whole, where))
    blocks += genai_metrics.blocks_in(_object(whole.get("records")), f"{where}records")
    run = genai_metrics.report(collection, blocks, where)
    genai_metrics.configure(collection, run, whole.get("input_config"), f"{where}input_config")
    read = {block.tag for block in blocks} | {
        "records",
        "input_config",
        "was_cancelled",
        "error_summary",
        "telemetry_data",
    }
    for key, value in whole.items():
        if key in IDENTITY:
            run.identified(key, value, f"{where}{key}")
        elif key not in read and value is not None:
            collection.leave([key])
    if whole.get("was_cancelled") is True and run.facts.status == "completed":
        run.facts = _cancelled(run.facts)
    for error in _errors(whole.get("error_summary")):
        collection.notice(error)
    telemetry = _object(whole.get("telemetry_data"))
    if telemetry:
        aiperf_telemetry.summarise(collection, run, telemetry, f"{where}telemetry_data")


def _cancelled(facts: FileRun) -> FileRun:
    return FileRun(
        facts.key, "partial", CANCELLED, facts.started_ns, facts.ended_ns, facts.attempted, facts.failed, facts.where
    )


def _errors(summary: Json) -> list[str]:
    """One sentence for each kind of error."""
    found = []
    for item in summary if isinstance(summary, list) else []:
        details = _object(_object(item).get("error_details"))
        said = values.written(details.get("message", details.get("type")))
        found.append(f"Ended with an error, {values.written(_object(item).get('count'))} times: {said}"[:300])
    return found


FORMAT: Final = Format(NAME, "AIPerf export", VERSION, looks_right, parse, streams=True)
