"""What a version of a template must ask for at least, to be a gate; checked when it is drafted."""

from typing import Final

from reviews.errors import BadInput
from reviews.policies import gate, raising
from reviews.services import wellformed
from reviews.template_content import TemplateContent
from reviews.vocabulary import DecisionKind

LEAST_QUORUM: Final = 2


def refuse_hollow(content: TemplateContent) -> None:
    """Raises BadInput when a decision would need nobody or nothing, a rollback more than a ship, or a rule less."""
    for kind in DecisionKind.values:
        asked = content.decisions.get(kind)
        if asked is None or not asked.artifacts or not asked.roles:
            raise _bad(f"The decision {kind} needs at least one artifact and one owner.", f"decisions.{kind}")
    ship, rollback = (content.decisions[kind] for kind in (DecisionKind.SHIP, DecisionKind.ROLLBACK))
    if len(rollback.artifacts) > len(ship.artifacts) or len(rollback.roles) > len(ship.roles):
        raise _bad("A rollback never needs more than a ship.", f"decisions.{DecisionKind.ROLLBACK}")
    _refuse_limits(content)
    if content.rules_version not in gate.RULE_SETS:
        known = ", ".join(gate.RULE_SETS)
        raise _bad(f"There is no rule set {content.rules_version[:40]}; there is {known}.", "rules_version")
    for name, why in raising.wrong(content.rules_version, content.rules):
        raise BadInput(
            why, needs="Raise a mark, or leave the rule out.", code="rule_not_raised", where=f"rules.{name[:80]}"
        )
    _refuse_bad_numbers(content)


def _refuse_limits(content: TemplateContent) -> None:
    if content.quorum < LEAST_QUORUM:
        raise _bad(f"At least {LEAST_QUORUM} people approve.", "quorum")
    if content.waiver_cap_days < 1:
        raise _bad("A waiver ends: its cap is at least one day.", "waiver_cap_days")
    if content.deadlock_days < 1:
        raise _bad("An objection is answered within a day at the earliest.", "deadlock_days")
    if content.evidence_days < 1:
        raise _bad("Evidence may be at least one day old.", "evidence_days")
    if content.minimum_runs < 0:
        raise _bad("An arm needs no runs, or some.", "minimum_runs")


def _refuse_bad_numbers(content: TemplateContent) -> None:
    texts = [("rollout_cap_percent", content.rollout_cap_percent)]
    texts += [(f"metrics.{row.metric}.{row.stat}.margin", row.margin) for row in content.metrics]
    texts += [(f"metrics.{row.metric}.{row.stat}.slo", row.slo) for row in content.metrics if row.slo]
    texts += [(f"work_settings.{row.name}.tolerance", row.tolerance) for row in content.work_settings if row.tolerance]
    for where, text in texts:
        wellformed.require_number(text, where)


def _bad(message: str, where: str) -> BadInput:
    return BadInput(message, code="hollow_template", where=where)
