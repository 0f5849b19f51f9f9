"""From a dossier to the bytes of its PDF: the same bytes for the same dossier on one installation."""

import gc
import hashlib
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Protocol

from django.template.loader import render_to_string

from reviews import printing
from reviews.pdf.record import Record, record_of

if TYPE_CHECKING:
    from weasyprint import Attachment

VARIANT: Final = "pdf/a-3a"
TEMPLATE: Final = "pdf/record.html"
DOSSIER_NAME: Final = "dossier.json"


class Paper(StrEnum):
    """The sheet that is printed on."""

    A4 = "A4"
    LETTER = "letter"


class AssetRefused(RuntimeError):
    """The page names something outside itself; a record is rendered from its dossier alone."""


def render(dossier: Mapping[str, Any], paper: Paper = Paper.A4) -> bytes:
    """The PDF of a decision: tagged, with bookmarks, declaring PDF/A-3a, with the dossier's canonical JSON attached.

    Raises:
        KeyError, msgspec.ValidationError: the dossier has not the shape that services/dossiers.py writes.
        AssetRefused: the page names a picture or file outside itself.
    """
    from weasyprint import HTML  # noqa: PLC0415
    from weasyprint.urls import FatalURLFetchingError, URLFetcher  # noqa: PLC0415

    record = record_of(dossier)
    only_itself = URLFetcher(allowed_protocols={"data"}, fail_on_errors=True)
    with _without_collecting(), _without_a_word_about_the_profile():
        try:
            pdf = HTML(string=html_of(record, paper), url_fetcher=only_itself).write_pdf(
                pdf_variant=VARIANT,
                pdf_identifier=_identifier(record, paper),
                attachments=[_dossier_file(record)],
                finisher=drop_doubled_files,
            )
        except FatalURLFetchingError as error:
            raise AssetRefused(f"The record is rendered from its dossier alone. {error}") from error
    return bytes(pdf)


def html_of(record: Record, paper: Paper) -> str:
    """The page as HTML, with everything that it shows inside it."""
    recorded = printing.moment(record.raw["decision"]["recorded_at"]).isoformat(timespec="seconds")
    return render_to_string(TEMPLATE, {"record": record, "dossier": record.raw, "paper": paper, "recorded": recorded})


class Catalogued(Protocol):
    """What of a PDF under way is needed here: its catalogue."""

    catalog: dict[str, list[str]]


def drop_doubled_files(_document: object, pdf: Catalogued) -> None:
    """Every attached file is named once in the catalogue, where WeasyPrint names it twice."""
    pdf.catalog["AF"][:] = dict.fromkeys(pdf.catalog["AF"])


def _dossier_file(record: Record) -> "Attachment":
    from weasyprint import Attachment  # noqa: PLC0415

    at = _recorded(record)
    return Attachment(
        string=record.text,
        name=DOSSIER_NAME,
        description=f"The frozen dossier, SHA-256 {record.sha256}",
        created=at,
        modified=at,
        relationship="Source",
    )


def _recorded(record: Record) -> datetime:
    return printing.moment(record.raw["decision"]["recorded_at"])


def _identifier(record: Record, paper: Paper) -> bytes:
    return hashlib.sha256(f"{record.sha256} {paper}".encode()).hexdigest()[:32].encode()


@contextmanager
def _without_a_word_about_the_profile() -> Iterator[None]:
    """WeasyPrint leaves the file of its own colour profile to the garbage collector."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"unclosed file .*sRGB2014", category=ResourceWarning)
        yield


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Layout makes millions of objects that stay to its end: looking for garbage meanwhile costs most of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
