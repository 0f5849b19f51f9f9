"""The section hypotheses from its fields, with the predictions that an optional block writes down."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from reviews.memo_text.findings import Source
from reviews.memo_text.lists import split_list
from reviews.memo_text.mechanisms import class_called, classes_named, guess
from reviews.memo_text.metrics import Lexicon
from reviews.memo_text.naming import metric_cells
from reviews.memo_text.placeholders import says_none
from reviews.memo_text.reader import Field
from reviews.memo_text.text import tidy
from reviews.sections import Hypotheses, Hypothesis, MissingEvidence, Prediction
from reviews.vocabulary import HypothesisRank

PRIMARY: Final = "hypotheses.primary"
COMPETING: Final = "hypotheses.competing"
MISSING: Final = "hypotheses.missing_evidence"
PREDICTIONS: Final = "hypotheses.predictions"
PREDICTION_CELLS: Final = ("hypothesis", "metric", "stat", "ratio", "when")

_PREFIX: Final = re.compile(
    r"(?P<key>H[1-9][0-9]?)\s*(?:[(\[](?P<mechanism>[^)\]\n]*)[)\]]\s*[:.–—-]|[:.])\s*",  # "H100 - …" is hardware
    re.IGNORECASE,
)
_HYPOTHESIS_KEY: Final = re.compile(r"H[1-9][0-9]?", re.IGNORECASE)
_OWNER: Final = re.compile(r"(?P<what>.+?)\s*\(owner:\s*(?P<owner>[^()\n]+)\)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Stated:
    rank: str
    key: str
    mechanism: str
    statement: str
    line: int


def hypotheses_of(source: Source, lexicon: Lexicon, mechanism: str) -> Hypotheses:
    """The hypotheses that the text states; `mechanism` is the template's own text."""
    stated = [*_primary(source), *_competing(source)]
    for one in stated:
        _note_statement(source, one, mechanism)
    hypotheses = [_hypothesis(one, key) for one, key in zip(stated, _keys(source, stated), strict=True)]
    predictions = _predictions(source, lexicon, [h.key for h in hypotheses])
    return Hypotheses(
        hypotheses=tuple(replace(h, predictions=tuple(predictions.get(h.key, ()))) for h in hypotheses),
        missing_evidence=tuple(_missing_evidence(source)),
    )


def _hypothesis(stated: _Stated, key: str) -> Hypothesis:
    return Hypothesis(key=key, rank=stated.rank, mechanism=stated.mechanism, statement=stated.statement)


def _primary(source: Source) -> Iterator[_Stated]:
    for found in source.document.all(PRIMARY):
        if not found.empty and (one := _stated(source, PRIMARY, HypothesisRank.PRIMARY.value, found.text, found)):
            yield one


def _competing(source: Source) -> Iterator[_Stated]:
    found = source.field_at(COMPETING)
    if found is None:
        return
    for text in items_of(found):
        if says_none(text):
            source.findings.keep(
                found, "No competing hypothesis is stated: an answer, not a hypothesis; the line is kept."
            )
        elif one := _stated(source, COMPETING, HypothesisRank.COMPETING.value, text, found):
            yield one


def items_of(found: Field) -> list[str]:
    """The items of a list: those beside the label, split at commas, semicolons and "or", and those listed under it."""
    inline = found.inline.text if found.inline else ""
    beside = [inline] if "|" in inline else split_list(inline, ("or", "and/or"))
    return [*beside, *(item.text for item in found.items)]


def _stated(source: Source, path: str, rank: str, text: str, found: Field) -> _Stated | None:
    prefix = _PREFIX.match(text)
    statement = source.findings.value(path, text[prefix.end() :] if prefix else text)
    key = prefix["key"].upper() if prefix else ""
    named = tidy(prefix["mechanism"] or "") if prefix else ""
    mechanism = class_called(named) if named else guess(statement)
    if named and not mechanism:
        source.findings.keep(found, f'"{named}" is no class of mechanism: taken as other, and the lines are kept.')
    if not statement and not (prefix and named):
        return None
    return _Stated(rank, key, mechanism or "other", statement, found.line)


def _note_statement(source: Source, one: _Stated, mechanism: str) -> None:
    if one.statement == mechanism:
        source.findings.note(one.line, "The primary mechanism is the template's own text, unchanged.")
    if len(named := classes_named(one.statement)) > 1 and one.mechanism == "other":
        words = ", ".join(name.replace("_", " ") for name in named)
        source.findings.note(
            one.line, f'The mechanism names {words}: say which, as in "{one.key or "H1"} ({named[0]}): …".'
        )


def _keys(source: Source, stated: list[_Stated]) -> Iterator[str]:
    """A key for each: its own when it is the first to claim it, else the next free one; a primary begins at H1."""
    claimed = {one.key for one in stated if one.key}
    given: set[str] = set()
    free = (key for n in count(2) if (key := f"H{n}") not in claimed)
    for one in stated:
        key = one.key
        if not key or key in given:
            first = one.rank == HypothesisRank.PRIMARY and "H1" not in claimed and "H1" not in given
            key = "H1" if first else next(free)
        if one.key and key != one.key:
            source.findings.note(one.line, f"{one.key} is used twice; the second one is {key} now.")
        given.add(key)
        yield key


def _predictions(source: Source, lexicon: Lexicon, keys: list[str]) -> Mapping[str, list[Prediction]]:
    found_rows = source.rows(PREDICTIONS)
    predictions: dict[str, list[Prediction]] = defaultdict(list)
    for number, (found, part) in enumerate(found_rows, start=1):
        row = source.row(found, part.text, PREDICTION_CELLS)
        of_hypothesis = _HYPOTHESIS_KEY.fullmatch(row.first)
        hypothesis = (row.first if of_hypothesis else row.get("hypothesis")).upper()
        key = "" if of_hypothesis else source.findings.value(PREDICTIONS, row.first)
        if not key and not row.cells:
            continue
        if hypothesis not in keys:
            source.findings.keep(
                found, f'The prediction names no hypothesis of this text ("hypothesis: {keys[0] if keys else "H1"}").'
            )
            continue
        metric, stat = metric_cells(source, found, row, lexicon)
        low, high = source.findings.interval(PREDICTIONS, row.get("ratio"), found)
        condition = source.findings.value(PREDICTIONS, row.get("when"))
        prediction = Prediction(
            key=key or f"P{number}", metric=metric, stat=stat, condition=condition, low=low, high=high
        )
        predictions[hypothesis].append(prediction)
    return predictions


def _missing_evidence(source: Source) -> Iterator[MissingEvidence]:
    found = source.field_at(MISSING)
    for text in items_of(found) if found else []:
        assert found is not None  # noqa: S101 - there is no item without a field
        if says_none(text):
            source.findings.keep(found, "The text says that no evidence is missing; the line is kept.")
            continue
        row = source.row(found, text, ("owner",))
        in_words = _OWNER.fullmatch(row.first) if "owner" not in row.cells else None
        what, owner = (in_words["what"], in_words["owner"]) if in_words else (row.first, row.get("owner"))
        what, owner = source.findings.value(MISSING, what), source.findings.value(MISSING, owner)
        if what or owner:
            yield MissingEvidence(what=what, owner=owner)
