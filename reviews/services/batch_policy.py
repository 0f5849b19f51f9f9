"""Batch policy of a memo: its sweep under limits, a simulation as a job, and the curve pack that attaches itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from django.contrib.auth.models import User
from django.db import transaction

from analysis import evidence as formats
from analysis.errors import MalformedEvidence, Refused
from analysis.evidence.batch_policy_curve_pack import SUFFICIENT
from analysis.evidence.format import Document
from analysis.inputs import LabelledRun
from reviews.batch_policy import content, packing, words
from reviews.batch_policy.asking import COMPARE, FIELDS, asked_of
from reviews.batch_policy.report import Compared, PolicyReport, compared, report_of
from reviews.errors import BadInput, NotPermitted
from reviews.models import Attachment, Job, Memo, Parse
from reviews.policies import lifecycle
from reviews.queries import people
from reviews.services import evidence, jobs, parsing
from reviews.services.labels import Labels
from reviews.services.placements import host_of, is_verified
from reviews.services.remembered import remembered
from reviews.vocabulary import Action, EvidenceUse, ParseState, State

JOB: Final = "batch_policy"
FILE: Final = "batch-policy-curve-pack.zip"
PACK_FORMAT: Final = "batch-policy-curve-pack"
ARMS: Final = ("baseline", "candidate")


@dataclass(frozen=True, slots=True)
class Sweeps:
    """The runs of a memo by arm, "" for those of none, and the files that they came from, (name, SHA-256)."""

    runs: tuple[LabelledRun, ...]
    files: tuple[tuple[str, str], ...]

    def of(self, arm: str) -> "Sweeps":
        """The runs that are labelled so."""
        chosen = tuple(run for run in self.runs if run.arm == arm)
        used = {run.artifact for run in chosen}
        return Sweeps(chosen, tuple(file for file in self.files if file[1] in used))


@dataclass(frozen=True, slots=True)
class Held:
    """A file with runs in a memo: how it is attached, and what was read from it."""

    row: Attachment
    parse: Parse

    @property
    def identity(self) -> list[str]:
        """All of it that an answer depends on."""
        row = self.row
        labels = [row.name, row.arm, row.run, row.excluded, row.block, row.placement, row.placement_source]
        return [row.artifact.sha256, self.parse.measurements.table_sha256, *labels]


def held_by(memo: Memo, set_number: int | None = None) -> tuple[Held, ...]:
    """The files with runs in the memo's sets, or in that one; none taken out, recalled, redacted or unread, no pack."""
    rows = Attachment.objects.filter(evidence_set__memo=memo, detachment=None, artifact__recalls=None)
    rows = rows.filter(artifact__redaction=None)
    if set_number is not None:
        rows = rows.filter(evidence_set__number=set_number)
    found = ((row, parsing.newest(row.artifact)) for row in rows.select_related("artifact").order_by("pk"))
    return tuple(
        Held(row, parse)
        for row, parse in found
        if parse is not None and parse.state == ParseState.PARSED and parse.format != PACK_FORMAT
    )


def of_arms(held: Sequence[Held]) -> tuple[Held, ...]:
    """The files of the arms: those that are labelled with one; all of them where none is."""
    labelled = tuple(one for one in held if one.row.arm)
    return labelled or tuple(held)


def identity_of(held: Sequence[Held], **asked: object) -> dict[str, object]:
    """What an answer from these files depends on, and what was asked, as JSON values."""
    return {"files": [one.identity for one in held], "asked": asked}


def sweeps_of(memo: Memo, set_number: int | None = None) -> Sweeps:
    """Every run in the memo's sets, or in that one, that `held_by` counts."""
    return read(held_by(memo, set_number))


def read(held: Sequence[Held]) -> Sweeps:
    """The runs in these files."""
    runs: dict[tuple[str, str], LabelledRun] = {}
    files = {}
    for one in held:
        row, reading = one.row, parsing.reading_of(one.parse)
        files[row.artifact.sha256] = row.name
        for run in reading.runs:
            if row.run in ("", run.key):
                runs[row.artifact.sha256, run.key] = LabelledRun(
                    run=run,
                    reading=reading,
                    artifact=row.artifact.sha256,
                    label=f"{row.name}#{run.key}",
                    arm="candidate" if row.arm == "candidate" else "baseline",
                    block=row.block,
                    placement=host_of(row.placement),
                    placement_verified=is_verified(row.placement_source),
                    excluded=row.excluded,
                )
    return Sweeps(tuple(runs.values()), tuple(sorted((name, sha256) for sha256, name in files.items())))


@dataclass(frozen=True, slots=True)
class Looked:
    """What a memo's sweep shows, and the files that it is made of, by arm."""

    found: Compared | PolicyReport
    sources: Mapping[str, Sequence[tuple[str, str]]]


def look(memo: Memo, wish: Mapping[str, str], running: jobs.Running | None = None) -> Looked:
    """The sweep under the limits of the wish (see asking.FIELDS); with a running job, simulated as well.

    Raises:
        Refused: what is asked cannot be read, or the runs are no sweep. Cancelled, Superseded: of the job.
    """
    asked_of(wish, simulate=running is not None)
    held = held_by(memo)
    if running is None:
        kept = {name: wish.get(name, "") for name in FIELDS}
        return remembered("batch_policy", identity_of(held, **kept), lambda: _look(held, wish, None))
    return _look(held, wish, running)


