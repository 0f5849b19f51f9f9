"""What the gate may know of an assessment, read from its frozen result."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final

from analysis import restored
from analysis.families import ClaimFound, Declared, judge_claims
from analysis.inputs import ARMS
from reviews.policies.evidence_facts import (
    ArmFacts,
    AssessmentFacts,
    AuditFacts,
    FileFacts,
    IntervalFacts,
    JudgementFacts,
    PlacementFacts,
    RefusalFacts,
)
from reviews.vocabulary import ComparisonRole

Result = Mapping[str, Any]

SECOND: Final = 10**9


def assessment_facts(digest: str, result: Result, inputs: Result = MappingProxyType({})) -> AssessmentFacts:
    """The facts of one result, as `analysis.assess.to_json` wrote it. inputs: what it was computed from."""
    verdict = result["verdict"] or {}
    candidate = next(count for count in result["failures"] if count["arm"] == "candidate")
    return AssessmentFacts(
        digest=digest,
        outcome=result["outcome"],
        refusal=_refusal(result["refusal"]),
        direction=verdict.get("direction", ""),
        materiality=verdict.get("materiality", ""),
        headline=verdict.get("headline", ""),
        interval=_interval(result),
        audit=tuple(
            AuditFacts(
                setting=row["setting"],
                state=row["state"],
                blocks=row["blocks"],
                sentence=row["sentence"],
                baseline=tuple(row["baseline"]),
                candidate=tuple(row["candidate"]),
            )
            for row in result["audit"]
        ),
        judgements=tuple(
            JudgementFacts(
                hypothesis=row["hypothesis"], prediction=row["key"], judgement=row["outcome"], post_hoc=row["post_hoc"]
            )
            for row in result["judgements"]
        ),
        placements=_placements(result),
        order_confounded=result["overlap"] is not None and float(result["overlap"]) == 0,
        failed=candidate["failed"],
        started=candidate["runs"],
        look=result["plan"]["look"],
        looks=result["plan"]["looks"],
        arms=tuple(_arm(arm, result) for arm in ARMS),
        files=tuple(_files(result, inputs)),
    )


def claims_of(family: Sequence[tuple[str, Result | None]]) -> tuple[ClaimFound, ...]:
    """What Holm makes of the claims: (key, result) of each, None for one without a result."""
    return judge_claims(
        [
            Declared(key, ComparisonRole.CLAIM, restored.from_json(result) if result is not None else None, "")
            for key, result in family
        ]
    )


def as_claimed(facts: AssessmentFacts, claim: ClaimFound) -> AssessmentFacts:
    """The facts of a claim with the verdict of its family in the place of the one that it has alone."""
    if facts.outcome != "verdict":
        return facts
    return replace(
        facts, direction=claim.direction, materiality=claim.materiality, headline=claim.sentence.removesuffix(".")
    )


def _refusal(refusal: Mapping[str, str] | None) -> RefusalFacts | None:
    if refusal is None:
        return None
    return RefusalFacts(code=refusal["code"], message=refusal["message"], needs=refusal["needs"])


def _interval(result: Result) -> IntervalFacts | None:
    """The one interval that every statement rests on: the widened one where there is one."""
    shown = result["widened"] or result["interval"]
    if shown is None:
        return None
    statistical = result["interval"]
    return IntervalFacts(
        low=shown["lo"],
        high=shown["hi"],
        kind="confidence",
        confidence=statistical["confidence"],
        method=shown["method"],
        n=statistical["units"],
        scope=statistical["scope"],
        widened=result["widened"] is not None,
    )


def _placements(result: Result) -> tuple[PlacementFacts, ...]:
    found = {(run["placement"], run["placement_verified"]) for run in result["runs"]}
    return tuple(
        PlacementFacts(label=label or "unknown", host=label, verified=verified) for label, verified in sorted(found)
    )


def _arm(arm: str, result: Result) -> ArmFacts:
    used = [run for run in result["runs"] if run["arm"] == arm and run["status"] == "used"]
    inner = [None if run["n_inner"] is None else int(run["n_inner"]) for run in used]
    return ArmFacts(
        arm=arm,
        runs=len(used),
        fewest=min((n for n in inner if n is not None), default=None) if None not in inner else None,
    )


def _files(result: Result, inputs: Result) -> Iterator[FileFacts]:
    """The files that runs were read from, each with the first start of its runs."""
    started = {run["label"]: run["started_ns"] for run in result["runs"]}
    starts: dict[str, list[int]] = {}
    for run in inputs.get("runs", ()):
        at = starts.setdefault(run["artifact"], [])
        at += [int(ns) for ns in [started.get(run["label"])] if ns is not None]
    for artifact, at in sorted(starts.items()):
        first = datetime.fromtimestamp(min(at) / SECOND, tz=UTC) if at else None
        yield FileFacts(artifact=artifact, started_at=first)
