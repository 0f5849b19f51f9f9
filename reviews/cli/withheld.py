"""Secrets and customers' texts in files that are about to be sent: found before anything is stored."""

import io
from collections.abc import Iterable
from dataclasses import dataclass

from analysis.evidence.format import Document
from reviews.capture import texts
from reviews.capture.search import NOT_SEARCHED, SECRET, TEXTS, search
from reviews.cli.command import complain
from reviews.errors import Missing, Refusal


@dataclass(frozen=True, slots=True)
class Checked:
    """A file as it will be sent. dropped: the fields that were emptied. found: what is in it that stops it."""

    document: Document
    dropped: tuple[str, ...]
    found: tuple[Missing, ...]


def checked(document: Document, *, drop: bool) -> Checked:
    """The file, its texts dropped if asked for, and what was found in it. Raises Refusal(texts_not_dropped)."""
    name = document.name
    searched = search(document.opened(), name)
    if not (drop and any(one.code == TEXTS for one in searched.found)):
        return Checked(document, (), searched.found)
    if searched.texts is None:
        raise Refusal(
            f"{name} is packed, or no UTF-8, and holds texts.",
            needs="Send it unpacked and as UTF-8, so that they can be taken out; or with --keep-texts WHY.",
            code="texts_not_dropped",
            where=name,
        )
    kept = Document(texts.without(document.content, name), name)
    return Checked(kept, tuple(searched.texts.fields), search(io.BytesIO(kept.content), name).found)


def refuse(files: Iterable[Checked], *, keep: bool) -> None:
    """Nothing when nothing was found, or all is to be kept, which is said.

    Raises:
        Refusal: secret_found, texts_found, not_searched; nothing is sent then.
    """
    found = [one for file in files for one in file.found]
    if keep:
        for one in found:
            complain(f"{one.sentence} It is sent as it is.")
        return
    secret = [one for one in found if one.code == SECRET]
    if secret:
        raise Refusal(
            "Nothing was sent: there are secrets in the files, and what is stored stays.",
            needs="Revoke them and take them out of the files; --keep-texts WHY sends the files as they are.",
            code=SECRET,
            missing=found,
        )
    if any(one.code == TEXTS for one in found):
        raise Refusal(
            "Nothing was sent: the files hold prompts or generated texts, and what is stored stays.",
            needs="No number needs them: --drop-texts sends the files without them, --keep-texts WHY as they are.",
            code=TEXTS,
            missing=found,
        )
    if found:
        raise Refusal(
            "Nothing was sent: a part of the files could not be searched, and what is stored stays.",
            needs="Send them unpacked; --keep-texts WHY sends the files as they are.",
            code=NOT_SEARCHED,
            missing=found,
        )
