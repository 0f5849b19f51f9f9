"""What the files of quality evaluations share: names of metrics, scores of items, the subjects of items, settings."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, limits, values
from analysis.evidence.collect import Collection, Figure, Run, Sample
from analysis.evidence.values import Json, Numeral

FAMILIES: Final = ("subject", "group", "family", "document_id", "passage_id", "article_id", "story_id")
PASSAGES: Final = ("passage", "article", "story", "paragraph")
PLACEHOLDERS: Final = ("bypass",)
NOT_FINITE: Final = ("NaN", "Infinity", "-Infinity")

NO_SCORE: Final = "the task gave no score"
OVER_ITEMS: Final = (
    "The standard errors are over the items of this one run: how much another seed would change is not in them, "
    "and no interval over runs is made of them."
)
NO_ITEMS: Final = "These are the tool's own numbers over all items: to compare item by item, attach the {samples}."
CLUSTERED: Final = '{where}: items with the same "{field}" count together; it has {count} values.'
LONGEST_SUBJECT: Final = 60


@dataclass(frozen=True, slots=True)
class Item:
    """One scored item as the file has it. scores: (metric, score, place); doc: what the task knows of it."""

    name: str
    doc: Mapping[str, Json]
    scores: tuple[tuple[str, Json, str], ...]
    where: str


def word(metric: str, filtered: str = "none") -> str:
    """The metric in our spelling: `exact_match,strict-match` is exact_match_strict_match, `pass@1` is pass_at_1."""
    whole = metric if filtered in ("", "none") else f"{metric}_{filtered}"
    return re.sub(r"\W+", "_", whole.replace("@", "_at_")).strip("_").lower() or "unnamed"


def is_score(value: Json) -> bool:
    """Whether a value can be the score of one item: a number, true or false, or null."""
    return value is None or isinstance(value, bool | Numeral)


def add_items(collection: Collection, run: Run, items: Sequence[Item], where: str) -> None:
    """Add the scores of a run, raw, each with its item and its subject.

    Raises:
        MalformedEvidence: repeated_item, no_runs (no item has a score), a score that is no finite number.
    """
    docs = {item.name: item.doc for item in items}
    field, subjects = _subjects(docs)
    if field:
        collection.notice(CLUSTERED.format(where=where, field=field, count=len(set(subjects.values()))))
    positions = {name: position for position, name in enumerate(docs)}
    seen: set[tuple[str, str]] = set()
    for item in items:
        sample = Sample("raw", "value", 1, positions[item.name], item=item.name, subject=subjects.get(item.name, ""))
        for metric, value, place in item.scores:
            if (metric, item.name) in seen:
                message = f"item {item.name} has a second {metric}"
                raise MalformedEvidence(message, where=place, code="repeated_item")
            seen.add((metric, item.name))
            run.measured(metric, _score(value, place), sample)
    if not seen:
        raise MalformedEvidence("no item has a score", where=where, code="no_runs")
    if not any(setting.name == "documents" for setting in run.settings):
        run.worked("documents", Numeral(str(len(docs))), where)


def _score(value: Json, where: str) -> Figure:
    if isinstance(value, bool):
        return Figure(float(value), "1", values.written(value), "1", where, "")
    if value is None or (isinstance(value, Numeral) and value.text == "NaN"):
        return collect.nothing(value, "1", where, NO_SCORE)
    return collect.finite(value, "1", where)


def scores_of(
    fields: Mapping[str, Json], names: Iterable[str], filtered: str, where: str
) -> Iterator[tuple[str, Json, str]]:
    """(metric, score, place) of the named fields that hold one score."""
    for name in names:
        if name not in PLACEHOLDERS and is_score(fields.get(name)):
            yield word(name, filtered), fields.get(name), collect.inside(where, name)


def _subjects(docs: Mapping[str, Mapping[str, Json]]) -> tuple[str, dict[str, str]]:
    """The field that tells which items belong together, and its value for each; "" when no field does.

    A field that is the same for all items, or another for each, tells nothing.
    """
    for field in (*FAMILIES, *PASSAGES):
        found = {name: doc.get(field) for name, doc in docs.items()}
        if all(isinstance(value, str | Numeral) and values.written(value) for value in found.values()):
            subjects = {name: _label(field, values.written(value)) for name, value in found.items()}
            if 1 < len(set(subjects.values())) < len(subjects):
                return field, subjects
    return "", {}


def _label(field: str, text: str) -> str:
    if len(text) <= LONGEST_SUBJECT and not values.UNSTORABLE.search(text):
        return text
    return f"{field} {digest(text)[:12]}"


def digest(text: str) -> str:
    """The SHA-256 of a text, in hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()


def task_value(run: Run, metric: str, value: Json, where: str, sample: Sample) -> None:
    """Add a number that the tool computed for a whole task; a text such as "N/A", null and NaN are no number."""
    if value is None or isinstance(value, str) or (isinstance(value, Numeral) and value.text in NOT_FINITE):
        run.measured(metric, collect.nothing(value, "1", where, NO_SCORE), sample)
    else:
        run.measured(metric, collect.finite(value, "1", where), sample)


def configured(collection: Collection, run: Run, name: str, value: Json, where: str) -> None:
    """Add a setting, the parts of an object each under its own name; what is too long to store is named as not read.

    A name that the run has already, from a part of the file that says more of its task, is not stated twice.
    """
    if isinstance(value, dict):
        for key, inner in value.items():
            configured(collection, run, f"{name}.{key}", inner, f"{where}.{key}")
    elif len(values.written(value)) > limits.TEXT or any(setting.name == name for setting in run.settings):
        collection.leave([where.partition(":")[2]])
    else:
        run.configured(name, value, where)


def part(fields: Mapping[str, Json], key: str, where: str) -> dict[str, Json]:
    """The object under a key; an empty one when there is none."""
    value = fields.get(key)
    return {} if value is None else values.fields(value, collect.inside(where, key))


@dataclass(frozen=True, slots=True)
class Whole:
    """A file of results over tasks, and its place ("results.json:")."""

    fields: dict[str, Json]
    where: str

    def place(self, key: str) -> str:
        """The place of one part."""
        return collect.inside(self.where, key)

    def of_task(self, key: str, task: str) -> tuple[Json, str]:
        """What a part of the file holds for a task, and its place; None when it holds nothing."""
        return part(self.fields, key, self.where).get(task), f"{self.place(key)}.{task}"
