"""Rules on how the evidence was made: intervals, the work done, the runs, the artifacts, and how far it reaches."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from reviews.policies.answers import Answer, Gap, Met
from reviews.policies.case import Case, Result, named
from reviews.policies.evidence_facts import ArtifactFacts, AssessmentFacts, PlanFacts, StratumFacts
from reviews.policies.facts import RuleError
from reviews.policies.numbers import listed
from reviews.sections import AttachmentRow, Comparison
from reviews.template_content import ArtifactRule
from reviews.vocabulary import AuditState, DecisionKind, ParseState

LIKE_THESE: Final = "placements like these"
FEWEST_HOSTS: Final = 3
AT_MOST_BOUNDED: Final = "At most a bounded rollout is supported."


def every_claimed_effect_has_an_interval(case: Case) -> Answer:
    """Each comparison that claims an effect has an interval; withheld, refused and crashed ones have none."""
    if not case.claimed:
        return (Gap("No effect is compared.", case.attachers, "#comparisons", ""),)
    return tuple(
        Gap(f"{named(c)} {lack}", case.attachers, "#comparisons", "")
        for c in case.claimed
        if (lack := _no_interval(case.assessment_of(c)))
    )


def _no_interval(assessment: AssessmentFacts | None) -> str:
    """Why there is no interval, "" when there is one."""
    if assessment is None:
        return "is not computed yet."
    if assessment.outcome == "failed_to_serve":
        return f"has no interval: the candidate failed to serve in {assessment.failed} of {assessment.started} runs."
    if assessment.outcome == "verdict" and assessment.interval is not None:
        return ""
    refusal = assessment.refusal
    return f"has no interval: {refusal.message} {refusal.needs}".rstrip() if refusal else "has no interval."


def both_arms_did_the_same_work(case: Case) -> Answer:
    """Every setting that was not varied on purpose is the same, or explained and accepted by a non-author."""
    if not case.claimed:
        return (Gap("No two arms are compared, so no work was matched.", case.attachers, "#comparisons", ""),)
    return tuple(gap for comparison in case.claimed for gap in _unmatched(case, comparison))


def _unmatched(case: Case, comparison: Comparison) -> Iterator[Gap]:
    assessment = case.assessment_of(comparison)
    if assessment is None or not assessment.audit:
        yield Gap(f"The work of {named(comparison)} was not audited.", case.attachers, "#comparisons", "")
        return
    blocking = [row for row in assessment.audit if row.blocks]
    if assessment.outcome == "not_comparable" and not blocking:
        yield Gap(f"{named(comparison)}: the arms are not comparable.", case.attachers, "#comparisons", "")
    for row in blocking:
        way_out = "state it" if row.state == AuditState.NOT_RECORDED else "explain it with its greatest effect"
        sentence = f"{named(comparison)}: {row.sentence.rstrip('.')}; {way_out}."
        yield Gap(sentence, case.attachers, "#comparisons", "")
    for told in comparison.explanations:
        if not told.accepted_by or told.accepted_by in (case.facts.author, told.by):
            sentence = f"{named(comparison)}: the explanation of {told.setting} is not accepted by a non-author."
            yield Gap(sentence, "any signer who did not write it", "#comparisons", "")


def every_started_run_is_accounted_for(case: Case) -> Answer:
    """Each run of each plan is attached, or somebody says why it is not."""
    plans = case.facts.plans
    if not plans:
        sentence = "No plan was registered, so nobody can say which runs were started."
        return (Gap(sentence, case.attachers, "#evidence", "plan"),)
    return tuple(gap for plan in plans for gap in _unaccounted(case, plan)) or Met(
        f"All {sum(len(plan.runs) for plan in plans)} run(s) of {len(plans)} plan(s) are accounted for."
    )


def _unaccounted(case: Case, plan: PlanFacts) -> Iterator[Gap]:
    if not plan.runs:
        yield Gap(f"The plan “{plan.title}” lists no runs.", case.attachers, "#evidence", plan.nonce)
    for run in plan.runs:
        if not (run.attached or run.accounted.strip()):
            sentence = f"The run {run.run} of the plan “{plan.title}” is neither attached nor accounted for."
            yield Gap(sentence, case.attachers, "#evidence", f"{plan.nonce}/{run.run}")


def required_artifacts_are_attached(case: Case) -> Answer:
    """Each kind that the template asks for stands in a sealed set: read, fresh, kept, trusted, covering the scope."""
    rules = case.asked.artifacts
    if not rules:
        raise RuleError(f"The template names no artifact for {case.kind.label}: it has to name at least one.")
    gaps = tuple(gap for rule in rules for gap in _unattached(case, rule))
    strata = [s for s in case.facts.strata if not (s.covered or s.excluded)]
    uncovered = tuple(
        Gap(
            f"The evidence covers nothing of {s.name}, which the scope holds{_because(s)}.",
            case.attachers,
            "#evidence",
            s.name,
        )
        for s in strata
    )
    shown = "".join(f" {sentence}" for rule in rules for sentence in _shown(case, rule))
    met = Met(f"{len(rules)} required kind(s) attached; {_known(case)}.{shown}")
    return (*gaps, *_not_relied_on(case), *uncovered) or met


def _shown(case: Case, rule: ArtifactRule) -> Iterator[str]:
    """Why the artifact that counts is sufficient, where its parser says so."""
    for row in _attached(case, rule):
        if not _unusable(case, row, rule) and (shows := case.facts.artifacts[row.artifact].shows):
            yield f"{rule.title}, {row.name}: {shows}"
            return


def _attached(case: Case, rule: ArtifactRule) -> list[AttachmentRow]:
    return [row for sealed in case.content.evidence.sets for row in sealed.attachments if row.kind == rule.kind]


def _because(stratum: StratumFacts) -> str:
    return f": {stratum.why.rstrip('.')}" if stratum.why else ""


def _known(case: Case) -> str:
    """What is said of the scope when nothing of it is open: what is excluded is named with its reason."""
    strata = case.facts.strata
    if not strata:
        return "the scope names no strata"
    excluded = listed([f"{s.name} excluded{_because(s)}" for s in strata if s.excluded])
    return f"{len(strata)} strata covered or excluded" + (f" ({excluded})" if excluded else "")


def _not_relied_on(case: Case) -> Iterator[Gap]:
    """Recalled and redacted evidence that the memo still cites; going back does not wait for it."""
    if case.kind is DecisionKind.ROLLBACK:
        return
    cited = {row.artifact: row.name for sealed in case.content.evidence.sets for row in sealed.attachments}
    for digest, name in cited.items():
        artifact = case.facts.artifacts.get(digest)
        if artifact is not None and artifact.recalled:
            sentence = (
                f"{name} was recalled by {artifact.recalled_by} ({artifact.recall_reason}), and the memo cites it."
            )
            yield Gap(sentence, case.attachers, "#evidence", digest[:12])
        elif artifact is not None and artifact.redacted:
            sentence = (
                f"{name} was {artifact.redacted}: what rests on it cannot be computed again, and the memo cites it."
            )
            yield Gap(sentence, case.attachers, "#evidence", digest[:12])


def _unattached(case: Case, rule: ArtifactRule) -> Iterator[Gap]:
    rows = _attached(case, rule)
    if any(not _unusable(case, row, rule) for row in rows):
        return
    found = listed([f"{row.name} {_unusable(case, row, rule)}" for row in rows])
    waiting = [f"set {s.number} is still open" for s in case.facts.open_sets]
    detail = "; ".join(part for part in (found, listed(waiting)) if part)
    sentence = f"{rule.title} is not attached" + (f": {detail}." if detail else ".")
    yield Gap(sentence, case.attachers, "#evidence", rule.kind)


def _unusable(case: Case, row: AttachmentRow, rule: ArtifactRule) -> str:
    """Why an attachment does not count, "" when it does."""
    artifact = case.facts.artifacts.get(row.artifact)
    if artifact is None:
        return "is not in the store"
    if artifact.recalled:
        return f"was recalled by {artifact.recalled_by} ({artifact.recall_reason})"
    if artifact.redacted:
        return f"was {artifact.redacted}"
    days = case.facts.template.evidence_days
    if case.facts.now - artifact.created_at > timedelta(days=days):
        return f"is older than {days} days"
    return _unread(row, artifact) or _of_another_kind(artifact, rule)


def _of_another_kind(artifact: ArtifactFacts, rule: ArtifactRule) -> str:
    """A kind that has a format of its own is no document of any kind."""
    if rule.format and artifact.format != rule.format:
        return f"is no {rule.format}: it was read as {artifact.format or 'a plain document'}"
    return ""


def _unread(row: AttachmentRow, artifact: ArtifactFacts) -> str:
    """A measurement has to be read; a document, which stands for no arm, may be kept as it is."""
    if artifact.parse_state == ParseState.PARSED:
        return ""
    if artifact.parse_state == ParseState.UNRECOGNISED:
        return "stands for an arm, and no format recognises it" if row.arm else ""
    if artifact.parse_state == ParseState.REFUSED:
        return f"was refused: {artifact.parse_message}"
    return "is not read yet"


def evidence_reaches_the_scope(case: Case) -> Answer:
    """What was measured speaks for all that a ship reaches: placements like these, or the very hosts."""
    results = case.results(case.judged)
    if not results:
        return (Gap("Nothing was measured that could reach any scope.", case.attachers, "#evidence", ""),)
    return tuple(
        Gap(f"{result.name} {short}{_then(result)}", case.attachers, "#evidence", "")
        for result in results
        if (short := _falls_short(case, result))
    )


def _then(result: Result) -> str:
    """What an interval of less reach still supports; without one, nothing."""
    return f" {AT_MOST_BOUNDED}" if result.assessment.interval is not None else ""


def _falls_short(case: Case, result: Result) -> str:
    """Why the result does not reach the whole scope, "" when it does."""
    interval = result.assessment.interval
    if interval is None:
        return "has no interval, and reaches nothing."
    if interval.kind == "bounds":
        return "rests on bounds alone, which speak only for the runs that they bound."
    if result.assessment.order_confounded:
        return "was measured with one arm after the other, so the change cannot be told from the time."
    return _too_few_hosts(case, result, interval.scope)


def _too_few_hosts(case: Case, result: Result, scope: str) -> str:
    placements = result.assessment.placements
    hosts = {p.host for p in placements if p.verified and p.host}
    typed = sum(not (p.verified and p.host) for p in placements)
    if case.facts.scope_hosts and hosts.issuperset(case.facts.scope_hosts) and not typed:
        return ""
    if not scope.endswith(LIKE_THESE):
        return f"speaks for “{scope or 'an unknown placement'}”, and a ship reaches further."
    if len(hosts) < FEWEST_HOSTS:
        doubt = f" ({typed} placement(s) typed, not verified)" if typed else ""
        return f"was verified on {len(hosts)} host(s){doubt}; {FEWEST_HOSTS} are needed to speak for others."
    return ""
