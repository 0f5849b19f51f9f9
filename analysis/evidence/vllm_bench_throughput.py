"""vLLM `bench throughput --output-json`.

In the file: `elapsed_time` in s, how many requests and tokens (prompt and output together), and their rates. One file
is one run, with no configuration at all: model and tensor parallel size come from a file name such as
"acme_tiny_tp2.json", and the folders are kept as identity. A wrapper's `{"error": …}` is a failed run.
"""

import re
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Final

from analysis.evidence import collect, json_reader, reported, serving, text_reader, values
from analysis.evidence.collect import Collection, Run
from analysis.evidence.format import Document, Format
from analysis.evidence.reported import Meaning
from analysis.evidence.serving import Record
from analysis.evidence.values import Numeral
from analysis.reading import Reading

NAME: Final = "vllm-bench-throughput"
VERSION: Final = 1

KEYS: Final = ("elapsed_time", "num_requests", "total_num_tokens")
MARKS: Final = tuple(re.compile(rb'"' + key.encode() + rb'"\s*:\s*[\d.]') for key in KEYS)
TWIN: Final = b'"benchmark_values"'  # the twin in the schema of PyTorch repeats the run
RATES: Final = {
    "requests_per_second": ("request_throughput", "num_requests"),
    "tokens_per_second": ("total_token_throughput", "total_num_tokens"),
}
FILE_NAME: Final = re.compile(r"(?P<model>.+)_tp(?P<tp>\d+)(?:_.*)?")
UNSTATED: Final = "The file states no configuration: model, engine version and hardware have to be stated by somebody."


def looks_right(document: Document) -> str | None:
    """The reason why this is a vLLM throughput result, or None."""
    head, _ = text_reader.ends(document)
    if TWIN not in head and all(mark.search(head) for mark in MARKS):
        return f"it has numbers {', '.join(KEYS)}"
    return None


def parse(document: Document) -> Reading:
    """One run per result object.

    Raises:
        MalformedEvidence: no JSON, a field that is missing or no number, a time or rate that is not positive.
    """
    read = json_reader.read(document)
    collection = Collection(document)
    for record in serving.records(read.values, document.name):
        if "error" in record.fields and "elapsed_time" not in record.fields:
            reason = f"the tool reported: {values.written(record.fields['error'])}"[:300]
            run = collection.add(collect.failed(record.key, record.where, reason))
        else:
            run = _run(collection, record)
        named(run, document.name)
    collection.notice(UNSTATED)
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def named(run: Run, name: str) -> None:
    """Add what the names of file and folders tell."""
    found = FILE_NAME.fullmatch(PurePosixPath(name).stem)
    if found:
        run.configured("model", found["model"], name, "file name")
        run.configured("tensor_parallel_size", Numeral(found["tp"]), name, "file name")
    reported.folders(run, name)


def _run(collection: Collection, record: Record) -> Run:
    run = collection.add(collect.completed(record.key, record.where))
    elapsed = record.needed("elapsed_time")
    run.lasted(elapsed, record.place("elapsed_time"))
    for key, name in (("num_requests", "requests_completed"), ("total_num_tokens", "tokens")):
        reported.worked(run, name, record.needed(key), record.place(key))
    for key, (metric, work) in RATES.items():
        done = record.count(work)
        reported.add(run, Meaning(metric, "rate", "1/s"), record.needed(key), record.place(key), done)
        reported.check_rate(collection, record.fields[key], Fraction(done or 0), elapsed, record.place(key))
    for key, value in record.fields.items():
        if isinstance(value, list | dict):
            collection.leave([key])
        elif key not in RATES and key not in KEYS:
            run.configured(key, value, record.place(key))
    return run


FORMAT: Final = Format(NAME, "vLLM bench throughput result", VERSION, looks_right, parse)
