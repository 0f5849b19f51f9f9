"""The dossier: everything that a decision stands on, frozen as canonical JSON. The PDF is rendered from it alone."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

import rfc8785
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.digests import sha256_of
from reviews.models import Artifact, Decision, DecisionPdf, Memo, Signature, Waiver
from reviews.policies import gate, preview, standing, waivers
from reviews.policies.answers import Requirement
from reviews.policies.case import Case
from reviews.policies.facts import GateFacts, SignatureFacts
from reviews.queries import comparisons, facts_of_evidence, together, traced_sets
from reviews.sections import MemoContent, content_to_json
from reviews.services import events, revisions, store
from reviews.services.parsing import newest
from reviews.services.percents import text_of
from reviews.template_content import template_to_json
from reviews.vocabulary import DecisionKind, Position

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
        "preview": _preview(facts),
        "comparisons": _comparisons(compared),
        "together": asdict(together.together(facts.content, compared)),
        "traces": traced_sets.cited(memo, facts.content),
        "signatures": _signatures(memo, facts, kind),
        "waivers": _waivers(memo, facts),
        "dissent": _dissent(memo),
        "evidence": _evidence(facts.content),
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


def _signatures(memo: Memo, facts: GateFacts, kind: DecisionKind) -> list[JSON]:
    """All of them, oldest first, each with whether it counts for this decision, and if not, why."""
    case = Case(facts, kind)
    last = standing.latest(case)
    related = ("signer", "acting_for", "withdrawal", "resolution", "revision")
    rows = memo.signatures.select_related(*related).prefetch_related("conditions__clearance").order_by("pk")
    titles = {rule.role: rule.title for asked in facts.template.decisions.values() for rule in asked.roles}
    return [_signature(row, given, case, last, titles) for row, given in zip(rows, facts.signatures, strict=True)]


def _signature(
    row: Signature, given: SignatureFacts, case: Case, last: tuple[SignatureFacts, ...], titles: Mapping[str, str]
) -> JSON:
    rule = next((rule for rule in standing.required_roles(case) if rule.role == row.role), None)
    sections = standing.sections_of(rule) if rule else tuple(row.section_digests)
    lapse = "was replaced by a later signature" if given not in last else standing.lapse(case, given, sections)
    return {
        "signer": row.signer.get_username(),
        "signer_name": row.signer_name,
        "acting_for_name": row.acting_for_name,
        "role": row.role,
        "role_title": titles.get(row.role, row.role.replace("_", " ")),
        "position": row.position,
        "kinds": row.decision_kinds,
        "scope_percent": text_of(row.greatest_scope_percent),
        "text": row.text,
        "would_clear_if": row.would_clear_if,
        "conditions": [condition.text for condition in row.conditions.all()],
        "sections": sorted(row.section_digests),
        "revision": row.revision.number,
        "counts": not lapse,
        "lapse": lapse,
        "own_work": given.signer in case.contributors,
        "statement": bytes(row.statement).decode(),
        "statement_sha256": row.statement_sha256,
        "authentication": row.authentication,
        "signed_at": row.signed_at.isoformat(),
    }


def _waivers(memo: Memo, facts: GateFacts) -> list[JSON]:
    rows = memo.waivers.select_related("approval").order_by("pk")
    return [_waiver(row, waivers.lapse(given, facts)) for row, given in zip(rows, facts.waivers, strict=True)]


def _waiver(row: Waiver, lapse: str) -> JSON:
    answer = getattr(row, "approval", None)
    return {
        "requirement": f"{row.requirement}:{row.subject}",
        "owner_name": row.owner_name,
        "reason": row.reason,
        "control": row.control,
        "expires_at": row.expires_at.isoformat(),
        "requested_by_name": row.requested_by_name,
        "state": row.state.value,
        "answered_by_name": answer.by_name if answer else "",
        "answered_at": answer.at.isoformat() if answer else "",
        "note": answer.note if answer else "",
        "counts": not lapse,
        "lapse": lapse,
    }


def _dissent(memo: Memo) -> list[JSON]:
    """Every objection ever made and not withdrawn, with its resolution when there is one."""
    rows = memo.signatures.filter(position=Position.OBJECT, withdrawal__isnull=True).select_related("resolution")
    return [
        {
            "signer_name": row.signer_name,
            "role": row.role,
            "text": row.text,
            "would_clear_if": row.would_clear_if,
            "signed_at": row.signed_at.isoformat(),
            "resolved_by_name": resolution.by_name if (resolution := getattr(row, "resolution", None)) else "",
            "resolved_as": resolution.role if resolution else "",
            "resolution": resolution.reason if resolution else "",
        }
        for row in rows.order_by("pk")
    ]


def _evidence(content: MemoContent) -> list[JSON]:
    """The manifest: every file that the memo names, by digest."""
    named = facts_of_evidence.files_named(content)
    rows = Artifact.objects.filter(sha256__in=named).prefetch_related("parses").order_by("sha256")
    kinds = _kinds(content)
    return [_file(row, kinds.get(row.sha256, "rollback_procedure")) for row in rows]


def _kinds(content: MemoContent) -> Mapping[str, str]:
    return {part.artifact: part.kind for sealed in content.evidence.sets for part in sealed.attachments}


def _file(row: Artifact, kind: str) -> JSON:
    parse = newest(row)
    return {
        "sha256": row.sha256,
        "name": row.name,
        "size": row.size,
        "kind": kind,
        "format": parse.format if parse else "",
        "parser_version": parse.parser_version if parse else 0,
        "parse_state": parse.state if parse else "",
        "leniences": parse.leniences if parse else [],
        "notices": parse.notices if parse else [],
        "provenance": row.provenance,
        "taken_in_by_name": row.taken_in_by_name,
        "taken_in_at": row.taken_in_at.isoformat(),
    }


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
