"""What a memo's list shows beside its state. Computed, never stored."""

from dataclasses import dataclass

from reviews.policies.facts import GateFacts
from reviews.policies.preview import Preview
from reviews.policies.staleness import stale_sections


@dataclass(frozen=True, slots=True, kw_only=True)
class Flags:
    """ready: some decision may be recorded. stale: some signature is. flagged_by_recall: the memo cites recalled bytes.

    flagged_by_redaction: the memo cites a file whose bytes were taken away.
    still_live_without_authority: a rollout has expired, and production has not ended it.
    """

    ready: bool
    stale: bool
    flagged_by_recall: bool
    flagged_by_redaction: bool
    still_live_without_authority: bool


def flags(facts: GateFacts, preview: Preview, *, live_without_authority: bool) -> Flags:
    """The flags of a memo. preview: of the same facts; live_without_authority: see policies/authorities.py."""
    return Flags(
        ready=preview.least_restrictive is not None,
        stale=any(not s.withdrawn and stale_sections(s.covered, facts.section_digests) for s in facts.signatures),
        flagged_by_recall=any(artifact.recalled for artifact in facts.artifacts.values()),
        flagged_by_redaction=any(artifact.redacted for artifact in facts.artifacts.values()),
        still_live_without_authority=live_without_authority,
    )
