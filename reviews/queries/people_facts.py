"""The people's part of the gate's facts from loaded rows, for lists: nothing is said there about evidence.

Rules on owners, signatures and objections give the same answers for these facts as for the whole; no other rule may be
asked with them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from reviews.models import Condition, Memo, Revision, Signature
from reviews.policies.facts import Condition as ConditionFacts
from reviews.policies.facts import Contribution, GateFacts, SignatureFacts
from reviews.sections import MemoContent
from reviews.template_content import TemplateContent
from reviews.vocabulary import Position


@dataclass(frozen=True, slots=True)
class PeopleFacts:
    """Loaded rows of one memo. signatures: with signer, acting_for, withdrawal, resolution and conditions."""

    signatures: tuple[Signature, ...]
    holders: Mapping[str, tuple[str, ...]]
    contributions: tuple[Contribution, ...]
    now: datetime


def facts_without_evidence(
    memo: Memo, revision: Revision, content: MemoContent, template: TemplateContent, said: PeopleFacts
) -> GateFacts:
    """What the rules on people may know of the memo."""
    return GateFacts(
        number=memo.number,
        state=memo.state,
        author=memo.created_by.get_username(),
        team=memo.team.slug,
        content=content,
        template=template,
        now=said.now,
        section_digests=revision.section_digests,
        role_holders=said.holders,
        contributions=said.contributions,
        signatures=tuple(signature_facts(row) for row in said.signatures),
        waivers=(),
        assessments={},
        observations=(),
        open_sets=(),
        artifacts={},
        plans=(),
        strata=(),
        production_events=(),
        expired_rollouts=(),
        follow_ups=(),
        reference=None,
        scope_hosts=(),
        requested_percent=None,
        decider=None,
    )


def signature_facts(row: Signature) -> SignatureFacts:
    """A signature as the rules read it. The service let a delegate sign only while the delegation was in force."""
    scope = row.greatest_scope_percent
    resolution, withdrawal = getattr(row, "resolution", None), getattr(row, "withdrawal", None)
    hearing, answers = getattr(row, "hearing", None), [answer.at for answer in row.answers.all()]
    return SignatureFacts(
        signer=row.signer.get_username(),
        acting_for=row.acting_for.get_username() if row.acting_for else "",
        delegation_in_force=row.acting_for is not None,
        role=row.role,
        position=row.position,
        kinds=tuple(row.decision_kinds),
        scope_percent=None if scope is None else Fraction(scope),
        covered=row.section_digests,
        rollout_digest=row.rollout_digest,
        conditions=tuple(_condition(one) for one in row.conditions.all()),
        objection=row.text if row.position == Position.OBJECT else "",
        would_clear_if=row.would_clear_if,
        resolved_by=resolution.by_name if resolution else "",
        resolved_as=resolution.role if resolution else "",
        spoken_at=max(answers, default=row.signed_at),
        heard_by=hearing.by.get_username() if hearing else "",
        heard_at=hearing.held_at if hearing else None,
        withdrawn=withdrawal is not None,
        at=row.signed_at,
    )


def _condition(row: Condition) -> ConditionFacts:
    clearance = getattr(row, "clearance", None)
    return ConditionFacts(
        text=row.text,
        cleared_by=clearance.by_name if clearance else "",
        owner=row.owner.get_username() if row.owner else "",
        proof=row.proof,
    )
