"""All sections of one revision together, their canonical JSON and their digests."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

import msgspec
import rfc8785

from reviews.sections.intended import ProposedAction, Rollout, Signoff
from reviews.sections.measured import Comparisons, Evidence
from reviews.sections.narrative import Change, Header, Hypotheses, Symptom
from reviews.vocabulary import SectionName


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoContent:
    """All sections of one revision."""

    header: Header
    symptom: Symptom = field(default_factory=Symptom)
    change: Change = field(default_factory=Change)
    hypotheses: Hypotheses = field(default_factory=Hypotheses)
    evidence: Evidence = field(default_factory=Evidence)
    comparisons: Comparisons = field(default_factory=Comparisons)
    action: ProposedAction = field(default_factory=ProposedAction)
    rollout: Rollout = field(default_factory=Rollout)
    signoff: Signoff = field(default_factory=Signoff)


Section = Header | Symptom | Change | Hypotheses | Evidence | Comparisons | ProposedAction | Rollout | Signoff

SILENT: Final = (("clock", ""), ("scope", ()))
"""Members that came after the first memos, as they say nothing: sections without them keep their digests."""
TYPES: Final[Mapping[str, type[Any]]] = {f.name: f.type for f in fields(MemoContent)}  # type: ignore[misc]


def to_json(section: Section) -> dict[str, Any]:
    """A section as JSON values. A clock or a scope that is not stated is left out."""
    return dict(_without_silence(msgspec.to_builtins(section)))


def _without_silence(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_silence(inner) for name, inner in value.items() if (name, inner) not in SILENT}
    return [_without_silence(inner) for inner in value] if isinstance(value, list | tuple) else value


def from_json(name: str, value: object) -> Any:
    """The section `name` from JSON values; raises msgspec.ValidationError naming the path (`$.stages[0].percent`)."""
    return msgspec.convert(value, TYPES[name])


def content_from_json(sections: Mapping[str, object]) -> MemoContent:
    """A whole content from {section name: JSON}; a section left out takes its empty form (all but the header)."""
    return MemoContent(**{name: from_json(name, value) for name, value in sections.items()})


def content_to_json(content: MemoContent) -> dict[str, Any]:
    """A whole content as {section name: JSON}, in the order of the page."""
    return {name: to_json(getattr(content, name)) for name in SectionName.values}


def digest_of(value: object) -> str:
    """SHA-256 (hex) of the RFC 8785 JSON of `value`."""
    return hashlib.sha256(rfc8785.dumps(value)).hexdigest()  # type: ignore[arg-type]


def section_digests(sections: Mapping[str, object]) -> dict[str, str]:
    """The digest of each section, by name."""
    return {name: digest_of(value) for name, value in sections.items()}


def revision_digest(digests: Mapping[str, str]) -> str:
    """The digest of a revision over the sorted list of (name, digest)."""
    return digest_of([[name, digests[name]] for name in sorted(digests)])
