"""Results of lm-evaluation-harness, old (0.3) and new, and of lmms-eval.

In the file: an object per task with `metric,filter` and `metric_stderr,filter`, before 0.4 without the filter, and how
it was run beside them. Here: one run per task or group, its numbers aggregates. Scored documents that are kept in the
same file (`samples`) are raw rows of their task.
"""

import re
from collections.abc import Iterator
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, json_reader, lm_eval_samples, scored, text_reader, values
from analysis.evidence.collect import Collection, Run, aggregate
from analysis.evidence.format import Document, Format
from analysis.evidence.scored import Whole
from analysis.evidence.values import Json
from analysis.reading import Reading

NAME: Final = "lm-eval-results"
VERSION: Final = 1

OBJECT: Final = re.compile(rb"\s*\{")
RESULTS: Final = re.compile(rb'"results"\s*:\s*\{')
FILTERED: Final = re.compile(rb'"[^",\s]+,[^",\s]+"\s*:\s*(?:-?\d|"N/A"|NaN|null)')
VERSIONS: Final = re.compile(rb'"versions"\s*:\s*\{')
HOW: Final = re.compile(rb'"(?:model_args|n-shot|n-samples)"\s*:')
OTHER: Final = re.compile(rb'"config_general"\s*:')

STDERR: Final = re.compile(r"(?P<metric>.+)_stderr")
NO_METRICS: Final = ("alias", "name", "sample_len", "samples", "sample_count")
OF_TASK: Final = (
    "dataset_path", "dataset_name", "test_split", "validation_split", "fewshot_split", "output_type", "num_fewshot",
    "repeats", "generation_kwargs",
)  # fmt: skip
OF_ALL: Final = (
    "lm_eval_version", "transformers_version", "model_source", "chat_template_sha", "system_instruction_sha",
    "fewshot_as_multiturn", "max_length",
)  # fmt: skip
IDENTITY: Final = ("date", "git_hash", "total_evaluation_time_seconds")
BY_TASK: Final = (
    "results", "groups", "group_subtasks", "configs", "versions", "n-shot", "n-samples", "task_hashes", "samples",
    "config", "model_name",
)  # fmt: skip
GROUP: Final = "{where}: {task} is a group, its numbers are those of its {count} tasks, which are runs of their own."
HEADING: Final = "{where}: {task} has no number of its own."
LIMITED: Final = "{where}: {effective} of {original} documents were evaluated."


def looks_right(document: Document) -> str | None:
    """The reason why this is a result of lm-evaluation-harness, or None."""
    head, tail = text_reader.ends(document)
    start = RESULTS.search(head)
    doc_id = lm_eval_samples.DOC_ID.search(head)
    if not OBJECT.match(head) or start is None or OTHER.search(head) or (doc_id and doc_id.start() < start.start()):
        return None
    if FILTERED.search(head, start.end()):
        return 'its "results" are named metric,filter'
    if any(VERSIONS.search(end) for end in (head, tail)) and any(HOW.search(end) for end in (head, tail)):
        return 'it has "results" with the "versions" of their tasks, and how the model was run'
    return None


def parse(document: Document) -> Reading:
    """One run per task or group.

    Raises:
        MalformedEvidence: no JSON, no task, a number that is none; what lm_eval_samples refuses.
    """
    read = json_reader.read(document)
    collection = Collection(document)
    whole = Whole(values.fields(read.only(document.name), document.name), f"{document.name}:")
    place = whole.place("results")
    values.fields(values.needed(whole.fields, "results", place), place)
    for part in ("results", "groups"):
        for task, numbers in scored.part(whole.fields, part, whole.where).items():
            if all(run.facts.key != task for run in collection.runs):
                _run(collection, whole, task, values.fields(numbers, f"{whole.place(part)}.{task}"), part)
    if not any(run.measurements for run in collection.runs):
        raise MalformedEvidence("no task has a number", where=place, code="no_runs")
    collection.leave(key for key in whole.fields if key not in (*BY_TASK, *OF_ALL, *IDENTITY))
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _run(collection: Collection, whole: Whole, task: str, numbers: dict[str, Json], part: str) -> None:
    where = f"{whole.place(part)}.{task}"
    if not any(key.strip() and key not in NO_METRICS for key in numbers):
        collection.notice(HEADING.format(where=where, task=task))
        return
    run = collection.add(collect.completed(task, where))
    run.configured("task", task, where)
    n = _documents(collection, run, whole, task)
    means = _means(whole, task)
    for key, value in numbers.items():
        if isinstance(value, dict | list):
            collection.leave([key])
        elif key.strip() and key.partition(",")[0] not in (*NO_METRICS, *scored.PLACEHOLDERS):
            _number(collection, run, key, value, n, means)
    _settings(collection, run, whole, task)
    _samples(collection, run, whole, task)


