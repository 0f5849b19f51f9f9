"""Rules on what is wrong and what is believed: the symptom and the hypotheses."""

from collections.abc import Iterator
from fractions import Fraction

from reviews.policies.answers import Answer, Gap, Met, NotApplicable
from reviews.policies.case import Case, metric_code, named
from reviews.policies.completeness import placeholder_sentence, placeholders, section_of, stated, symptom_lacks
from reviews.policies.evidence_facts import JudgementFacts
from reviews.policies.numbers import fraction, listed, moment
from reviews.sections import Comparison, Hypothesis, Prediction
from reviews.vocabulary import Better, DecisionKind, HypothesisRank, Intent, Resolution, Scale


def the_symptom_is_complete(case: Case) -> Answer:
    """No placeholder is left and each metric is compared on the template's terms; a rollback needs what hurts."""
    if case.kind is DecisionKind.ROLLBACK:
        return _what_hurts_is_stated(case)
    said = dict(symptom_lacks(case.content))
    for left in placeholders(case.content):
        said.setdefault(left.field, placeholder_sentence(left))
    gaps = [Gap(sentence, case.writer, section_of(field), "") for field, sentence in said.items()]
    return (*gaps, *_uncompared(case), *_loosened(case))


def _what_hurts_is_stated(case: Case) -> Answer:
    symptom = case.content.symptom
    if symptom.failing_metrics or symptom.failing_metric.strip():
        return ()
    return (Gap("The memo does not state what hurts.", case.writer, "#symptom", ""),)


def _uncompared(case: Case) -> Iterator[Gap]:
    claimed = {(c.metric, c.stat) for c in case.claimed}
    for metric, stat in sorted(case.metrics - claimed):
        reasons = [c.absent_reason for c in case.comparisons if (c.metric, c.stat) == (metric, stat)]
        why = f" ({'; '.join(reasons)})" if reasons else ""
        yield Gap(
            f"{metric} {stat} is not compared{why}: compare it, or have that waived.",
            case.attachers,
            "#comparisons",
            metric_code(metric, stat),
        )


def _loosened(case: Case) -> Iterator[Gap]:
    for comparison in case.claimed:
        wanted = case.template_metrics.get((comparison.metric, comparison.stat))
        if wanted is None:
            continue
        if (comparison.better, comparison.scale) != (wanted.better, wanted.scale):
            yield Gap(
                f"{named(comparison)} is compared as {comparison.scale}, {comparison.better} is better; "
                f"the template says {wanted.scale}, {wanted.better} is better.",
                case.writer,
                "#comparisons",
                "",
            )
        elif _is_looser(comparison, wanted.margin):
            yield Gap(
                f"{named(comparison)} is judged on the margin {comparison.margin}, looser than the template's "
                f"{wanted.margin}: take the template's, or have it waived.",
                case.writer,
                "#comparisons",
                f"{comparison.key}.margin",
            )


def _is_looser(comparison: Comparison, margin: str) -> bool:
    ours = fraction(comparison.margin, f"The margin of {named(comparison)}")
    theirs = fraction(margin, f"The template's margin for {comparison.metric} {comparison.stat}")
    if comparison.scale != Scale.RATIO:
        return ours > theirs
    return ours < theirs if comparison.better == Better.HIGHER else ours > theirs


def a_primary_hypothesis_is_stated(case: Case) -> Answer:
    """Exactly one hypothesis is primary, with a statement and a class of mechanism."""
    count = sum(h.rank == HypothesisRank.PRIMARY for h in case.content.hypotheses.hypotheses)
    if count == 1 and stated(case.content, HypothesisRank.PRIMARY):
        return ()
    if count > 1:
        sentence = f"{count} hypotheses are called primary: exactly one can be."
    else:
        sentence = "No primary hypothesis is stated with the class of its mechanism."
    return (Gap(sentence, case.writer, "#hypotheses", ""),)


