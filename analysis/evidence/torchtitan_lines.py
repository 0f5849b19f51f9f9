"""The lines of torchtitan: steps, validations, and what it says of its settings before the first step."""

import re
from typing import Final

from analysis.evidence import steps, values
from analysis.evidence.collect import Collection, Figure, Run
from analysis.evidence.steps import Entry, Said
from analysis.evidence.text_reader import Line
from analysis.evidence.values import Numeral

MARK: Final = b"loss:"
STEP: Final = re.compile(r"\b(validate )?step:\s*(\d+)\s+(loss:.*)")
WHOLE: Final = re.compile(r"\w+: *\S+\s*$")
PAIR: Final = re.compile(r"(\w+):\s*(\S+)")
MEMORY: Final = re.compile(r"([\d.]+)(GiB)\(([\d.]+)%\)")
SETTINGS: Final = {
    "local_batch_size": re.compile(r"local batch size (\d+)"),
    "global_batch_size": re.compile(r"global batch size (\d+)"),
    "gradient_accumulation_steps": re.compile(r"gradient accumulation steps (\d+)"),
    "sequence_length": re.compile(r"sequence length (\d+)"),
    "total_steps": re.compile(r"total steps (\d+)"),
    "parallelism": re.compile(r"device mesh with (?:parallelism: )?(.+)$"),
    "device": re.compile(r"(?:CUDA|XPU|GPU) capacity: (.+?) with "),
    "model": re.compile(r"Model (.+? size: [\d,]+) total parameters"),
    "torchtitan_version": re.compile(r"torchtitan version: (\S+)"),
    "nccl_version": re.compile(r"NCCL version (\S+)"),
}
COMMAND: Final = re.compile(r"^\+ (torchrun .+)$")
READ: Final = {
    "grad_norm": ("grad_norm", "1"),
    "tps": ("token_throughput_per_device", "1/s"),
    "wps": ("token_throughput_per_device", "1/s"),
    "mfu": ("mfu", "%"),
}
PER_DEVICE: Final = "tps is tokens per second of one device, as torchtitan prints it."


def entries(collection: Collection, lines: tuple[Line, ...]) -> list[Entry]:
    """One entry for each step and validation."""
    found = []
    for line in lines:
        if one := STEP.search(line.text):
            where = f"{collection.document.name}:{line.number}"
            step = values.count(Numeral(one[2]), where)
            kind = "validation" if one[1] else "train"
            found.append(Entry(step, kind, _figures(collection, one[3], kind, where), where, {}, 0 if one[1] else 1))
    return steps.averaged(collection, found)


def _figures(collection: Collection, text: str, kind: str, where: str) -> dict[str, Figure]:
    found = {}
    for name, value in PAIR.findall(text):
        spot = f"{where}.{name}"
        if name == "loss":
            found["loss" if kind == "train" else "validation_loss"] = steps.figure(value, "1", spot)
        elif name == "memory" and (size := MEMORY.fullmatch(value)):
            found["memory_reserved"] = steps.figure(size[1], size[2], spot)
        elif name in READ and kind == "train":
            metric, unit = READ[name]
            found[metric] = steps.figure(value.removesuffix("%").replace(",", ""), unit, spot)
        else:
            collection.leave([name])
    return found


def stated(collection: Collection, lines: tuple[Line, ...]) -> Said:
    """What the log says of its settings, and the command that it begins with."""
    said: dict[str, dict[str, str]] = {}
    for line in lines:
        where = f"{collection.document.name}:{line.number}"
        for name, pattern in SETTINGS.items():
            if one := pattern.search(line.text):
                said.setdefault(name, {}).setdefault(one[1].strip(), where)
        if command := COMMAND.match(line.text):
            said.setdefault(steps.COMMAND, {}).setdefault(command[1], where)
    return said


def tell(collection: Collection, run: Run, part: list[Entry], said: Said) -> None:
    """Work, settings and remarks of a run."""
    steps.work_of(run, part)
    steps.say(run, said)
    if any(m.metric == "token_throughput_per_device" for m in run.measurements):
        collection.notice(PER_DEVICE)
    steps.remark_slow_start(collection, run, "token_throughput_per_device", faster_is_higher=True)
