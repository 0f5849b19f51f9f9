"""The numbers behind a signature, then and now, with the margin and the limit that they are held to."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from reviews import printing
from reviews.models import Memo
from reviews.policies.moved import Ends, Mark, sentences
from reviews.queries.intervals import in_numbers, shown
from reviews.sections import Comparison, MemoContent

Result = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NumberChange:
    """A comparison whose numbers or margin are others now. then, now: its numbers, "" for none.

    moved: what became of the margin and the limit, in sentences.
    """

    key: str
    what: str
    then: str
    now: str
    moved: tuple[str, ...]


def results_of(memo: Memo, *contents: MemoContent) -> Mapping[str, Result]:
    """Digest -> result of every assessment that the contents name; one query."""
    named = {row.assessment for content in contents for row in content.comparisons.comparisons if row.assessment}
    return dict(memo.assessments.filter(digest__in=named).values_list("digest", "result"))


def number_changes(then: MemoContent, now: MemoContent, results: Mapping[str, Result]) -> tuple[NumberChange, ...]:
    """The comparisons of `now` whose assessment or margin differs from `then`, and those that are gone."""
    return tuple(_changes(then, now, results))


def _changes(then: MemoContent, now: MemoContent, results: Mapping[str, Result]) -> Iterator[NumberChange]:
    before = {row.key: row for row in then.comparisons.comparisons}
    after = {row.key: row for row in now.comparisons.comparisons}
    for key in dict.fromkeys((*after, *before)):
        old, new = before.get(key), after.get(key)
        if old and new and (old.assessment, old.margin) == (new.assessment, new.margin):
            continue
        row = new or old
        if row is None or not _judged(old, new):
            continue
        first, last = _result(old, results), _result(new, results)
        yield NumberChange(
            key=key,
            what=f"{row.metric} {row.stat}",
            then=in_numbers(first) if first else "",
            now=in_numbers(last) if last else "",
            moved=sentences(_marks(old, new, first, last)),
        )


def _judged(old: Comparison | None, new: Comparison | None) -> bool:
    """Whether there is, or was, a number at all."""
    return any(row is not None and bool(row.assessment) for row in (old, new))


def _result(row: Comparison | None, results: Mapping[str, Result]) -> Result | None:
    return results.get(row.assessment) if row is not None else None


def _marks(old: Comparison | None, new: Comparison | None, first: Result | None, last: Result | None) -> Iterator[Mark]:
    then, now = (row.margin if row is not None else "" for row in (old, new))
    yield Mark("The margin", _exact(then), _exact(now), then, now, _effect(first), _effect(last))
    before, after = (_limit(result) for result in (first, last))
    yield Mark("The limit", before[0], after[0], before[1], after[1], before[2], after[2])


def _effect(result: Result | None) -> Ends | None:
    """The interval of the effect that governs."""
    found = shown(result) if result else None
    return Ends(Fraction(found.low), Fraction(found.high)) if found else None


def _limit(result: Result | None) -> tuple[Fraction | None, str, Ends | None]:
    """The limit on the candidate, as people read it, and the interval of its typical run; None where there is none."""
    answer = (result or {}).get("slo")
    if not answer or "typical_near" not in answer:
        return None, "", None
    ends = sorted(Fraction(answer[name]) for name in ("typical_near", "typical_far"))
    return Fraction(answer["limit"]), printing.quantity(answer["limit"], answer["unit"]), Ends(*ends)


def _exact(text: str) -> Fraction | None:
    return Fraction(text) if text else None
