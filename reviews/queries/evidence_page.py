"""The evidence of a memo as its page shows it: sets, files with labels and reading, and runs that are accounted for."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.contrib.auth.models import User

from reviews.errors import NotVisible
from reviews.models import Attachment, EvidenceSet, Memo, Plan
from reviews.plan_content import PlannedRun, plan_from_json
from reviews.policies import lifecycle
from reviews.queries import people
from reviews.queries.current import revision_of
from reviews.queries.readings import Stored, stored
from reviews.sections import AttachmentRow, MemoContent, content_from_json
from reviews.template_content import template_from_json
from reviews.vocabulary import Action, SetState, State

RUNS_KIND: Final = ("benchmark_run", "Benchmark run")


@dataclass(frozen=True, slots=True)
class FileLines:
    """A file of a set: what was read from it (None: the store does not know it), and its labels, one row a run."""

    sha256: str
    name: str
    kind: str
    at: datetime | None
    stored: Stored | None
    first: AttachmentRow
    more: tuple[AttachmentRow, ...]

    @property
    def rows(self) -> int:
        """How many rows of labels it has."""
        return 1 + len(self.more)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetView:
    """An evidence set. unread: how many of its files are still being read. read_by: keys of comparisons.

    held: primary key and words of each attachment that counts. taken_out: those that do not.
    """

    number: int
    title: str
    plan: str
    is_open: bool
    by: str
    at: datetime
    digest: str
    files: tuple[FileLines, ...]
    unread: int
    read_by: tuple[str, ...]
    held: tuple[tuple[str, str], ...]
    taken_out: tuple[Attachment, ...]


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run that the plan lists. where: what became of it in words; missing: nobody says."""

    run: PlannedRun
    where: str
    missing: bool


