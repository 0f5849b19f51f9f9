"""The console of a Hugging Face Trainer: a Python dictionary for each row it logs, `{'loss': 2.31, 'epoch': 0.1}`.

In the file: rows of losses and of evaluations between everything else that was printed, perhaps by every rank, without
the number of the step. Here: rows are counted; a row that a rank repeats counts once; where the epochs begin anew,
another run begins. A loss is the mean since the row before it.
"""

import re
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, deepspeed_text, python_text, steps, text_reader, training_step_log, values
from analysis.evidence.collect import VALUE, Collection, Figure
from analysis.evidence.format import Document, Format
from analysis.evidence.steps import Entry
from analysis.evidence.text_reader import Line
from analysis.evidence.trainer_state import MEANS, NOTHING, RATE, TIMED
from analysis.evidence.values import Numeral
from analysis.reading import Reading

NAME: Final = "trainer-log"
VERSION: Final = 1

MARK: Final = b"'epoch': "
ROW: Final = re.compile(r"^\s*\{('(?:loss|eval_\w+|train_runtime|grad_norm)': [^{}]*'epoch': [\d.]+[^{}]*)\}\s*$")
COUNTED: Final = "The log does not number the steps: index counts its rows of losses."
FINAL: Final = "train_runtime"
BROKEN: Final = "rows whose quotes do not match"


def looks_right(document: Document) -> str | None:
    """The reason why this is the console of a Trainer, or None."""
    if not text_reader.has_line(document, MARK, ROW):
        return None
    if training_step_log.looks_right(document) or deepspeed_text.looks_right(document):
        return None
    if text_reader.holds(document, *training_step_log.MLPERF):
        return None
    return "it has rows with an epoch as the Trainer prints them"


def parse(document: Document) -> Reading:
    """The runs of the log.

    Raises:
        MalformedEvidence: no_runs, and those of values.
    """
    lines, leniences = text_reader.lines(document)
    collection = Collection(document)
    parts = _parts(collection, lines)
    for number, part in enumerate(parts):
        run = collection.add(collect.completed(str(number), part[0].where))
        for entry in steps.segments(collection, part)[0]:
            for metric, figure in entry.figures.items():
                own = VALUE if metric.startswith("train_") else collect.raw(entry.index)
                run.measured(metric, figure, own)
    if not any(run.measurements for run in collection.runs):
        raise MalformedEvidence("no row of a Trainer is in it", where=document.name, code="no_runs")
    if len(parts) > 1:
        collection.notice(f"The epochs begin anew: the parts are {len(parts)} runs.")
    if any(m.metric == "loss" for run in collection.runs for m in run.measurements):
        collection.notice(MEANS)
        collection.notice(COUNTED)
    return collection.reading(NAME, VERSION, leniences, incomplete=False)


def _parts(collection: Collection, lines: tuple[Line, ...]) -> list[list[Entry]]:
    """The rows, split where the epochs begin anew, and numbered by the epochs of the losses.

    Any other row is of the loss before it.
    """
    parts: list[list[Entry]] = []
    epochs: dict[float, int] = {}
    for line in lines:
        row = ROW.match(line.text)
        if row is None:
            continue
        where = f"{collection.document.name}:{line.number}"
        fields = dict(python_text.settings(row[1]))
        if "epoch" not in fields:
            collection.leave([BROKEN])
            continue
        epoch = values.not_negative(values.number_in(fields.pop("epoch")), f"{where}.epoch")
        kind = _kind(fields)
        if not parts or (kind == "train" and epochs and epoch < max(epochs)):
            parts.append([])
            epochs = {}
        if kind == "train":
            epochs.setdefault(epoch, len(epochs) + 1)
        parts[-1].append(Entry(max(len(epochs), 1), kind, _figures(collection, fields, where), where))
    return parts


def _kind(fields: dict[str, str]) -> str:
    if FINAL in fields:
        return "end"
    return "validation" if any(name.startswith("eval_") for name in fields) else "train"


def _figures(collection: Collection, fields: dict[str, str], where: str) -> dict[str, Figure]:
    found = {}
    for name, text in fields.items():
        metric, spot = steps.slug(name), f"{where}.{name}"
        number = values.number_in(text)
        if name == "total_flos" or not metric or not (isinstance(number, Numeral) or steps.NO_NUMBER.fullmatch(text)):
            collection.leave([name])
        elif TIMED.fullmatch(name) or RATE.fullmatch(name):
            unit = "s" if TIMED.fullmatch(name) else "1/s"
            found[metric] = collect.positive_or_nothing(number, unit, spot, NOTHING)
        else:
            found[metric] = steps.figure(text, "1", spot)
    return found


FORMAT: Final = Format(NAME, "Hugging Face Trainer console", VERSION, looks_right, parse)
