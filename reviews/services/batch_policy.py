"""Batch policy of a memo: its sweep under limits, a simulation as a job, and the curve pack that attaches itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction

from analysis import evidence as formats
from analysis.errors import MalformedEvidence, Refused
from analysis.evidence.format import Document
from analysis.inputs import LabelledRun
from reviews.batch_policy import content, packing, words
from reviews.batch_policy.asking import COMPARE, FIELDS, asked_of
from reviews.batch_policy.report import Compared, PolicyReport, compared, report_of
from reviews.errors import BadInput, NotPermitted
from reviews.models import Attachment, Job, Memo
from reviews.policies import lifecycle
from reviews.queries import people
from reviews.services import evidence, jobs, parsing
from reviews.services.labels import Labels
from reviews.services.placements import host_of, is_verified
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


def sweeps_of(memo: Memo, set_number: int | None = None) -> Sweeps:
    """Every run in the memo's sets, or in that one, but for files taken out, recalled, redacted, unread; no pack."""
    rows = Attachment.objects.filter(evidence_set__memo=memo, detachment=None, artifact__recalls=None)
    rows = rows.filter(artifact__redaction=None)
    if set_number is not None:
        rows = rows.filter(evidence_set__number=set_number)
    runs: dict[tuple[str, str], LabelledRun] = {}
    files = {}
    for row in rows.select_related("artifact").order_by("pk"):
        parse = parsing.newest(row.artifact)
        if parse is None or parse.state != ParseState.PARSED or parse.format == PACK_FORMAT:
            continue
        reading = parsing.reading_of(parse)
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
    asked = asked_of(wish, simulate=running is not None)
    sweeps = sweeps_of(memo)

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


def require_sufficient(pack: bytes) -> None:
    """Passes when the gate would count the pack. Raises BadInput with what it lacks."""
    try:
        formats.read(Document(pack, FILE), PACK_FORMAT)
    except MalformedEvidence as refused:
        raise BadInput(
            f"The pack would not be sufficient: {refused.message} ({refused.where}).",
            needs=refused.needs,
            code="pack_not_sufficient",
        ) from refused


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
            tables.append({"arm": arm, "heads": list(heads), "rows": [list(row) for row in rows], "said": said})
        elif refusal is not None:
            said = [f"{refusal.message} {refusal.needs}"]
            tables.append({"arm": arm, "heads": [], "rows": [], "said": said})
    return {"wish": dict(wish), "tables": tables, "pack": ""}
