"""genai-perf `profile_export_genai_perf.json` and `.csv`, and its raw `profile_export.json`.

In the file: statistics of one run in the unit that each states, old ones in ns with thousands separators; the raw
export has the moments of each request and of each of its responses in ns. Here: one run for the statistics, one for
each experiment of the raw export. Not in the CSV: how the run was configured. Superseded by AIPerf.
"""

import re
from collections.abc import Iterator
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, genai_csv, genai_metrics, json_reader, serving, text_reader, values
from analysis.evidence.collect import Collection, Figure, raw
from analysis.evidence.format import Document, Format
from analysis.evidence.values import Json, Numeral
from analysis.reading import Reading

NAME: Final = "genai-perf"
VERSION: Final = 1

JSON_KEYS: Final = (rb'"input_config"\s*:\s*\{', rb'"request_(?:latency|throughput)"\s*:\s*\{', rb'"subcommand"\s*:')
RAW_KEYS: Final = (rb'"experiments"\s*:\s*\[', rb'"requests"\s*:\s*\[', rb'"response_timestamps"\s*:\s*\[')
UNREAD: Final = ("telemetry_stats", "sessions", "prefix", "response_outputs", "request_inputs", "window_boundaries")
LAST: Final = (
    "The end of a request is its last response, which may be an empty one that closes the stream: genai-perf itself "
    "leaves those out."
)
CHUNKS: Final = "The responses after the first one are chunks, not tokens: gaps between them are not read."
FAILED: Final = "the request has no response"


def looks_right(document: Document) -> str | None:
    """The reason why this is an export of genai-perf, or None."""
    head, _ = text_reader.ends(document)
    if re.match(rb"\s*\{", head):
        if all(re.search(key, head) for key in JSON_KEYS):
            return 'it has "input_config" with a "subcommand" and statistics of requests'
        if all(re.search(key, head) for key in RAW_KEYS):
            return 'its "experiments" have "requests" with "response_timestamps"'
        return None
    columns = genai_csv.columns_of(document)
    if columns is not None and columns[4:5] in (["p99"], []):
        return f"its header begins {','.join(columns[:5])}"
    return None


def parse(document: Document) -> Reading:
    """One run, or one for each experiment of the raw export.

    Raises:
        MalformedEvidence: no JSON and no table, a statistic that is no number, a time or rate below zero.
    """
    if not re.match(rb"\s*\{", text_reader.ends(document)[0]):
        return genai_csv.parse(document, NAME, VERSION)
    read = json_reader.read(document)
    collection = Collection(document)
    whole = values.fields(read.only(document.name), document.name)
    if "experiments" in whole:
        _raw(collection, whole, f"{document.name}:")
    else:
        _statistics(collection, whole, f"{document.name}:")
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _statistics(collection: Collection, whole: dict[str, Json], where: str) -> None:
    run = genai_metrics.report(collection, list(genai_metrics.blocks_in(whole, where)), where)
    genai_metrics.configure(collection, run, whole.get("input_config"), f"{where}input_config")
    collection.leave(key for key in UNREAD if key in whole)


def _raw(collection: Collection, whole: dict[str, Json], where: str) -> None:
    for i, item in enumerate(values.items(whole["experiments"], f"{where}experiments")):
        spot = f"{where}experiments[{i}]"
        experiment = values.fields(item, spot)
        requests = values.items(values.needed(experiment, "requests", f"{spot}.requests"), f"{spot}.requests")
        times = [_times(request, f"{spot}.requests[{j}]") for j, request in enumerate(requests)]
        _experiment(collection, times, str(i), spot)
        for key in ("service_kind", "endpoint"):
            if key in whole:
                collection.runs[-1].configured(key, whole[key], f"{where}{key}")
        facts = experiment.get("experiment")
        if isinstance(facts, dict):
            mode = values.written(facts.get("mode", "load"))
            collection.runs[-1].configured(mode, facts.get("value"), f"{spot}.experiment")
    if not collection.runs:
        raise MalformedEvidence("there is no experiment in it", where=where, code="no_runs")
    collection.notice(LAST)
    collection.notice(CHUNKS)
    collection.leave(("request_inputs", "response_outputs", "window_boundaries"))


def _times(request: Json, where: str) -> tuple[int, list[int], str]:
    """The start of a request and its responses, in ns on the clock of the file, and its place."""
    fields = values.fields(request, where)
    start = _ns(values.needed(fields, "timestamp", f"{where}.timestamp"), f"{where}.timestamp")
    place = f"{where}.response_timestamps"
    responses = [
        _ns(one, f"{place}[{k}]") for k, one in enumerate(values.items(fields.get("response_timestamps", []), place))
    ]
    if any(later <= earlier for earlier, later in zip([start, *responses], responses, strict=False)):
        message = "a response came no later than what is before it"
        raise MalformedEvidence(message, where=place, code="not_positive")
    return start, responses, place


def _ns(value: Json, where: str) -> int:
    return values.count(value, where)


def _experiment(collection: Collection, times: list[tuple[int, list[int], str]], key: str, where: str) -> None:
    lost = sum(not responses for _, responses, _ in times)
    served = len(times) - lost
    run = collection.add(serving.outcome(key, where, served=served, attempted=len(times), lost=lost))
    run.worked("requests_completed", Numeral(str(served)), where)
    for i, (start, responses, place) in enumerate(times):
        for metric, figure in _latencies(start, responses, place):
            run.measured(metric, figure, raw(i, start))


def _latencies(start: int, responses: list[int], where: str) -> Iterator[tuple[str, Figure]]:
    ends = {"ttft": responses[:1], "e2e_latency": responses[-1:]}
    for metric, end in ends.items():
        if end:
            yield metric, collect.positive(Numeral(str(end[0] - start)), "ns", where)
        else:
            yield metric, collect.nothing(None, "ns", where, FAILED)


FORMAT: Final = Format(NAME, "genai-perf export", VERSION, looks_right, parse)
