"""The steps of a template's playbook, and what of the memo's own records answers each.

A step is answered when all that it asks for is recorded. Which records those are is said here for the steps of the
shipped playbooks, by their text; a step that a team wrote itself is answered by a person's mark alone.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from analysis.attribution import INTERLEAVED
from analysis.families import verdict_of
from analysis.multiplicity import PASSES
from analysis.results import AssessmentResult
from reviews.models import TraceComparison, TriageMark
from reviews.policies.rules_verdict import QUALITY_METRICS
from reviews.sections import Comparison, MemoContent
from reviews.vocabulary import ComparisonRole, Purpose, RiskKind

State = Literal["answered", "partly", "open"]
Kind = Literal["comparison", "hypothesis", "section", "traces"]

AFTER_THE_FIX: Final = (Purpose.FIX_CHECK, Purpose.RECHECK)


@dataclass(frozen=True, slots=True)
class Record:
    """A record that answers. ref: key of a comparison or hypothesis, name of a section, number of a traced set."""

    kind: Kind
    ref: str
    said: str


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that a step asks for, and the records that show it."""

    asks: str
    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class Recorded:
    """What the checks read. results: by the key of the comparison. traces: the newest comparison of each traced set."""

    content: MemoContent
    results: Mapping[str, AssessmentResult]
    traces: Sequence[TraceComparison]

    def rows(self, *purposes: str) -> tuple[Comparison, ...]:
        """The comparisons of the purposes, of all but replays without one; screenings are left out."""
        wanted = purposes or tuple(purpose for purpose in Purpose.values if purpose != Purpose.REPLAY)
        rows = self.content.comparisons.comparisons
        return tuple(row for row in rows if row.purpose in wanted and row.role != ComparisonRole.SCREENING)

    def computed(self, *purposes: str) -> Iterator[tuple[Comparison, AssessmentResult]]:
        """Those that have a result."""
        return ((row, self.results[row.key]) for row in self.rows(*purposes) if row.key in self.results)


@dataclass(frozen=True, slots=True)
class PlaybookStep:
    """A step. parts: what it asks for; empty when no record can answer it. marks: the newest first."""

    number: int
    text: str
    parts: tuple[Part, ...]
    marks: tuple[TriageMark, ...]

    @property
    def state(self) -> State:
        """Whether the records answer it."""
        found = [bool(part.records) for part in self.parts]
        return "answered" if found and all(found) else "partly" if any(found) else "open"

    @property
    def marked(self) -> TriageMark | None:
        """The mark that counts, None where there is none or it was taken back."""
        return self.marks[0] if self.marks and self.marks[0].done else None


def playbook(steps: Sequence[str], found: Recorded, marks: Sequence[TriageMark]) -> tuple[PlaybookStep, ...]:
    """Every step in its order. marks: the newest first."""
    return tuple(
        PlaybookStep(
            number,
            text,
            tuple(Part(asks, tuple(check(found))) for asks, check in CHECKS.get(text, ())),
            tuple(mark for mark in marks if mark.step == text),
        )
        for number, text in enumerate(steps, 1)
    )


def _comparison(row: Comparison, said: str) -> Record:
    return Record("comparison", row.key, said)


def _matched(found: Recorded) -> Iterator[Record]:
    for row, result in found.computed():
        if result.audit and not any(line.blocks for line in result.audit):
            same = sum(line.state == "same" for line in result.audit)
            yield _comparison(row, f"{same} of {len(result.audit)} settings are the same, and none blocks")


def _recorded(found: Recorded) -> Iterator[Record]:
    for row, result in found.computed():
        settings = [line for line in result.audit if line.role == "configuration"]
        if settings and not any(line.state == "not_recorded" for line in settings):
            yield _comparison(row, f"all {len(settings)} settings are recorded in both arms")


def _tagged(found: Recorded) -> Iterator[Record]:
    tags = found.content.symptom.build_tags
    if tags.compiler and tags.firmware and tags.runtime and tags.hardware:
        yield Record("section", "symptom", f"{tags.compiler}; {tags.firmware}; {tags.runtime}; {tags.hardware}")


def _worked(found: Recorded) -> Iterator[Record]:
    for row, result in found.computed():
        work = [line for line in result.audit if line.role == "work" and line.state != "not_recorded"]
        if work and not any(line.blocks for line in result.audit):
            yield _comparison(row, f"{', '.join(line.setting for line in work)} recorded in both arms")


def _window(found: Recorded) -> Iterator[Record]:
    if found.content.symptom.observation_window:
        yield Record("section", "symptom", found.content.symptom.observation_window.replace("_", " "))


def _over_runs(found: Recorded) -> Iterator[Record]:
    for row, result in found.computed():
        if result.interval is not None:
            yield _comparison(row, f"an interval from {result.interval.units} {result.interval.frame.counted}")


def _interleaved(found: Recorded) -> Iterator[Record]:
    for row, result in found.computed():
        if result.design is not None and result.design.kind == "blocked" and result.overlap != 0:
            yield _comparison(row, "blocks with one run of each arm")
        elif result.overlap is not None and result.overlap >= INTERLEAVED:
            yield _comparison(row, "the arms overlap in time")


def _kinds(found: Recorded) -> Iterator[Record]:
    for row, result in found.computed():
        if (verdict := verdict_of(result)) is not None:
            yield _comparison(row, f"its verdict rests on a {verdict.basis.replace('_', ' ')}")


