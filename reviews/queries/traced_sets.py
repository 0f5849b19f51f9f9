"""The traces in the evidence sets of a memo, and what was found in them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.contrib.auth.models import User

from analysis import trace_answer
from analysis.charts import ChartSpec
from analysis.evidence import traces
from analysis.trace_answer import TraceAnswer
from analysis.trace_chart import timeline_chart
from reviews.errors import NotVisible
from reviews.models import Attachment, EvidenceSet, Job, Measurements, Memo, Parse, TraceComparison
from reviews.policies import lifecycle
from reviews.queries import people
from reviews.queries.readings import LIVE, stored
from reviews.sections import MemoContent, digest_of
from reviews.vocabulary import Action, Arm, JobState, ParseState, State

JOB: Final = "traces"
SUBJECT: Final = EvidenceSet._meta.model_name
KERNELS: Final = 10
"""So many of a comparison stand in a dossier."""


@dataclass(frozen=True, slots=True)
class TracedSet:
    """An evidence set with its traces that count, in their order: read, of a format of traces, labelled with an arm."""

    row: EvidenceSet
    traces: tuple[Attachment, ...]

    def of(self, arm: str) -> tuple[Attachment, ...]:
        """Those of one arm."""
        return tuple(one for one in self.traces if one.arm == arm)

    @property
    def counts(self) -> tuple[int, ...]:
        """How many each arm has."""
        return tuple(len(self.of(arm)) for arm in Arm.values)

    @property
    def missing(self) -> str:
        """Why they cannot be compared; "" when they can."""
        lacking = [arm for arm in Arm.values if not self.of(arm)]
        return f"Set {self.row.number} holds no trace of the {' and of the '.join(lacking)}." if lacking else ""

    def inputs(self, margin: str) -> dict[str, Any]:
        """All that goes into a comparison, as JSON. margin: a factor."""
        return {"version": trace_answer.VERSION, "margin": margin, "runs": [_input(one) for one in self.traces]}


@dataclass(frozen=True, slots=True, kw_only=True)
class TracePage:
    """sets: those with a trace, the newest first. chosen: the one that is shown, with what was found in it.

    current: what was found is of the traces as they are now. job: the latest that compares them, None for none.
    """

    memo: Memo
    sets: tuple[TracedSet, ...]
    chosen: TracedSet | None
    row: TraceComparison | None
    found: TraceAnswer | None
    timeline: ChartSpec | None
    current: bool
    job: Job | None
    may_ask: bool

    @property
    def waits(self) -> bool:
        """Whether the traces are being compared now."""
        return self.job is not None and self.job.state in LIVE

    @property
    def failed(self) -> bool:
        """Whether the latest attempt to compare them came to nothing."""
        return self.job is not None and self.job.state == JobState.FAILED


def _input(one: Attachment) -> dict[str, str]:
    return {
        "arm": one.arm,
        "artifact": one.artifact.sha256,
        "run": one.run,
        "name": one.name,
        "block": one.block,
        "placement": one.placement,
        "placement_source": one.placement_source,
    }


def traced(rows: Sequence[EvidenceSet]) -> tuple[TracedSet, ...]:
    """Each set with its traces; five queries, however many there are."""
    attached = Attachment.objects.filter(evidence_set__in=rows, detachment=None, excluded="").exclude(arm="")
    held = list(attached.select_related("artifact").order_by("pk"))
    known = _known({one.artifact.sha256 for one in held})
    of_set: dict[int, list[Attachment]] = defaultdict(list)
    for one in held:
        if known.get(one.artifact.sha256):
            of_set[one.evidence_set_id].append(one)
    return tuple(TracedSet(row, tuple(of_set[row.pk])) for row in rows)


def _known(shas: Iterable[str]) -> Mapping[str, bool]:
    """Digest -> whether the file was read as a trace, or as a table of the times of stages."""
    return {sha256: one.parse is not None and _is_traced(one.parse) for sha256, one in stored(set(shas)).items()}


def _is_traced(parse: Parse) -> bool:
    if parse.state != ParseState.PARSED:
        return False
    table: Measurements | None = getattr(parse, "measurements", None)
    return parse.format in traces.FORMATS or (table is not None and bool(table.timed_runs))


def trace_page(person: User, memo: Memo, set_number: int | None) -> TracePage:
    """What the page shows. set_number: None for the newest set that has something.

    Raises:
        NotVisible: the memo has no such set.
    """
    sets = sets_with_traces(memo, set_number)
    chosen = _chosen(memo, sets, set_number)
    row = None if chosen is None else chosen.row.trace_comparisons.order_by("-pk").first()
    found = None if row is None else trace_answer.from_json(row.result)
    return TracePage(
        memo=memo,
        sets=sets,
        chosen=chosen,
        row=row,
        found=found,
        timeline=None if found is None else timeline_chart(found),
        current=row is not None and chosen is not None and is_current(row, chosen),
        job=None if chosen is None else _job(chosen.row),
        may_ask=Action.COMMENT in lifecycle.allowed(State(memo.state), people.roles_on(person, memo)),
    )


def sets_with_traces(memo: Memo, number: int | None = None) -> tuple[TracedSet, ...]:
    """The sets of the memo that hold a trace, and the one of that number, the newest first."""
    rows = list(memo.evidence_sets.order_by("-number"))
    return tuple(one for one in traced(rows) if one.traces or one.row.number == number)


def _chosen(memo: Memo, sets: Sequence[TracedSet], number: int | None) -> TracedSet | None:
    """The set of that number; else the newest one that can be compared, else the newest one with a trace."""
    if number is not None:
        found = next((one for one in sets if one.row.number == number), None)
        if found is None:
            raise NotVisible(f"{memo.number} has no evidence set {number}.", needs="Look at its evidence.")
        return found
    return next((one for one in sets if not one.missing), next(iter(sets), None))


def is_current(row: TraceComparison, traced_set: TracedSet) -> bool:
    """Whether the comparison is of the traces as they are now, by the version that compares now."""
    return digest_of(traced_set.inputs(str(row.inputs["margin"]))) == row.inputs_digest


def _job(row: EvidenceSet) -> Job | None:
    return Job.objects.filter(kind=JOB, subject_kind=SUBJECT, subject_id=row.pk).order_by("-pk").first()


def newest_of(memo: Memo, numbers: Iterable[int]) -> tuple[TraceComparison, ...]:
    """The newest comparison of traces of each of the memo's sets that has one, by the number of the set."""
    rows = TraceComparison.objects.filter(evidence_set__memo=memo, evidence_set__number__in=set(numbers))
    newest = {row.evidence_set_id: row for row in rows.select_related("evidence_set").order_by("pk")}
    return tuple(sorted(newest.values(), key=lambda row: row.evidence_set.number))


def cited(memo: Memo, content: MemoContent) -> list[dict[str, Any]]:
    """The newest comparison of the traces of each sealed set, as a dossier holds it, with its first kernels."""
    numbers = [one.number for one in content.evidence.sets]
    rows = {row.evidence_set_id: row for row in newest_of(memo, numbers)} if numbers else {}
    if not rows:
        return []
    sets = traced(list(memo.evidence_sets.filter(pk__in=rows).order_by("number")))
    return [_as_cited(rows[one.row.pk], one) for one in sets if is_current(rows[one.row.pk], one)]


def _as_cited(row: TraceComparison, traced_set: TracedSet) -> dict[str, Any]:
    description = row.result["description"]
    return {
        "set": traced_set.row.number,
        "title": traced_set.row.title,
        "version": row.version,
        "inputs": row.inputs,
        "inputs_digest": row.inputs_digest,
        "digest": row.digest,
        "compared_at": row.compared_at.isoformat(),
        "kernels": len(description["kernels"]),
        "result": {**row.result, "description": {**description, "kernels": description["kernels"][:KERNELS]}},
    }
