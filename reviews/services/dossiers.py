"""The dossier: everything that a decision stands on, frozen as canonical JSON. The PDF is rendered from it alone."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final

import rfc8785
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.digests import sha256_of
from reviews.models import Decision, DecisionPdf, Memo
from reviews.policies import frozen, gate, preview
from reviews.policies.answers import Requirement
from reviews.policies.facts import GateFacts
from reviews.queries import comparisons, together, traced_sets
from reviews.sections import content_to_json
from reviews.services import dossier_signoff, events, manifest, revisions, store
from reviews.template_content import template_to_json
from reviews.vocabulary import DecisionKind

DOSSIER: Final = "countersign/dossier/1"
PDF_LIMIT_BYTES: Final = 64 * 1024 * 1024
JSON = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Frozen:
    """The dossier's canonical text and the SHA-256 of its UTF-8 bytes."""

    text: str
    sha256: str


def freeze(memo: Memo, facts: GateFacts, kind: DecisionKind, decision: JSON) -> Frozen:
    """The dossier of a decision that is about to be recorded; the caller holds the memo's lock."""
    compared = comparisons.compared(memo, facts.content)
    document: JSON = {
        "dossier": DOSSIER,
        "memo": _memo(memo),
        "decision": decision,
        "revision": _revision(memo),
        "sections": content_to_json(facts.content),
        "template": template_to_json(facts.template),
        "headline": asdict(comparisons.headline(compared)),
        "gate": [line_json(line) for line in gate.evaluate(facts, kind)],
        "facts": frozen.to_json(facts),
        "preview": _preview(facts),
        "comparisons": _comparisons(compared),
        "together": asdict(together.together(facts.content, compared)),
        "traces": traced_sets.cited(memo, facts.content),
        **dossier_signoff.signoff(memo, facts, kind),
        "evidence": manifest.files_of(facts.content),
        "plans": _plans(memo),
        "trail": _trail(memo),
        "people": _people(memo, facts),
    }
    text = rfc8785.dumps(document).decode()
    return Frozen(text, sha256_of(text.encode()))


@transaction.atomic
def keep_pdf(*, decision_id: int, pdf: bytes) -> DecisionPdf:
    """The PDF of a decision in the store, with its row and event; the known row when there is one already."""
    decision = Decision.objects.select_related("memo").get(pk=decision_id)
    Memo.objects.select_for_update(no_key=True).get(pk=decision.memo_id)
    known = DecisionPdf.objects.filter(decision=decision).first()
    if known is not None:
        return known
    stored = store.put([pdf], limit_bytes=PDF_LIMIT_BYTES)
    row = DecisionPdf.objects.create(
        decision=decision, pdf_sha256=stored.sha256, size=stored.size, rendered_at=timezone.now()
    )
    events.append(decision.memo, None, "render_pdf", decision=decision.number, sha256=stored.sha256)
    return row


def line_json(line: Requirement) -> JSON:
    """A line of the gate as JSON."""
    return {**asdict(line), "state": line.state.value, "blocks": line.blocks}


def _memo(memo: Memo) -> JSON:
    return {
        "number": memo.number,
        "title": memo.title,
        "state": memo.state,
        "intent": memo.intent,
        "team": {"slug": memo.team.slug, "name": memo.team.name},
        "author": memo.created_by.get_username(),
        "created_at": memo.created_at.isoformat(),
        "submitted_at": memo.submitted_at.isoformat() if memo.submitted_at else "",
    }


def _revision(memo: Memo) -> JSON:
    revision = revisions.current(memo)
    return {
        "number": revision.number,
        "digest": revision.digest,
        "section_digests": revision.section_digests,
        "contributor": revision.contributor_name,
        "created_at": revision.created_at.isoformat(),
    }


def _preview(facts: GateFacts) -> JSON:
    seen = preview.preview(facts)
    return {
        "least_restrictive": seen.least_restrictive or "",
        "supported": seen.supported or "",
        "decisions": [
            {
                "kind": outlook.kind.value,
                "allowed": outlook.allowed,
                "why_not_here": outlook.why_not_here,
                "evidence_supports": outlook.evidence_supports,
                "blockers": [line_json(line) for line in outlook.blockers],
            }
            for outlook in seen.outlooks
        ],
    }


def _comparisons(compared: Iterable[comparisons.Compared]) -> list[JSON]:
    return [
        {
            "key": found.row.key,
            "assessment": found.row.assessment,
            "assessed_at": found.assessment.assessed_at.isoformat() if found.assessment else "",
            "inputs_digest": found.assessment.inputs_digest if found.assessment else "",
            "sentence": comparisons.sentence_of(found.result) if found.result else "",
            "result": found.result,
        }
        for found in compared
    ]


def _plans(memo: Memo) -> list[JSON]:
    return [
        {
            "nonce": row.nonce,
            "title": row.title,
            "digest": row.digest,
            "content": row.content,
            "witnessed": row.witnessed,
            "registered_by_name": row.registered_by_name,
            "registered_at": row.registered_at.isoformat(),
            "recorded_at": row.recorded_at.isoformat(),
        }
        for row in memo.plans.order_by("pk")
    ]


def _trail(memo: Memo) -> JSON:
    """The chain before the decision."""
    chain = list(events.chain_of(memo))
    return {
        "head": chain[-1].hash if chain else events.BEGINNING,
        "events": [
            {
                "sequence": event.sequence,
                "at": event.at.isoformat(),
                "actor": event.actor_name,
                "action": event.action,
                "hash": event.hash,
            }
            for event in chain
        ],
    }


def _people(memo: Memo, facts: GateFacts) -> JSON:
    """User name -> how the dossier prints the person, for everybody whom it names."""
    named = set(_names(memo, facts))
    return {user.get_username(): events.name_of(user) for user in User.objects.filter(username__in=named)}


def _names(memo: Memo, facts: GateFacts) -> Iterable[str]:
    yield memo.created_by.get_username()
    yield facts.content.rollout.owner
    yield facts.content.action.rollback_owner
    for names in facts.role_holders.values():
        yield from names
