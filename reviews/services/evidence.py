"""Evidence in: artifacts into the store, sets that are open while files arrive, and sealed once."""

from dataclasses import replace

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.capture.record import Provenance
from reviews.errors import NotPermitted, NotVisible, WrongState
from reviews.models import ApiToken, Artifact, Attachment, Detachment, EvidenceSet, Memo, Plan, Revision
from reviews.policies import lifecycle
from reviews.policies.lifecycle import Part
from reviews.queries import people
from reviews.sections import Comparison, MemoContent, SealedSet
from reviews.services import events, jobs, parsing, revisions, sealing, wellformed
from reviews.services.intake import UNREAD, take_in
from reviews.services.labels import Labels, check, refuse_double
from reviews.services.screening import Texts
from reviews.vocabulary import Action, SectionName, SetState, State

__all__ = [
    "UNREAD",
    "Labels",
    "Provenance",
    "Texts",
    "artifact_of",
    "attach",
    "attached",
    "detach",
    "open_set",
    "override_format",
    "require_attacher",
    "seal",
    "take_in",
]


@transaction.atomic
def open_set(*, actor: User, memo_id: int, title: str, plan: str) -> EvidenceSet:
    """A new open set. plan: nonce of the plan that its runs were measured under, "" for none.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; NotVisible also for an unknown plan.
        BadInput: no title.
    """
    memo = revisions.locked(actor, memo_id)
    revisions.asked(actor, memo, Action.OPEN_SET)
    wellformed.require_text(title, "title", longest=300, code="no_title")
    number = memo.evidence_sets.count() + 1
    row = EvidenceSet.objects.create(
        memo=memo,
        number=number,
        title=title,
        plan=_plan(memo, plan),
        state=SetState.OPEN,
        opened_by=actor,
        opened_at=timezone.now(),
    )
    events.append(memo, actor, Action.OPEN_SET, set=number, title=title, plan=plan)
    return row


@transaction.atomic
def attach(*, actor: User, set_id: int, artifact: str, labels: Labels, token: ApiToken | None) -> Attachment:
    """The artifact (SHA-256) in the open set, with its labels. token: the one that pushed it, if any.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; WrongState also for a sealed set.
        BadInput: labels that are no words of the trade, or a file that is in the set already.
    """
    row = _set_of(actor, set_id)
    memo = row.memo
    roles = people.roles_on(actor, memo) | (frozenset({Part.TOKEN}) if token else frozenset())
    lifecycle.move(Action.ATTACH, State(memo.state), roles)
    _refuse_sealed(row)
    check(labels, row.plan)
    stored = artifact_of(artifact)
    refuse_double(row, stored, labels)
    attachment = attached(actor, row, stored, labels, token)
    events.append(memo, token or actor, Action.ATTACH, set=row.number, artifact=stored.sha256, name=stored.name)
    return attachment


def attached(actor: User, row: EvidenceSet, stored: Artifact, labels: Labels, token: ApiToken | None) -> Attachment:
    """The row of an attachment. The caller has asked the lifecycle, and checked the labels."""
    return Attachment.objects.create(
        evidence_set=row,
        artifact=stored,
        name=stored.name,
        kind=labels.kind,
        arm=labels.arm,
        run=labels.run,
        block=labels.block,
        placement=labels.placement,
        placement_source=labels.placement_source if labels.placement else "",
        use=labels.use,
        excluded=labels.excluded,
        clock=labels.clock.strip(),
        attached_by=actor,
        attached_by_name=events.name_of(actor),
        token_name=revisions.token_name(token),
        attached_at=timezone.now(),
        turn=row.attachments.filter(artifact=stored, run=labels.run).count() + 1,
    )


@transaction.atomic
def detach(*, actor: User, attachment_id: int, reason: str) -> Detachment:
    """The attachment taken out of its open set: it stays visible with the reason, and is not sealed.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; NotVisible also for an unknown attachment,
            WrongState also for a sealed set, and for what is taken out already.
        BadInput: no reason.
    """
    found = Attachment.objects.filter(pk=attachment_id).first()
    if found is None:
        raise NotVisible("There is no such attachment that you can see.")
    row = _set_of(actor, found.evidence_set_id)
    revisions.asked(actor, row.memo, Action.ATTACH)
    _refuse_sealed(row)
    wellformed.require_text(reason, "reason", longest=500, code="no_reason")
    if Detachment.objects.filter(attachment=found).exists():
        raise WrongState(f"{found.name} is taken out already.", code="taken_out_already")
    sha256 = found.artifact.sha256
    taken_out = Detachment.objects.create(
        attachment=found, reason=reason, by=actor, by_name=events.name_of(actor), at=timezone.now()
    )
    events.append(
        row.memo, actor, "detach", set=row.number, artifact=sha256, name=found.name, run=found.run, reason=reason
    )
    return taken_out


