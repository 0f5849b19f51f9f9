"""Secrets and texts in a file that is sent, before it is stored: refused, taken out, or kept by a named person."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Final

from reviews.capture import search, texts
from reviews.capture.record import Provenance
from reviews.capture.search import NOT_SEARCHED, SECRET, TEXTS
from reviews.errors import BadInput, Missing
from reviews.services import wellformed
from reviews.vocabulary import Source

SHOWN: Final = 3
LONGEST: Final = 500
WAYS: Final = {
    SECRET: "Revoke it and take it out of the file; or say why the file is kept as it is (kept_because): that is "
    "recorded with your name.",
    TEXTS: "No number needs them: send the file without them (drop_texts), or say why they are kept (kept_because): "
    "that is recorded with your name.",
    NOT_SEARCHED: "Send it unpacked; or say why it is kept as it is (kept_because): that is recorded with your name.",
}
SAID: Final = {SECRET: "a secret was found", TEXTS: "texts were found", NOT_SEARCHED: "a part could not be searched"}


@dataclass(frozen=True, slots=True)
class Texts:
    """What becomes of what is found. drop: prompts and generated texts are taken out, whatever is found besides.

    kept_because: why somebody keeps the file as it is; "" refuses it.
    """

    drop: bool = False
    kept_because: str = ""


REFUSED: Final = Texts()


@dataclass(frozen=True, slots=True)
class Screened:
    """A file that may be stored. blocks: of it without its texts, None when it stays byte for byte.

    provenance: what is said of that. kept: what was found and is kept, in sentences.
    """

    blocks: Iterable[bytes] | None
    provenance: Provenance
    kept: tuple[str, ...]


def screen(file: IO[bytes], name: str, sha256: str, wanted: Texts) -> Screened:
    """The file as it may be stored. sha256: of its bytes as they came.

    Raises:
        BadInput: secret_found, texts_found, not_searched; texts_not_dropped where texts cannot be taken out; and a
            reason that is too long.
    """
    if wanted.kept_because:
        wellformed.require_text(wanted.kept_because, "kept_because", longest=LONGEST, code="no_reason")
    searched = search.search(file, name)
    found = searched.found
    dropping = wanted.drop and any(one.code == TEXTS for one in found)
    if dropping:
        found = _left_when_dropped(file, name, searched)
    if found and not wanted.kept_because:
        raise _refused(name, found)
    said: dict[str, dict[str, str]] = {}
    if dropping:
        fields = ", ".join(searched.texts.fields) if searched.texts else ""
        value = f"{fields}; the file as it came: SHA-256 {sha256}"
        said["texts_dropped"] = {"value": value, "source": Source.CAPTURE.value}
    if found:
        said["kept_because"] = {"value": wanted.kept_because, "source": Source.TYPED.value}
    blocks = texts.blocks_without(file, searched.texts) if dropping and searched.texts else None
    return Screened(blocks, said, tuple(one.sentence for one in found))


def _left_when_dropped(file: IO[bytes], name: str, searched: search.Searched) -> tuple[Missing, ...]:
    """What is still there without the texts. Raises BadInput(texts_not_dropped)."""
    if searched.texts is None:
        raise BadInput(
            f"{name} is packed, or no UTF-8, and holds texts: they cannot be taken out of it.",
            needs="Send it unpacked and as UTF-8; or say why they are kept (kept_because).",
            code="texts_not_dropped",
            where=name,
        )
    texts.refuse_broken(searched.texts, name)
    blocks, secrets = search.secrets_of(texts.blocks_without(file, searched.texts), name)
    _exhaust(blocks)
    return tuple(secrets)


def _exhaust(blocks: Iterator[bytes]) -> None:
    for _ in blocks:
        pass


def _refused(name: str, found: tuple[Missing, ...]) -> BadInput:
    """The refusal: of secrets first, else of texts, else of what could not be searched."""
    codes = [one.code for one in found]
    code = next(one for one in (SECRET, TEXTS, NOT_SEARCHED) if one in codes)
    named = [one.sentence for one in sorted(found, key=lambda one: one.code != code)]
    more = f" And {len(named) - SHOWN} more." if len(named) > SHOWN else ""
    message = f"{name} is not stored, because {SAID[code]}, and what is stored stays. {' '.join(named[:SHOWN])}{more}"
    return BadInput(message, needs=WAYS[code], code=code, where=name, missing=found)
