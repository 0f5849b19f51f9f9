"""What changed between two revisions of a memo, by record, and in numbers where an assessment changed."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from reviews.errors import NotVisible
from reviews.memo_text.difference import RecordChange, difference
from reviews.models import Memo, Revision
from reviews.printing import plural, utc
from reviews.queries.intervals import in_numbers
from reviews.sections import Evidence, MemoContent, SealedSet, content_from_json
from reviews.vocabulary import SectionName


def numbers_of(memo: Memo, *contents: MemoContent) -> Mapping[str, str]:
    """Digest -> the numbers of every assessment that the contents name; one query."""
    named = {row.assessment for content in contents for row in content.comparisons.comparisons if row.assessment}
    rows = memo.assessments.filter(digest__in=named).values_list("digest", "result")
    return {digest: in_numbers(result) for digest, result in rows}


def between(memo: Memo, old: MemoContent, new: MemoContent) -> tuple[RecordChange, ...]:
    """The changes from one content of the memo to another; an assessment is shown by its numbers."""
    rest = difference(replace(old, evidence=new.evidence), new, numbers=numbers_of(memo, old, new))
    places = list(SectionName.values)
    return tuple(sorted((*rest, *_sets(old.evidence, new.evidence)), key=lambda one: places.index(one.section)))


def _sets(old: Evidence, new: Evidence) -> Iterator[RecordChange]:
    """Evidence changes by whole sets: a sealed one never changes."""
    before, after = ({sealed.number: _said(sealed) for sealed in one.sets} for one in (old, new))
    for number in sorted({*before, *after}):
        if before.get(number) != after.get(number):
            yield RecordChange(SectionName.EVIDENCE, f"set {number}", before.get(number, ""), after.get(number, ""))


def _said(sealed: SealedSet) -> str:
    rows = plural(len(sealed.attachments), "row")
    return f"“{sealed.title}”: {rows}, sealed by {sealed.sealed_by} on {utc(sealed.sealed_at)}"


def since(memo: Memo, number: int, current: Revision) -> tuple[RecordChange, ...]:
    """What changed from revision `number` to the current one. Raises NotVisible for a number that is none."""
    old = memo.revisions.filter(number=number).first()
    if old is None:
        raise NotVisible(f"{memo.number} has no revision {number}.", needs=f"It has 1 to {current.number}.")
    return between(memo, content_from_json(old.sections), content_from_json(current.sections))


def since_digest(memo: Memo, digest: str, current: Revision) -> tuple[RecordChange, ...]:
    """What changed since the revision with that digest; nothing when it is no revision of the memo."""
    old = memo.revisions.filter(digest=digest).order_by("-number").first()
    return () if old is None else between(memo, content_from_json(old.sections), content_from_json(current.sections))
