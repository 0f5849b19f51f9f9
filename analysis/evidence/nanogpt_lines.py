"""The lines of modded-nanogpt: the loss and the time since training began, in ms or in s as the line says."""

import re
from fractions import Fraction
from typing import Final

from analysis.evidence import collect, scale, steps, values
from analysis.evidence.collect import Collection, Figure, Run
from analysis.evidence.steps import Entry, Said
from analysis.evidence.text_reader import Line
from analysis.evidence.values import Numeral

MARK: Final = b"train_time:"
STEP: Final = re.compile(
    r"\bstep:(?P<step>\d+)/(?P<total>\d+) (?P<kind>train|val)_loss:(?P<loss>\S+) "
    r"train_time:(?P<time>[\d.]+)(?P<unit>ms|s)(?: step_avg:(?P<average>\S+?)(?P<of>ms|s))?\s*$"
)
WHOLE: Final = re.compile(r"m?s\s*$")
RESET: Final = "the timer of the program was set back here"
NO_TIME: Final = "no time had passed on the timer of the program"
CODE: Final = "The file holds the script before the log: the script is not read."
DERIVED: Final = "step_time is computed here: the difference of train_time between two lines, divided by their steps."


def entries(collection: Collection, lines: tuple[Line, ...]) -> list[Entry]:
    """One entry for each line with a loss; step_time is the mean since the line before."""
    found: list[Entry] = []
    before = None
    for line in lines:
        one = STEP.search(line.text)
        if one is None:
            continue
        where = f"{collection.document.name}:{line.number}"
        step = values.count(Numeral(one["step"]), where)
        kind = "train" if one["kind"] == "train" else "validation"
        metric = "loss" if kind == "train" else "validation_loss"
        figures = {metric: steps.figure(one["loss"], "1", f"{where}.{one['kind']}_loss")}
        spot = f"{where}.train_time"
        time = collect.positive_or_nothing(values.number_in(one["time"]), one["unit"], spot, NO_TIME)
        figures["train_time"] = time
        if before is not None and step > before[0]:
            figures["step_time"] = _between(time, before[1], step - before[0], spot)
        if one["average"]:
            figures["step_time_average"] = steps.figure(one["average"], one["of"], f"{where}.step_avg")
        interval = 0 if kind == "validation" else max(step - before[0], 1) if before is not None else 1
        found.append(Entry(step, kind, figures, where, {"total_steps": one["total"]}, interval))
        before = (step, time)
    return found


def _between(time: Figure, before: Figure, count: int, where: str) -> Figure:
    elapsed = _exact(time) - _exact(before)
    written = f"({time.original} - {before.original}) / {count}"
    if elapsed <= 0:
        return Figure(None, "s", written, time.original_unit, where, RESET if elapsed < 0 else NO_TIME)
    return Figure(float(elapsed / count), "s", written, time.original_unit, where, "")


def _exact(time: Figure) -> Fraction:
    return scale.exact(time.original, time.original_unit)


def stated(collection: Collection, lines: tuple[Line, ...]) -> Said:
    """Nothing: the settings are in the script, which is not read."""
    if any(line.text.startswith("import ") for line in lines):
        collection.notice(CODE)
    return {}


def tell(collection: Collection, run: Run, part: list[Entry], said: Said) -> None:
    """Work, settings and remarks of a run."""
    steps.say(run, said)
    first, last = part[0], part[-1]
    run.worked("steps", Numeral(str(last.step - first.index)), last.where)
    run.configured("total_steps", first.facts["total_steps"], first.where)
    collection.notice(DERIVED)
    if any(m.reason == RESET for m in run.measurements):
        collection.notice(f"Run {run.facts.key}: the timer was set back: no step_time spans that.")
    steps.remark_slow_start(collection, run, "step_time")
