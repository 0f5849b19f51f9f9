"""Our own format for deterministic bounds, as JSON or CSV; docs/formats.md describes it with examples.

In the file: for each arm and quantity a low and a high end, exact decimals, with the assumption under which they hold.
`quantities` gives them exactly; `parse` gives them as two aggregates, "min" and "max", of a run named after the arm.
Refused: ends in the wrong order, an end that is not positive where the unit is a time, rate, energy or power.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, csv_reader, generic, json_reader, scale, values
from analysis.evidence.collect import Collection, aggregate
from analysis.evidence.format import Document, Format
from analysis.evidence.generic import WORD
from analysis.evidence.values import Json
from analysis.reading import Reading

NAME: Final = "countersign-bounds"
VERSION: Final = 1
DECLARED: Final = "bounds"

COLUMNS: Final = ("arm", "metric", "low", "high", "unit", "assumption")
ARMS: Final = ("baseline", "candidate")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity that lies in [low, high], exactly, in `unit`, if the assumption holds."""

    arm: str
    metric: str
    low: Fraction
    high: Fraction
    unit: str
    assumption: str
    where: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One quantity as the file has it."""

    fields: dict[str, Json]
    where: str

    def text(self, key: str) -> str:
        """A text that must be there and not be empty."""
        word = values.text(values.needed(self.fields, key, f"{self.where}.{key}"), f"{self.where}.{key}")
        if not word.strip():
            raise MalformedEvidence("it is empty", where=f"{self.where}.{key}", code="missing")
        return word


def looks_right(document: Document) -> str | None:
    """The reason why this is the bounds format, or None."""
    if generic.declares(document, DECLARED):
        return f'it says "countersign": "{DECLARED}/…"'
    if csv_reader.header_in(document, COLUMNS):
        return f"its header names {', '.join(COLUMNS)}"
    return None


def parse(document: Document) -> Reading:
    """One run for each arm, with the ends of each quantity as "min" and "max".

    Raises:
        MalformedEvidence: reversed, repeated_quantity, unknown_arm, unknown_field, missing, and those of values.
    """
    entries, leniences = _entries(document)
    collection = Collection(document)
    found = [_quantity(entry) for entry in entries]
    _refuse_repeated(found)
    for arm in dict.fromkeys(quantity.arm for quantity in found):
        run = collection.add(collect.completed(arm, document.name))
        for entry, quantity in zip(entries, found, strict=True):
            if quantity.arm == arm:
                for end, stat in (("low", "min"), ("high", "max")):
                    unit = values.written(entry.fields["unit"])
                    figure = generic.signed(entry.fields[end], unit, f"{entry.where}.{end}", spread=False)
                    run.measured(quantity.metric, figure, aggregate(stat, None))
                run.identified(f"assumption.{quantity.metric}", quantity.assumption, f"{entry.where}.assumption")
    return collection.reading(NAME, VERSION, leniences, incomplete=False)


def quantities(document: Document) -> tuple[Quantity, ...]:
    """The quantities of the file, exact, in base units. Raises what `parse` raises."""
    found = tuple(_quantity(entry) for entry in _entries(document)[0])
    _refuse_repeated(found)
    return found


def _entries(document: Document) -> tuple[list[Entry], tuple[str, ...]]:
    if generic.declares(document, DECLARED):
        return _json_entries(document)
    table = csv_reader.read(document, COLUMNS)
    if table.incomplete or set(table.columns) != set(COLUMNS):
        message = f"the columns are {', '.join(COLUMNS)}, and each row has them all"
        raise MalformedEvidence(message, where=document.name, code="unknown_field")
    texts = ("arm", "metric", "unit", "assumption")
    entries = [
        Entry({c: row.text(c) if c in texts else row.number(c) for c in COLUMNS}, row.where) for row in table.rows
    ]
    return entries, table.leniences


def _json_entries(document: Document) -> tuple[list[Entry], tuple[str, ...]]:
    read = json_reader.read(document)
    where = f"{document.name}:quantities"
    whole = generic.declared(read, DECLARED, document.name)
    listed = values.items(values.needed(whole, "quantities", where), where)
    if not listed or read.incomplete or set(whole) != {"countersign", "quantities"}:
        message = "the file needs its declaration and a complete list of quantities, and nothing else"
        raise MalformedEvidence(message, where=where, code="unknown_field")
    entries = [Entry(values.fields(one, f"{where}[{i}]"), f"{where}[{i}]") for i, one in enumerate(listed)]
    for entry in entries:
        if set(entry.fields) - set(COLUMNS):
            message = f"the fields of a quantity are {', '.join(COLUMNS)}"
            raise MalformedEvidence(message, where=entry.where, code="unknown_field")
    return entries, read.leniences


def _quantity(entry: Entry) -> Quantity:
    arm, metric, unit, assumption = (entry.text(key) for key in ("arm", "metric", "unit", "assumption"))
    if arm not in ARMS:
        raise MalformedEvidence(f'"{arm}" is no arm', where=f"{entry.where}.arm", code="unknown_arm")
    if not WORD.fullmatch(metric):
        message = f'"{metric}" is no metric; write it like {WORD.pattern}'
        raise MalformedEvidence(message, where=f"{entry.where}.metric", code="unknown_metric")
    generic.refuse_unit(metric, scale.base_of(unit, entry.where), entry.where)
    low, high = (_end(entry, key, unit) for key in ("low", "high"))
    if low > high:
        raise MalformedEvidence("the low end is above the high end", where=entry.where, code="reversed")
    return Quantity(arm, metric, low, high, scale.base_of(unit, entry.where), assumption, entry.where)


def _end(entry: Entry, key: str, unit: str) -> Fraction:
    """One end, exact: a decimal in quotes, so that no reader rounds it, or a plain number."""
    where = f"{entry.where}.{key}"
    written = values.needed(entry.fields, key, where)
    entry.fields[key] = values.number_in(written) if isinstance(written, str) else written
    generic.signed(entry.fields[key], unit, where, spread=False)
    return scale.exact(values.numeral(entry.fields[key], where).text, unit)


def _refuse_repeated(found: list[Quantity] | tuple[Quantity, ...]) -> None:
    seen: set[tuple[str, str]] = set()
    for quantity in found:
        if (quantity.arm, quantity.metric) in seen:
            message = f'the arm "{quantity.arm}" has two bounds of "{quantity.metric}"'
            raise MalformedEvidence(message, where=quantity.where, code="repeated_quantity")
        seen.add((quantity.arm, quantity.metric))


FORMAT: Final = Format(NAME, "Countersign bounds", VERSION, looks_right, parse)
