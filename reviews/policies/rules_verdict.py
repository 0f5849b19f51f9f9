"""Rules on what the evidence says: the primary metric, harm, guardrails, quality, and what small changes add up to."""

import re
from collections.abc import Iterator
from typing import Final

from reviews.policies.answers import Answer, Gap, Met, NotApplicable
from reviews.policies.case import Case, Result, named
from reviews.policies.facts import BudgetFacts
from reviews.policies.numbers import fraction, listed
from reviews.sections import Comparison, ExpectedMovement
from reviews.vocabulary import Better, ComparisonRole, DecisionKind, ProductionEventKind

BETTER: Final = "improvement_established"
WORSE: Final = "worse_than_margin"
NOT_WORSE: Final = frozenset({"within_margin", "better_than_margin", "not_worse_than_margin"})

# Changes that can move what a model answers, and metrics that would show it.
TOUCHES_QUALITY: Final = re.compile(
    r"engine|kernel|compiler|precision|dtype|quanti[sz]|speculati|fp8|fp16|bf16|int8|int4", re.IGNORECASE
)
QUALITY_METRICS: Final = re.compile(r"(^|_)(quality|accuracy|exact_match|pass_rate|perplexity|f1|win_rate)(_|$)")


def the_primary_metric_supports_it(case: Case) -> Answer:
    """Ship: as good as claimed. Rollback: harm is established, or production has spoken."""
    if case.kind is DecisionKind.ROLLBACK:
        return _something_got_worse(case)
    primaries = [c for c in case.judged if c.role == ComparisonRole.PRIMARY]
    if not primaries:
        return (Gap("No comparison is the primary one.", case.writer, "#comparisons", ""),)
    return tuple(Gap(said, case.attachers, "#comparisons", "") for c in primaries if (said := _not_as_claimed(case, c)))


def _not_as_claimed(case: Case, comparison: Comparison) -> str:
    """Why the comparison does not carry what the action claims, "" when it does."""
    name = named(comparison)
    expected = [e for e in case.content.action.expected if (e.metric, e.stat) == (comparison.metric, comparison.stat)]
    if not expected:
        return f"{name}: the action says no movement that it expects, so nothing is claimed."
    results = case.results((comparison,))
    if not results or not results[0].has_verdict:
        return f"{name} has no verdict."
    assessment = results[0].assessment
    if any(_claims_better(e, comparison) for e in expected):
        return "" if assessment.direction == BETTER else f"{name} is claimed to get better: {assessment.headline}."
    return "" if assessment.materiality in NOT_WORSE else f"{name}: {assessment.headline}."


def _claims_better(expected: ExpectedMovement, comparison: Comparison) -> bool:
    """Whether the expected ratio lies on the better side of 1 as a whole."""
    name = f"An end of the expected movement of {expected.metric}"
    if comparison.better == Better.HIGHER:
        return bool(expected.low) and fraction(expected.low, name) >= 1
    return bool(expected.high) and fraction(expected.high, name) <= 1


def _something_got_worse(case: Case) -> Answer:
    results = (*case.results(case.claimed), *case.observed)
    worse = [r.name for r in results if _harms(r) or _regresses(r)]
    events = [e.what for e in case.facts.production_events if e.kind == ProductionEventKind.ROLLED_BACK]
    if worse or events:
        return Met(f"It got worse: {listed([*worse, *events])}.")
    sentence = "No regression is established, nothing failed to serve, and production has rolled nothing back."
    return (Gap(sentence, case.attachers, "#comparisons", ""),)


def _regresses(result: Result) -> bool:
    is_primary = result.comparison.role == ComparisonRole.PRIMARY
    return is_primary and result.has_verdict and result.assessment.direction == "regression_established"


def _harms(result: Result) -> bool:
    return result.failed_to_serve or (result.has_verdict and result.assessment.materiality == WORSE)


def _harm(result: Result) -> str:
    a = result.assessment
    if result.failed_to_serve:
        return f"{result.name}: the candidate failed to serve in {a.failed} of {a.started} runs."
    return f"{result.name}: {a.headline}."