def _number(collection: Collection, run: Run, key: str, value: Json, n: int | None, means: set[str]) -> None:
    metric, _, filtered = key.partition(",")
    place = f"{run.facts.where}.{key}"
    error = STDERR.fullmatch(metric)
    if error is None:
        stat = "mean" if metric in means else "value"
        scored.task_value(run, scored.word(metric, filtered), value, place, aggregate(stat, n))
        return
    collection.notice(scored.OVER_ITEMS)
    name = f"{scored.word(error['metric'], filtered)}_stderr"
    scored.task_value(run, name, value, place, aggregate("value", n))


def _documents(collection: Collection, run: Run, whole: Whole, task: str) -> int | None:
    """How many documents were evaluated, where the file says so: work; None where it does not."""
    found, where = whole.of_task("n-samples", task)
    if found is None:
        return None
    counts = values.fields(found, where)
    effective = values.needed(counts, "effective", f"{where}.effective")
    n = values.count(effective, f"{where}.effective")
    run.worked("documents", effective, f"{where}.effective")
    original = counts.get("original")
    if original is not None and values.count(original, f"{where}.original") > n:
        collection.notice(LIMITED.format(where=where, effective=n, original=values.written(original)))
    return n


def _means(whole: Whole, task: str) -> set[str]:
    """The metrics of which the file says that their number is the mean over documents."""
    config, where = whole.of_task("configs", task)
    listed = values.fields(config, where).get("metric_list") if config is not None else None
    entries = listed if isinstance(listed, list) else []
    return {
        values.written(entry.get("metric"))
        for entry in entries
        if isinstance(entry, dict) and entry.get("aggregation") == "mean"
    }


def _settings(collection: Collection, run: Run, whole: Whole, task: str) -> None:
    for name, value, where in _of_task(whole, task):
        scored.configured(collection, run, name, value, where)
    for name in OF_ALL:
        if whole.fields.get(name) is not None:
            scored.configured(collection, run, name, whole.fields[name], whole.place(name))
    if whole.fields.get("model_name") is not None:
        run.configured("model", whole.fields["model_name"], whole.place("model_name"))
    for name in IDENTITY:
        if whole.fields.get(name) is not None:
            run.identified(name, whole.fields[name], whole.place(name))
    for key, value in scored.part(whole.fields, "config", whole.where).items():
        _how(collection, run, key, value, whole)


def _how(collection: Collection, run: Run, key: str, value: Json, whole: Whole) -> None:
    """Add one setting of how the model was run. `model` is there what loads the model, not the model."""
    where = f"{whole.place('config')}.{key}"
    if key == "model":
        if whole.fields.get("model_source") is None:
            run.configured("model_source", value, where)
    elif key == "model_args" and isinstance(value, str):
        for name, text in _arguments(value):
            run.configured(name, text, where)
    else:
        scored.configured(collection, run, key, value, where)


def _of_task(whole: Whole, task: str) -> Iterator[tuple[str, Json, str]]:
    """The settings of one task: its own, its version, its examples, and what its documents and prompts were."""
    config, where = whole.of_task("configs", task)
    own = {} if config is None else values.fields(config, where)
    shots, spot = whole.of_task("n-shot", task)
    for key in OF_TASK:
        if own.get(key) is not None and (key != "num_fewshot" or shots is None):
            yield key, own[key], f"{where}.{key}"
    if shots is not None:
        yield "num_fewshot", shots, spot
    for part, name in (("versions", "task_version"), ("task_hashes", "task_hash")):
        value, place = whole.of_task(part, task)
        if value is not None:
            yield name, value, place


def _arguments(text: str) -> list[tuple[str, str]]:
    """The parts of "pretrained=a,dtype=b", each under its own name; the text itself when it is not made like that."""
    parts = [part.partition("=") for part in text.split(",")]
    names = {name.strip() for name, _, _ in parts}
    if len(names) < len(parts) or not all(name.strip() and sign for name, sign, _ in parts):
        return [("model_args", text)]
    return [(f"model_args.{name.strip()}", value.strip()) for name, _, value in parts]


def _samples(collection: Collection, run: Run, whole: Whole, task: str) -> None:
    subtasks, where = whole.of_task("group_subtasks", task)
    if isinstance(subtasks, list) and subtasks:
        collection.notice(GROUP.format(where=where, task=task, count=len(subtasks)))
        return
    found, where = whole.of_task("samples", task)
    if found is None or found == []:
        collection.notice(scored.NO_ITEMS.format(samples="samples that --log_samples writes"))
        return
    records = [
        (values.fields(record, f"{where}[{i}]"), f"{where}[{i}]") for i, record in enumerate(values.items(found, where))
    ]
    lm_eval_samples.add_samples(collection, run, records, task)


FORMAT: Final = Format(NAME, "lm-evaluation-harness results", VERSION, looks_right, parse)
