"""What the Trainer of Hugging Face saves: `trainer_state.json`, `train_results.json`, `all_results.json`.

In the file: a history of losses and evaluations, mixed, by step; the run time only at the end. Here: the file is one
run; a row of the history is raw, at its step; a loss is the mean since the row before. The state in a checkpoint is the
beginning of the final one: the same run, and no replicate of it.
"""

import re
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, json_reader, steps, text_reader, values
from analysis.evidence.collect import VALUE, Collection, Run, Sample
from analysis.evidence.format import Document, Format
from analysis.evidence.values import Json, Numeral
from analysis.measurements import FileRun
from analysis.reading import Reading

NAME: Final = "trainer-state"
VERSION: Final = 1

HISTORY: Final = re.compile(rb'"log_history"\s*:\s*\[')
RESULTS: Final = re.compile(rb'"(?:train|eval|test|predict)_runtime"\s*:')
RATES: Final = re.compile(rb'"(?:train|eval|test|predict)_samples_per_second"\s*:')
TIMED: Final = re.compile(r"\w*_runtime")
RATE: Final = re.compile(r"\w*_(?:samples|steps|tokens)_per_second")
POSITION: Final = ("step", "epoch")
SETTINGS: Final = (
    "num_train_epochs", "train_batch_size", "max_steps", "logging_steps", "eval_steps", "save_steps",
    "train_samples", "eval_samples",
)  # fmt: skip
IDENTITY: Final = ("best_metric", "best_model_checkpoint", "best_global_step", "trial_name")
OF_STATE: Final = (*SETTINGS, *IDENTITY, "log_history", "global_step", "epoch", "num_input_tokens_seen")
DECIMALS: Final = re.compile(r"-?\d+(?:\.\d{1,4})?")
NOTHING: Final = "the file says 0: nothing was measured"
MEANS: Final = "Each loss is the mean since the row before."
ROUNDED: Final = "The losses are rounded to four decimals: equal losses are not equal runs."
RESUMED: Final = "After a resume train_runtime covers the last part only: the file does not say whether there was one."


def looks_right(document: Document) -> str | None:
    """The reason why this is a file of the Trainer, or None."""
    head, _ = text_reader.ends(document)
    if not head.lstrip().startswith(b"{"):
        return None
    if HISTORY.search(head):
        return 'it has "log_history"'
    if RESULTS.search(head) and RATES.search(head):
        return "it has a run time and samples per second as the Trainer writes them"
    return None


def parse(document: Document) -> Reading:
    """One run.

    Raises:
        MalformedEvidence: several_files, no_runs, and those of JSON and of values.
    """
    read = json_reader.read(document)
    whole = values.fields(read.only(document.name), document.name)
    collection = Collection(document)
    run = collection.add(_facts(whole, document.name))
    where = f"{document.name}:"
    if "log_history" in whole:
        for i, row in enumerate(values.items(whole["log_history"], f"{where}log_history")):
            place = f"{where}log_history[{i}]"
            _row(collection, run, values.fields(row, place), place)
        _losses(collection, run)
    else:
        results = {key: value for key, value in whole.items() if key not in OF_STATE}
        _row(collection, run, results, document.name, Sample("raw", "value", 1))
    if not run.measurements:
        raise MalformedEvidence("nothing was logged", where=document.name, code="no_runs")
    _settings(collection, run, whole, where)
    return collection.reading(NAME, VERSION, read.leniences, incomplete=read.incomplete)


def _facts(whole: dict[str, Json], where: str) -> FileRun:
    """The run; it is partial when it stands before its last step."""
    done, planned = (whole.get(key) for key in ("global_step", "max_steps"))
    if isinstance(done, Numeral) and isinstance(planned, Numeral):
        at, end = values.count(done, f"{where}:global_step"), values.finite(planned, f"{where}:max_steps")
        if at < end:
            reason = f"the training stands at step {at} of {planned.text}"
            return FileRun("0", "partial", reason, None, None, None, None, where)
    return collect.completed("0", where)


def _row(collection: Collection, run: Run, row: dict[str, Json], where: str, sample: Sample | None = None) -> None:
    """One row of the history: its numbers, at its step."""
    if sample is None:
        place = f"{where}.step"
        sample = collect.raw(values.count(values.needed(row, "step", place), place))
    for key, value in row.items():
        spot = f"{where}.{key}" if sample.index is not None else f"{where}:{key}"
        if key in POSITION:
            continue
        if not (isinstance(value, Numeral) or value is None) or not steps.slug(key) or key == "total_flos":
            collection.leave([key])
        elif TIMED.fullmatch(key) or RATE.fullmatch(key):
            unit = "s" if TIMED.fullmatch(key) else "1/s"
            own = VALUE if key.startswith("train_") else sample
            run.measured(steps.slug(key), collect.positive_or_nothing(value, unit, spot, NOTHING), own)
        else:
            figure = steps.figure(values.written(value), "1", spot) if value is not None else None
            own = VALUE if key == "train_loss" else sample
            run.measured(steps.slug(key), figure or collect.nothing(None, "1", spot, "the file says null"), own)


def _losses(collection: Collection, run: Run) -> None:
    losses = [m for m in run.measurements if m.metric == "loss" and m.value is not None]
    if losses:
        collection.notice(MEANS)
        if all(DECIMALS.fullmatch(m.original) for m in losses):
            collection.notice(ROUNDED)
    if any(m.metric == "train_runtime" for m in run.measurements):
        collection.notice(RESUMED)


def _settings(collection: Collection, run: Run, whole: dict[str, Json], where: str) -> None:
    for key, value in whole.items():
        if key in SETTINGS:
            run.configured(key, value, f"{where}{key}")
        elif key in IDENTITY and value is not None:
            run.identified(key, value, f"{where}{key}")
        elif "log_history" in whole and key not in OF_STATE:
            collection.leave([key])
    work = {"global_step": "steps", "num_input_tokens_seen": "input_tokens"}
    for key, name in work.items():
        amount = whole.get(key)
        if isinstance(amount, Numeral) and values.not_negative(amount, f"{where}{key}") > 0:
            run.worked(name, amount, f"{where}{key}")


FORMAT: Final = Format(NAME, "Hugging Face Trainer state", VERSION, looks_right, parse)