def _diverges(found: Recorded) -> Iterator[Record]:
    for row, result in found.computed(*Purpose.values):
        if result.stages is not None and result.stages.found:
            yield _comparison(row, result.stages.sentence)
    for one in found.traces:
        if one.divergence != "none":
            yield Record("traces", str(one.evidence_set.number), f"the traces part in {one.divergence}")


def _mechanism(found: Recorded) -> Iterator[Record]:
    for row, result in found.computed(*Purpose.values):
        if result.mechanisms is not None and result.mechanisms.dominant:
            yield _comparison(row, f"the counters speak for {result.mechanisms.dominant} alone")
    for hypothesis in found.content.hypotheses.hypotheses:
        if hypothesis.resolution.state == "supported" and hypothesis.mechanism:
            yield Record("hypothesis", hypothesis.key, f"resolved as supported: {hypothesis.mechanism}")


def _predicted(found: Recorded) -> Iterator[Record]:
    for one in found.content.hypotheses.hypotheses:
        registered = [p.key for p in one.predictions if p.registered_at]
        if registered:
            yield Record("hypothesis", one.key, f"{', '.join(registered)} registered before its runs")


def _rivals(found: Recorded) -> Iterator[Record]:
    told = list(_predicted(found))
    return iter(told if len(told) > 1 else ())


def _verdicts(found: Recorded, *purposes: str) -> Iterator[Record]:
    for row, result in found.computed(*purposes):
        if (verdict := verdict_of(result)) is not None and not QUALITY_METRICS.search(row.metric):
            yield _comparison(row, verdict.headline)


def _replayed(found: Recorded) -> Iterator[Record]:
    return _verdicts(found, Purpose.REPLAY)


def _fixed(found: Recorded) -> Iterator[Record]:
    return _verdicts(found, *AFTER_THE_FIX)


def _bounded(found: Recorded) -> Iterator[Record]:
    if found.content.action.smallest_reversible_change:
        yield Record("section", "action", found.content.action.smallest_reversible_change)


def _quality(found: Recorded) -> Iterator[Record]:
    for row, result in found.computed(*AFTER_THE_FIX):
        verdict = verdict_of(result)
        if QUALITY_METRICS.search(row.metric) and verdict is not None and verdict.materiality in PASSES:
            yield _comparison(row, verdict.headline)


def _correct(found: Recorded) -> Iterator[Record]:
    for risk in found.content.action.risks:
        if risk.kind == RiskKind.CORRECTNESS and risk.result:
            yield Record("section", "action", f"correctness: {risk.result}")


def _same_work_after(found: Recorded) -> Iterator[Record]:
    after = {row.key for row in found.rows(*AFTER_THE_FIX)}
    return (record for record in _matched(found) if record.ref in after)


Check = Callable[[Recorded], Iterator[Record]]
SAME: Final = ("A work audit of the two arms in which nothing blocks", _matched)
FIXED: Final = ("A comparison of performance after the fix", _fixed)
QUALITY: Final = ("A quality guardrail after the fix that is not worse", _quality)

CHECKS: Final[Mapping[str, tuple[tuple[str, Check], ...]]] = {
    "Freeze workload seed, model revision, and execution environment.": (
        SAME,
        ("Every audited setting recorded in both arms", _recorded),
    ),
    "Locate first persistent stage where metrics diverge.": (
        ("A first diverging stage, by stages or traces", _diverges),
    ),
    "Classify dominant mechanism: compute, memory, scheduling, precision, or thermal.": (
        ("One mechanism that the counters or a hypothesis supports", _mechanism),
    ),
    "Build one focused reproducer and apply one bounded fix.": (
        ("A replay with a verdict", _replayed),
        ("The smallest reversible change", _bounded),
        FIXED,
    ),
    "Re-run full correctness, quality, and performance matrix.": (
        ("The correctness risk answered", _correct),
        QUALITY,
        FIXED,
    ),
    "Reconstruct the exact comparison: the same model, data shape distribution, valid-update semantics, hardware "
    "placement, and timing method in both arms.": (SAME,),
    "Record code and configuration versions, compiler and backend settings, hardware topology, device clocks, batch "
    "shapes, and the warmup policy.": (
        ("Compiler, firmware, runtime and hardware of the symptom", _tagged),
        ("Every audited setting recorded in both arms", _recorded),
    ),
    "Normalize latency and throughput to the same work: throughput is work divided by completed time. If token counts "
    "or shapes changed, report both work and time.": (("The work that both arms did", _worked),),
    "Classify the observation window: steady training, startup, checkpointing, or an intentionally mixed operational "
    "interval.": (("The observation window of the symptom", _window),),
    "Estimate the effect at the right experimental level: independent runs or job placements, interleaved or "
    "randomized, with warmup kept separate.": (
        ("An interval over runs or placements", _over_runs),
        ("Arms that were interleaved or run in blocks", _interleaved),
    ),
    "Keep deterministic measurement bounds apart from statistical confidence intervals, and give no confidence "
    "percentage to a min-max range.": (("A verdict that names the kind of its interval", _kinds),),
    "Use a change hypothesis to choose the next measurement: a minimal replay that distinguishes the leading causes, "
    "then one factor at a time.": (
        ("Two hypotheses with registered predictions", _rivals),
        ("A replay with a verdict", _replayed),
    ),
    "Recheck the final candidate in ordinary execution with quality and work equivalence.": (
        FIXED,
        QUALITY,
        ("The same work after the fix", _same_work_after),
    ),
}
"""Step of a shipped playbook -> what it asks for, and the check that finds the records."""
