"""The lines of DLLogger (NVIDIA DeepLearningExamples): `DLL <time> - Epoch: 0 Iteration: 1 train.loss : 7.1 …`."""

import re
from typing import Final

from analysis.evidence import steps, values
from analysis.evidence.collect import Collection, Figure, Run
from analysis.evidence.steps import Entry, Said
from analysis.evidence.text_reader import Line
from analysis.evidence.values import Numeral
from analysis.units import FACTORS

MARK: Final = b"DLL 2"
STEP: Final = re.compile(r"^DLL \d{4}-.*Iteration: ?\d+ ")
WHOLE: Final = re.compile(r" : \S+(?: \S+)?\s*$")
LINE: Final = re.compile(r"^DLL (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?) - (.*)$")
ITERATION: Final = re.compile(r"\b(?:Training )?Epoch: ?(\d+) +(?:Training )?Iteration: ?(\d+) +(.*)$")
PAIR: Final = re.compile(r"(\S+) : (\S+)(?: ([^\s:]+)(?=\s|$)(?! :))?")
PARAMETER: Final = re.compile(r"^PARAMETER (.*)$")
UNITS: Final = {"img/s": "images/s", "sequences/s": "samples/s", "": "1"}


def entries(collection: Collection, lines: tuple[Line, ...]) -> list[Entry]:
    """One entry for each iteration. Epochs number their iterations anew: they are counted on."""
    found: list[Entry] = []
    epoch, done, last = -1, 0, 0
    for line in lines:
        if (one := LINE.match(line.text)) is None:
            continue
        where = f"{collection.document.name}:{line.number}"
        iteration = ITERATION.search(one[2])
        if iteration is None:
            if PARAMETER.match(one[2]) is None:
                collection.leave([f"{name} of an epoch" for name, _, _ in PAIR.findall(one[2])])
            continue
        step = values.count(Numeral(iteration[2]), where)
        if int(iteration[1]) > epoch >= 0 and step <= last:
            done += last
        epoch, last = int(iteration[1]), step
        found.append(Entry(done + step, "train", _figures(collection, iteration[3], where), where))
    return found


def _figures(collection: Collection, text: str, where: str) -> dict[str, Figure]:
    found = {}
    for name, value, unit in PAIR.findall(text):
        known = UNITS.get(unit, unit)
        if known not in FACTORS or not steps.slug(name):
            collection.leave([name])
            continue
        found[steps.slug(name)] = steps.figure(value, known, f"{where}.{name}")
    return found


def stated(collection: Collection, lines: tuple[Line, ...]) -> Said:
    """The parameters that the log begins with."""
    said: dict[str, dict[str, str]] = {}
    for line in lines:
        one = LINE.match(line.text)
        parameters = PARAMETER.match(one[2]) if one else None
        if parameters:
            for name, value, _ in PAIR.findall(parameters[1]):
                said.setdefault(name, {}).setdefault(value, f"{collection.document.name}:{line.number}")
    return said


def tell(collection: Collection, run: Run, part: list[Entry], said: Said) -> None:
    """Work, settings and remarks of a run."""
    steps.work_of(run, part)
    steps.say(run, said)
    for metric in sorted({m.metric for m in run.measurements if m.unit == "1/s"}):
        steps.remark_slow_start(collection, run, metric, faster_is_higher=True)
