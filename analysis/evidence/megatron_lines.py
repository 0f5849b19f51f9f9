"""The lines of Megatron-LM and Megatron-DeepSpeed: iterations, validations, and the dump of the arguments."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.evidence import collect, steps, values
from analysis.evidence.collect import Collection, Figure, Run
from analysis.evidence.steps import Entry, Said
from analysis.evidence.text_reader import Line
from analysis.evidence.values import Numeral

MARK: Final = b"elapsed time per iteration"
STEP: Final = re.compile(r"\biteration +(\d+)/ *\d+ \|(.*)")
WHOLE: Final = re.compile(r"\|\s*$")
VALIDATION: Final = re.compile(r"\bvalidation loss at iteration +(\d+)\b[^|]*\|(.*)")
ARGUMENT: Final = re.compile(r"(?:^|\s)([a-z]\w*) \.{2,} ?(.*)$")
BEGIN: Final = re.compile(r"-- arguments --")
END: Final = re.compile(r"-- end of arguments --")

READ: Final = {
    "elapsed time per iteration (ms)": ("step_time", "ms"),
    "learning rate": ("learning_rate", "1"),
    "lm loss": ("loss", "1"),
    "lm-loss": ("loss", "1"),
    "loss scale": ("loss_scale", "1"),
    "grad norm": ("grad_norm", "1"),
    "params norm": ("params_norm", "1"),
    "num zeros": ("num_zeros", "1"),
    "samples per second": ("throughput", "1/s"),
    "tokens-per-second-per-gpu": ("token_throughput_per_device", "1/s"),
    "lm loss value": ("validation_loss", "1"),
    "lm-loss value": ("validation_loss", "1"),
}
SAMPLES: Final = "consumed samples"
STATED: Final = {
    "global batch size": "global_batch_size",
    "actual seqlen": "sequence_length",
    "curriculum seqlen": "sequence_length",
}
PASSED_OVER: Final = {"number of skipped iterations": "skipped", "number of nan iterations": "NaN"}
COUNTED: Final = {"number of skipped iterations": "skipped_iterations", "number of nan iterations": "nan_iterations"}
KEPT: Final = (SAMPLES, *STATED, *PASSED_OVER)
NOT_COMPUTED: Final = "0 stands for a norm that was not computed"


def entries(collection: Collection, lines: tuple[Line, ...]) -> list[Entry]:
    """One entry for each iteration and validation."""
    found = []
    for line in lines:
        for kind, pattern in (("train", STEP), ("validation", VALIDATION)):
            if one := pattern.search(line.text):
                where = f"{collection.document.name}:{line.number}"
                pairs = dict(_pairs(one[2]))
                step = values.count(Numeral(one[1]), where)
                facts = {name: value for name, value in pairs.items() if name in KEPT}
                found.append(
                    Entry(
                        step, kind, dict(_figures(collection, pairs, where)), where, facts, 1 if kind == "train" else 0
                    )
                )
    return steps.averaged(collection, found)


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for part in text.split("|"):
        name, colon, value = part.partition(":")
        if colon and value.strip():
            yield name.strip(), value.strip()


def _figures(collection: Collection, pairs: dict[str, str], where: str) -> Iterator[tuple[str, Figure]]:
    for name, value in pairs.items():
        spot = f"{where}.{name}"
        if name == "grad norm" and value.strip("0.") == "":
            yield "grad_norm", collect.nothing(value, "1", spot, NOT_COMPUTED)
        elif name in READ:
            yield READ[name][0], steps.figure(value, READ[name][1], spot)
        elif name.endswith("loss") and steps.slug(name):
            yield steps.slug(name), steps.figure(value, "1", spot)
        elif name not in KEPT:
            collection.leave([name])


def stated(collection: Collection, lines: tuple[Line, ...]) -> Said:
    """The arguments that the program dumped; of one that stands twice the last."""
    return {name: {value: where} for name, value, where in _arguments(collection.document.name, lines)}


def tell(collection: Collection, run: Run, part: list[Entry], said: Said) -> None:
    """Work, settings and remarks of a run: what its own lines say, and the arguments of the log."""
    steps.work_of(run, part)
    trained = [entry for entry in part if entry.kind == "train"]
    own: dict[str, dict[str, str]] = {}
    for name, setting in STATED.items():
        found = {entry.facts[name]: entry.where for entry in reversed(trained) if name in entry.facts}
        if found:
            own[setting] = dict(reversed(found.items()))
    steps.say(run, {**said, **own})
    _count(run, trained, next(iter(said.get("seq_length", {})), ""))
    for name, what in PASSED_OVER.items():
        told = [entry for entry in trained if name in entry.facts]
        times = sum(values.count(values.number_in(e.facts[name]), e.where) for e in told)
        if told and len(told) == len(trained):
            run.worked(COUNTED[name], Numeral(str(times)), told[-1].where)
        if times:
            collection.notice(f"Run {run.facts.key}: iterations that were {what}: {times}.")
    steps.remark_slow_start(collection, run, "step_time")


def _count(run: Run, trained: list[Entry], length: str) -> None:
    """Samples that were trained on, from before the first line to the last; and tokens, where their length is known."""
    counted = [entry for entry in trained if SAMPLES in entry.facts]
    if not counted or len(counted) < len(trained):
        return
    first, last = (values.count(values.number_in(e.facts[SAMPLES]), e.where) for e in (counted[0], counted[-1]))
    batch = values.count(values.number_in(counted[0].facts.get("global batch size", "0")), counted[0].where)
    samples = last - max(first - batch * counted[0].interval, 0)
    run.worked("samples", Numeral(str(max(samples, 0))), counted[-1].where)
    if length.isdecimal() and len(length) < 10:
        run.worked("tokens", Numeral(str(max(samples, 0) * int(length))), counted[-1].where)


def _arguments(name: str, lines: tuple[Line, ...]) -> Iterator[tuple[str, str, str]]:
    """The arguments that the program dumped, in the order of the log."""
    inside = False
    for line in lines:
        if END.search(line.text):
            inside = False
        elif BEGIN.search(line.text):
            inside = True
        elif inside and (argument := ARGUMENT.search(line.text)):
            yield argument[1], argument[2].strip(), f"{name}:{line.number}"
