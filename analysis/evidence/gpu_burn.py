"""Output of gpu-burn.

In the file: progress lines that overwrite each other, with the products done by each GPU, its rate in Gflop/s and its
errors. Here: one run; a rate is taken when the count beside it has changed, because lines repeat it until then. A GPU
that is faulty, died or reports errors makes a failed run.
"""

import re
from dataclasses import replace
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, text_reader
from analysis.evidence.collect import Collection, Run, Sample
from analysis.evidence.format import Document, Format
from analysis.evidence.values import Numeral
from analysis.reading import Reading

NAME: Final = "gpu-burn"
VERSION: Final = 1

PROGRESS: Final = re.compile(rb"proc'd: -?\d+ \(")
LINE: Final = re.compile(r"proc'd: (?P<done>.*?)\s+errors: (?P<errors>.*)")
DONE: Final = re.compile(r"(?P<count>-?\d+) \((?P<rate>\d+(?:\.\d+)?) Gflop/s\)")
GPU: Final = re.compile(r"\s*GPU (?P<index>\d+): (?P<name>.+?) \(UUID: (?P<uuid>[^)]+)\)\s*")
VERDICT: Final = re.compile(r"\s*GPU (?P<index>\d+): (?P<said>OK|FAULTY)\s*")
USING: Final = re.compile(r"using (DOUBLES|FLOATS|Tensor Cores)")
REPEATED: Final = "A rate stands in each progress line until the next one is known: it is taken once."
UNFINISHED: Final = "the output has no verdict on the GPUs"


def looks_right(document: Document) -> str | None:
    """The reason why this is output of gpu-burn, or None."""
    for part in text_reader.ends(document):
        if PROGRESS.search(part):
            return "it has progress lines with proc'd"
    return None


def parse(document: Document) -> Reading:
    """One run.

    Raises:
        MalformedEvidence: no progress line.
    """
    lines, leniences = text_reader.lines(document)
    collection = Collection(document)
    run = collection.add(collect.completed("0", document.name))
    failures: dict[str, None] = {}
    counts: dict[int, str] = {}
    verdicts: list[str] = []
    names: dict[str, str] = {}
    using: dict[str, None] = {}
    for line in lines:
        where = f"{document.name}:{line.number}"
        using.update(dict.fromkeys(USING.findall(line.text)))
        if found := LINE.search(line.text):
            _progress(run, found, counts, failures, where)
        elif found := GPU.fullmatch(line.text):
            names[found["index"]] = found["name"]
            run.identified(f"gpu_{found['index']}", found["uuid"], where)
        elif found := VERDICT.fullmatch(line.text):
            verdicts.append(found["said"])
            if found["said"] == "FAULTY":
                failures.setdefault(f"GPU {found['index']} is faulty")
    if not run.measurements:
        raise MalformedEvidence("there is no rate in it", where=document.name, code="no_runs")
    _settings(run, names, using, document.name)
    if failures:
        run.facts = collect.failed("0", document.name, "; ".join(failures))
        run.measurements = [replace(m, value=None, reason=run.facts.reason) for m in run.measurements]
    elif not verdicts:
        run.facts = replace(run.facts, status="partial", reason=UNFINISHED)
    collection.notice(REPEATED)
    return collection.reading(NAME, VERSION, leniences, incomplete=False)


def _progress(run: Run, found: re.Match[str], counts: dict[int, str], failures: dict[str, None], where: str) -> None:
    for gpu, part in enumerate(found["done"].split(" - ")):
        done = DONE.fullmatch(part.strip())
        if done is None:
            failures.setdefault(f"GPU {gpu} gave no rate: {part.strip()}"[:200])
        elif counts.get(gpu, "0") != done["count"]:
            counts[gpu] = done["count"]
            figure = collect.positive(Numeral(done["rate"]), "Gflop/s", where)
            run.measured("compute_rate", figure, Sample("raw", "value", 1, len(run.measurements), stage=str(gpu)))
    for gpu, part in enumerate(found["errors"].partition("temps:")[0].split(" - ")):
        if not re.match(r"\s*0\b", part):
            failures.setdefault(f"GPU {gpu} reported errors: {part.strip()}"[:200])


def _settings(run: Run, names: dict[str, str], using: dict[str, None], where: str) -> None:
    if names:
        run.configured("gpus", "; ".join(dict.fromkeys(names.values())), where)
        run.configured("gpu_count", Numeral(str(len(names))), where)
    if using:
        run.configured("using", ", ".join(using), where)


FORMAT: Final = Format(NAME, "gpu-burn output", VERSION, looks_right, parse)
