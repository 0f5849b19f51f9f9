"""Per-document scores of lm-evaluation-harness, and of lmms-eval, which copied them.

In the file: one object per document and filter, as JSON Lines or as a list, with `doc_id`, the answer before and after
the filter, and the metrics beside them. Here: one run, one raw row per document and metric, so that two files are
paired document by document. The name of the task is only in the name of the file.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Final

from analysis.evidence import collect, json_reader, reported, scored, text_reader, values
from analysis.evidence.collect import Collection, Run
from analysis.evidence.format import Document, Format
from analysis.evidence.scored import Item
from analysis.evidence.values import Json
from analysis.reading import Reading

NAME: Final = "lm-eval-samples"
VERSION: Final = 1

OBJECT: Final = re.compile(rb"\s*(?:\[\s*)?\{")
DOC_ID: Final = re.compile(rb'"doc_id"\s*:')
ANSWERS: Final = re.compile(rb'"(?:filtered_)?resps"\s*:|\{\s*"doc_id"\s*:\s*"?\d+"?\s*,\s*"doc"\s*:')
WHOLE: Final = re.compile(rb'"results"\s*:\s*\{')
TASK: Final = re.compile(
    r"(?:samples_(?P<task>.+)_\d{4}-\d\d-\d\dT[\d.-]*\d|\d{8}_\d{4,6}_samples_(?P<other>.+))\.jsonl?(?:\.gz)?"
)
HASHES: Final = ("doc_hash", "prompt_hash", "target_hash")
NO_METRICS: Final = (
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", *HASHES,
    "input", "success", "task_name",
)  # fmt: skip
NO_TASK: Final = (
    "The file does not say which task it is, and its name is not the one that the tool gave it: "
    "its items are called by the number of the document alone."
)


def looks_right(document: Document) -> str | None:
    """The reason why this is a file of scored documents of lm-evaluation-harness, or None."""
    head, _ = text_reader.ends(document)
    found = DOC_ID.search(head)
    if OBJECT.match(head) and found and ANSWERS.search(head) and not WHOLE.search(head, 0, found.start()):
        return "its records have a doc_id and the responses to it"
    return None


def parse(document: Document) -> Reading:
    """One run.

    Raises:
        MalformedEvidence: no JSON, a document without its number, an item scored twice, no score at all.
    """
    read = json_reader.read(document)
    collection = Collection(document)
    flat: list[Json] = []
    for value in read.values:
        flat.extend(value if isinstance(value, list) else [value])
    alone = len(flat) == 1 and isinstance(read.values[0], dict)
    records = [
        (values.fields(value, f"{document.name}:[{i}]"), f"{document.name}:" if alone else f"{document.name}:[{i}]")
        for i, value in enumerate(flat)
    ]
    run = collection.add(collect.completed("0", document.name))
    task = _task(run, records, document.name)
    if not task:
        collection.notice(NO_TASK)
    add_samples(collection, run, records, task)
    reported.folders(run, document.name)
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _task(run: Run, records: Sequence[tuple[dict[str, Json], str]], name: str) -> str:
    """The task, where a field or the name of the file tells it; "" where neither does."""
    for fields, where in records[:1]:
        if "task_name" in fields:
            task = values.text(fields["task_name"], collect.inside(where, "task_name"))
            run.configured("task", task, collect.inside(where, "task_name"))
            return task
    found = TASK.fullmatch(PurePosixPath(name).name)
    if found is None:
        return ""
    task = found["task"] or found["other"]
    run.configured("task", task, name, "file name")
    return task


def add_samples(collection: Collection, run: Run, records: Sequence[tuple[dict[str, Json], str]], task: str) -> None:
    """Add the scored documents of a task to its run. Raises what `parse` raises."""
    items = [_item(fields, where, task) for fields, where in records]
    scored.add_items(collection, run, items, run.facts.where)
    names = {name for fields, _ in records for name in _metrics(fields)}
    collection.leave(
        name
        for fields, _ in records
        for name, value in fields.items()
        if name not in HASHES
        and name not in ("doc_id", "filter", "metrics", "task_name")
        and not (name in names and name not in scored.PLACEHOLDERS and scored.is_score(value))
    )
    _hashes(run, records)


def _item(fields: dict[str, Json], where: str, task: str) -> Item:
    place = collect.inside(where, "doc_id")
    number = values.needed(fields, "doc_id", place)
    name = values.text(number if isinstance(number, str) else str(values.count(number, place)), place)
    filtered = values.text(fields.get("filter", "none"), collect.inside(where, "filter"))
    doc = fields.get("doc")
    return Item(
        f"{task}/{name}" if task else name,
        doc if isinstance(doc, dict) else {},
        tuple(scored.scores_of(fields, _metrics(fields), filtered, where)),
        where,
    )


def _metrics(fields: dict[str, Json]) -> Iterable[str]:
    """The names of the metrics of a record: as it lists them, or else every field that is no other part of it."""
    listed = fields.get("metrics")
    if isinstance(listed, list):
        return [name for name in listed if isinstance(name, str)]
    return [name for name in fields if name not in NO_METRICS]


def _hashes(run: Run, records: Sequence[tuple[dict[str, Json], str]]) -> None:
    """What the documents, prompts and targets were, whatever their order: each is compared between the arms."""
    for name in HASHES:
        found = {values.written(fields.get("doc_id")): fields.get(name) for fields, _ in records}
        if all(isinstance(value, str) for value in found.values()):
            whole = "\n".join(f"{number} {values.written(value)}" for number, value in sorted(found.items()))
            run.configured(f"{name}es", scored.digest(whole), run.facts.where)


FORMAT: Final = Format(NAME, "lm-evaluation-harness samples", VERSION, looks_right, parse)
