"""Whether the bytes of a memo's files are still what their digests say; redacted ones are gone and said to be."""

from collections.abc import Iterator

from reviews.models import Artifact, Memo
from reviews.queries.facts_of_evidence import files_named
from reviews.services import revisions, store


def faults(memo: Memo) -> Iterator[str]:
    """Files whose bytes are missing or changed, and redacted ones whose bytes stand there again."""
    for row in _files(memo):
        if hasattr(row, "redaction"):
            if store.holds(row.sha256):
                yield f"the bytes of {row.name} are in the store, although they were {row.redaction.said}"
        elif not store.holds(row.sha256):
            yield f"the bytes of {row.name} are not in the store"
        elif not store.is_sound(row.sha256):
            yield f"the bytes of {row.name} are not what their digest says"


def redacted(memo: Memo) -> tuple[str, ...]:
    """The files whose bytes were taken away by a record, each with it: no fault."""
    return tuple(
        f"bytes redacted: {row.name} ({row.sha256[:12]}…, {row.size} bytes) was {row.redaction.said}"
        for row in _files(memo)
        if hasattr(row, "redaction")
    )


def _files(memo: Memo) -> list[Artifact]:
    """Those that the memo names now, and those that any of its revisions named."""
    named = frozenset().union(*(files_named(revisions.content_of(row)) for row in memo.revisions.order_by("number")))
    return list(Artifact.objects.filter(sha256__in=named).select_related("redaction").order_by("sha256"))
