"""Several comparisons of one command together: the ship statement, the family of claims, the screening."""

from collections.abc import Iterator, Mapping
from typing import Final

from analysis import canonical
from analysis.assess import AssessmentResult, to_json
from analysis.claims import WidenedInterval
from analysis.families import Declared, Together, judge_together
from analysis.multiplicity import SCREENING, Judged
from reviews import printing
from reviews.cli.report import brief, brief_markdown, markdown, text

HEADING: Final = "All comparisons together"

Results = Mapping[str, AssessmentResult]


def together_of(results: Results) -> Together:
    """What the results say together, each in the role of its plan."""
    return judge_together([Declared(name, result.plan.role, result, "") for name, result in results.items()])


def as_text(results: Results) -> str:
    """The primary comparison in full, the others in short, and what they say together."""
    primary, *rest = results.values()
    parts = [text(primary), *(f"{result.plan.role}: {brief(result)}" for result in rest)]
    return "\n\n".join([*parts, "\n".join((f"{HEADING}:", *(f"  {line}" for line in lines(together_of(results)))))])


def as_markdown(results: Results) -> str:
    """The same for a pull request."""
    primary, *rest = results.values()
    parts = [markdown(primary), *(brief_markdown(result) for result in rest)]
    return "\n\n".join([*parts, f"### {HEADING}", "\n".join(f"- {line}" for line in lines(together_of(results)))])


def as_json(results: Results) -> dict[str, object]:
    """Every result whole, and what they say together; numbers are decimal strings."""
    found = together_of(results)
    return {
        "kind": "assessments",
        "comparisons": [{"name": name, "role": r.plan.role, "result": to_json(r)} for name, r in results.items()],
        "together": {
            "ships": found.ship.ships if found.ship else None,
            "ship": found.ship.sentence if found.ship else "No guardrail is declared.",
            "notices": canonical.as_json(found.ship.notices if found.ship else ()),
            "guardrails": canonical.as_json(found.guardrails),
            "claims": [
                {
                    "name": one.name,
                    "direction": one.direction,
                    "materiality": one.materiality,
                    "p_value": canonical.as_json(one.p_value),
                    "adjusted_p": canonical.as_json(one.adjusted_p),
                    "interval": _interval_json(one.simultaneous),
                    "sentence": one.sentence,
                }
                for one in found.claims
            ],
            "screening": SCREENING if found.screened else "Nothing was screened.",
            "screened": canonical.as_json(found.screened),
        },
    }


def lines(found: Together) -> Iterator[str]:
    """A line for each statement."""
    yield f"Guardrails: {found.ship.sentence if found.ship else 'none is declared.'}"
    yield from (f"{one.name} {'passes' if one.passes else 'does not pass'}: {one.sentence}" for one in found.guardrails)
    yield from (notice.sentence for notice in found.ship.notices) if found.ship else ()
    for claim in found.claims:
        shown = f" Simultaneous: {_interval(claim.simultaneous)}." if claim.simultaneous is not None else ""
        yield f"Claim {claim.name}: {claim.sentence} {_adjusted(claim.adjusted_p, claim.p_value)}{shown}"
    if found.screened:
        yield SCREENING
    for slice_ in found.screened:
        yield f"{slice_.name}: {slice_.sentence} {_adjusted(slice_.adjusted_p, slice_.p_value)}"


def _adjusted(adjusted: float, alone: float) -> str:
    return f"Adjusted p = {printing.significant(adjusted, 3)} (alone {printing.significant(alone, 3)})."


def _words(judged: Judged) -> printing.IntervalWords:
    inner = judged.statistical if isinstance(judged, WidenedInterval) else judged
    return printing.IntervalWords(
        level=inner.confidence,
        method=f"{inner.method} widened" if isinstance(judged, WidenedInterval) else inner.method,
        replicates=f"{inner.units} {inner.frame.counted}",
        scope=inner.frame.scope,
    )


def _estimate(judged: Judged) -> float:
    return judged.statistical.estimate if isinstance(judged, WidenedInterval) else judged.estimate


def _interval(judged: Judged) -> str:
    return printing.interval(_estimate(judged), judged.lo, judged.hi, _words(judged))


def _interval_json(judged: Judged | None) -> object:
    if judged is None:
        return None
    words = _words(judged)
    return {
        "estimate": canonical.as_json(_estimate(judged)),
        "low": canonical.as_json(judged.lo),
        "high": canonical.as_json(judged.hi),
        "level": canonical.as_json(words.level),
        "method": words.method,
        "replicates": words.replicates,
        "scope": words.scope,
    }
