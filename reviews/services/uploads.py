"""Several files sent at once, each attached by itself: one that is refused holds up no other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from django.contrib.auth.models import User

from reviews.errors import BadInput, Refusal, TooLarge
from reviews.label_patterns import labels_in
from reviews.models import Attachment, EvidenceSet
from reviews.policies import lifecycle
from reviews.queries import people
from reviews.services import evidence
from reviews.services.evidence import Labels
from reviews.services.screening import REFUSED, Texts
from reviews.vocabulary import Action, State


@dataclass(frozen=True, slots=True)
class Incoming:
    """A file as it arrives."""

    name: str
    chunks: Iterable[bytes]


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of one file: it is attached, or refused with a reason."""

    name: str
    attachment: Attachment | None
    refusal: Refusal | None


def attach_files(
    *, actor: User, row: EvidenceSet, files: Sequence[Incoming], labels: Labels, pattern: str, texts: Texts = REFUSED
) -> tuple[Taken, ...]:
    """What became of each file, in order. pattern: reads labels from the names, see label_patterns; "" for none.

    texts: what becomes of secrets and texts that are found in a file.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; before anything is stored.
        BadInput: no file, or a name that does not fit the pattern; nothing is stored then.
    """
    memo = people.memo_for(actor, row.memo.number)
    lifecycle.move(Action.ATTACH, State(memo.state), people.roles_on(actor, memo))
    if not files:
        raise BadInput("No file was sent.", needs="Choose one or more files.", code="no_file", where="files")
    labelled = [(file, replace(labels, **labels_in(pattern, file.name))) for file in files]
    return tuple(_attach(actor, row, file, said, texts) for file, said in labelled)


def _attach(actor: User, row: EvidenceSet, file: Incoming, labels: Labels, texts: Texts) -> Taken:
    placed = replace(labels, placement_source="typed" if labels.placement else "")
    try:
        artifact = evidence.take_in(actor=actor, name=file.name, chunks=file.chunks, provenance={}, texts=texts)
        attached = evidence.attach(actor=actor, set_id=row.pk, artifact=artifact.sha256, labels=placed, token=None)
    except (BadInput, TooLarge) as refusal:
        return Taken(file.name, None, refusal)
    return Taken(file.name, attached, None)
