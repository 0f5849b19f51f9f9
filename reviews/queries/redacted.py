"""Redacted files: who took their bytes away, what stood on them, and which memos have to know."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Q

from reviews.models import Artifact, Attachment, Measurements, Memo, Redaction
from reviews.policies import lifecycle
from reviews.queries import people
from reviews.queries.current import revision_of
from reviews.queries.recalled import memos_that_cite
from reviews.sections import content_from_json
from reviews.vocabulary import OPEN_STATES, Action, State


@dataclass(frozen=True, slots=True)
class Effect:
    """What a redaction takes from one memo. comparisons: keys of those that read the file. undecided: it is open."""

    memo: Memo
    comparisons: tuple[str, ...]
    undecided: bool


def redaction_of(sha256: str) -> Redaction | None:
    """The redaction of the file with that digest, or of the file of which that digest is what was read."""
    rows = Redaction.objects.select_related("artifact")
    return rows.filter(Q(old_digest=sha256) | Q(artifact__parses__measurements__table_sha256=sha256)).first()


def redactions_of(shas: Collection[str]) -> Mapping[str, Redaction]:
    """Digest -> its redaction, for those of the files that have one; one query."""
    rows = Redaction.objects.filter(old_digest__in=shas).select_related("artifact").order_by("pk")
    return {row.old_digest: row for row in rows}


def tables_of(artifact: Artifact) -> frozenset[str]:
    """The digests of the tables that were read from the file, and from no file whose bytes stay."""
    own = Measurements.objects.filter(parse__artifact=artifact).values_list("table_sha256", flat=True)
    others = Measurements.objects.filter(table_sha256__in=list(own), parse__artifact__redaction=None)
    return frozenset(own) - frozenset(others.exclude(parse__artifact=artifact).values_list("table_sha256", flat=True))


def memos_that_hold(sha256: str) -> tuple[Memo, ...]:
    """Every memo that cites the file now, or to which it was ever attached, whoever sees it, by number."""
    ever = Attachment.objects.filter(artifact__sha256=sha256).values("evidence_set__memo")
    citing = [memo.pk for memo in memos_that_cite(sha256)]
    rows = Memo.objects.filter(Q(pk__in=ever) | Q(pk__in=citing))
    return tuple(rows.select_related("team", "current_revision").order_by("pk"))


def may_redact(person: User, artifact: Artifact) -> bool:
    """Whether the person administers the team of a memo that holds the file; who sent it, while no memo does."""
    holding = memos_that_hold(artifact.sha256)
    if not holding:
        return artifact.taken_in_by_id == person.pk
    seen = people.memos_visible_to(person).filter(pk__in=[memo.pk for memo in holding])
    return any(Action.REDACT in lifecycle.allowed(State(memo.state), people.roles_on(person, memo)) for memo in seen)


def effects(person: User, sha256: str) -> tuple[Effect, ...]:
    """What the redaction takes, or took, from each memo that the person sees."""
    rows = people.memos_visible_to(person).filter(pk__in=[memo.pk for memo in memos_that_hold(sha256)])
    return tuple(_effect(memo, sha256) for memo in rows.order_by("pk"))


def _effect(memo: Memo, sha256: str) -> Effect:
    content = content_from_json(revision_of(memo).sections)
    sets = {one.number for one in content.evidence.sets if any(part.artifact == sha256 for part in one.attachments)}
    keys = tuple(row.key for row in content.comparisons.comparisons if row.evidence_set in sets)
    return Effect(memo, keys, memo.state in OPEN_STATES)
