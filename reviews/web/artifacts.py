"""One file of the evidence: what is known of it, what was read from it, and its bytes as a download."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeVar

from django.contrib.auth.models import User
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from analysis.measurements import Measurement, Setting
from analysis.reading import Reading
from reviews.queries import readings, recalled, redacted
from reviews.services import evidence, origins, parsing, reading, recalls, redactions, store
from reviews.vocabulary import ParseState
from reviews.web.acting import done, values_of
from reviews.web.door import actor_of
from reviews.web.forms.evidence import ChooseFormat, Redact

FIRST_ROWS: Final = 40
Row = TypeVar("Row", Measurement, Setting)


@dataclass(frozen=True, slots=True)
class Preview:
    """The first rows of what was read. more: how many are not shown."""

    reading: Reading
    measurements: tuple[Measurement, ...]
    settings: tuple[Setting, ...]
    more_measurements: int
    more_settings: int


@require_safe
def artifact(request: HttpRequest, sha256: str) -> HttpResponse:
    """The page of a file."""
    actor = actor_of(request)
    stored = readings.artifact_for(actor, sha256)
    context = {
        "file": stored.artifact,
        "stored": stored,
        "read": stored.read,
        "origins": origins.origins_of(stored.artifact, stored.parse),
        "memos": readings.memos_with(actor, sha256),
        "preview": _preview(stored),
        "choose": ChooseFormat(None, names=parsing.format_names()),
        "held": store.holds(sha256),
        "may_recall": not stored.recalled and recalled.may_recall(actor, stored.artifact),
        "redact": Redact(None) if _may_redact(actor, stored) else None,
        "effects": redacted.effects(actor, sha256),
        "crumbs": [("Memos", reverse("memos")), (stored.artifact.name, "")],
    }
    return render(request, "reviews/artifact.html", context)


@require_safe
def artifact_bytes(request: HttpRequest, sha256: str) -> FileResponse:
    """The bytes as they came, always as a download: a browser never shows them as a page of this site."""
    stored = readings.artifact_for(actor_of(request), sha256)
    return as_download(sha256, stored.artifact.name, "application/octet-stream")


@require_POST
def choose_format(request: HttpRequest, sha256: str) -> HttpResponse:
    """The file read again as the format that somebody chose."""
    actor = actor_of(request)
    readings.artifact_for(actor, sha256)
    name = values_of(ChooseFormat(request.POST, names=parsing.format_names()))["format"]
    evidence.override_format(actor=actor, artifact=sha256, name=name)
    return done(request, reverse("artifact", args=[sha256]), f"It will be read as {name}.")


@require_POST
def recall(request: HttpRequest, sha256: str) -> HttpResponse:
    """The file must not be trusted any more."""
    actor = actor_of(request)
    recalls.recall(actor=actor, sha256=sha256, reason=request.POST.get("reason", ""))
    return done(
        request, reverse("artifact", args=[sha256]), "The file is recalled. The memos that cite it are flagged."
    )


@require_POST
def redact(request: HttpRequest, sha256: str) -> HttpResponse:
    """The bytes of the file taken away for good."""
    actor = actor_of(request)
    readings.artifact_for(actor, sha256)
    redactions.redact(actor=actor, sha256=sha256, **values_of(Redact(request.POST)))
    return done(request, reverse("artifact", args=[sha256]), "The bytes are redacted. The memos that hold it are told.")


@require_POST
def stop_reading(request: HttpRequest, sha256: str) -> HttpResponse:
    """The reading of the file, stopped."""
    reading.stop(actor=actor_of(request), artifact=sha256)
    return done(request, reverse("artifact", args=[sha256]), "It is not read any further.")


@require_POST
def read_again(request: HttpRequest, sha256: str) -> HttpResponse:
    """The file read once more, after its reading was stopped or failed."""
    reading.again(actor=actor_of(request), artifact=sha256)
    return done(request, reverse("artifact", args=[sha256]), "It will be read again.")


def as_download(sha256: str, name: str, content_type: str) -> FileResponse:
    """Bytes of the store under a name. Raises NotVisible when they are not there."""
    response = FileResponse(
        store.open_artifact(sha256), as_attachment=True, filename=name.rpartition("/")[2], content_type=content_type
    )
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response.headers["ETag"] = f'"{sha256}"'
    return response


def _may_redact(actor: User, stored: readings.Stored) -> bool:
    return not stored.redacted and redacted.may_redact(actor, stored.artifact)


def _preview(stored: readings.Stored) -> Preview | None:
    """None for a file without measurements, or with redacted ones."""
    if stored.redacted or stored.parse is None or stored.parse.state != ParseState.PARSED:
        return None
    reading = parsing.reading_of(stored.parse)
    return Preview(
        reading=reading,
        measurements=_first(reading.measurements),
        settings=_first(reading.settings),
        more_measurements=max(0, len(reading.measurements) - FIRST_ROWS),
        more_settings=max(0, len(reading.settings) - FIRST_ROWS),
    )


def _first(rows: Iterable[Row]) -> tuple[Row, ...]:
    return tuple(islice(rows, FIRST_ROWS))