def a_competing_hypothesis_is_stated(case: Case) -> Answer:
    """A rival counts only if it predicts something else than the primary for a metric of this memo."""
    if case.content.header.intent == Intent.PLANNED_CHANGE:
        return NotApplicable("A planned change needs no competing hypothesis.")
    rivals = stated(case.content, HypothesisRank.COMPETING)
    ours = _predicted(stated(case.content, HypothesisRank.PRIMARY), case)
    counting = [h.key for h in rivals if _differs(_predicted((h,), case), ours)]
    if counting:
        return Met(f"{listed(counting)} predict(s) something else than the primary hypothesis.")
    if not rivals:
        sentence = "No competing hypothesis is stated with the class of its mechanism."
    else:
        keys = listed([h.key for h in rivals])
        sentence = f"{keys}: no prediction differs from the primary hypothesis on a metric of this memo."
    return (Gap(sentence, case.writer, "#hypotheses", ""),)


Range = tuple[Fraction | None, Fraction | None]


def _predicted(hypotheses: tuple[Hypothesis, ...], case: Case) -> dict[tuple[str, str], Range]:
    return {
        (p.metric, p.stat): (_end(p.low, p), _end(p.high, p))
        for h in hypotheses
        for p in h.predictions
        if (p.metric, p.stat) in case.metrics
    }


def _end(text: str, prediction: Prediction) -> Fraction | None:
    return fraction(text, f"An end of the prediction {prediction.key}") if text else None


def _differs(theirs: dict[tuple[str, str], Range], ours: dict[tuple[str, str], Range]) -> bool:
    return any(about in ours and ours[about] != said for about, said in theirs.items())


def every_hypothesis_is_resolved(case: Case) -> Answer:
    """Each is supported, refuted, or open with an owner and a date; the evidence does not say otherwise."""
    hypotheses = case.content.hypotheses.hypotheses
    if not hypotheses:
        return (Gap("There is no hypothesis to resolve.", case.writer, "#hypotheses", ""),)
    gaps = tuple(
        Gap(f"{h.key} {lack}.", case.writer, "#hypotheses", "") for h in hypotheses if (lack := _unresolved(h, case))
    )
    open_ones = [h for h in hypotheses if h.resolution.state == Resolution.OPEN]
    named_ones = [f"{h.key} ({h.resolution.owner}, by {h.resolution.due})" for h in open_ones]
    return gaps or Met(f"Open: {listed(named_ones)}." if open_ones else "Every hypothesis is supported or refuted.")


def _unresolved(hypothesis: Hypothesis, case: Case) -> str:
    """What keeps it from being resolved, "" for nothing."""
    judged = {j.judgement for j in _judgements(case) if j.hypothesis == hypothesis.key and not j.post_hoc}
    resolution = hypothesis.resolution
    match resolution.state:
        case Resolution.SUPPORTED if "refuted" in judged:
            return "is resolved as supported, and a registered prediction of it was refuted"
        case Resolution.SUPPORTED if "supported" not in judged:
            return "is resolved as supported, and no prediction registered before the runs was"
        case Resolution.REFUTED if "refuted" not in judged and not resolution.reason.strip():
            return "is resolved as refuted without a reason, and no registered prediction of it was refuted"
        case Resolution.OPEN if not (resolution.owner.strip() and resolution.due.strip()):
            return "is open without an owner and a date"
        case Resolution.OPEN:
            moment(resolution.due, f"The date of {hypothesis.key}")
            return ""
        case Resolution.SUPPORTED | Resolution.REFUTED:
            return ""
    return "is not resolved"


def _judgements(case: Case) -> tuple[JudgementFacts, ...]:
    results = (*case.results(case.claimed), *case.observed)
    return tuple(j for result in results for j in result.assessment.judgements)


def predictions_are_judged_in_order(case: Case) -> Answer:
    """Each prediction was registered before the runs and then judged; others are flagged."""
    predictions = [(h.key, p.key) for h in case.content.hypotheses.hypotheses for p in h.predictions]
    if not predictions:
        return (Gap("No hypothesis predicts anything.", case.writer, "#hypotheses", ""),)
    judged = {(j.hypothesis, j.prediction): j for j in _judgements(case)}
    return tuple(
        Gap(f"The prediction {prediction} of {hypothesis} {lack}.", case.attachers, "#hypotheses", "")
        for hypothesis, prediction in predictions
        if (lack := _out_of_order(judged.get((hypothesis, prediction))))
    )


def _out_of_order(judgement: JudgementFacts | None) -> str:
    if judgement is None:
        return "is not judged yet"
    return "was not registered before the runs, and never counts as support" if judgement.post_hoc else ""
