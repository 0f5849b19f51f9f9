"""What is said of where an artifact comes from, checked when it is taken in."""

from typing import Final

from django.contrib.auth.models import User
from django.utils import timezone

from reviews.capture.record import NAMES, Provenance
from reviews.errors import BadInput
from reviews.models import Artifact, ProvenanceStatement
from reviews.policies import numbers
from reviews.policies.facts import RuleError
from reviews.services import events
from reviews.vocabulary import Source

TIMES: Final = ("started_at", "ended_at")


def require(provenance: Provenance) -> None:
    """Nothing, when each part is known and has a value with its source. Raises BadInput naming what does not fit."""
    for name, stated in provenance.items():
        where = f"provenance.{name}"
        if name not in NAMES:
            raise BadInput(
                f"{name!r} is no part of a provenance.", needs=f"Choose of: {', '.join(NAMES)}.", where=where
            )
        if set(stated) != {"value", "source"} or stated["source"] not in Source.values:
            raise BadInput(
                f"{name} has a value and a source.", needs=f"A source is: {', '.join(Source.values)}.", where=where
            )
        if name in TIMES:
            _require_time(stated["value"], where)


def keep_beside(artifact: Artifact, provenance: Provenance, actor: User) -> None:
    """What is said of known bytes and was not said yet, as rows of their own."""
    known = {(name, said["value"], said["source"]) for name, said in artifact.provenance.items()}
    known |= set(artifact.statements.values_list("name", "value", "source"))
    for name, said in sorted(provenance.items()):
        if (name, said["value"], said["source"]) not in known:
            ProvenanceStatement.objects.create(
                artifact=artifact, name=name, value=said["value"], source=said["source"], said_by=actor,
                said_by_name=events.name_of(actor), said_at=timezone.now(),
            )  # fmt: skip


def _require_time(text: str, where: str) -> None:
    try:
        numbers.moment(text, where)
    except RuleError as error:
        raise BadInput(f"{text[:60]!r} is no time.", needs="Write ISO 8601, in UTC.", where=where) from error
