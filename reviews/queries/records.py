"""The rows of one memo, and single rows that a person may see. The memo itself comes from `people.memo_for`."""

from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db.models import Model, Prefetch, Q, QuerySet

from reviews.errors import NotVisible
from reviews.memo_text.difference import RecordChange
from reviews.models import (
    ApiToken,
    Artifact,
    Assessment,
    Attachment,
    Condition,
    Decision,
    Delegation,
    EvidenceSet,
    FollowUp,
    Job,
    Memo,
    MemoTemplate,
    Observation,
    Outcome,
    Parse,
    Plan,
    ProductionEvent,
    Revision,
    RunAccount,
    Signature,
    TemplateVersion,
    Waiver,
)
from reviews.queries import changes, people
from reviews.sections import MemoContent, content_from_json
from reviews.vocabulary import JobState, Position

Row = TypeVar("Row", bound=Model)
PARSES = Prefetch("artifact__parses", queryset=Parse.objects.order_by("pk"))


def _found(row: Row | None, what: str) -> Row:
    if row is None:
        raise NotVisible(f"There is no {what} that you can see.")
    return row


# Content


def revision_of(memo: Memo) -> Revision:
    """The current revision of a memo that came through the door."""
    revision = memo.current_revision
    if revision is None:
        raise RuntimeError(f"memo {memo.number} has no revision")
    return revision


def content_of(memo: Memo) -> MemoContent:
    """The records of the current revision."""
    return content_from_json(revision_of(memo).sections)


def revisions(memo: Memo) -> QuerySet[Revision]:
    """All revisions, the first first."""
    return memo.revisions.select_related("base").order_by("number")


def revision(memo: Memo, number: int) -> Revision:
    """The revision of that number. Raises NotVisible."""
    return _found(revisions(memo).filter(number=number).first(), f"revision {number}")


def difference_between(memo: Memo, old: int, new: int) -> tuple[RecordChange, ...]:
    """What changed from one revision to another, by record. Raises NotVisible."""
    before, after = revision(memo, old), revision(memo, new)
    return changes.between(memo, content_from_json(before.sections), content_from_json(after.sections))


def changes_since(memo: Memo, base: str) -> tuple[RecordChange, ...]:
    """What changed since the revision of that digest; nothing when the memo never had it."""
    seen = memo.revisions.filter(digest=base).order_by("-number").first()
    now = memo.revisions.order_by("-number").first()
    if seen is None or now is None:
        return ()
    return changes.between(memo, content_from_json(seen.sections), content_from_json(now.sections))


# Templates


def templates() -> QuerySet[MemoTemplate]:
    """All templates with their versions."""
    versions = Prefetch("versions", queryset=TemplateVersion.objects.order_by("version"))
    return MemoTemplate.objects.prefetch_related(versions).order_by("slug")


def template_version(slug: str, version: int | None) -> TemplateVersion:
    """That version of the template, or its newest. Raises NotVisible."""
    rows = TemplateVersion.objects.filter(template__slug=slug).select_related("template").order_by("-version")
    wanted = rows if version is None else rows.filter(version=version)
    return _found(wanted.first(), f"template {slug}" + (f" version {version}" if version else ""))


# Plans and evidence


def plans(memo: Memo) -> QuerySet[Plan]:
    """The registered plans, the first first."""
    return memo.plans.order_by("pk")


def plan(memo: Memo, nonce: str) -> Plan:
    """The plan of that nonce. Raises NotVisible."""
    return _found(plans(memo).filter(nonce=nonce).first(), f"plan {nonce}")


def run_accounts(plan: Plan) -> QuerySet[RunAccount]:
    """What became of the runs of a plan that are not attached."""
    return plan.accounts.order_by("pk")


def evidence_sets(memo: Memo) -> QuerySet[EvidenceSet]:
    """The sets with their attachments and what was read from each."""
    rows = Attachment.objects.select_related("artifact", "detachment").prefetch_related(PARSES).order_by("pk")
    related = ("plan", "opened_by", "sealed_by")
    return (
        memo.evidence_sets.select_related(*related).prefetch_related(Prefetch("attachments", rows)).order_by("number")
    )


def evidence_set(memo: Memo, number: int) -> EvidenceSet:
    """The set of that number. Raises NotVisible."""
    return _found(evidence_sets(memo).filter(number=number).first(), f"evidence set {number}")


def artifacts_visible_to(person: User) -> QuerySet[Artifact]:
    """The files that the person sent, or that a memo holds that the person sees."""
    memos = people.memos_visible_to(person).order_by().values("pk")
    attached = Attachment.objects.filter(evidence_set__memo__in=memos).values("artifact")
    parses = Prefetch("parses", queryset=Parse.objects.order_by("pk"))
    return Artifact.objects.filter(Q(taken_in_by=person) | Q(pk__in=attached)).prefetch_related(parses)


def artifact_for(person: User, sha256: str) -> Artifact:
    """The file of that digest, if the person may see it. Raises NotVisible."""
    return _found(artifacts_visible_to(person).filter(sha256=sha256).first(), f"file {sha256[:12]}…")


