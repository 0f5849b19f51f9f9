"""Losses by step as plain text, `1 8.049097061157227`, as torchtitan keeps them for its tests.

In the file: the step and the loss with all digits of float32, nothing else. Here: the file is one run, the loss of a
step is raw; index counts the steps done before. Nothing says how the run was made. Refused: a line of another kind,
steps that do not increase.
"""

import re
from itertools import pairwise
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, steps, text_reader, values
from analysis.evidence.collect import Collection
from analysis.evidence.format import Document, Format
from analysis.evidence.values import Numeral
from analysis.reading import Reading

NAME: Final = "step-loss-text"
VERSION: Final = 1

NUMBER: Final = r"[-+]?\d+\.\d+(?:[eE][-+]?\d+)?|[-+]?nan|[-+]?inf"
LINE: Final = re.compile(rf"[ \t]*(\d+)[ \t]+({NUMBER})[ \t]*")
FEWEST: Final = 2
SETTINGS: Final = "The file holds losses by step and nothing else: how the run was made must be stated."
CUT: Final = "the last line is cut off: it was left out"


def looks_right(document: Document) -> str | None:
    """The reason why this is a list of losses by step, or None."""
    head, _ = text_reader.ends(document)
    lines = [line for line in text_reader.LINE_END.split(head.decode(errors="replace")) if line.strip()]
    whole = lines if len(document.head) == document.size else lines[:-1]
    found = [LINE.fullmatch(line) for line in whole[:-1]]
    numbers = [int(one[1]) for one in found if one is not None and len(one[1]) < 20]
    if len(numbers) < max(FEWEST - 1, len(found)) or numbers[:1] not in ([0], [1]):
        return None
    increasing = all(a < b for a, b in pairwise(numbers))
    return "each of its lines is the number of a step and a decimal" if increasing else None


def parse(document: Document) -> Reading:
    """One run.

    Raises:
        MalformedEvidence: ragged_row (a line that is no step and loss), several_runs (steps that do not increase).
    """
    lines, leniences = text_reader.lines(document)
    collection = Collection(document)
    run = collection.add(collect.completed("0", document.name))
    written = [line for line in lines if line.text.strip()]
    last, first, incomplete = -1, None, False
    for line in written:
        where = f"{document.name}:{line.number}"
        one = LINE.fullmatch(line.text)
        if one is None:
            incomplete = line is written[-1] and last >= 0 and line is lines[-1]
            if incomplete:
                break
            raise MalformedEvidence("the line is no step and loss", where=where, code="ragged_row")
        step = values.count(Numeral(one[1]), where)
        if step <= last:
            message = f"step {step} comes after step {last}"
            raise MalformedEvidence(message, where=where, code="several_runs")
        first, last = step if first is None else first, step
        run.measured("loss", steps.figure(one[2], "1", where), collect.raw(max(step - 1, 0) if first else step))
    run.worked("steps", Numeral(str(last - (first or 0) + 1)), document.name)
    collection.notice(SETTINGS)
    return collection.reading(NAME, VERSION, (*leniences, *((CUT,) if incomplete else ())), incomplete=incomplete)


FORMAT: Final = Format(NAME, "Losses by step as text", VERSION, looks_right, parse)
