"""Which signatures still speak of what the memo says. Computed, never stored."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from reviews.policies.facts import SignatureFacts


@dataclass(frozen=True, slots=True)
class WouldLapse:
    """A signature that a change of `sections` makes stale."""

    signer: str
    acting_for: str
    role: str
    sections: tuple[str, ...]


def stale_sections(covered: Mapping[str, str], digests: Mapping[str, str]) -> tuple[str, ...]:
    """The covered sections whose digest differs now, sorted; a section that is gone differs."""
    return tuple(sorted(name for name, digest in covered.items() if digests.get(name) != digest))


def would_go_stale(
    signatures: Iterable[SignatureFacts], now: Mapping[str, str], then: Mapping[str, str]
) -> tuple[WouldLapse, ...]:
    """The signatures that hold for the digests `now` and would be stale for `then`; withdrawn ones are left out."""
    return tuple(
        WouldLapse(signature.signer, signature.acting_for, signature.role, stale)
        for signature in signatures
        if not signature.withdrawn
        and not stale_sections(signature.covered, now)
        and (stale := stale_sections(signature.covered, then))
    )
