"""Which images a memo speaks for: those that its change names by digest as candidate, and not as baseline too.

A name or a tag can be moved to other bytes, so neither ties an image to a memo.
"""

import re
from typing import Final

from reviews.errors import BadInput
from reviews.sections import Change

DIGEST: Final = re.compile(r"sha256:([0-9a-f]{64})(?![0-9a-f])", re.IGNORECASE)
BARE: Final = re.compile(r"[0-9a-f]{64}", re.IGNORECASE)
ROWS: Final = frozenset({"image", "image_digest", "container_image", "build", "build_digest"})


def candidate_images(change: Change) -> frozenset[str]:
    """The digests that the candidate's identity names: its text, and the rows of the change on the image or build."""
    return _named([change.candidate, *(row.candidate for row in change.rows if _is_image(row.name))])


def baseline_images(change: Change) -> frozenset[str]:
    """The digests that the baseline's identity names."""
    return _named([change.baseline, *(row.baseline for row in change.rows if _is_image(row.name))])


def digest_in(build: str) -> str:
    """The digest of an image that a build names ("sha256:…", "name@sha256:…" or the 64 digits alone), "" for none."""
    found = DIGEST.search(build)
    if found:
        return found.group(1).lower()
    return build.strip().lower() if BARE.fullmatch(build.strip()) else ""


def require_digest(build: str) -> str:
    """The digest that a build names. Raises BadInput for a tag or another name."""
    digest = digest_in(build)
    if not digest:
        raise BadInput(
            f"“{build[:100]}” names no image digest.",
            needs="Give sha256: and 64 hexadecimal digits; a tag can be moved to another image.",
            code="no_digest",
            where="image",
        )
    return digest


def _is_image(name: str) -> bool:
    return re.sub(r"[^a-z0-9]+", "_", name.strip().lower()).strip("_") in ROWS


def _named(texts: list[str]) -> frozenset[str]:
    return frozenset(found.lower() for text in texts for found in DIGEST.findall(text))