@transaction.atomic
def seal(*, actor: User, set_id: int) -> Revision:
    """The set sealed, as one revision: its rows stand in the section evidence, and comparisons of its plan read it.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; WrongState also for a set that is sealed, is
            empty, or whose files are still being read.
        Unreadable, BadInput: a file with an arm has no measurements, or not the run that its label names.
    """
    row = _set_of(actor, set_id)
    memo = row.memo
    move = revisions.asked(actor, memo, Action.SEAL)
    _refuse_sealed(row)
    revisions.refuse_foreign_sections(move, (SectionName.EVIDENCE, SectionName.COMPARISONS))
    sealed = sealing.close(row, actor)
    old = revisions.content_of(revisions.current(memo))
    new = _with_set(old, sealed)
    return revisions.add(actor, memo, new, f"Sealed evidence set {row.number}: {row.title}.", action=Action.SEAL)


@transaction.atomic
def override_format(*, actor: User, artifact: str, name: str) -> None:
    """Ask for the artifact to be read as the format `name`, whatever it is recognised as.

    Raises:
        NotVisible: no such artifact that the actor can see, or no such format.
        NotPermitted: the actor attaches nothing to a memo that holds it.
        WrongState: it is being read just now.
    """
    stored = artifact_of(artifact)
    require_attacher(actor, stored)
    parsing.require_format(name)
    events.append(stored, actor, "override_format", format=name)
    job = jobs.request(actor=actor, kind=parsing.JOB, subject=stored, arguments={"format": name})
    if job.arguments != {"format": name}:
        raise WrongState(
            f"{stored.name} is still being read.", needs="Wait a moment, then choose again.", code="still_reading"
        )


def require_attacher(actor: User, stored: Artifact) -> None:
    """Nothing for somebody who attaches files to a memo that holds this one. Raises NotVisible, NotPermitted."""
    holding = people.memos_visible_to(actor).filter(evidence_sets__attachments__artifact=stored).distinct()
    if not holding:
        raise NotVisible("There is no such file that you can see.")
    if not any(people.roles_on(actor, memo) & lifecycle.WRITERS for memo in holding):
        raise NotPermitted(
            "A format is chosen by an author or contributor of a memo that holds the file.", needs="Ask one of them."
        )


def _with_set(content: MemoContent, sealed: SealedSet) -> MemoContent:
    """The content with the set; comparisons of its plan read it from now on, if it holds runs."""
    sets = (*content.evidence.sets, sealed)
    comparisons = content.comparisons.comparisons
    if any(part.arm for part in sealed.attachments):
        comparisons = tuple(_reading(row, sealed) for row in comparisons)
    return replace(
        content,
        evidence=replace(content.evidence, sets=sets),
        comparisons=replace(content.comparisons, comparisons=comparisons),
    )


def _reading(row: Comparison, sealed: SealedSet) -> Comparison:
    if row.plan != sealed.plan:
        return row
    return replace(row, evidence_set=sealed.number, assessment="")


def _set_of(actor: User, set_id: int) -> EvidenceSet:
    """The set, with its memo locked. Raises NotVisible."""
    row = EvidenceSet.objects.filter(pk=set_id).first()
    if row is None:
        raise NotVisible("There is no such evidence set that you can see.")
    memo = revisions.locked(actor, row.memo_id)
    found = EvidenceSet.objects.select_for_update(of=("self",)).select_related("plan").get(pk=set_id)
    found.memo = memo
    return found


def _refuse_sealed(row: EvidenceSet) -> None:
    if row.state != SetState.OPEN:
        raise WrongState(
            f"Evidence set {row.number} is sealed.",
            needs="Open a new set: a sealed one never changes.",
            code="set_is_sealed",
        )


def artifact_of(sha256: str) -> Artifact:
    """The artifact of that digest. Raises NotVisible."""
    stored = Artifact.objects.filter(sha256=sha256).first()
    if stored is None:
        raise NotVisible(f"There is no artifact {sha256[:12]}….", needs="Send its bytes first.", where="artifact")
    return stored


def _plan(memo: Memo, nonce: str) -> Plan | None:
    if not nonce:
        return None
    plan = memo.plans.filter(nonce=nonce).first()
    if plan is None:
        raise NotVisible(f"This memo has no plan {nonce}.", needs="Register it first, or leave it empty.", where="plan")
    return plan
