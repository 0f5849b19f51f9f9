"""The people's part of a dossier: signatures with their conditions, independence, waivers and dissent."""

from collections.abc import Mapping
from typing import Any

from reviews.models import Condition, Memo, ObjectionAnswer, Signature, Waiver
from reviews.policies import objections, standing, waivers
from reviews.policies.case import Case
from reviews.policies.facts import GateFacts, RuleError, SignatureFacts
from reviews.policies.independence import independence
from reviews.services.percents import text_of
from reviews.vocabulary import DecisionKind, Position

JSON = dict[str, Any]


def signoff(memo: Memo, facts: GateFacts, kind: DecisionKind) -> JSON:
    """The members `signatures`, `independence`, `waivers` and `dissent` of the dossier."""
    return {
        "signatures": _signatures(memo, facts, kind),
        "independence": _independence(facts, kind),
        "waivers": _waivers(memo, facts),
        "dissent": _dissent(memo, facts),
    }


def _independence(facts: GateFacts, kind: DecisionKind) -> JSON:
    """Who was counted, of whom, and why the others were not; empty where the template cannot be judged."""
    try:
        found = independence(Case(facts, kind))
    except RuleError as error:
        return {"sentence": str(error), "people": [], "of": [], "others": [], "recused": []}
    return {
        "sentence": found.sentence,
        "people": list(found.people),
        "of": list(found.of),
        "others": [{"name": name, "why": why} for name, why in found.others],
        "recused": list(found.recused),
    }


def _signatures(memo: Memo, facts: GateFacts, kind: DecisionKind) -> list[JSON]:
    """All of them, oldest first, each with whether it counts for this decision, and if not, why."""
    case = Case(facts, kind)
    last = standing.latest(case)
    related = ("signer", "acting_for", "withdrawal", "resolution", "revision", "replaces__revision")
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
        "acting_for": row.acting_for.get_username() if row.acting_for else "",
        "acting_for_name": row.acting_for_name,
        "role": row.role,
        "role_title": titles.get(row.role, row.role.replace("_", " ")),
        "position": row.position,
        "kinds": row.decision_kinds,
        "scope_percent": text_of(row.greatest_scope_percent),
        "text": row.text,
        "would_clear_if": row.would_clear_if,
        "conditions": [_condition(condition) for condition in row.conditions.all()],
        "sections": sorted(row.section_digests),
        "revision": row.revision.number,
        "from_revision": row.replaces.revision.number if row.replaces else 0,
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


def _condition(row: Condition) -> JSON:
    clearance = getattr(row, "clearance", None)
    return {
        "text": row.text,
        "owner_name": row.owner_name,
        "proof": row.proof,
        "cleared_by_name": clearance.by_name if clearance else "",
        "cleared_as": clearance.role if clearance else "",
        "cleared_at": clearance.at.isoformat() if clearance else "",
        "proved": clearance.note if clearance else "",
    }


def _dissent(memo: Memo, facts: GateFacts) -> list[JSON]:
    """Every objection ever made and not withdrawn, with what was said since and its end when there is one."""
    rows = memo.signatures.filter(position=Position.OBJECT, withdrawal__isnull=True)
    found = rows.select_related("resolution", "hearing").prefetch_related("answers").order_by("pk")
    days = facts.template.deadlock_days
    clocks = [objections.clock_ends(s, days) for s in facts.signatures if _is_dissent(s)]
    return [_objection(row) | {"clock_ends_at": ends.isoformat()} for row, ends in zip(found, clocks, strict=True)]


def _is_dissent(said: SignatureFacts) -> bool:
    return said.position == Position.OBJECT and not said.withdrawn


def _objection(row: Signature) -> JSON:
    resolution, hearing = getattr(row, "resolution", None), getattr(row, "hearing", None)
    return {
        "signer_name": row.signer_name,
        "acting_for_name": row.acting_for_name,
        "role": row.role,
        "text": row.text,
        "would_clear_if": row.would_clear_if,
        "signed_at": row.signed_at.isoformat(),
        "answers": [_answer(one) for one in row.answers.all()],
        "heard_at": hearing.held_at.isoformat() if hearing else "",
        "heard_by_name": hearing.by_name if hearing else "",
        "heard": hearing.note if hearing else "",
        "resolved_by_name": resolution.by_name if resolution else "",
        "resolved_as": resolution.role if resolution else "",
        "resolution": resolution.reason if resolution else "",
        "overridden_at": resolution.held_at.isoformat() if resolution and resolution.held_at else "",
    }


def _answer(row: ObjectionAnswer) -> JSON:
    return {"by_name": row.by_name, "at": row.at.isoformat(), "text": row.text}
