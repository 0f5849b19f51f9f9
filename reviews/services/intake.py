"""A file taken into the store: looked through for secrets and texts first, named by its bytes, read by a job after."""

from collections.abc import Iterable
from typing import Final

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from reviews.capture.record import Provenance
from reviews.errors import BadInput, NotPermitted, Redacted
from reviews.models import Artifact
from reviews.queries import people
from reviews.queries.redacted import redactions_of
from reviews.services import events, jobs, parsing, screening, store, wellformed
from reviews.services import provenance as provenances
from reviews.services.screening import REFUSED, Texts
from reviews.services.store import Stored
from reviews.vocabulary import StandingRole

UNREAD: Final = "application/octet-stream"


def take_in(
    *, actor: User, name: str, chunks: Iterable[bytes], provenance: Provenance, texts: Texts = REFUSED
) -> Artifact:
    """The artifact of these bytes; the known one when the same bytes came before. Its parse is asked for.

    What is said anew of known bytes is kept beside what was said first, and replaces nothing. While the bytes arrive
    and are looked through no transaction is open: only the rows are written in one.

    texts: what becomes of secrets and texts that are found in it, before anything is stored.

    Raises:
        NotPermitted: the actor holds no role in any team, or only reads ("no_role"); before any byte is stored.
        TooLarge: more bytes than the limit. BadInput: no bytes, no name, a provenance that says nothing known, and what
            services/screening.py refuses. Redacted: these very bytes were taken away before.
    """
    _require_a_team(actor)
    wellformed.require_text(name, "name", longest=300, code="no_name")
    provenances.require(provenance)
    with store.received(chunks, limit_bytes=settings.ARTIFACT_LIMIT_BYTES) as arrived:
        if arrived.size == 0:
            raise BadInput(f"{name} is empty.", needs="Send a file with content.", code="empty_file", where="file")
        if not texts.drop and (gone := redactions_of([arrived.sha256]).get(arrived.sha256)):
            raise Redacted(
                f"These bytes were {gone.said}: they are not stored again.",
                needs="Send the file without what was redacted.",
            )
        if not texts.drop and Artifact.objects.filter(sha256=arrived.sha256).exists():
            return _known_or_new(actor, name, store.keep(arrived), provenance, ())
        screened = screening.screen(arrived.file, name, arrived.sha256, texts)
        if screened.blocks is None:
            stored = store.keep(arrived)
        else:
            stored = store.put(screened.blocks, limit_bytes=settings.ARTIFACT_LIMIT_BYTES)
    return _known_or_new(actor, name, stored, {**provenance, **screened.provenance}, screened.kept)


def _require_a_team(actor: User) -> None:
    """A file is kept for a team: who belongs to none, or only audits, fills nobody's store."""
    held = frozenset[str]().union(*people.roles_by_team(actor).values())
    if not actor.is_active or not held - {StandingRole.AUDITOR.value}:
        raise NotPermitted(
            "Files are taken from people who hold a role in a team, other than auditor.",
            needs="Ask an administrator of your team for the role author or contributor.",
            code="no_role",
        )


@transaction.atomic
def _known_or_new(actor: User, name: str, stored: Stored, provenance: Provenance, kept: tuple[str, ...]) -> Artifact:
    """The artifact of stored bytes. kept: what was found in them, and somebody keeps."""
    known = Artifact.objects.filter(sha256=stored.sha256)
    if row := known.first():
        provenances.keep_beside(row, provenance, actor)
        return row
    try:
        with transaction.atomic():
            artifact = Artifact.objects.create(
                sha256=stored.sha256,
                name=name,
                size=stored.size,
                sniffed_type=UNREAD,
                provenance=provenance,
                taken_in_by=actor,
                taken_in_by_name=events.name_of(actor),
                taken_in_at=timezone.now(),
            )
    except IntegrityError:
        return known.get()
    more = {"kept": list(kept), "kept_because": provenance["kept_because"]["value"]} if kept else {}
    events.append(artifact, actor, "take_in", sha256=stored.sha256, name=name, size=stored.size, **more)
    jobs.request(actor=actor, kind=parsing.JOB, subject=artifact, arguments={"format": ""})
    return artifact
