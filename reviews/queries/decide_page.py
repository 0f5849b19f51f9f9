"""The four decisions beside each other: what each needs, who can supply it, and what was decided already."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.contrib.auth.models import User

from reviews.models import Artifact, Decision, FollowUp, Job, Memo, ProductionEvent, Revision
from reviews.policies import lifecycle, objections, preview, standing
from reviews.policies.answers import Requirement
from reviews.policies.case import Case
from reviews.policies.facts import GateFacts, RuleError, SignatureFacts
from reviews.policies.independence import independence
from reviews.queries import gate, people
from reviews.queries.comparisons import compared, headline
from reviews.queries.current import revision_of
from reviews.queries.sign_page import greatest_stage
from reviews.queries.signatures_given import asked_titles
from reviews.sections import Rollout
from reviews.vocabulary import Action, DecisionKind, Position, ProductionEventKind, StandingRole, State

PDF_JOB: Final = "pdf"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToDecide:
    """One decision. is_open: nothing is missing, and it leads on from where the memo stands.

    blocking: what closes its gate; others: met, waived, not applicable, or only shown.

    may_record: the gate is open and this person may. why_not: why there is no form, "" when there is.
    """

    kind: DecisionKind
    is_open: bool
    evidence_supports: bool
    blocking: tuple[Requirement, ...]
    others: tuple[Requirement, ...]
    may_record: bool
    why_not: str


@dataclass(frozen=True, slots=True)
class Dissent:
    """An objection that stands or was overridden, an abstention, or a recusal, with who holds which role."""

    said: SignatureFacts
    title: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded decision. pdf_job: the state of its PDF's job, "" without one; pdf_ready: it can be fetched."""

    decision: Decision
    pdf_ready: bool
    pdf_sha256: str
    pdf_job: str
    pdf_reason: str
    follow_ups: tuple[FollowUp, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidePage:
    """accepted_by: whoever owns the rollout and has accepted it by signature, "" for nobody.

    allows, supported: the least restrictive decision that may be recorded now, and that the evidence supports.
    independence: for the newest decision; without one, for what the evidence supports.
    waiting: reported rollbacks that a rollback here ratifies.
    """

    memo: Memo
    revision: Revision
    headline: str
    result: Mapping[str, object] | None
    decisions: tuple[ToDecide, ...]
    rollout: Rollout
    procedure: Artifact | None
    accepted_by: str
    cap_percent: str
    greatest_percent: str
    dissent: tuple[Dissent, ...]
    independence: str
    signed: tuple[tuple[str, str], ...]
    recorded: tuple[Recorded, ...]
    allows: str
    supported: str
    may_stop: bool
    may_decide: bool
    waiting: tuple[ProductionEvent, ...]


def decide_page(person: User, memo: Memo) -> DecidePage:
    """Everything that the page shows; a constant number of queries."""
    roles = people.roles_on(person, memo)
    decider = person if StandingRole.BOARD in roles else None
    facts = gate.gate_facts(memo.pk, decider=decider, requested_percent=None)
    seen = preview.preview(facts)
    revision = revision_of(memo)
    primary = headline(compared(memo, facts.content))
    rollout = facts.content.rollout
    decisions = tuple(_to_decide(memo, outlook, roles) for outlook in seen.outlooks)
    taken = recorded(memo)
    weighed = DecisionKind(taken[0].decision.kind) if taken else seen.supported or DecisionKind.SHIP
    return DecidePage(
        memo=memo,
        revision=revision,
        headline=primary.sentence,
        result=primary.result,
        decisions=decisions,
        rollout=rollout,
        procedure=Artifact.objects.filter(sha256=rollout.procedure).first(),
        accepted_by=", ".join(s.signer for s in standing.acceptance(Case(facts, DecisionKind.BOUNDED))),
        cap_percent=facts.template.rollout_cap_percent,
        greatest_percent=greatest_stage(facts.content),
        dissent=_dissent(facts),
        independence=_independence(facts, weighed),
        signed=_signed(facts),
        recorded=taken,
        allows=next((str(one.kind.label) for one in decisions if one.is_open), ""),
        supported=str(seen.supported.label) if seen.supported else "",
        may_stop=Action.EMERGENCY_ROLLBACK in lifecycle.allowed(State(memo.state), roles),
        may_decide=any(one.may_record for one in decisions),
        waiting=tuple(
            memo.production_events.filter(kind=ProductionEventKind.ROLLED_BACK, ratification__isnull=True).order_by(
                "happened_at"
            )
        ),
    )


def recorded(memo: Memo) -> tuple[Recorded, ...]:
    """The decisions of the memo, the newest first, with where their PDF is; three queries."""
    rows = list(
        memo.decisions.select_related("pdf", "revision")
        .defer("dossier", "gate")
        .prefetch_related("follow_ups__done")
        .order_by("-number")
    )
    jobs = {
        job.subject_id: job
        for job in Job.objects.filter(
            kind=PDF_JOB, subject_kind="decision", subject_id__in=[row.pk for row in rows]
        ).order_by("pk")
    }
    return tuple(_recorded(row, jobs.get(row.pk)) for row in rows)


def _recorded(row: Decision, job: Job | None) -> Recorded:
    pdf = getattr(row, "pdf", None)
    owed = tuple(one for one in row.follow_ups.all() if not hasattr(one, "done"))
    return Recorded(
        decision=row,
        pdf_ready=pdf is not None,
        pdf_sha256=pdf.pdf_sha256 if pdf else "",
        pdf_job=job.state if job else "",
        pdf_reason=job.reason if job else "",
        follow_ups=owed,
    )


def _to_decide(memo: Memo, outlook: preview.Outlook, roles: frozenset[lifecycle.Role]) -> ToDecide:
    permitted = preview.ACTION_OF[outlook.kind] in lifecycle.allowed(State(memo.state), roles)
    return ToDecide(
        kind=outlook.kind,
        is_open=outlook.allowed,
        evidence_supports=outlook.evidence_supports,
        blocking=outlook.blockers,
        others=tuple(line for line in outlook.requirements if not line.blocks),
        may_record=permitted and outlook.allowed,
        why_not=_why_not(outlook, permitted=permitted),
    )


def _why_not(outlook: preview.Outlook, *, permitted: bool) -> str:
    if outlook.why_not_here:
        return outlook.why_not_here
    if not permitted:
        return "The review board records decisions."
    if not outlook.allowed:
        return "It can be recorded when nothing is missing."
    return ""


def _dissent(facts: GateFacts) -> tuple[Dissent, ...]:
    """Objections that stand, wherever their raiser has spoken since, and those overridden; who abstains or recused."""
    apart = (Position.ABSTAIN, Position.RECUSE)
    titles = asked_titles(facts)
    objecting = [s for s in facts.signatures if objections.stands(s) or s.resolved_as == StandingRole.BOARD]
    out = [s for s in standing.latest(Case(facts, DecisionKind.SHIP)) if s.position in apart and not s.withdrawn]
    return tuple(Dissent(said, titles.get(said.role, said.role)) for said in (*objecting, *out))


def _independence(facts: GateFacts, kind: DecisionKind) -> str:
    """ "Independent signers: 2 of 4. Counted for: ship."; "" when the template cannot be judged: the gate says so."""
    try:
        return f"{independence(Case(facts, kind)).sentence} Counted for: {kind.label}."
    except RuleError:
        return ""


def _signed(facts: GateFacts) -> tuple[tuple[str, str], ...]:
    """Who approves for which role, as pairs of title and name."""
    titles = asked_titles(facts)
    return tuple(
        (titles.get(said.role, said.role), f"{said.signer} for {said.acting_for}" if said.acting_for else said.signer)
        for said in standing.latest(Case(facts, DecisionKind.SHIP))
        if said.position in standing.APPROVING and not said.withdrawn
    )
