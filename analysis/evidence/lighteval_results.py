"""Results of lighteval.

In the file: an object per task (`suite|task|shots`, newer `task|shots`) with metrics and their standard errors, what
the tasks were, and how the model was run. Here: one run per task, its numbers aggregates.
"""

import re
from collections.abc import Iterator
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, json_reader, scored, text_reader, values
from analysis.evidence.collect import Collection, Run, aggregate
from analysis.evidence.format import Document, Format
from analysis.evidence.lm_eval_results import STDERR
from analysis.evidence.scored import Whole
from analysis.evidence.values import Json, Numeral
from analysis.reading import Reading

NAME: Final = "lighteval-results"
VERSION: Final = 1

OBJECT: Final = re.compile(rb"\s*\{")
GENERAL: Final = re.compile(rb'"config_general"\s*:\s*\{')
RESULTS: Final = re.compile(rb'"results"\s*:\s*\{')

OF_TASK: Final = (
    "hf_repo", "hf_subset", "hf_revision", "evaluation_splits", "few_shots_split", "few_shots_select",
    "generation_size", "stop_sequence", "num_fewshots", "num_samples", "version",
)  # fmt: skip
RENAMED: Final = {"num_fewshots": "num_fewshot", "version": "task_version", "model_name": "model"}
IDENTITY: Final = ("job_id", "total_evaluation_time_secondes")
CLOCK: Final = ("start_time", "end_time")
INPUT_HASHES: Final = ("hash_examples", "hash_full_prompts", "hash_input_tokens")
BY_TASK: Final = ("config_general", "results", "versions", "config_tasks", "summary_tasks", "summary_general")
AVERAGE: Final = "{where}: {task} is an average over tasks that the tool makes; each task is a run of its own."


def looks_right(document: Document) -> str | None:
    """The reason why this is a result of lighteval, or None."""
    head, tail = text_reader.ends(document)
    if OBJECT.match(head) and GENERAL.search(head) and (RESULTS.search(head) or RESULTS.search(tail)):
        return 'it has "config_general" and "results"'
    return None


def parse(document: Document) -> Reading:
    """One run per task.

    Raises:
        MalformedEvidence: no JSON, no task, a number that is none.
    """
    read = json_reader.read(document)
    collection = Collection(document)
    whole = Whole(values.fields(read.only(document.name), document.name), f"{document.name}:")
    place = whole.place("results")
    results = values.fields(values.needed(whole.fields, "results", place), place)
    tasks = [task for task in results if not _is_average(task)]
    for task, numbers in results.items():
        if task in tasks or len(tasks) > 1:
            _run(collection, whole, task, values.fields(numbers, f"{place}.{task}"))
    if not any(run.measurements for run in collection.runs):
        raise MalformedEvidence("no task has a number", where=place, code="no_runs")
    collection.notice(scored.NO_ITEMS.format(samples="details, written as JSON"))
    collection.leave(key for key in whole.fields if key not in BY_TASK)
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _is_average(task: str) -> bool:
    return task == "all" or ":_average" in task


def _run(collection: Collection, whole: Whole, task: str, numbers: dict[str, Json]) -> None:
    where = f"{whole.place('results')}.{task}"
    run = collection.add(collect.completed(task, where))
    run.configured("task", task, where)
    if _is_average(task):
        collection.notice(AVERAGE.format(where=where, task=task))
    own, spot = _task(whole, task)
    n = _documents(run, own, spot)
    means = set(_means(own))
    for key, value in numbers.items():
        error = STDERR.fullmatch(key)
        if error is not None:
            collection.notice(scored.OVER_ITEMS)
            name, stat = f"{scored.word(error['metric'])}_stderr", "value"
        else:
            name, stat = scored.word(key), "mean" if key in means else "value"
        scored.task_value(run, name, value, f"{where}.{key}", aggregate(stat, n))
    for key in OF_TASK:
        if own.get(key) is not None:
            scored.configured(collection, run, RENAMED.get(key, key), own[key], f"{spot}.{key}")
    _asked(run, whole, own, task)
    _general(collection, run, whole)


def _task(whole: Whole, task: str) -> tuple[dict[str, Json], str]:
    """What the file says of the task, under its name with or without the number of shots; and the place."""
    for name in (task, task.rpartition("|")[0]):
        found, where = whole.of_task("config_tasks", name)
        if found is not None:
            return values.fields(found, where), where
    return {}, whole.place("config_tasks")


def _documents(run: Run, own: dict[str, Json], where: str) -> int | None:
    """How many documents were evaluated: work; None where the file does not say, or says -1 for that."""
    found = own.get("effective_num_docs")
    if found is None or (isinstance(found, Numeral) and found.text == "-1"):
        return None
    n = values.count(found, f"{where}.effective_num_docs")
    run.worked("documents", found, f"{where}.effective_num_docs")
    return n


def _means(own: dict[str, Json]) -> Iterator[str]:
    """The metrics of which the file says that their number is the mean over documents."""
    for key in ("metric", "metrics"):
        listed = own.get(key)
        for entry in listed if isinstance(listed, list) else []:
            if isinstance(entry, dict) and entry.get("corpus_level_fn") == "mean":
                yield values.written(entry.get("metric_name"))


def _asked(run: Run, whole: Whole, own: dict[str, Json], task: str) -> None:
    """The version of the task, and the hashes of what it asked: each is compared between the arms."""
    version, where = whole.of_task("versions", task)
    if version is not None and own.get("version") is None:
        run.configured("task_version", version, where)
    summary, where = whole.of_task("summary_tasks", task)
    hashes = scored.part({} if summary is None else values.fields(summary, where), "hashes", where)
    for key, value in hashes.items():
        if key in INPUT_HASHES:
            run.configured(key, value, f"{where}.hashes.{key}")


def _general(collection: Collection, run: Run, whole: Whole) -> None:
    place = whole.place("config_general")
    for key, value in scored.part(whole.fields, "config_general", whole.where).items():
        if value is None or key in CLOCK:
            continue
        if key in IDENTITY:
            run.identified(key, value, f"{place}.{key}")
        else:
            scored.configured(collection, run, RENAMED.get(key, key), value, f"{place}.{key}")


FORMAT: Final = Format(NAME, "lighteval results", VERSION, looks_right, parse)
