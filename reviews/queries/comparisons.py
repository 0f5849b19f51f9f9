"""Comparisons of a revision with their assessments, and the headline that they give."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from analysis.families import ALONE
from reviews.models import Assessment, Memo
from reviews.sections import Comparison, MemoContent
from reviews.vocabulary import ComparisonRole


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison and its assessment, None while there is none."""

    row: Comparison
    assessment: Assessment | None

    @property
    def result(self) -> Mapping[str, Any] | None:
        """The frozen result, as `analysis.assess.to_json` wrote it."""
        return self.assessment.result if self.assessment else None


@dataclass(frozen=True, slots=True)
class Headline:
    """What the primary comparison says. comparison: its key, "" while there is none; the interval as in the result."""

    comparison: str
    sentence: str
    outcome: str
    result: Mapping[str, Any] | None


def compared(memo: Memo, content: MemoContent) -> tuple[Compared, ...]:
    """The comparisons of the content, each with its assessment; one query."""
    digests = [row.assessment for row in content.comparisons.comparisons if row.assessment]
    known = {a.digest: a for a in memo.assessments.filter(digest__in=digests)}
    return tuple(Compared(row, known.get(row.assessment)) for row in content.comparisons.comparisons)


def headline(rows: tuple[Compared, ...]) -> Headline:
    """The sentence of the primary comparison: its verdict, or why there is none yet."""
    primary = next((c for c in rows if c.row.role == ComparisonRole.PRIMARY), None)
    if primary is None:
        return Headline("", "No primary comparison yet.", "", None)
    if primary.result is None:
        return Headline(primary.row.key, f"{primary.row.key} is not computed yet.", "", None)
    return Headline(primary.row.key, sentence_of(primary.result), primary.result["outcome"], primary.result)


def sentence_of(result: Mapping[str, Any]) -> str:
    """What a result says, in one sentence; of a claim or a screening, that it is taken alone."""
    if result["outcome"] == "failed_to_serve":
        return "; ".join(
            f"{c['failed']} of {c['runs']} {c['arm']} {c.get('counted', 'runs')} failed to serve"
            for c in result["failures"]
        )
    if result["verdict"] is not None and result["outcome"] == "verdict":
        return ALONE.get(result["plan"]["role"], "") + str(result["verdict"]["headline"])
    return str(result["refusal"]["message"])
