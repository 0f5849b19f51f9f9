"""A comparison as plain text, to be pasted into a message: the same words and numbers as its page."""

from collections.abc import Iterator

from analysis.claims import ConfidenceInterval
from analysis.families import ALONE
from analysis.looks import ONLY_IF
from analysis.work import AuditRow
from reviews import printing, step_words
from reviews.breakdowns import in_lines
from reviews.metered import in_sentences
from reviews.printing import IntervalWords
from reviews.queries.comparison_page import ComparisonPage, Found
from reviews.sections import Comparison
from reviews.signs import sign_of


def as_text(page: ComparisonPage) -> str:
    """The comparison in lines: what is compared, verdict, effect, uncertainty, cause, audit, predictions, digest."""
    return "\n".join(_lines(page)) + "\n"


def _lines(page: ComparisonPage) -> Iterator[str]:
    yield f"{page.memo.number} {page.row.key}: {compared_in_words(page.row)}"
    if page.found is None:
        yield page.missing or "Not computed yet."
        return
    if not page.current:
        yield "Out of date: the comparison was changed since; compute it again."
    yield from _said(page.found)


def compared_in_words(row: Comparison) -> str:
    """What is compared: "throughput rate, queue full; primary, higher is better, margin 0.98"."""
    place = f", {row.slice}" if row.slice else ""
    return f"{row.metric} {row.stat}{place}; {row.role}, {row.better} is better, margin {row.margin}"


def _said(found: Found) -> Iterator[str]:
    result = found.result
    yield f"Outcome: {sign_of('outcome', result.outcome).word}. {headline(found)}"
    if result.estimate is not None and result.plan.scale == "ratio":
        among = f" {result.among}" if result.among else ""
        yield f"Effect{among}: {printing.change_in_words(result.estimate.value)} (ratio candidate / baseline)."
    yield f"Uncertainty: {_uncertainty(found)}"
    if result.single_look is not None:
        ends = printing.range_of(result.single_look.lo, result.single_look.hi)
        without = step_words.WITHOUT if result.allowances else ""
        yield f"Struck, {ONLY_IF}: {ends}, {result.single_look.method}{without}."
    if result.slo is not None:
        yield f"Limit, beside the verdict: {result.slo.said}"
    yield from in_sentences(result)
    yield from (f"{name}: {said}" for name, said in step_words.facts(result))
    yield from (f"{name}: {said}" for name, said in found.procedures)
    yield f"Cause: {result.attribution.sentence}"
    yield from found.failures
    yield f"Look {result.plan.look} of {result.plan.looks} declared."
    yield from (f"Notice: {notice.sentence}" for notice in result.notices)
    yield from (
        f"Prediction {j.key} of {j.hypothesis}: {sign_of('judgement', j.outcome).word}. {j.sentence}"
        for j in found.judged
    )
    yield from (line for one in found.breakdowns for line in in_lines(one))
    yield from found.sessions
    yield from _audit(tuple(line.row for line in found.differing), len(found.alike))
    yield f"Assessment {found.assessment.digest}"


def headline(found: Found) -> str:
    """The verdict's headline, or why there is none."""
    result = found.result
    if result.refusal is not None:
        return f"{result.refusal.message} {result.refusal.needs}"
    if result.verdict is None:
        return "See the failed runs."
    return f"{ALONE.get(result.plan.role, '')}{result.verdict.headline}."


def _uncertainty(found: Found) -> str:
    interval = found.result.interval
    shown = found.interval
    if interval is None or shown is None:
        return "no interval can be given."
    words = IntervalWords(shown.level, shown.method, shown.replicates, shown.scope)
    return printing.interval(shown.estimate, shown.low, shown.high, words) + assumed(interval)


def assumed(interval: ConfidenceInterval) -> str:
    """The assumptions as a part of a sentence, "" for none."""
    return f"; assumes: {'; '.join(interval.assumptions)}." if interval.assumptions else "."


def _audit(differing: tuple[AuditRow, ...], alike: int) -> Iterator[str]:
    yield f"Work audit: {printing.plural(alike, 'setting')} the same or as declared, {len(differing)} to look at."
    yield from (f"- {row.sentence}" for row in differing)