def newest_parse(artifact: Artifact) -> Parse | None:
    """The parse that counts: the latest that somebody asked for by name, else the latest; None while unread."""
    read = list(artifact.parses.all())
    by_hand = [parse for parse in read if parse.asked_format]
    return next(reversed(by_hand or read), None)


def assessment(memo: Memo, digest: str) -> Assessment:
    """The newest assessment of that digest. Raises NotVisible."""
    rows = memo.assessments.select_related("evidence_set", "plan").filter(digest=digest).order_by("-pk")
    return _found(rows.first(), f"assessment {digest[:12]}…")


# Signoff


def signatures(memo: Memo) -> QuerySet[Signature]:
    """All signatures ever given, with what became of them."""
    related = ("revision", "signer", "withdrawal", "resolution")
    return memo.signatures.select_related(*related).prefetch_related("conditions__clearance").order_by("pk")


def signature(memo: Memo, signature_id: int) -> Signature:
    """One signature. Raises NotVisible."""
    return _found(signatures(memo).filter(pk=signature_id).first(), "such signature")


def condition(memo: Memo, condition_id: int) -> Condition:
    """One condition. Raises NotVisible."""
    return _found(Condition.objects.filter(signature__memo=memo, pk=condition_id).first(), "such condition")


def delegations(memo: Memo) -> QuerySet[Delegation]:
    """The delegations that reach the memo, of all times, the first first."""
    reaching = Delegation.objects.filter(Q(memo__isnull=True) | Q(memo=memo), team=memo.team)
    return reaching.select_related("memo", "holder", "delegate", "end").order_by("pk")


def delegation(memo: Memo, delegation_id: int) -> Delegation:
    """One delegation. Raises NotVisible."""
    return _found(delegations(memo).filter(pk=delegation_id).first(), "such delegation")


def objections(memo: Memo) -> QuerySet[Signature]:
    """Every objection ever raised, with its answers and what ended it, the first first."""
    related = ("resolution", "withdrawal", "hearing")
    rows = memo.signatures.filter(position=Position.OBJECT).select_related(*related)
    return rows.prefetch_related("answers").order_by("pk")


def decisions(memo: Memo) -> QuerySet[Decision]:
    """All decisions, the first first."""
    return memo.decisions.select_related("revision", "decider", "pdf").order_by("number")


def decision(memo: Memo, number: int) -> Decision:
    """The decision of that number. Raises NotVisible."""
    return _found(decisions(memo).filter(number=number).first(), f"decision {number}")


def follow_up(memo: Memo, follow_up_id: int) -> FollowUp:
    """One follow-up. Raises NotVisible."""
    return _found(memo.follow_ups.filter(pk=follow_up_id).first(), "such follow-up")


def waivers(memo: Memo) -> QuerySet[Waiver]:
    """All waivers with the board's answers."""
    return memo.waivers.select_related("owner", "requested_by", "approval__by").order_by("pk")


def waiver(memo: Memo, waiver_id: int) -> Waiver:
    """One waiver. Raises NotVisible."""
    return _found(waivers(memo).filter(pk=waiver_id).first(), "such waiver")


# Talk, and what came after


def observations(memo: Memo) -> QuerySet[Observation]:
    """What was seen after a decision."""
    return memo.observations.select_related("assessment", "decision").order_by("pk")


def production_events(memo: Memo) -> QuerySet[ProductionEvent]:
    """What happened in production."""
    return memo.production_events.order_by("pk")


def outcomes(memo: Memo) -> QuerySet[Outcome]:
    """What came of it."""
    return memo.outcomes.select_related("decision").order_by("pk")


# Jobs and tokens


def live_job(kind: str, subject: Model) -> Job | None:
    """The job of that kind that is still to be done for the subject."""
    about: dict[str, Any] = {"kind": kind, "subject_kind": subject._meta.model_name, "subject_id": subject.pk}
    return Job.objects.filter(**about, state__in=(JobState.WAITING, JobState.RUNNING)).first()


def job_for(person: User, job_id: int) -> Job:
    """The job, if the person asked for it or sees what it is about. Raises NotVisible."""
    files = artifacts_visible_to(person).order_by().values("pk")
    memos = people.memos_visible_to(person).order_by().values("pk")
    decided = Decision.objects.filter(memo__in=memos).values("pk")
    sets = EvidenceSet.objects.filter(memo__in=memos).values("pk")
    seen = (
        Q(requested_by=person)
        | Q(subject_kind="artifact", subject_id__in=files)
        | Q(subject_kind="decision", subject_id__in=decided)
        | Q(subject_kind="evidenceset", subject_id__in=sets)
        | Q(subject_kind="memo", subject_id__in=memos)
    )
    return _found(Job.objects.filter(seen, pk=job_id).first(), "such job")


def own_job(person: User, job_id: int) -> Job:
    """The job, if the person asked for it. Raises NotVisible."""
    return _found(Job.objects.filter(requested_by=person, pk=job_id).first(), "such job of yours")


def tokens_of(person: User) -> QuerySet[ApiToken]:
    """The person's tokens, the newest first."""
    return ApiToken.objects.filter(owner=person).order_by("-pk")
