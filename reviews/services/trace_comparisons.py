"""Traces of an evidence set compared in a job, and kept: the same files once, and never while a page is loaded."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final, Literal

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from analysis import trace_answer, trace_files
from analysis.errors import AnalysisError, Refused
from analysis.exact import parse_exact
from analysis.inputs import ARMS
from analysis.trace_files import Progress, TraceFile
from reviews.errors import BadInput, NotVisible, Redacted, TooLarge, WrongState
from reviews.models import EvidenceSet, Job, TraceComparison
from reviews.queries.traced_sets import JOB, TracedSet, traced
from reviews.sections import digest_of
from reviews.services import events, jobs, revisions, store
from reviews.services.placements import host_of, is_verified
from reviews.vocabulary import Action

MARGIN: Final = "2"
"""In percent."""
GREATEST_MARGIN: Final = 100
MOST_BYTES: Final = 1024**3
NEEDED: Final = "Attach at least one trace of each arm, and label it with its arm."


@transaction.atomic
def request(*, actor: User, memo_id: int, set_number: int, margin: str = MARGIN) -> Job | TraceComparison:
    """The comparison of the set's traces when it is known, else the job that makes it. margin: in percent.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py, as for a comment; NotVisible also for no such
            set, WrongState also when an arm has no trace that was read.
        BadInput: no margin above 0 and up to 100. TooLarge: more than 1 GiB of traces.
    """
    memo = revisions.locked(actor, memo_id)
    revisions.asked(actor, memo, Action.COMMENT)
    factor = factor_of(margin)
    row = memo.evidence_sets.filter(number=set_number).first()
    if row is None:
        raise NotVisible(f"{memo.number} has no evidence set {set_number}.", needs="Look at its evidence.")
    (found,) = traced([row])
    _require(found)
    known = row.trace_comparisons.filter(inputs_digest=digest_of(found.inputs(factor))).first()
    if known is not None:
        return known
    events.append(memo, actor, "compare_traces", set=row.number, margin=margin)
    return jobs.request(actor=actor, kind=JOB, subject=row, arguments={"margin": factor})


def factor_of(percent: str) -> str:
    """The factor above 1 of a margin in percent, as a decimal. Raises BadInput."""
    try:
        share = parse_exact(percent.strip().removesuffix("%")) / 100
    except Refused as refused:
        raise BadInput(
            refused.message, needs="Give percent, for example 2.", code="bad_margin", where="margin"
        ) from None
    if not 0 < share <= Fraction(GREATEST_MARGIN, 100):
        raise BadInput(
            f"A margin of {percent} % excludes nothing, or everything.",
            needs=f"Give percent above 0 and up to {GREATEST_MARGIN}.", code="bad_margin", where="margin",
        )  # fmt: skip
    return f"{float(1 + share):.10g}"


def percent_of(row: TraceComparison) -> str:
    """The margin that somebody chose for the comparison, in percent."""
    return f"{100 * (float(row.inputs['margin']) - 1):.8g}"


def work(running: jobs.Running) -> jobs.Keep:
    """The job `traces` of one evidence set; its argument `margin` is a factor."""
    row = EvidenceSet.objects.get(pk=running.claim.subject_id)
    margin = str(running.claim.arguments["margin"])
    (found,) = traced([row])
    _require(found)
    inputs = found.inputs(margin)
    result = _computed(inputs, running.progress)
    return lambda: {"trace_comparison": _keep(row, inputs, result).pk}


def recompute(row: TraceComparison) -> bool:
    """Whether comparing the files that went in again gives the same result, digit by digit.

    Raises:
        NotVisible: the bytes of one are not in the store any more. Redacted: somebody took them away.
    """
    if digest_of(row.inputs) != row.inputs_digest:
        return False
    try:
        return digest_of(_computed(row.inputs)) == row.digest
    except AnalysisError:
        return False


def computed_again(row: TraceComparison) -> Literal["the same", "DIFFERS", "bytes redacted"]:
    """What came of comparing again; of traces that were redacted, that nothing can."""
    try:
        return "the same" if recompute(row) else "DIFFERS"
    except Redacted:
        return "bytes redacted"


def _computed(inputs: Mapping[str, Any], say: Progress | None = None) -> dict[str, Any]:
    """The answer to what goes in, from the bytes in the store."""
    files = [_file(one) for one in inputs["runs"]]
    return dict(trace_files.answered(files, store.open_artifact, margin=float(inputs["margin"]), say=say))


def _file(said: Mapping[str, str]) -> TraceFile:
    """A file of the inputs, as `TracedSet.inputs` writes it."""
    return TraceFile(
        arm=next(arm for arm in ARMS if arm == said["arm"]),
        artifact=said["artifact"],
        name=said["name"],
        run=said["run"],
        block=said["block"],
        placement=host_of(said["placement"]),
        placement_verified=is_verified(said["placement_source"]),
    )


def _require(found: TracedSet) -> None:
    if found.missing:
        raise WrongState(found.missing, needs=NEEDED, code="no_traces")
    size = sum({one.artifact.sha256: one.artifact.size for one in found.traces}.values())
    if size > MOST_BYTES:
        raise TooLarge(
            f"The traces of set {found.row.number} have {size} bytes together, and at most {MOST_BYTES} are compared.",
            needs="Attach shorter traces: a few steps of each run are enough.",
        )


def _keep(row: EvidenceSet, inputs: dict[str, Any], result: dict[str, Any]) -> TraceComparison:
    """The row of what was found; the one that stands already when there is one."""
    digest = digest_of(inputs)
    known = row.trace_comparisons.filter(inputs_digest=digest).first()
    if known is not None:
        return known
    events.append(row.memo, None, "compared_traces", set=row.number, digest=digest_of(result))
    return TraceComparison.objects.create(
        evidence_set=row,
        version=trace_answer.VERSION,
        inputs=inputs,
        inputs_digest=digest,
        divergence=result["divergence"],
        result=result,
        digest=digest_of(result),
        compared_at=timezone.now(),
    )
