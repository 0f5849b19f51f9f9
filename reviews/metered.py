"""The energies of a comparison in words: for its page, its PDF, the command line and the text to be pasted."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from analysis.energy_answer import EnergyAnswer, MeteredRun
from analysis.results import AssessmentResult
from analysis.widening import Source
from reviews import printing

DIGITS: Final = 6
"""Of the parts of an interval, because the measured part is often small beside the statistical one."""
SOURCES: Final = {"counter": "an energy counter", "samples": "samples of power"}
HEADS: Final = ("arm", "run", "value", "bounds", "energy", "window", "read", "in gaps")
WIDENS: Final[Mapping[Source, str]] = {
    "work": "stated differences", "measurement": "measurement bounds", "meter": "measurement bounds",
}  # fmt: skip

OTHERS: Final[Mapping[Source, str]] = {
    "work": "the allowance for differences in work and settings", "measurement": "the stated error of the measurement",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MeteredLine:
    """One run, printed. bounds: rounded outward, or why there are none. read: samples, or readings of the counter."""

    arm: str
    label: str
    value: str
    bounds: str
    energy: str
    window: str
    read: str
    in_gaps: str

    @property
    def cells(self) -> tuple[str, ...]:
        """As a row under HEADS."""
        return (self.arm, self.label, self.value, self.bounds, self.energy, self.window, self.read, self.in_gaps)


@dataclass(frozen=True, slots=True)
class MeteredEnergy:
    """The energies of a comparison, printed. parts: the statistical and the measured part of a widened interval.

    ratio: the sentence of the ratio's bounds, "" without them. heads: of the columns of `lines`.
    """

    source: str
    assumptions: tuple[str, ...]
    parts: tuple[str, ...]
    ratio: str
    heads: tuple[str, ...]
    lines: tuple[MeteredLine, ...]


def metered(result: AssessmentResult) -> MeteredEnergy | None:
    """The energies in words; None when the metric does not come from power."""
    found = result.energy
    if found is None:
        return None
    return MeteredEnergy(
        source=SOURCES[found.source],
        assumptions=found.assumptions,
        parts=_parts(result, found),
        ratio=found.ratio.sentence if found.ratio else "",
        heads=HEADS,
        lines=tuple(_line(run) for run in found.runs),
    )


def _parts(result: AssessmentResult, found: EnergyAnswer) -> tuple[str, ...]:
    if result.interval is None or result.widened is None or not found.reason:
        return ()
    statistical = result.interval
    unit = statistical.frame.unit
    ends, wide = (printing.range_in(one.lo, one.hi, unit, DIGITS) for one in (statistical, result.widened))
    level = printing.confidence(statistical.confidence)
    others = [
        f"{OTHERS[part.source]}: {'; '.join(part.reasons)}" for part in result.allowances if part.source in OTHERS
    ]
    besides = f" Besides, {' and '.join(others)}." if others else ""
    return (
        f"Statistical part: {ends}, {level} confidence, {statistical.method}.",
        f"Measurement part: {found.reason}.{besides} Together: {wide}.",
    )


def _line(run: MeteredRun) -> MeteredLine:
    bounds = f"{run.lower} to {run.upper} {run.unit}" if run.lower else "unbounded"
    known = run.window_s is not None
    return MeteredLine(
        arm=run.arm,
        label=run.label,
        value=printing.quantity(run.value, run.unit) if run.value is not None or not run.lower else "bounds only",
        bounds=bounds if known else printing.NOTHING,
        energy=printing.quantity(run.joules, "J") if run.joules is not None else printing.NOTHING,
        window=printing.quantity(run.window_s, "s") if known else printing.NOTHING,
        read=printing.count(run.samples) if known else printing.NOTHING,
        in_gaps=printing.percent(run.gap_share) if known else printing.NOTHING,
    )


def widened_by(result: AssessmentResult) -> str:
    """What widens the interval: "stated differences", "measurement bounds" or both; "" when nothing does."""
    if result.widened is None:
        return ""
    if result.allowances:
        return " and ".join(dict.fromkeys(WIDENS[part.source] for part in result.allowances))
    measured = {result.energy.reason} if result.energy is not None else set()
    stated = [reason for reason in result.widened.reasons if reason not in measured]
    kinds = (("stated differences", stated), ("measurement bounds", len(stated) < len(result.widened.reasons)))
    return " and ".join(kind for kind, there in kinds if there)


def in_sentences(result: AssessmentResult) -> Iterator[str]:
    """The same without the runs, as sentences; nothing when the metric does not come from power."""
    found = metered(result)
    if found is None:
        return
    yield f"Energy: from {found.source}. Assumes: {'; '.join(found.assumptions)}."
    yield from found.parts
    if found.ratio:
        yield f"Bounds of the ratio: {found.ratio}"
