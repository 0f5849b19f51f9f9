"""How far the effect of a memo may be attributed: the facts of the ladder, read from what the memo records.

The effect is that of the primary comparison; of the symptom's, where the memo has one. Quality is that of guardrails of
the same purpose. A replay is a sealed set whose comparisons have the purpose "replay": controlled is what runs under a
registered plan. A fix check is a comparison of that purpose on the same metric and slice; that it ran in ordinary
execution is what its author declares by the purpose, as long as its runs are not those of a replay. Screenings and what
was observed after a decision are no facts here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from analysis.attribution import INTERLEAVED, Attribution, Facts, FixCheck, Replay, climb
from analysis.families import Declared, verdict_of, why_none
from analysis.multiplicity import PASSES
from analysis.results import AssessmentResult
from reviews.policies.case import named
from reviews.policies.numbers import listed
from reviews.policies.rules_verdict import QUALITY_METRICS
from reviews.sections import Comparison, MemoContent
from reviews.vocabulary import ComparisonRole, Purpose

Results = Mapping[str, AssessmentResult]

NO_EFFECT: Final = "No comparison of the memo is the primary one."
NO_QUALITY: Final = "Not recorded: no guardrail of the same purpose compares quality."
NO_REPLAY: Final = "Not recorded: no comparison has the purpose replay."
NO_FIX: Final = "Not recorded: no other comparison of the same metric and slice has the purpose fix check."
ADD_REPLAY: Final = (
    "Replay the work under a registered plan, with runs of its own, and with predictions on which the rivals differ."
)
ADD_FIX: Final = "After the fix or the revert, compare the same metric and slice with new runs, as a fix check."


@dataclass(frozen=True, slots=True)
class Fact:
    """what: effect, design, quality, replay or fix check; said: as it is recorded, or that it is not."""

    what: str
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attributed:
    """comparison: key of the one whose effect it is, "" for none.

    cautions: what the sentence may not be read as. lifts: what would lead to the next rung, empty on the highest.
    """

    comparison: str
    rung: int
    sentence: str
    facts: tuple[Fact, ...]
    cautions: tuple[str, ...]
    lifts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Recorded:
    """A fact of the ladder, in words, and what it lacks."""

    said: str
    lacks: tuple[str, ...]


def attributed(content: MemoContent, results: Results) -> Attributed:
    """The rung of the memo. results: by the key of the comparison, of those that have a current assessment."""
    rows = tuple(r for r in content.comparisons.comparisons if r.role != ComparisonRole.SCREENING)
    primaries = _primaries(rows)
    if not primaries:
        bare = climb(_facts(None), quality_passed=None, replay=None, fix=None)
        return _said("", bare, (Fact("effect", NO_EFFECT),), (), ("Make one comparison the primary one.",))
    row = primaries[0]
    passed, quality = _quality(row, rows, results)
    replay, replayed = _replay(content, row, rows, results)
    fix, fixed = _fix(content, row, rows, results)
    facts = _facts(results.get(row.key))
    found = climb(facts, quality_passed=passed, replay=replay, fix=fix)
    said = (
        Fact("effect", _effect(row, results)),
        Fact("design", _design(results.get(row.key))),
        Fact("quality", quality.said),
        Fact("replay", replayed.said),
        Fact("fix check", fixed.said),
    )
    lifts = _lifts(found, facts, row, results) if found.rung < 2 else (*quality.lacks, *replayed.lacks)
    lifts = lifts if found.rung < 3 else fixed.lacks
    return _said(row.key, found, said, tuple(_cautions(content, primaries, results, found)), lifts)


def _said(
    key: str,
    found: Attribution,
    facts: tuple[Fact, ...],
    cautions: tuple[str, ...],
    lifts: tuple[str, ...],
) -> Attributed:
    return Attributed(
        comparison=key, rung=found.rung, sentence=found.sentence, facts=facts, cautions=cautions, lifts=lifts
    )


def _primaries(rows: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """The primary comparisons whose effect may be explained: of the symptom, else of the change itself."""
    primaries = [r for r in rows if r.role == ComparisonRole.PRIMARY]
    effects = [r for r in primaries if r.purpose not in (Purpose.REPLAY, Purpose.RECHECK)]
    symptoms = [r for r in effects if r.purpose == Purpose.SYMPTOM]
    return tuple(symptoms or effects)


def _facts(result: AssessmentResult | None) -> Facts:
    found = verdict_of(result)
    kind = result.design.kind if result is not None and result.design is not None else ""
    return Facts(
        established=found is not None and found.direction != "not_established",
        blocked=kind == "blocked",
        two_systems=kind == "two_systems",
        overlap=result.overlap if result is not None else None,
    )


def _effect(row: Comparison, results: Results) -> str:
    found = verdict_of(results.get(row.key))
    said = f"{found.headline}." if found is not None else _why_none(row, results)
    return f"{named(row)}: {said}"


def _why_none(row: Comparison, results: Results) -> str:
    return why_none(Declared(row.key, row.role, results.get(row.key), row.absent_reason))


def _design(result: AssessmentResult | None) -> str:
    if result is None or result.design is None:
        return "Not recorded."
    if result.design.kind == "two_systems":
        return "One system per arm: they may differ in more than the change."
    if result.overlap == 0:
        return "One arm ran after the other: the change cannot be told from the time."
    if result.design.kind == "blocked":
        return "Blocks with one run of each arm."
    if result.overlap is None:
        return "Not recorded: the runs have no start times."
    return f"The arms overlap by {result.overlap:.2g} in time, of 1; from {INTERLEAVED:g} on they are interleaved."


def _quality(row: Comparison, rows: Sequence[Comparison], results: Results) -> tuple[bool | None, _Recorded]:
    """Whether quality passed, None when that is not recorded."""
    checks = [
        r
        for r in rows
        if r.role == ComparisonRole.GUARDRAIL and r.purpose == row.purpose and QUALITY_METRICS.search(r.metric)
    ]
    if not checks:
        return None, _Recorded(NO_QUALITY, ("Compare quality as a guardrail of the same purpose.",))
    said = " ".join(_effect(check, results) for check in checks)
    found = [verdict_of(results.get(check.key)) for check in checks]
    if any(one is not None and one.materiality == "worse_than_margin" for one in found):
        return False, _Recorded(said, ())
    if all(one is not None and one.materiality in PASSES for one in found):
        return True, _Recorded(said, ())
    return None, _Recorded(said, ("Show that every quality guardrail is not worse than its margin.",))


def _replay(
    content: MemoContent, row: Comparison, rows: Sequence[Comparison], results: Results
) -> tuple[Replay | None, _Recorded]:
    """The replay that shows most, of all sealed sets that are one."""
    replays = sorted((r for r in rows if r.purpose == Purpose.REPLAY), key=lambda r: r.evidence_set)
    found = [
        _replayed(content, row, tuple(group), results) for _, group in groupby(replays, key=lambda r: r.evidence_set)
    ]
    if not found:
        return None, _Recorded(NO_REPLAY, (ADD_REPLAY,))
    return min(found, key=lambda pair: len(pair[1].lacks))


def _replayed(
    content: MemoContent, row: Comparison, group: tuple[Comparison, ...], results: Results
) -> tuple[Replay, _Recorded]:
    judged = [
        judgement
        for one in group
        if verdict_of(results.get(one.key)) is not None
        for judgement in results[one.key].judgements
    ]
    refuted = sorted({j.hypothesis for j in judged if j.outcome == "refuted"})
    supported = [j for j in judged if j.outcome == "supported" and not j.post_hoc and j.hypothesis not in refuted]
    replay = Replay(
        controlled=all(one.plan for one in group),
        own_runs=_own(content, group[0], (row,)),
        supported=len(supported),
        rivals_refuted=len(refuted),
    )
    names = listed([one.key for one in group])
    supports = f"supports {listed([f'{j.key} of {j.hypothesis}' for j in supported])}" if supported else "supports none"
    refutes = f"refutes {listed(refuted)}" if refuted else "refutes none"
    said = f"{names}: {supports} and {refutes}, of the registered predictions."
    return replay, _Recorded(said, tuple(_replay_lacks(names, replay)))


def _replay_lacks(names: str, replay: Replay) -> Iterator[str]:
    if not replay.controlled:
        yield f"Register a plan for {names} before its runs: without one the replay is not controlled."
    if not replay.own_runs:
        yield f"Give {names} runs of its own: none may be one of the comparison that it explains."
    if not replay.supported:
        yield f"No prediction that was registered before its runs is supported by {names}."
    if not replay.rivals_refuted:
        yield f"No rival is refuted by {names}."


def _fix(
    content: MemoContent, row: Comparison, rows: Sequence[Comparison], results: Results
) -> tuple[FixCheck | None, _Recorded]:
    about = (row.metric, row.stat, row.slice)
    checks = [
        r for r in rows if r.purpose == Purpose.FIX_CHECK and r.key != row.key and (r.metric, r.stat, r.slice) == about
    ]
    replays = [r for r in rows if r.purpose == Purpose.REPLAY]
    found = [_fixed(content, check, (row, replays), results) for check in checks]
    if not found:
        return None, _Recorded(NO_FIX, (ADD_FIX,))
    return min(found, key=lambda pair: len(pair[1].lacks))


def _fixed(
    content: MemoContent, check: Comparison, others: tuple[Comparison, Sequence[Comparison]], results: Results
) -> tuple[FixCheck, _Recorded]:
    row, replays = others
    found = verdict_of(results.get(check.key))
    fix = FixCheck(
        ordinary_execution=_own(content, check, replays),
        own_runs=_own(content, check, (row,)),
        within_margin=found is not None and found.materiality == "within_margin",
    )
    lacks = []
    if not fix.ordinary_execution:
        lacks.append(f"{check.key} has runs of a replay: check the fix in ordinary execution.")
    if not fix.own_runs:
        lacks.append(f"Give {check.key} runs of its own: none may be one of the comparison that it checks.")
    if not fix.within_margin:
        lacks.append(f"{check.key} does not show that the arms are equivalent within the margin.")
    said = f"{_effect(check, results)} Ordinary execution is what its purpose declares; no file records it."
    return fix, _Recorded(said, tuple(lacks))


def _own(content: MemoContent, row: Comparison, others: Sequence[Comparison]) -> bool:
    """Whether the comparison has runs, and shares none with the others."""
    ours = _runs(content, row)
    theirs = [run for other in others for run in _runs(content, other)]
    return bool(ours) and not any(
        artifact == other and (run == name or "" in (run, name)) for artifact, run in ours for other, name in theirs
    )


def _runs(content: MemoContent, row: Comparison) -> tuple[tuple[str, str], ...]:
    """(file, run) of the sealed set that it reads; "" is every run of the file."""
    return tuple(
        (part.artifact, part.run)
        for sealed in content.evidence.sets
        if sealed.number == row.evidence_set
        for part in sealed.attachments
        if part.arm
    )


def _lifts(found: Attribution, facts: Facts, row: Comparison, results: Results) -> tuple[str, ...]:
    """From rung 0 and 1: an established difference, then a design that tells the change from time and system."""
    if found.rung == 0:
        result = results.get(row.key)
        refusal = result.refusal if result is not None else None
        return (f"Establish a difference in {named(row)}.", *([refusal.needs] if refusal and refusal.needs else []))
    if facts.two_systems:
        return ("Run both arms on the same system, or each on several.",)
    if facts.blocked and facts.overlap != 0:
        return ("Compare at the same quality: a guardrail of quality is worse than its margin.",)
    return ("Run both arms in blocks, or interleaved with recorded start times.",)


def _cautions(
    content: MemoContent, primaries: Sequence[Comparison], results: Results, found: Attribution
) -> Iterator[str]:
    if len(primaries) > 1:
        yield f"{listed([row.key for row in primaries])} are primary, and one can be: {primaries[0].key} is read here."
    result = results.get(primaries[0].key)
    stated = {row.name for row in content.change.rows if row.on_purpose and row.baseline != row.candidate}
    planned = set(result.plan.varied) if result is not None else set()
    varied = sorted(stated if len(stated) > len(planned) else planned)
    if found.rung >= 1 and len(varied) > 1:
        yield f"{listed(varied)} were varied together: the difference is that of the bundle, and of none of them alone."
