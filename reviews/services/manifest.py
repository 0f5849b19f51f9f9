"""The manifest of a memo: every file that it names, by digest, with how it was read and where it comes from."""

from collections.abc import Mapping
from typing import Any

from reviews.models import Artifact
from reviews.queries import facts_of_evidence
from reviews.sections import MemoContent
from reviews.services import origins
from reviews.services.parsing import newest

JSON = dict[str, Any]


def files_of(content: MemoContent) -> list[JSON]:
    """The manifest: every file that the memo names, by digest."""
    named = facts_of_evidence.files_named(content)
    rows = (
        Artifact.objects.filter(sha256__in=named)
        .select_related("redaction")
        .prefetch_related("parses")
        .order_by("sha256")
    )
    kinds = _kinds(content)
    return [_file(row, kinds.get(row.sha256, "rollback_procedure")) for row in rows]


def _kinds(content: MemoContent) -> Mapping[str, str]:
    return {part.artifact: part.kind for sealed in content.evidence.sets for part in sealed.attachments}


def _file(row: Artifact, kind: str) -> JSON:
    parse, gone = newest(row), hasattr(row, "redaction")
    return {
        "sha256": row.sha256,
        "name": row.name,
        "size": row.size,
        "kind": kind,
        "format": parse.format if parse else "",
        "parser_version": parse.parser_version if parse else 0,
        "parse_state": parse.state if parse else "",
        "leniences": parse.leniences if parse and not gone else [],
        "notices": parse.notices if parse and not gone else [],
        "provenance": row.provenance,
        "origins": [origins.as_json(origin) for origin in origins.origins_of(row, parse)],
        "taken_in_by_name": row.taken_in_by_name,
        "taken_in_at": row.taken_in_at.isoformat(),
        "redacted": row.redaction.said if gone else "",
    }
