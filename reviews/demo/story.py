"""The steps of the story, each a call of the services that the pages use; a step that stands already is left alone.

A step yields the lines that tell what happened. So a story that was broken off goes on where it stopped.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from reviews import printing
from reviews.authentication import Authentication
from reviews.demo import curves, recorded
from reviews.demo.personas import SIGNERS, TEAM, Persona, as_person, proved
from reviews.demo.worker import Worker
from reviews.errors import GateClosed
from reviews.models import Assessment, EvidenceSet, Memo, Waiver
from reviews.policies.answers import Requirement
from reviews.queries import demo, gate, records
from reviews.queries.comparisons import sentence_of
from reviews.sections import Hypothesis, HypothesisResolution, to_json
from reviews.services import assessments, decisions, evidence, memos, plans, signatures, waivers
from reviews.services.decisions import DecisionWish
from reviews.services.signatures import SignatureWish
from reviews.services.waivers import WaiverWish
from reviews.vocabulary import DecisionKind, Intent, Position, Resolution, SetState

Lines = Iterator[str]

COMPARED: Final = ("C1", "C2")
ENERGY: Final = "the_symptom_is_complete:energy_per_request.mean"
PERCENT: Final = "10"
WAIVED_DAYS: Final = 60
SET_TITLE: Final = "Ten randomised blocks, and the sweep before them"
ABOUT_SYMPTOM: Final = "the_symptom_is_complete"
ABOUT_AGE: Final = "evidence_is_fresh"
ABOUT_SCOPE: Final = "evidence_reaches_the_scope"
MOST_LINES: Final = 6


class StoryBroken(RuntimeError):
    """The product did something else than the story tells."""


@dataclass(frozen=True, slots=True)
class Case:
    """The memo of the story."""

    memo_id: int
    number: str

    @property
    def memo(self) -> Memo:
        """The memo as it is now."""
        return demo.memo(self.memo_id)

    @property
    def base(self) -> str:
        """The digest of the revision that everybody in the story has before them."""
        return records.revision_of(self.memo).digest


def find() -> Case | None:
    """The case, when it was begun before."""
    memo = demo.memo_of_plan(recorded.nonce())
    return Case(memo.pk, memo.number) if memo else None


@transaction.atomic
def begin() -> tuple[Case, tuple[str, ...]]:
    """The memo filed, its plan imported, and the memo submitted: all of it or nothing."""
    ann = as_person("ann")
    filed = memos.file_text(
        actor=ann,
        team=TEAM,
        text=recorded.memo_text(),
        template=recorded.TEMPLATE,
        intent=Intent.PLANNED_CHANGE.value,
    )
    case = Case(filed.memo.pk, filed.memo.number)
    content, registered_at = recorded.plan()
    plan = plans.register(
        actor=ann, memo_id=case.memo_id, content=content, nonce=recorded.nonce(), registered_at=registered_at
    )
    memos.submit(actor=ann, memo_id=case.memo_id, base=case.base)
    when = printing.utc(plan.registered_at)
    return case, (
        f"Ann pastes the text of her memo: {case.number}, “{filed.memo.title}”.",
        *(f"  line {note.line}: {note.sentence}" for note in filed.notes),
        f"She imports the plan of {when}, written before the runs, with {len(content.predictions)} predictions.",
        "The pages say that it was imported: this installation did not witness it. She submits the memo for review.",
    )


def attach(case: Case, worker: Worker) -> Lines:
    """Sam attaches the recorded files, the worker reads them, and Sam seals the set."""
    sam, files = as_person("sam"), recorded.files()
    found = _set(case)
    if found.state == SetState.SEALED:
        return
    known = {row.artifact.sha256 for row in found.attachments.all()}
    digests = []
    for file in files:
        artifact = evidence.take_in(actor=sam, name=file.name, chunks=[file.path.read_bytes()], provenance={})
        digests.append(artifact.sha256)
        if artifact.sha256 not in known:
            evidence.attach(actor=sam, set_id=found.pk, artifact=artifact.sha256, labels=file.labels, token=None)
    yield f"Sam attaches {len(files)} files that were recorded on a real machine, and asks the worker to read them."
    worker.wait_until(lambda: demo.unread(digests) == 0, "reading the files")
    yield "The worker has read them all."
    yield curves.make(case.memo, found, worker)
    evidence.seal(actor=sam, set_id=found.pk)
    yield "Sam seals the set: nothing is added or left out from here on. Of what a ship needs besides, the gate says:"
    yield f"  {curves.gate_says(case.memo)}"


def _set(case: Case) -> EvidenceSet:
    """The evidence set of the story, opened when there is none."""
    known = records.evidence_sets(case.memo).first()
    if known is None:
        evidence.open_set(actor=as_person("sam"), memo_id=case.memo_id, title=SET_TITLE, plan=recorded.nonce())
    return records.evidence_set(case.memo, 1)


def compute(case: Case) -> Lines:
    """The two planned comparisons."""
    computed = {row.key for row in records.content_of(case.memo).comparisons.comparisons if row.assessment}
    for key in COMPARED:
        if key in computed:
            continue
        made = assessments.compute(actor=as_person("sam"), memo_id=case.memo_id, comparison=key)
        yield _claim(key, made)


def _claim(key: str, made: Assessment) -> str:
    result: dict[str, Any] = made.result
    interval = result["interval"]
    if interval is None or result["verdict"] is None:
        return f"{key}: {sentence_of(result)}"
    words = printing.IntervalWords(
        level=interval["confidence"],
        method=interval["method"],
        replicates=f"{interval['units']} {interval['counted']}",
        scope=interval["scope"],
    )
    said = printing.interval(interval["estimate"], interval["lo"], interval["hi"], words)
    return f"{key}, {result['plan']['metric']} {result['plan']['stat']}: {said}. {result['verdict']['headline']}."


def resolve(case: Case) -> Lines:
    """Ann says what became of each hypothesis, from how its predictions were judged."""
    content = records.content_of(case.memo)
    stated = content.hypotheses
    if any(row.resolution.state for row in stated.hypotheses):
        return
    judged = {
        judgement["key"]: judgement["outcome"]
        for row in content.comparisons.comparisons
        if row.assessment
        for judgement in records.assessment(case.memo, row.assessment).result["judgements"]
    }
    answers = tuple(resolved(row, judged) for row in stated.hypotheses)
    memos.revise(
        actor=as_person("ann"),
        memo_id=case.memo_id,
        base=case.base,
        sections={"hypotheses": to_json(replace(stated, hypotheses=answers))},
        said="Resolved the hypotheses by the judgements of their predictions.",
    )
    yield "Ann resolves the hypotheses: " + "; ".join(f"{row.key} {row.resolution.state}" for row in answers) + "."


def resolved(row: Hypothesis, judged: Mapping[str, str]) -> Hypothesis:
    """The hypothesis, resolved by the outcomes of its predictions: supported by all, refuted by one, else open."""
    found = {prediction.key: judged.get(prediction.key, "not judged") for prediction in row.predictions}
    said = ", ".join(f"{key} {outcome.replace('_', ' ')}" for key, outcome in found.items())
    if set(found.values()) == {"supported"}:
        return replace(row, resolution=HypothesisResolution(state=Resolution.SUPPORTED.value, reason=said))
    if "refuted" in found.values():
        return replace(row, resolution=HypothesisResolution(state=Resolution.REFUTED.value, reason=said))
    open_ = HypothesisResolution(state=Resolution.OPEN.value, reason=said, owner="ann", due="2031-01-31")
    return replace(row, resolution=open_)


def refused(case: Case, kind: DecisionKind, first: str) -> Lines:
    """Bea tries to decide, and the gate says what is missing. first: a rule whose lines are told before the others.

    Nothing is tried once everything is there, as in a story that goes on.
    """
    if next(outlook for outlook in gate.preview(case.memo_id).outlooks if outlook.kind is kind).allowed:
        return
    try:
        _decide(case, kind, "To see what is missing.")
    except GateClosed as closed:
        yield f"Bea tries to record “{kind.label}”, and is refused: {len(closed.missing)} requirement(s) are missing."
        missing = sorted(closed.missing, key=lambda one: one.code.partition(":")[0] != first)
        yield from (f"  ✕ {one.sentence}" + (f" ({one.who})" if one.who else "") for one in missing[:MOST_LINES])
        if len(missing) > MOST_LINES:
            yield f"  … and {len(missing) - MOST_LINES} more."
    else:
        raise StoryBroken(f"The gate let “{kind.label}” through.")


def waive(case: Case) -> Lines:
    """Energy per inference is waived in the open: Ann asks, Ben approves."""
    if records.waivers(case.memo).exists():
        return
    proof = proved("ben")
    waiver = _waive(case, proof, ENERGY, "The machine shows no power counter.")
    yield "No power counter, no energy per inference: Ann asks to waive it in the open, with Tess as owner."
    old = sorted(line.code for line in _blockers(case) if line.rule == ABOUT_AGE)
    for code in old:
        _waive(case, proof, code, "The runs of this demo were recorded when it was written.")
    if old:
        yield f"The recorded runs are not of these days: their age is waived too, for {len(old)} comparison(s)."
    yield f"Ben, of the board, approves until {printing.utc(waiver.expires_at)}. Every page and the PDF show it."


def _blockers(case: Case) -> tuple[Requirement, ...]:
    outlooks = gate.preview(case.memo_id).outlooks
    return next(outlook.blockers for outlook in outlooks if outlook.kind is DecisionKind.BOUNDED)


@transaction.atomic
def _waive(case: Case, proof: Authentication, requirement: str, reason: str) -> Waiver:
    wish = WaiverWish(
        requirement=requirement,
        owner="tess",
        reason=reason,
        control="Rack power and latency are watched during the rollout.",
        expires_at=timezone.now() + timedelta(days=WAIVED_DAYS),
    )
    waiver = waivers.request(actor=as_person("ann"), memo_id=case.memo_id, wish=wish)
    waivers.approve(actor=as_person("ben"), waiver_id=waiver.pk, note="For this rollout only.", authentication=proof)
    return waiver


def sign(case: Case) -> Lines:
    """The required owners and the rollback owner sign for a bounded rollout and a rollback."""
    known = {signature.role for signature in records.signatures(case.memo)}
    for persona in SIGNERS:
        if persona.role not in known:
            _sign(case, persona)
    names = ", ".join(persona.name for persona in SIGNERS)
    yield f"{names} read the case and sign for a bounded rollout up to {PERCENT} % and for a rollback."


def _sign(case: Case, persona: Persona) -> None:
    wish = SignatureWish(
        role=persona.role,
        position=Position.APPROVE.value,
        kinds=(DecisionKind.BOUNDED.value, DecisionKind.ROLLBACK.value),
        scope_percent=PERCENT,
        text="",
        would_clear_if="",
        conditions=(),
    )
    signatures.sign(
        actor=as_person(persona.username),
        memo_id=case.memo_id,
        base=case.base,
        wish=wish,
        authentication=proved(persona.username),
    )


def decide(case: Case) -> Lines:
    """Bea records the bounded rollout."""
    _decide(
        case, DecisionKind.BOUNDED, f"One host was measured, so {PERCENT} % of its traffic, with both metrics watched."
    )
    yield f"What the evidence allows is a bounded rollout: Bea records it, up to {PERCENT} %. The dossier is frozen."


def _decide(case: Case, kind: DecisionKind, why: str) -> None:
    percent = PERCENT if kind is DecisionKind.BOUNDED else ""
    decisions.decide(
        actor=as_person("bea"),
        memo_id=case.memo_id,
        base=case.base,
        wish=DecisionWish(kind=kind.value, scope_percent=percent, rationale=why),
        authentication=proved("bea"),
    )
