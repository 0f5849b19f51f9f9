"""Rules on what would be done: the action, the rollout contract, and the escalation."""

from collections.abc import Iterator

from reviews.policies.answers import Answer, Gap
from reviews.policies.case import Case
from reviews.policies.completeness import unanswered_risks
from reviews.policies.numbers import fraction, moment, percent
from reviews.policies.standing import acceptance, lapse, latest
from reviews.sections import AbortThreshold, RolloutStage
from reviews.vocabulary import DecisionKind, SectionName, StandingRole


def the_action_is_reversible(case: Case) -> Answer:
    """Change, target, boundary and owner are named, and all four risks answered; a rollback needs the target."""
    action = case.content.action
    fields = {"rollback target": action.rollback_target}
    if case.kind is not DecisionKind.ROLLBACK:
        fields = {
            "smallest reversible change": action.smallest_reversible_change,
            **fields,
            "rollback boundary": action.rollback_boundary,
            "rollback owner": action.rollback_owner,
        }
    blank = tuple(
        Gap(f"The action names no {name}.", case.writer, "#action", "")
        for name, text in fields.items()
        if not text.strip()
    )
    risks = () if case.kind is DecisionKind.ROLLBACK else unanswered_risks(case.content)
    return (
        *blank,
        *(
            Gap(f"The risk “{kind.label}” lacks how it was checked, or the result.", case.writer, "#action", "")
            for kind in risks
        ),
    )


def the_rollout_is_bounded(case: Case) -> Answer:
    """The section is whole, its scope inside the template's cap, its end ahead, and its owner has accepted it."""
    lacks = (*_scope_lacks(case), *_threshold_lacks(case), *_end_lacks(case), *_procedure_lacks(case))
    gaps = tuple(Gap(said, case.writer, "#rollout", "") for said in lacks)
    return (*gaps, *_acceptance_gaps(case))


def _scope_lacks(case: Case) -> Iterator[str]:
    stages = case.content.rollout.stages
    if not stages:
        yield "The rollout has no stages."
        return
    for number, stage in enumerate(stages, start=1):
        yield from (f"Stage {number} of the rollout {lack}." for lack in _stage_lacks(stage))
    greatest = max(case.stage_percents)
    cap = fraction(case.facts.template.rollout_cap_percent, "The template's cap of a rollout")
    if greatest > cap:
        yield f"The rollout reaches {percent(greatest)}; the template allows at most {percent(cap)}."
    asked = case.facts.requested_percent
    if asked is not None and asked > greatest:
        yield f"{percent(asked)} is asked for, and the rollout reaches {percent(greatest)}."
    if list(case.stage_percents) != sorted(set(case.stage_percents)):
        yield "The stages of the rollout do not grow."


def _stage_lacks(stage: RolloutStage) -> Iterator[str]:
    if not 0 < fraction(stage.percent, "The scope of a rollout stage") <= 100:
        yield "has no scope between 0 and 100 %"
    if not stage.where.strip():
        yield "does not say which hosts or traffic"
    if not stage.soak_hours or fraction(stage.soak_hours, "The soak time of a rollout stage") <= 0:
        yield "has no soak time"


def _threshold_lacks(case: Case) -> Iterator[str]:
    thresholds = case.content.rollout.abort_thresholds
    if not thresholds:
        yield "The rollout has no abort threshold."
    compared = {(c.key, c.metric, c.stat) for c in case.claimed}
    for threshold in thresholds:
        if (threshold.comparison, threshold.metric, threshold.stat) not in compared:
            yield f"The abort threshold on {_about(threshold)} belongs to no comparison of this memo."
        if not threshold.limit or fraction(threshold.limit, f"The limit on {_about(threshold)}") <= 0:
            yield f"The abort threshold on {_about(threshold)} has no limit."


def _about(threshold: AbortThreshold) -> str:
    return f"{threshold.metric} {threshold.stat} of {threshold.comparison}"


def _end_lacks(case: Case) -> Iterator[str]:
    ends_at = case.content.rollout.ends_at
    if not ends_at:
        yield "The rollout has no end."
    elif moment(ends_at, "The end of the rollout") <= case.facts.now:
        yield f"The rollout ended on {ends_at}."
    elif case.facts.section_digests[SectionName.ROLLOUT] in case.facts.expired_rollouts:
        yield "The rollout has expired; it has to be written anew."


def _procedure_lacks(case: Case) -> Iterator[str]:
    digest = case.content.rollout.procedure
    if not digest:
        yield "The rollout names no rollback procedure."
        return
    procedure = case.facts.artifacts.get(digest)
    if procedure is None:
        yield f"The rollback procedure {digest[:12]} is not in the store."
    elif procedure.recalled:
        yield f"The rollback procedure {procedure.name} was recalled by {procedure.recalled_by}."
    elif procedure.redacted:
        yield f"The rollback procedure {procedure.name} was {procedure.redacted}."


def _acceptance_gaps(case: Case) -> Iterator[Gap]:
    owner = case.content.rollout.owner
    if not owner.strip():
        yield Gap("The rollout has no owner.", case.writer, "#rollout", "")
    elif not acceptance(case):
        given = [s for s in latest(case) if s.role == StandingRole.ROLLBACK_OWNER and s.signer == owner]
        why = "; ".join(f"the signature of {owner} {lapse(case, s, (SectionName.ROLLOUT.value,))}" for s in given)
        sentence = f"{owner} has not accepted the rollout by signature" + (f": {why}." if why else ".")
        yield Gap(sentence, owner, "sign", "")


def the_escalation_is_addressed(case: Case) -> Answer:
    """It says to whom, by when, and which question."""
    escalation = case.content.signoff.escalation
    said = {"to whom": escalation.to, "by when": escalation.by, "which question": escalation.question}
    gaps = tuple(
        Gap(f"The escalation does not say {what}.", case.writer, "#signoff", "")
        for what, text in said.items()
        if not text.strip()
    )
    if escalation.by.strip() and moment(escalation.by, "The date of the escalation") <= case.facts.now:
        gaps = (*gaps, Gap(f"The escalation was to be answered by {escalation.by}.", case.writer, "#signoff", ""))
    return gaps
