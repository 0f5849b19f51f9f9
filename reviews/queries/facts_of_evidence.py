"""Evidence's part of the gate's facts: assessments, files, plans and their runs, and what was seen in production."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from analysis.evidence.batch_policy_curve_pack import SUFFICIENT
from reviews import redaction_words
from reviews.plan_content import plan_from_json
from reviews.policies.evidence_facts import (
    ArtifactFacts,
    AssessmentFacts,
    ObservationFacts,
    OpenSet,
    PlanFacts,
    RunFacts,
)
from reviews.policies.facts import ProductionEventFacts
from reviews.queries.assessment_facts import as_claimed, assessment_facts, claims_of
from reviews.queries.rows import Row, moment, nested
from reviews.sections import AttachmentRow, MemoContent
from reviews.vocabulary import ComparisonRole, Source


def files_named(content: MemoContent) -> frozenset[str]:
    """The digests of all files that the sealed sets and the rollout name."""
    attached = {part.artifact for sealed in content.evidence.sets for part in sealed.attachments}
    return frozenset(attached | {content.rollout.procedure} - {""})


def assessments(content: MemoContent, rows: Iterable[Row]) -> Mapping[str, AssessmentFacts]:
    """Digest -> the assessment; a claim's as its family judges it."""
    stored = {row["digest"]: (nested(row["result"]), nested(row["inputs"])) for row in rows}
    results = {digest: result for digest, (result, _) in stored.items()}
    found = {digest: assessment_facts(digest, *one) for digest, one in stored.items()}
    claims = [row for row in content.comparisons.comparisons if row.role == ComparisonRole.CLAIM]
    family = [(row.key, results.get(row.assessment)) for row in claims]
    for row, claim in zip(claims, claims_of(family), strict=True):
        if row.assessment in found:
            found[row.assessment] = as_claimed(found[row.assessment], claim)
    return found


def observations(content: MemoContent, rows: Iterable[Row]) -> tuple[ObservationFacts, ...]:
    """The assessments made after a decision; one of a claim as the only one seen of its whole family."""
    claims = [row.key for row in content.comparisons.comparisons if row.role == ComparisonRole.CLAIM]
    return tuple(
        ObservationFacts(comparison=row["comparison"], assessment=_observed(claims, row), at=moment(row["at"]))
        for row in rows
    )


def _observed(claims: Collection[str], row: Row) -> AssessmentFacts:
    result = nested(row["result"])
    facts = assessment_facts(row["digest"], result)
    if row["comparison"] not in claims:
        return facts
    family = [(key, result if key == row["comparison"] else None) for key in claims]
    return next(as_claimed(facts, claim) for claim in claims_of(family) if claim.name == row["comparison"])


def open_sets(rows: Iterable[Row]) -> tuple[OpenSet, ...]:
    """The sets that are not sealed yet."""
    return tuple(OpenSet(number=row["number"], title=row["title"], files=row["files"]) for row in rows)


def artifacts(
    content: MemoContent, files: Iterable[Row], parses: Iterable[Row], lost: Mapping[str, Iterable[Row]]
) -> Mapping[str, ArtifactFacts]:
    """Digest -> the file, as the memo uses it; files that the store does not know are left out, and rules say so.

    lost: "recall" and "redaction" -> those of the files.
    """
    kinds = {part.artifact: part.kind for sealed in content.evidence.sets for part in sealed.attachments}
    read: dict[str, list[Row]] = defaultdict(list)
    for row in parses:
        read[row["sha256"]].append(row)
    recalled, redacted = ({row["sha256"]: row for row in lost.get(how, ())} for how in ("recall", "redaction"))
    return {
        digest: _artifact(row, kinds.get(digest, ""), read[digest], recalled.get(digest), redacted.get(digest))
        for row in files
        for digest in [row["sha256"]]
    }


def _artifact(row: Row, kind: str, parses: list[Row], recall: Row | None, redaction: Row | None) -> ArtifactFacts:
    by_hand = [parse for parse in parses if parse["asked"]]
    parse = next(reversed(by_hand or parses), None)
    made_at, clock = _made_at(row)
    return ArtifactFacts(
        kind=kind,
        name=row["name"],
        format=parse["format"] if parse else "",
        parse_state=parse["state"] if parse else "",
        parse_message=parse["message"] if parse else "",
        recalled=recall is not None,
        recalled_by=recall["by"] if recall else "",
        recall_reason=recall["reason"] if recall else "",
        redacted=_redacted(redaction) if redaction else "",
        created_at=made_at,
        clock=clock,
        stored_at=moment(row["taken_in_at"]),
        shows=_sufficient(parse) if parse else "",
    )


def _redacted(row: Row) -> str:
    return redaction_words.said(row["kind"], row["by"], moment(row["at"]), row["reason"])


def _sufficient(parse: Row) -> str:
    return next((said for said in nested(parse["notices"]) if said.startswith(SUFFICIENT)), "")


def _made_at(row: Row) -> tuple[datetime, str]:
    """When the content was made and who says so, as its provenance has it; else when it was stored, and ""."""
    for name in ("ended_at", "started_at"):
        stated = nested(row["provenance"]).get(name)
        if stated:
            return moment(stated["value"]), stated["source"]
    return moment(row["taken_in_at"]), ""


def plans(
    content: MemoContent, rows: Iterable[Row], accounts: Iterable[Row], files: Iterable[Row]
) -> tuple[PlanFacts, ...]:
    """The plans with every run that they list or that carries their nonce: attached, or accounted for.

    A file that was captured under a plan is the run that the capture names, whatever its format calls its runs.
    """
    told: dict[str, dict[str, str]] = defaultdict(dict)
    for account in accounts:
        told[account["nonce"]][account["run"]] = account["reason"]
    captured = {row["sha256"]: _captured_run(row) for row in files}
    return tuple(_plan(content, row, told[row["nonce"]], captured) for row in rows)


def _captured_run(row: Row) -> tuple[str, str]:
    """The nonce and the run that were captured of a file; two empty texts without a capture."""
    said = [nested(row["provenance"]).get(name) or {} for name in ("plan", "run")]
    nonce, run = (one.get("value", "") if one.get("source") == Source.CAPTURE else "" for one in said)
    return nonce, run


def _plan(
    content: MemoContent, row: Row, told: Mapping[str, str], captured: Mapping[str, tuple[str, str]]
) -> PlanFacts:
    sets = [sealed for sealed in content.evidence.sets if sealed.plan == row["nonce"]]
    parts = [part for sealed in sets for part in sealed.attachments if part.run]
    attached = {_run_of(part, row["nonce"], captured) for part in parts}
    planned = [run.run for run in plan_from_json(nested(row["content"])).runs]
    return PlanFacts(
        nonce=row["nonce"],
        title=row["title"],
        registered_at=moment(row["registered_at"]),
        runs=tuple(
            RunFacts(run=run, attached=run in attached, accounted=told.get(run, ""))
            for run in dict.fromkeys([*planned, *sorted(attached), *told])
        ),
    )


def _run_of(part: AttachmentRow, nonce: str, captured: Mapping[str, tuple[str, str]]) -> str:
    of, run = captured.get(part.artifact, ("", ""))
    return run if run and of == nonce else part.run


def production_events(rows: Iterable[Row]) -> tuple[ProductionEventFacts, ...]:
    """What happened in production, as it was reported."""
    return tuple(
        ProductionEventFacts(
            kind=row["kind"],
            what=row["what"],
            by=row["by"],
            ratified_by=row["ratified_by"] or "",
            at=moment(row["at"]),
        )
        for row in rows
    )
