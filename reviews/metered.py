"""The energies of a comparison in words: for its page, its PDF, the command line and the text to be pasted."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from analysis.energy_answer import EnergyAnswer, MeteredRun
from analysis.results import AssessmentResult
from analysis.widening import Source
from analysis.window_energy import DeviceEnergy
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
    joined: how the log of power of each run was joined to it, and what each device took; two: of runs with two sources.
    """

    source: str
    assumptions: tuple[str, ...]
    parts: tuple[str, ...]
    ratio: str
    heads: tuple[str, ...]
    lines: tuple[MeteredLine, ...]
    joined: tuple[str, ...] = ()
    two: tuple[str, ...] = ()


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
        joined=tuple(_joined(run) for run in found.runs if run.joined is not None or len(run.devices) > 1),
        two=tuple(_two(run, found.source) for run in found.runs if run.joules is not None and run.other_joules),
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


def _joined(run: MeteredRun) -> str:
    """Where the power of a run comes from, by which clock it was joined, and what each device took."""
    parts = []
    if run.joined is not None:
        logs = "; ".join(f"{log.name}, joined {log.how} ({log.offset_s} s added)" for log in run.joined.logs)
        parts.append(f"power from {logs}")
        parts.append(f"window of {printing.quantity(run.window_s, 's')} {run.joined.window}")
    parts += [_device(one) for one in run.devices]
    return f"{run.label}: {'; '.join(parts)}."


def _device(one: DeviceEnergy) -> str:
    said = [printing.quantity(one.joules, "J")] if one.joules is not None else []
    said.append(f"{printing.count(one.samples)} {'readings' if one.mean_watts is None else 'samples'}")
    if one.mean_watts is not None:
        said.append(f"mean of {printing.quantity(one.mean_watts, 'W')}")
        longest = f", the longest of {printing.quantity(one.longest_gap_s, 's')}" if one.gaps else ""
        said.append(f"{printing.plural(one.gaps, 'gap')}{longest}" if one.gaps else "no gap")
    return f"{one.device or 'the whole'}: {', '.join(said)}"


def _two(run: MeteredRun, source: str) -> str:
    """Both numbers of a run whose power is sampled and whose energy is counted."""
    numbers = [printing.quantity(value, "J") for value in (run.joules, run.other_joules)]
    counted, sampled = numbers if source == "counter" else reversed(numbers)
    apart = abs((run.other_joules or 0.0) / (run.joules or 1.0) - 1)
    taken = "the counter" if source == "counter" else "the samples"
    return (
        f"{run.label}: the counter says {counted}, the samples of power say {sampled}; they differ by "
        f"{printing.percent(apart)}. The plan takes {taken}."
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
    yield from found.joined
    yield from found.two
