"""Per-document scores of lighteval (its details), in Parquet as it writes them, or exported from that as JSON.

In the file: one object per document, with `doc`, `metric` and `model_response` (also between underscores), earlier with
`example`, `full_prompt` and `metrics`, as JSON Lines or as a list. Here: one run per task, one raw row per document and
metric. A document is called by its task and its id, where it has none by the start of the SHA-256 of its text.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, json_reader, parquet_rows, scored, text_reader, values
from analysis.evidence.collect import Collection, inside
from analysis.evidence.format import Document, Format
from analysis.evidence.scored import Item
from analysis.evidence.values import Json
from analysis.reading import Reading

NAME: Final = "lighteval-details"
VERSION: Final = 1

OBJECT: Final = re.compile(rb"\s*(?:\[\s*)?\{")
CURRENT: Final = re.compile(rb'"(?:doc|__doc__)"\s*:\s*\{')
SCORES: Final = re.compile(rb'"(?:metric|__metric__)"\s*:\s*\{')
EARLIER: Final = re.compile(rb'"full_prompt"\s*:')
EARLIER_SCORES: Final = re.compile(rb'"metrics"\s*:\s*\{')
RESPONSES: Final = re.compile(rb'"(?:filtered_)?resps"\s*:')
GENERAL: Final = re.compile(rb'"config_general"\s*:')

UNREAD: Final = ("model_response", "__model_response__")
NO_ID: Final = "The documents have no id: they are called by the start of the SHA-256 of their text."
ID_LENGTH: Final = 16
COLUMNS: Final = (("__doc__", "__metric__"), ("doc", "metric", "model_response"), ("full_prompt", "metrics"))


def looks_right(document: Document) -> str | None:
    """The reason why these are details of lighteval, or None."""
    if parquet_rows.is_parquet(document):
        found = any(parquet_rows.names(document, words) for words in COLUMNS)
        return "it is Parquet with a column of documents and one of metrics" if found else None
    head, _ = text_reader.ends(document)
    if not OBJECT.match(head) or RESPONSES.search(head) or GENERAL.search(head):
        return None
    if CURRENT.search(head) and SCORES.search(head):
        return "its records have a doc and a metric"
    if EARLIER.search(head) and EARLIER_SCORES.search(head):
        return "its records have a full_prompt and metrics"
    return None


def parse(document: Document) -> Reading:
    """One run per task.

    Raises:
        MalformedEvidence: no JSON or Parquet, a document without text or scores, an item scored twice, no score.
    """
    plain = document
    if parquet_rows.is_parquet(document):
        plain = parquet_rows.as_json_lines(document, UNREAD)
    read = json_reader.read(plain)
    collection = Collection(document)
    if plain is not document:
        collection.leave([name for name in reversed(UNREAD) if parquet_rows.names(document, [name])][:1])
    by_task: dict[str, list[Item]] = {}
    for where, value, told in _records(read.values, document.name):
        task, item = _item(collection, values.fields(value, where), where, told)
        by_task.setdefault(task, []).append(item)
    if not by_task:
        raise MalformedEvidence("there is no document in it", where=document.name, code="no_runs")
    unnamed = next(str(number) for number in itertools.count() if str(number) not in by_task)
    for task, items in by_task.items():
        _run(collection, task or unnamed, items, named=bool(task))
    leniences = read.leniences if plain is document else ()
    return collection.reading(NAME, VERSION, leniences, incomplete=read.incomplete)


def _records(found: Sequence[Json], name: str) -> Iterator[tuple[str, Json, str]]:
    """(place, record, task) of each record: one after the other, in a list, or in a list per task, under its name."""
    flat: list[Json] = []
    for value in found:
        if isinstance(value, dict) and all(isinstance(inner, list) for inner in value.values()):
            for task, records in value.items():
                for i, record in enumerate(values.items(records, f"{name}:{task}")):
                    yield f"{name}:{task}[{i}]", record, task
        else:
            flat.extend(value if isinstance(value, list) else [value])
    for i, record in enumerate(flat):
        yield f"{name}:[{i}]", record, ""


def _run(collection: Collection, task: str, items: Sequence[Item], *, named: bool) -> None:
    run = collection.add(collect.completed(task, items[0].where))
    if named:
        run.configured("task", task, items[0].where)
    scored.add_items(collection, run, items, items[0].where)


def _item(collection: Collection, record: dict[str, Json], where: str, told: str) -> tuple[str, Item]:
    """The task of a record, "" where neither the record nor its list says it, and the scored item."""
    current = next((key for key in ("doc", "__doc__") if key in record), None)
    doc = record if current is None else values.fields(record[current], inside(where, current))
    key = next((key for key in ("metric", "__metric__", "metrics") if key in record), "metric")
    place = inside(where, key)
    metrics = values.fields(values.needed(record, key, place), place)
    collection.leave(name for name in record if name not in (current, key))
    collection.leave(f"{key}.{name}" for name, value in metrics.items() if not scored.is_score(value))
    task = values.text(doc.get("task_name", told), f"{inside(where, current or '')}.task_name")
    name = _name(collection, doc, inside(where, current) if current else where)
    specific = doc.get("specific")
    facts = doc | specific if isinstance(specific, dict) else doc
    scores = tuple(scored.scores_of(metrics, metrics, "none", place))
    return task, Item(f"{task}/{name}" if task else name, facts, scores, where)


def _name(collection: Collection, doc: dict[str, Json], where: str) -> str:
    found = doc.get("id")
    if found is not None and found != "":
        return values.text(values.written(found), f"{where}.id")
    for key in ("query", "full_prompt", "example"):
        if isinstance(doc.get(key), str) and doc[key]:
            collection.notice(NO_ID)
            return scored.digest(values.written(doc[key]))[:ID_LENGTH]
    raise MalformedEvidence("the document has neither an id nor a text", where=f"{where}.id", code="missing")


FORMAT: Final = Format(NAME, "lighteval details", VERSION, looks_right, parse)