def no_harm_is_established(case: Case) -> Answer:
    """Nothing is worse than its margin, and what is undecided is an abort threshold of the rollout."""
    if not case.judged:
        return (
            Gap("Nothing was compared, so that harm could not have been seen.", case.attachers, "#comparisons", ""),
        )
    results = (*case.results(case.judged), *case.observed)
    harm = tuple(Gap(_harm(r), case.writer, "#comparisons", "") for r in results if _harms(r))
    bound = {(t.comparison, t.metric, t.stat) for t in case.content.rollout.abort_thresholds}
    unwatched = tuple(
        Gap(f"{named(c)} is undecided and is no abort threshold of the rollout.", case.writer, "#rollout", "")
        for c in _guardrails(case)
        if not _is_decided(case, c) and (c.key, c.metric, c.stat) not in bound
    )
    return (*harm, *unwatched)


def _guardrails(case: Case) -> tuple[Comparison, ...]:
    return tuple(c for c in case.judged if c.role == ComparisonRole.GUARDRAIL)


def _is_decided(case: Case, comparison: Comparison) -> bool:
    results = case.results((comparison,))
    return any(_harms(r) or (r.has_verdict and r.assessment.materiality in NOT_WORSE) for r in results)


def every_guardrail_is_not_worse(case: Case) -> Answer:
    """Each guardrail is shown to be no worse than its margin, in the revision and since."""
    guardrails = _guardrails(case)
    if not guardrails:
        return NotApplicable("Guardrails: none.")
    gaps = tuple(_worse(case, guardrails))
    return gaps or Met(f"{len(guardrails)} guardrail(s) are not worse than their margin.")


def _worse(case: Case, comparisons: tuple[Comparison, ...]) -> Iterator[Gap]:
    keys = {c.key for c in comparisons}
    results = {c.key: case.results((c,)) for c in comparisons}
    for comparison in comparisons:
        if not results[comparison.key]:
            yield Gap(f"{named(comparison)} is not computed yet.", case.attachers, "#comparisons", comparison.key)
    for result in (*(r for found in results.values() for r in found), *case.observed):
        if result.comparison.key in keys and not _is_not_worse(result):
            said = _harm(result) if result.has_verdict or result.failed_to_serve else f"{result.name} has no verdict."
            yield Gap(said, case.attachers, "#comparisons", result.comparison.key)


def _is_not_worse(result: Result) -> bool:
    return result.has_verdict and result.assessment.materiality in NOT_WORSE


def quality_is_not_worse(case: Case) -> Answer:
    """A change that can move what a model answers has a quality comparison as guardrail, and that is not worse."""
    change = case.content.change
    if not (change.rows or change.summary.strip()):
        sentence = "The memo does not say what was changed, so nobody knows whether quality could move."
        return (Gap(sentence, case.writer, "#change", ""),)
    comparisons = tuple(c for c in _guardrails(case) if QUALITY_METRICS.search(c.metric))
    touched = _touched(case)
    if comparisons:
        return tuple(_worse(case, comparisons)) or Met(f"{listed([named(c) for c in comparisons])}: not worse.")
    if not touched:
        return NotApplicable("Nothing was changed that can move quality.")
    sentence = f"{listed(touched)} changed, and no quality comparison is a guardrail."
    return (Gap(sentence, case.attachers, "#comparisons", "comparison"),)


def _touched(case: Case) -> list[str]:
    """The words of the change that can move quality."""
    change = case.content.change
    rows = [row.name for row in change.rows if row.baseline != row.candidate and TOUCHES_QUALITY.search(row.name)]
    prose = f"{change.summary} {case.content.action.smallest_reversible_change}"
    return sorted({*rows, *(found.group().lower() for found in TOUCHES_QUALITY.finditer(prose))})


def cumulative_change_is_within_budget(case: Case) -> Answer:
    """Small changes since the team's pinned reference build add up to no more than its budget."""
    reference = case.facts.reference
    if reference is None:
        return NotApplicable("The team has pinned no reference build.")
    if not reference.budgets:
        sentence = f"Nothing was measured against the reference build {reference.build}."
        return (Gap(sentence, case.attachers, "#comparisons", "reference"),)
    over = tuple(
        Gap(
            f"{b.metric} {b.stat} against {reference.build}: {_budgeted(b)}.",
            case.attachers,
            "#comparisons",
            f"{b.metric}.{b.stat}",
        )
        for b in reference.budgets
        if not b.within
    )
    kept = "; ".join(f"{b.metric} {b.stat} {b.sentence}" for b in reference.budgets)
    return over or Met(f"Since {reference.build}: {kept}.")


def _budgeted(budget: BudgetFacts) -> str:
    return budget.sentence if budget.within is not None else f"not measured: {budget.sentence}"