def _look(held: Sequence[Held], wish: Mapping[str, str], running: jobs.Running | None) -> Looked:
    asked = asked_of(wish, simulate=running is not None)
    sweeps = read(held)

    def told(done: int, total: int) -> None:
        if running is not None:
            running.progress(done, total, "policies simulated")

    if wish.get("arms") != COMPARE:
        report = report_of(sweeps.runs, asked, told)
        return Looked(report, {"baseline": _used(sweeps, report)})
    arms: dict[str, Sweeps] = {arm: sweeps.of(arm) for arm in ARMS}
    reports = {arm: report_of(one.runs, asked, told) for arm, one in arms.items()}
    sources = {arm: _used(one, reports[arm]) for arm, one in arms.items()}
    return Looked(compared(reports["baseline"], reports["candidate"]), sources)


def _used(sweeps: Sweeps, report: PolicyReport) -> list[tuple[str, str]]:
    used = {run.artifact for point in report.sweep.points for run in point.runs}
    return [file for file in sweeps.files if file[1] in used]


@transaction.atomic
def request(*, actor: User, memo_id: int, wish: Mapping[str, str], set_number: int) -> Job:
    """The job that simulates, and with a set (0 for none) makes the pack and attaches it there.

    Raises:
        NotVisible, NotPermitted, WrongState: only who may attach to the memo may ask. BadInput: see `asked_of`.
    """
    memo = people.memos_visible_to(actor).get(pk=memo_id)
    roles = people.roles_on(actor, memo)
    if set_number:
        lifecycle.move(Action.ATTACH, State(memo.state), roles)
    if not roles & lifecycle.WRITERS:
        raise NotPermitted("A simulation is asked for by an author or contributor.", needs="Ask one of them.")
    kept = {name: wish.get(name, "")[:500] for name in FIELDS}
    _require_readable(kept)
    return jobs.request(actor=actor, kind=JOB, subject=memo, arguments={"wish": kept, "set": set_number})


def _require_readable(wish: Mapping[str, str]) -> None:
    try:
        asked_of(wish, simulate=True)
    except Refused as refused:
        raise BadInput(refused.message, needs=refused.needs, code=refused.code) from refused


def work(running: jobs.Running) -> jobs.Keep:
    """The job `batch_policy` of one memo."""
    memo = Memo.objects.get(pk=running.claim.subject_id)
    wish, number = running.claim.arguments["wish"], int(running.claim.arguments["set"])
    looked = look(memo, wish, running)
    told = _told(looked.found, wish)
    if not number:
        return lambda: told
    pack = packing.packed(looked.found, looked.sources)
    require_sufficient(pack)
    job = Job.objects.select_related("requested_by").get(pk=running.claim.job_id)
    return lambda: told | {"pack": _attach(job, memo, number, pack)}


def require_sufficient(pack: bytes) -> str:
    """Why the gate would count the pack, in a sentence. Raises BadInput with what it lacks."""
    try:
        read = formats.read(Document(pack, FILE), PACK_FORMAT)
    except MalformedEvidence as refused:
        raise BadInput(
            f"The pack would not be sufficient: {refused.message} ({refused.where}).",
            needs=refused.needs,
            code="pack_not_sufficient",
        ) from refused
    return next(said for said in read.notices if said.startswith(SUFFICIENT))


def sufficiency(looked: Looked) -> str:
    """Why a pack of what was looked at would count at the gate. Raises BadInput with what it lacks."""
    return require_sufficient(content.text_of(packing.document_of(looked.found, looked.sources)).encode())


def _attach(job: Job, memo: Memo, number: int, pack: bytes) -> str:
    """The pack attached for whoever asked for the job; its SHA-256."""
    actor = job.requested_by
    if actor is None:
        raise NotPermitted("Nobody asked for this pack.")
    stored = evidence.take_in(actor=actor, name=FILE, chunks=[pack], provenance={})
    labels = Labels(
        kind=content.KIND, arm="", run="", block="", placement="", placement_source="",
        use=EvidenceUse.MOTIVATING.value, excluded="",
    )  # fmt: skip
    row = memo.evidence_sets.get(number=number)
    evidence.attach(actor=actor, set_id=row.pk, artifact=stored.sha256, labels=labels, token=None)
    return stored.sha256


def _told(found: Compared | PolicyReport, wish: Mapping[str, str]) -> dict[str, Any]:
    """The policy tables of a job in words, by arm."""
    tables = []
    for arm, report in packing.arms_of(found).items():
        refusal = report.refusals.get("table")
        if report.table is not None:
            heads, rows = words.policy_rows(report.table)
            said = list(words.policy_lines(report.table))
            tables.append(
                {
                    "arm": arm,
                    "heads": list(heads),
                    "rows": [list(row) for row in rows],
                    "said": said,
                    "table": msgspec.to_builtins(report.table),
                }
            )
        elif refusal is not None:
            said = [f"{refusal.message} {refusal.needs}"]
            tables.append({"arm": arm, "heads": [], "rows": [], "said": said})
    return {"wish": dict(wish), "tables": tables, "pack": ""}
