"""Secrets and customers' texts in files that are about to be sent: found before anything is stored."""

from collections.abc import Iterable
from dataclasses import dataclass

from analysis.errors import MalformedEvidence
from analysis.evidence import containers
from analysis.evidence.format import Document
from reviews.capture import secrets, texts
from reviews.cli.command import complain
from reviews.errors import Missing, Refusal


@dataclass(frozen=True, slots=True)
class Checked:
    """A file as it will be sent. dropped: the fields that were emptied. found: secrets and texts that are in it."""

    document: Document
    dropped: tuple[str, ...]
    found: tuple[Missing, ...]


def checked(document: Document, *, drop: bool) -> Checked:
    """The file, its texts dropped if asked for, and what was found in it. Raises Refusal(texts_not_dropped)."""
    inside = _inside(document)
    fields = tuple(dict.fromkeys(field for one in inside for field in texts.fields_in(one.content)))
    if drop and fields:
        if inside[0].content != document.content:
            raise Refusal(
                f"{document.name} is packed, and holds {', '.join(fields)}.",
                needs="Unpack it, so that they can be taken out; or send it with --keep-texts.",
                code="texts_not_dropped",
                where=document.name,
            )
        kept = Document(texts.without(document.content, document.name), document.name)
        return Checked(kept, fields, tuple(_secrets(kept.name, [kept])))
    named = [Missing("texts_found", f"{document.name} holds texts: {', '.join(fields)}.", "", "")] if fields else []
    return Checked(document, (), (*_secrets(document.name, inside), *named))


def refuse(files: Iterable[Checked], *, keep: bool) -> None:
    """Nothing when nothing was found, or all is to be kept, which is said.

    Raises:
        Refusal: secret_found, texts_found; nothing is sent then.
    """
    found = [one for file in files for one in file.found]
    if keep:
        for one in found:
            complain(f"{one.sentence} It is sent as it is.")
        return
    secret = [one for one in found if one.code == "secret_found"]
    if secret:
        raise Refusal(
            "Nothing was sent: there are secrets in the files, and what is stored stays.",
            needs="Revoke them and take them out of the files; --keep-texts sends the files as they are.",
            code="secret_found",
            missing=found,
        )
    if found:
        raise Refusal(
            "Nothing was sent: the files hold prompts or generated texts, and what is stored stays.",
            needs="No number needs them: --drop-texts sends the files without them, --keep-texts as they are.",
            code="texts_found",
            missing=found,
        )


def _inside(document: Document) -> tuple[Document, ...]:
    """The files in a container, or the file itself; of a container that cannot be opened, its bytes."""
    try:
        return tuple(containers.opened(document).documents) or (document,)
    except MalformedEvidence:
        return (document,)


def _secrets(name: str, inside: Iterable[Document]) -> Iterable[Missing]:
    for one in inside:
        for secret in secrets.found_in(one.content):
            yield Missing("secret_found", f"{one.name or name}, line {secret.line}: {secret.kind}.", "", "")
