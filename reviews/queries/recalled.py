"""Recalled and redacted files and the memos that cite them: in a set that counts, or as the procedure of a rollout."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Q, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from reviews.models import Artifact, Attachment, Memo, Recall, Redaction, Signature
from reviews.policies import lifecycle
from reviews.queries import people
from reviews.queries.current import revision_of
from reviews.queries.facts_of_evidence import files_named
from reviews.sections import MemoContent, content_from_json
from reviews.vocabulary import Action, SectionName, State


def memos_that_cite(sha256: str) -> tuple[Memo, ...]:
    """Every memo that cites the file now, whoever sees it, by number."""
    attached = Attachment.objects.filter(artifact__sha256=sha256, detachment__isnull=True).values("evidence_set__memo")
    procedure = KeyTextTransform("procedure", KeyTextTransform(SectionName.ROLLOUT.value, "current_revision__sections"))
    rows = Memo.objects.annotate(procedure=Cast(procedure, TextField()))
    return tuple(rows.filter(Q(pk__in=attached) | Q(procedure=sha256)).select_related("team").order_by("pk"))


def may_recall(person: User, artifact: Artifact) -> bool:
    """Whether the person sent the file, or is author, contributor or board of a memo that cites it."""
    citing = people.memos_visible_to(person).filter(pk__in=[memo.pk for memo in memos_that_cite(artifact.sha256)])
    return artifact.taken_in_by_id == person.pk or any(
        Action.RECALL in lifecycle.allowed(State(memo.state), people.roles_on(person, memo)) for memo in citing
    )


@dataclass(frozen=True, slots=True)
class Cited:
    """A memo that cites recalled or redacted files. signers: whose signature on it stands."""

    memo: Memo
    recalls: tuple[Recall, ...]
    redactions: tuple[Redaction, ...]
    signers: frozenset[str]
    rollback_owner: str


def cited_losses(memos: Collection[Memo]) -> tuple[Cited, ...]:
    """Those of the memos that cite recalled or redacted files; one query while there are none, and two more else."""
    lost = Artifact.objects.filter(Q(recalls__isnull=False) | Q(redaction__isnull=False)).distinct()
    files = list(lost.select_related("redaction").prefetch_related("recalls").order_by("pk"))
    known = {file.sha256 for file in files}
    found = [(memo, content) for memo in memos if known and (content := _citing(memo, known))]
    signers = _signers([memo.pk for memo, _ in found])
    return tuple(
        Cited(
            memo,
            tuple(row for file in _named(files, content) for row in file.recalls.all()),
            tuple(file.redaction for file in _named(files, content) if hasattr(file, "redaction")),
            frozenset(signers[memo.pk]),
            content.rollout.owner,
        )
        for memo, content in found
    )


def _named(files: Collection[Artifact], content: MemoContent) -> tuple[Artifact, ...]:
    named = files_named(content)
    return tuple(file for file in files if file.sha256 in named)


def _citing(memo: Memo, lost: Collection[str]) -> MemoContent | None:
    content = content_from_json(revision_of(memo).sections)
    return content if files_named(content) & set(lost) else None


def _signers(memos: Collection[int]) -> Mapping[int, set[str]]:
    found: dict[int, set[str]] = defaultdict(set)
    rows = Signature.objects.filter(memo__in=memos, withdrawal__isnull=True)
    for memo, name in rows.values_list("memo", "signer__username"):
        found[memo].add(name)
    return found
