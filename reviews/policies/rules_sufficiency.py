"""Rules on whether the evidence is enough: fresh, of enough runs, and the very evidence that the numbers stand on."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from reviews.policies.answers import Answer, Gap, Met
from reviews.policies.case import Case, Result
from reviews.policies.evidence_facts import FileFacts
from reviews.policies.numbers import listed
from reviews.sections import Comparison
from reviews.vocabulary import EvidenceUse, Purpose, Source

AHEAD: Final = timedelta(days=1)
NAMED: Final = 3
NOTHING: Final = "Nothing was computed from evidence."


def evidence_is_fresh(case: Case) -> Answer:
    """Each file behind a number is no older than the template allows, by its own clock, or else by its upload."""
    results = case.results(case.judged)
    if not results:
        return (Gap(NOTHING, case.attachers, "#evidence", ""),)
    gaps = tuple(gap for result in results for gap in _stale(case, result))
    return gaps or Met(_oldest(case, results))


def _stale(case: Case, result: Result) -> Iterator[Gap]:
    days = case.facts.template.evidence_days
    files = result.assessment.files
    old = [file for file in files if _age(case, file) > timedelta(days=days)]
    ahead = [file for file in files if _age(case, file) < -AHEAD]
    key = result.comparison.key
    if not files:
        sentence = f"{result.name} does not say from which files it was computed; compute it again."
        yield Gap(sentence, case.attachers, "#comparisons", key)
    if old:
        said = _some([_aged(case, file) for file in sorted(old, key=lambda file: -_age(case, file))])
        yield Gap(f"{result.name} stands on {said}; at most {days} days are allowed.", case.attachers, "#evidence", key)
    if ahead:
        said = _some([_name(case, file) for file in ahead])
        yield Gap(f"{result.name} stands on {said}, which is dated ahead of now.", case.attachers, "#evidence", key)


def _some(words: list[str]) -> str:
    """The first of them, and how many more there are."""
    more = [f"{len(words) - NAMED} more"] if len(words) > NAMED else []
    return listed([*words[:NAMED], *more])


def _oldest(case: Case, results: tuple[Result, ...]) -> str:
    oldest = max((file for result in results for file in result.assessment.files), key=lambda file: _age(case, file))
    days = case.facts.template.evidence_days
    return f"The oldest evidence is {_aged(case, oldest)}; at most {days} days are allowed."


def _aged(case: Case, file: FileFacts) -> str:
    """ "cand.json, 12 days old by its own clock"."""
    return f"{_name(case, file)}, {_age(case, file).days} days old by {_dated(case, file)[1]}"


def _age(case: Case, file: FileFacts) -> timedelta:
    return case.facts.now - _dated(case, file)[0]


def _dated(case: Case, file: FileFacts) -> tuple[datetime, str]:
    """When the file was made, and by which clock. What somebody typed is no clock."""
    if file.started_at is not None:
        return file.started_at, "its own clock"
    artifact = case.artifact(file.artifact)
    if artifact.clock in (Source.FILE, Source.CAPTURE):
        return artifact.created_at, "its own clock" if artifact.clock == Source.FILE else "the clock of its capture"
    return artifact.stored_at or artifact.created_at, "its upload, as it records no time"


def _name(case: Case, file: FileFacts) -> str:
    return case.artifact(file.artifact).name


def samples_are_large_enough(case: Case) -> Answer:
    """Each interval stands on as many runs of each arm, and each run on as many requests, as the template asks."""
    results = case.results(case.judged)
    if not results:
        return (Gap(NOTHING, case.attachers, "#evidence", ""),)
    gaps = tuple(gap for result in results if result.assessment.interval for gap in _small(case, result))
    return gaps or Met(f"{len(results)} comparison(s) stand on at least {_asked_runs(case)} in each arm.")


def _small(case: Case, result: Result) -> Iterator[Gap]:
    wanted, key = case.facts.template.minimum_runs, result.comparison.key
    arms = {arm.arm: arm for arm in result.assessment.arms}
    for arm in ("baseline", "candidate"):
        runs = arms[arm].runs if arm in arms else 0
        if runs < max(wanted, 1):
            sentence = f"{result.name} stands on {runs} run(s) of the {arm}; {max(wanted, 1)} are asked for."
            yield Gap(sentence, case.attachers, "#comparisons", key)
        elif lack := _few_requests(case, result, arms[arm].fewest):
            yield Gap(f"{result.name}: a run of the {arm} {lack}", case.attachers, "#comparisons", key)


def _few_requests(case: Case, result: Result, fewest: int | None) -> str:
    """What a run lacks for this statistic of the template, "" when it lacks nothing."""
    metric = case.template_metrics.get((result.comparison.metric, result.comparison.stat))
    wanted = metric.minimum_requests if metric else 0
    if wanted <= 1 or (fewest is not None and fewest >= wanted):
        return ""
    if fewest is None:
        return f"does not say how many requests it stands on; {wanted} are asked for."
    return f"stands on {fewest} request(s); {wanted} are asked for."


def _asked_runs(case: Case) -> str:
    return f"{max(case.facts.template.minimum_runs, 1)} run(s)"


def intervals_come_from_this_evidence(case: Case) -> Answer:
    """Each number was computed from the very files that the memo's sealed set holds, by digest."""
    results = case.results(case.judged)
    if not results:
        return (Gap(NOTHING, case.attachers, "#evidence", ""),)
    gaps = tuple(
        Gap(f"{result.name} {lack}; compute it again.", case.attachers, "#comparisons", result.comparison.key)
        for result in results
        if (lack := _elsewhere(case, result))
    )
    return gaps or Met(f"{len(results)} comparison(s) were computed from the files that the memo names.")


def _elsewhere(case: Case, result: Result) -> str:
    """How the files behind the number and those of the set differ, "" when they are the same."""
    used = {file.artifact for file in result.assessment.files}
    named = _of_the_set(case, result.comparison)
    if extra := sorted(used - named):
        return f"was computed from {_some([digest[:12] for digest in extra])}, which its evidence set does not hold"
    if missed := sorted(named - used):
        return f"leaves out {_some([digest[:12] for digest in missed])}, which its evidence set holds"
    return "" if used else "does not say from which files it was computed"


def _of_the_set(case: Case, comparison: Comparison) -> set[str]:
    """The files of the comparison's set that belong to an arm and are to count."""
    return {
        row.artifact
        for sealed in case.content.evidence.sets
        if sealed.number == comparison.evidence_set
        for row in sealed.attachments
        if row.arm and (row.use == EvidenceUse.CONFIRMING or comparison.purpose == Purpose.SYMPTOM)
    }
