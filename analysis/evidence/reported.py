"""Numbers that a tool reports under a label: what a label stands for, and the rules that its unit brings with it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, scale, values
from analysis.evidence.collect import VALUE, Collection, Figure, Run, aggregate
from analysis.evidence.values import Json, Numeral
from analysis.quantile import quantile_of

NOTHING_MEASURED: Final = "the tool writes 0 or nothing when nothing was measured"
ONE_SAMPLE: Final = "one sample has no spread"
MISSING_WORDS: Final = ("", "nan", "-nan", "n/a", "none", "null", "-")
NEVER_ZERO: Final = ("s", "1/s", "J", "W")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a label stands for. stat "value" is one measurement of the run; any other was computed by the tool."""

    metric: str
    stat: str
    unit: str


def add(run: Run, meaning: Meaning, value: Json, where: str, n: int | None = None) -> None:
    """Add a number by the rules of its unit: times, rates, energies and powers are positive, spreads and counts not."""
    sample = VALUE if meaning.stat == "value" else aggregate(meaning.stat, n)
    run.measured(meaning.metric, figure(meaning, value, where, n), sample)


def figure(meaning: Meaning, value: Json, where: str, n: int | None = None) -> Figure:
    """The number in its base unit, or nothing and why."""
    if meaning.stat == "std" and n == 1:
        return collect.nothing(value, meaning.unit, where, ONE_SAMPLE)
    if meaning.stat != "std" and scale.base_of(meaning.unit, where) in NEVER_ZERO:
        return collect.positive_or_nothing(value, meaning.unit, where, NOTHING_MEASURED)
    if value is None:
        return collect.nothing(value, meaning.unit, where, NOTHING_MEASURED)
    return collect.not_negative(value, meaning.unit, where)


def cell(text: str) -> Json:
    """A number as a console or a table writes it; None for the words that stand for no number."""
    return None if text.strip().lower() in MISSING_WORDS else values.number_in(text)


def labelled(line: str) -> tuple[str, str] | None:
    """The label and the value of a line "Label (unit): value", or None when it is no such line."""
    label, colon, value = (part.strip() for part in line.partition(":"))
    return (label, value) if colon and value and (label[:1].isupper() or label.startswith("[")) else None


def lasted(run: Run, value: Json, unit: str, where: str) -> None:
    """Add how long the run took, stated in any unit of time."""
    run.lasted(Numeral(repr(collect.positive(value, unit, where).value)), where)


def worked(run: Run, name: str, value: Json, where: str) -> None:
    """Add an amount of work that is a count; null adds nothing."""
    if value is not None:
        values.count(value, where)
        run.worked(name, value, where)


def calibrated(run: Run, name: str, value: Json, where: str) -> None:
    """Add a count that the tool chose to fill its time: identity, because it is no work that was asked for."""
    values.count(value, where)
    run.identified(name, value, where)


def rate(run: Run, metric: str, amount: Fraction | int, seconds: Fraction, where: str) -> None:
    """Add a rate that is computed here, from the work of a run and the time that it took."""
    written = f"{float(amount):.15g} / {float(seconds)!r}"
    value = _finite(amount / seconds, where) if amount else None
    found = Figure(value, "1/s", written, "1/s", where, "" if amount else NOTHING_MEASURED)
    run.measured(metric, found, aggregate("rate", int(amount)))


def check_rate(collection: Collection, written: Json, work: Fraction, seconds: Json, where: str) -> None:
    """A notice when a rate of the file is not work / duration within 1e-6."""
    if isinstance(written, Numeral) and work:
        ours = work / Fraction(values.numeral(seconds, where).text)
        if abs(Fraction(values.numeral(written, where).text) / ours - 1) > Fraction(1, 10**6):
            collection.notice(f"{where}: {written.text} is not work / duration, which is {_finite(ours, where):.6g}.")


def _finite(rate: Fraction, where: str) -> float:
    try:
        return float(rate)
    except OverflowError as error:
        raise MalformedEvidence("the rate is not finite", where=where, code="not_finite") from error


def folders(run: Run, name: str) -> None:
    """Add the folders of the path, which some tools name after the arm: identity, never compared."""
    for depth, folder in enumerate(reversed(PurePosixPath(name).parts[:-1])):
        label = "directory" if depth == 0 else f"directory_{depth}_up"
        run.identified(label, folder, name, "directory name")


def thin_tails(collection: Collection, where: str, stats: Iterable[str], n: int | None) -> None:
    """A notice for percentiles of so few samples that they are the largest of them."""
    for stat in sorted(set(stats)):
        p = quantile_of(stat)
        if p is not None and p > Fraction(1, 2) and n is not None and 0 < n * (1 - p) < 1:
            collection.notice(f"{where} {stat} of {n} samples says no more than their maximum.")


def bundled(collection: Collection, where: str, gap: Json, per_token: Json) -> None:
    """A notice when the time between tokens is less than half the time per token: then tokens came in chunks."""
    if isinstance(gap, Numeral) and isinstance(per_token, Numeral):
        between, each = values.finite(gap, where), values.finite(per_token, where)
        if 0 < between < each / 2:
            collection.notice(
                f"{where} the inter-token latency is less than half the time per output token: "
                "where several tokens come in one chunk it counts chunks, so do not compare it."
            )


def flags(command: str) -> Iterator[tuple[str, str]]:
    """The options of a command line: "--batch=4", "--batch 4", "-b 4"; "true" for one without a value."""
    words = command.split()
    for word, after in zip(words, [*words[1:], "-"], strict=False):
        if word.startswith("-") and word.strip("-"):
            name, stated, value = word.lstrip("-").partition("=")
            yield name, value if stated else ("true" if after.startswith("-") else after)
