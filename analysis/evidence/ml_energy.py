"""Results of the ML.ENERGY leaderboard: one model and task, and a configuration for each point of a sweep.

In the file: for each configuration the joules of a request and a token, mean power, output throughput and quantiles of
the time between tokens, each one number. Here: each configuration is a run, all its numbers aggregates of the tool.
"""

import re
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, json_reader, text_reader, values
from analysis.evidence.collect import Collection, Run
from analysis.evidence.format import Document, Format
from analysis.evidence.values import Json
from analysis.reading import Reading

NAME: Final = "ml-energy"
VERSION: Final = 1

CONFIGURATIONS: Final = re.compile(rb'"configurations"\s*:\s*\[')
ENERGY: Final = re.compile(rb'"energy_per_(?:request|token|image|video|generation)_joules"\s*:')
READ: Final = {
    "energy_per_request_joules": ("energy_per_request", "mean", "J"),
    "energy_per_token_joules": ("energy_per_token", "mean", "J"),
    "energy_per_image_joules": ("energy_per_image", "mean", "J"),
    "energy_per_video_joules": ("energy_per_video", "mean", "J"),
    "energy_per_generation_joules": ("energy_per_generation", "mean", "J"),
    "avg_power_watts": ("power", "mean", "W"),
    "output_throughput_tokens_per_sec": ("output_throughput", "rate", "1/s"),
    "avg_output_len": ("output_tokens", "mean", "1"),
    "avg_batch_size": ("batch_size", "mean", "1"),
    "batch_latency_s": ("e2e_latency", "mean", "s"),
}
QUANTILE: Final = re.compile(r"(median|mean|p\d+(?:\.\d+)?)_(itl|ttft|tpot)_ms")
NOT_MEASURED: Final = "the file says that nothing was measured"
REPORTED: Final = "All numbers are the tool's own: each configuration is one run, and gives no interval."


def looks_right(document: Document) -> str | None:
    """The reason why this is a result of the leaderboard, or None."""
    head, _ = text_reader.ends(document)
    if CONFIGURATIONS.search(head) and ENERGY.search(head):
        return 'it has "configurations" with the energy of a request or token'
    return None


def parse(document: Document) -> Reading:
    """A run for each configuration.

    Raises:
        MalformedEvidence: several_files, no_runs, and those of JSON and of values.
    """
    read = json_reader.read(document)
    whole = values.fields(read.only(document.name), document.name)
    collection = Collection(document)
    place = f"{document.name}:configurations"
    for i, entry in enumerate(values.items(values.needed(whole, "configurations", place), place)):
        where = f"{place}[{i}]"
        run = collection.add(collect.completed(str(i), where))
        for key, value in whole.items():
            _state(collection, run, key, value, f"{document.name}:{key}")
        for key, value in values.fields(entry, where).items():
            _take(collection, run, key, value, f"{where}.{key}")
    if not any(run.measurements for run in collection.runs):
        raise MalformedEvidence("no configuration was measured", where=place, code="no_runs")
    collection.notice(REPORTED)
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _take(collection: Collection, run: Run, key: str, value: Json, where: str) -> None:
    quantile = QUANTILE.fullmatch(key)
    if quantile or key in READ:
        metric, stat, unit = (quantile[2], quantile[1], "ms") if quantile else READ[key]
        figure = collect.positive_or_nothing(value, unit, where, NOT_MEASURED)
        run.measured(metric, figure, collect.aggregate(stat, None))
    else:
        _state(collection, run, key, value, where)


def _state(collection: Collection, run: Run, key: str, value: Json, where: str) -> None:
    """A plain field, or the fields of a plain object such as the parallelisation, as configuration."""
    if key == "configurations":
        return
    if isinstance(value, dict) and not any(isinstance(inner, list | dict) for inner in value.values()):
        for name, inner in value.items():
            run.configured(f"{key}.{name}", inner, f"{where}.{name}")
    elif isinstance(value, list | dict):
        collection.leave([key])
    else:
        run.configured(key, value, where)


FORMAT: Final = Format(NAME, "ML.ENERGY leaderboard", VERSION, looks_right, parse)
