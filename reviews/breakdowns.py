"""Stages, splits and counters of a result as printed tables: the same words on pages, command line and PDF."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from analysis.notices import Refusal
from analysis.parts import Basis, MechanismAnswer, MechanismsAnswer, PartEffect, SplitAnswer, StagesAnswer
from analysis.results import AssessmentResult
from reviews import printing
from reviews.sections import Hypothesis
from reviews.vocabulary import StageTimes

TITLES: Final = {
    "stages": "Where the difference begins",
    "split stages": "What the difference of the time adds up from",
    "split work, cycles and clock": "What the ratio of the time multiplies from",
    "mechanisms": "Which mechanism the counters speak for",
}
SAYS: Final = {"supported": "consistent with", "refuted": "not consistent with", "undetermined": "undetermined:"}
NO_CAUSE: Final = "Consistent is not caused: no number here names a cause."

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PrintedTable:
    """heads: one per column; the first column names the row."""

    heads: Row
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Breakdown:
    """One answer beside a verdict. needs: what would help where it is refused. about: how its numbers were made."""

    title: str
    sentence: str
    needs: str
    tables: tuple[PrintedTable, ...]
    about: tuple[tuple[str, str], ...]


def breakdowns(result: AssessmentResult, hypotheses: tuple[Hypothesis, ...] = ()) -> tuple[Breakdown, ...]:
    """What the result says of parts of its runs, beside the hypotheses of the memo; empty when they record none."""
    found = [] if result.stages is None else [stages_breakdown(result.stages)]
    found += [_split(split) for split in result.splits]
    if result.mechanisms is not None:
        found.append(_mechanisms(result.mechanisms, hypotheses))
    return tuple(found)


def in_lines(found: Breakdown) -> Iterator[str]:
    """One answer as plain lines, numbers and all."""
    yield f"{found.title}: {found.sentence}"
    if found.needs:
        yield f"  What would help: {found.needs}"
    for table in found.tables:
        yield from (f"  {_told(table.heads, row)}" for row in table.rows)
    if found.about:
        yield f"  {'; '.join(f'{name.lower()}: {said}' for name, said in found.about)}."


def _told(heads: Row, row: Row) -> str:
    return f"{row[0]}: " + ", ".join(f"{head} {cell}" for head, cell in zip(heads[1:], row[1:], strict=True) if cell)


def stages_breakdown(answer: StagesAnswer) -> Breakdown:
    """Where along the stages the difference begins."""
    rows = tuple((part.name, *_numbers(part), _standing(part.name, answer)) for part in answer.stages)
    heads = ("stage", *_heads(answer.stages), "standing")
    about = (("Stages", StageTimes(answer.how).label), ("Margin", _margin(answer)), *_about(answer.basis))
    return _breakdown("stages", answer.sentence, answer.refusal, (PrintedTable(heads, rows),), about)


def _margin(answer: StagesAnswer) -> str:
    if answer.stages and answer.stages[0].scale == "difference":
        return f"a stage within {printing.quantity(answer.margin, 's')} is excluded"
    return f"a stage within a factor of {printing.significant(answer.margin)} is excluded"


def _standing(stage: str, answer: StagesAnswer) -> str:
    if stage in answer.excluded:
        return "excluded"
    if stage not in answer.found:
        return ""
    return "established" if stage == answer.found[-1] else "not yet excluded"


def _split(answer: SplitAnswer) -> Breakdown:
    shown = answer.parts if answer.whole is None else (answer.whole, *answer.parts)
    rows = tuple((part.name, *_numbers(part)) for part in shown)
    table = PrintedTable(("part", *_heads(shown)), rows)
    return _breakdown(f"split {answer.of}", answer.sentence, answer.refusal, (table,), _about(answer.basis))


def _mechanisms(answer: MechanismsAnswer, hypotheses: tuple[Hypothesis, ...]) -> Breakdown:
    counters = PrintedTable(
        ("counter", "effect", "interval"),
        tuple((part.name, f"{part.scale} {_numbers(part)[0]}", _numbers(part)[1]) for part in answer.counters)
        + tuple((absent.counter, "not used", absent.reason) for absent in answer.absent),
    )
    of_class = {h.mechanism: [one.key for one in hypotheses if one.mechanism == h.mechanism] for h in hypotheses}
    table = PrintedTable(
        ("mechanism", "answer", "because", *(("hypotheses",) if hypotheses else ())),
        tuple(_mechanism(one, of_class, told=bool(hypotheses)) for one in answer.answers),
    )
    sentence = answer.sentence if answer.refusal else f"{answer.sentence} {NO_CAUSE}"
    movement = f"{printing.percent(answer.margin)} of a counter, or that difference of a share"
    about = (("Movement", movement), *((("Per", answer.work),) if answer.work else ()), *_about(answer.basis))
    return _breakdown("mechanisms", sentence, answer.refusal, (table, counters), about)


def _mechanism(one: MechanismAnswer, of_class: Mapping[str, list[str]], *, told: bool) -> Row:
    against = f"contradicted by {', '.join(one.against)}" if one.against else ""
    missing = f"missing {', '.join(one.missing)}" if one.missing else ""
    keys = of_class.get(one.mechanism, [])
    beside = (f"{SAYS[one.answer]} {', '.join(keys)}" if keys else "",) if told else ()
    return (one.mechanism, one.answer, "; ".join(said for said in (against, missing) if said), *beside)


def _heads(parts: tuple[PartEffect, ...]) -> Row:
    scales = {part.scale for part in parts} or {"ratio"}
    return (scales.pop() if len(scales) == 1 else "effect", "interval")


def _numbers(part: PartEffect) -> Row:
    """The effect and its interval, printed in the unit of the part."""
    if part.lo is None or part.hi is None:
        return (_amount(part, part.estimate), part.reason)
    return (_amount(part, part.estimate), f"[{_amount(part, part.lo)}, {_amount(part, part.hi)}]")


def _amount(part: PartEffect, value: float) -> str:
    return printing.significant(value) if part.scale == "ratio" else printing.quantity(value, part.unit)


def _about(basis: Basis | None) -> tuple[tuple[str, str], ...]:
    if basis is None:
        return ()
    each = f"{printing.confidence(round(basis.level, 10))} confidence each"
    together = f"; all hold together at {printing.confidence(basis.together)}" if basis.together is not None else ""
    return (
        ("Kind", f"confidence intervals, {each}{together}, {basis.method}"),
        ("Counted", f"{basis.units} {basis.counted}"),
        ("Speaks of", basis.estimand),
        ("Scope", basis.scope),
        ("Assumes", "; ".join(basis.assumptions)),
    )


def _breakdown(
    key: str,
    sentence: str,
    refusal: Refusal | None,
    tables: tuple[PrintedTable, ...],
    about: tuple[tuple[str, str], ...],
) -> Breakdown:
    needs = "" if refusal is None else refusal.needs
    shown = tuple(table for table in tables if table.rows)
    return Breakdown(TITLES[key], sentence, needs, shown, about if shown else ())
