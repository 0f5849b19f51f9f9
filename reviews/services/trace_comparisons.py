"""Traces of an evidence set compared in a job, and kept: the same files once, and never while a page is loaded."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from analysis import trace_answer
from analysis.errors import Refused
from analysis.evidence import traces
from analysis.evidence.traces import Traced
from analysis.exact import parse_exact
from analysis.traced_runs import TracedRun
from reviews.errors import BadInput, NotVisible, TooLarge, WrongState
from reviews.models import Attachment, EvidenceSet, Job, TraceComparison
from reviews.queries.traced_sets import JOB, TracedSet, traced
from reviews.sections import digest_of
from reviews.services import events, jobs, revisions, store
from reviews.services.placements import host_of, is_verified
from reviews.vocabulary import Action, Arm

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
    result = _compared(running, found.traces, float(margin))
    return lambda: {"trace_comparison": _keep(row, inputs, result).pk}


def _require(found: TracedSet) -> None:
    if found.missing:
        raise WrongState(found.missing, needs=NEEDED, code="no_traces")
    size = sum({one.artifact.sha256: one.artifact.size for one in found.traces}.values())
    if size > MOST_BYTES:
        raise TooLarge(
            f"The traces of set {found.row.number} have {size} bytes together, and at most {MOST_BYTES} are compared.",
            needs="Attach shorter traces: a few steps of each run are enough.",
        )


def _compared(running: jobs.Running, found: Sequence[Attachment], margin: float) -> dict[str, Any]:
    arms: dict[str, list[TracedRun]] = {arm: [] for arm in Arm.values}
    read: dict[str, list[Traced]] = {arm: [] for arm in Arm.values}
    for done, one in enumerate(found):
        running.progress(done, len(found), f"reading {one.name}")
        for trace in _read(one):
            arms[one.arm].append(_run(one, trace))
            read[one.arm].append(trace)
    labelled = [_told_apart(runs, list(chain(*arms.values()))) for runs in arms.values()]
    said = traces.cautions(*read.values())
    return trace_answer.to_json(trace_answer.answer(*labelled, margin=margin, cautions=tuple(said)))


def _read(attachment: Attachment) -> Iterator[Traced]:
    """The runs of the file that the label means: all of them, or the one that it names."""
    with store.open_artifact(attachment.artifact.sha256) as file:
        found = traces.runs_in(file, attachment.name)
    yield from (trace for trace in found if attachment.run in ("", trace.key))


def _run(attachment: Attachment, trace: Traced) -> TracedRun:
    alone = trace.key == "0"
    return TracedRun(
        label=attachment.name if alone else f"{attachment.name}#{trace.key}",
        content=trace.content,
        artifact=attachment.artifact.sha256,
        key=trace.key,
        block=attachment.block,
        placement=host_of(attachment.placement),
        placement_verified=is_verified(attachment.placement_source),
        rank=trace.rank,
    )


def _told_apart(runs: Sequence[TracedRun], every: Sequence[TracedRun]) -> list[TracedRun]:
    """The runs under labels of their own: equal names get the beginning of their file's digest."""
    return [
        replace(run, label=f"{run.label} ({run.artifact[:8]})") if sum(o.label == run.label for o in every) > 1 else run
        for run in runs
    ]


def _keep(row: EvidenceSet, inputs: dict[str, Any], result: dict[str, Any]) -> TraceComparison:
    """The row of what was found; the one that stands already when there is one."""
    digest = digest_of(inputs)
    known = row.trace_comparisons.filter(inputs_digest=digest).first()
    if known is not None:
        return known
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