@dataclass(frozen=True, slots=True)
class PlanView:
    """A registered plan with its runs."""

    plan: Plan
    runs: tuple[RunLine, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """The runs that are neither attached nor accounted for."""
        return tuple(line.run.run for line in self.runs if line.missing)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidencePage:
    """kinds: the artifact kinds that can be chosen, (slug, title)."""

    memo: Memo
    sets: tuple[SetView, ...]
    plans: tuple[PlanView, ...]
    kinds: tuple[tuple[str, str], ...]
    may_register: bool
    may_open: bool
    may_attach: bool
    may_seal: bool


def evidence_page(person: User, memo: Memo) -> EvidencePage:
    """Everything that the page shows; ten queries, however many files there are."""
    content = content_from_json(revision_of(memo).sections)
    allowed = lifecycle.allowed(State(memo.state), people.roles_on(person, memo))
    rows = list(memo.evidence_sets.select_related("plan", "opened_by", "sealed_by").order_by("-number"))
    attached, taken_out = _attached(memo)
    files = stored({a.artifact.sha256 for several in attached.values() for a in several})
    kinds = kinds_of(memo)
    look = _Look(content, dict(kinds), files, taken_out)
    return EvidencePage(
        memo=memo,
        sets=tuple(_set(row, attached.get(row.pk, ()), look) for row in rows),
        plans=tuple(_plan(plan, content, attached, rows) for plan in memo.plans.prefetch_related("accounts")),
        kinds=kinds,
        may_register=Action.EDIT in allowed,
        may_open=Action.OPEN_SET in allowed,
        may_attach=Action.ATTACH in allowed,
        may_seal=Action.SEAL in allowed,
    )


def set_of(memo: Memo, number: int) -> EvidenceSet:
    """The memo's set of that number. Raises NotVisible."""
    row = memo.evidence_sets.select_related("memo").filter(number=number).first()
    if row is None:
        raise NotVisible(f"{memo.number} has no evidence set {number}.", needs="Look at its evidence.")
    return row


def plan_of(page: EvidencePage, plan_id: int) -> PlanView:
    """The plan of the page with that primary key. Raises NotVisible."""
    for view in page.plans:
        if view.plan.pk == plan_id:
            return view
    raise NotVisible(f"{page.memo.number} has no such plan.", needs="Look at its evidence.")


def kinds_of(memo: Memo) -> tuple[tuple[str, str], ...]:
    """The kinds of artifact of the memo's template, (slug, title), with that of runs first."""
    decisions = template_from_json(memo.template_version.content).decisions.values()
    asked = {rule.kind: rule.title for rules in decisions for rule in rules.artifacts}
    return (RUNS_KIND, *asked.items())


@dataclass(frozen=True, slots=True)
class _Look:
    """What the lines of all sets share."""

    content: MemoContent
    kinds: Mapping[str, str]
    files: Mapping[str, Stored]
    taken_out: Mapping[int, Sequence[Attachment]]


def _attached(memo: Memo) -> tuple[Mapping[int, list[Attachment]], Mapping[int, list[Attachment]]]:
    """Set -> its attachments that count, and set -> those that were taken out."""
    attached: dict[int, list[Attachment]] = defaultdict(list)
    taken_out: dict[int, list[Attachment]] = defaultdict(list)
    rows = Attachment.objects.filter(evidence_set__memo=memo).select_related("artifact", "detachment")
    for row in rows.order_by("pk"):
        (taken_out if hasattr(row, "detachment") else attached)[row.evidence_set_id].append(row)
    return attached, taken_out


def _set(row: EvidenceSet, attached: Sequence[Attachment], look: _Look) -> SetView:
    sealed = next((one for one in look.content.evidence.sets if one.number == row.number), None)
    times = {attachment.artifact.sha256: attachment.attached_at for attachment in attached}
    labels = sealed.attachments if sealed else tuple(_label(attachment) for attachment in attached)
    files = _grouped(labels, times, look)
    done = row.sealed_by or row.opened_by
    return SetView(
        number=row.number,
        title=row.title,
        plan=row.plan.title if row.plan else "",
        is_open=row.state == SetState.OPEN,
        by=done.get_full_name() or done.get_username(),
        at=row.sealed_at or row.opened_at,
        digest=row.digest,
        files=files,
        unread=sum(1 for file in files if file.stored and file.stored.read.waits),
        read_by=tuple(c.key for c in look.content.comparisons.comparisons if c.evidence_set == row.number),
        held=tuple((str(attachment.pk), _words(attachment)) for attachment in attached),
        taken_out=tuple(look.taken_out.get(row.pk, ())),
    )


def _grouped(labels: Iterable[AttachmentRow], times: Mapping[str, datetime], look: _Look) -> tuple[FileLines, ...]:
    """The labels by file, in the order in which the files came."""
    by_file: dict[str, list[AttachmentRow]] = defaultdict(list)
    for label in labels:
        by_file[label.artifact].append(label)
    return tuple(
        FileLines(
            sha256=sha256,
            name=first.name,
            kind=look.kinds.get(first.kind, first.kind.replace("_", " ")),
            at=times.get(sha256),
            stored=look.files.get(sha256),
            first=first,
            more=tuple(more),
        )
        for sha256, (first, *more) in by_file.items()
    )


def _words(attachment: Attachment) -> str:
    """The attachment in words: its file, run and arm."""
    run = f"run {attachment.run}" if attachment.run else ""
    return ", ".join(filter(None, (attachment.name, run, attachment.arm)))


def _label(attachment: Attachment) -> AttachmentRow:
    """The labels of an attachment in an open set, as they were given."""
    return AttachmentRow(
        artifact=attachment.artifact.sha256,
        name=attachment.name,
        kind=attachment.kind,
        arm=attachment.arm,
        run=attachment.run,
        block=attachment.block,
        placement=attachment.placement,
        placement_source=attachment.placement_source,
        use=attachment.use,
        attached_by=attachment.attached_by_name,
        excluded=attachment.excluded,
        clock=attachment.clock,
    )


def _plan(
    plan: Plan, content: MemoContent, attached: Mapping[int, list[Attachment]], rows: Iterable[EvidenceSet]
) -> PlanView:
    sealed = {
        part.run: f"in set {one.number}"
        for one in content.evidence.sets
        if one.plan == plan.nonce
        for part in one.attachments
    }
    waiting = {
        attachment.run: f"in the open set {row.number}"
        for row in rows
        if row.plan_id == plan.pk and row.state == SetState.OPEN
        for attachment in attached.get(row.pk, ())
    }
    told = {account.run: f"{account.reason} ({account.by_name})" for account in plan.accounts.all()}
    planned = plan_from_json(plan.content).runs
    return PlanView(plan, tuple(_run(run, {**told, **waiting, **sealed}) for run in planned))


def _run(run: PlannedRun, known: Mapping[str, str]) -> RunLine:
    where = known.get(run.run, "")
    return RunLine(run, where or "neither attached nor accounted for", missing=not where)
