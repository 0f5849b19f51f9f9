"""Recalled files and the memos that cite them: in a set that counts, or as the procedure of a rollout."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Q, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from reviews.models import Artifact, Attachment, Memo, Recall, Signature
from reviews.policies import lifecycle
from reviews.queries import people
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
    """A memo that cites recalled files. signers: whose signature on it stands."""

    memo: Memo
    recalls: tuple[Recall, ...]
    signers: frozenset[str]
    rollback_owner: str


def cited_recalls(memos: Collection[Memo]) -> tuple[Cited, ...]:
    """Those of the memos that cite recalled files; one query while none does, and one more else."""
    rows = list(Recall.objects.select_related("artifact").order_by("pk"))
    recalled = {row.artifact.sha256 for row in rows}
    found = [(memo, content) for memo in memos if recalled and (content := _citing(memo, recalled))]
    signers = _signers([memo.pk for memo, _ in found])
    return tuple(
        Cited(
            memo,
            tuple(row for row in rows if row.artifact.sha256 in files_named(content)),
            frozenset(signers[memo.pk]),
            content.rollout.owner,
        )
        for memo, content in found
    )


def _citing(memo: Memo, recalled: Collection[str]) -> MemoContent | None:
    assert memo.current_revision is not None  # noqa: S101 (a memo that others see has one)
    content = content_from_json(memo.current_revision.sections)
    return content if files_named(content) & set(recalled) else None


def _signers(memos: Collection[int]) -> Mapping[int, set[str]]:
    found: dict[int, set[str]] = defaultdict(set)
    rows = Signature.objects.filter(memo__in=memos, withdrawal__isnull=True)
    for memo, name in rows.values_list("memo", "signer__username"):
        found[memo].add(name)
    return found
