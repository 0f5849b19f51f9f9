"""What somebody says of a file: the labels of an attachment, checked."""

from collections.abc import Collection
from dataclasses import dataclass

from analysis.clocks import stated_clock
from analysis.companions import POWER_LOGS, SERVER_LOGS
from analysis.errors import Refused
from reviews.errors import BadInput
from reviews.models import Artifact, EvidenceSet, Plan
from reviews.plan_content import plan_from_json
from reviews.services import parsing, wellformed
from reviews.vocabulary import Arm, EvidenceUse, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """What somebody says of a file. kind: slug of an artifact kind ("runs", "batch_policy_curve_pack", …).

    arm: "" for a file without runs. run: key in the file, "" for all its runs. placement_source: "capture" when the
    command line captured it, else "typed". excluded: the exclusion rule of the plan that leaves its runs out, or "".
    clock: zone of the times of the file ("UTC+01:00"), or seconds to add to a log ("+3600"); "" for nothing.
    """

    kind: str
    arm: str
    run: str
    block: str
    placement: str
    placement_source: str
    use: str
    excluded: str
    clock: str = ""


def check(labels: Labels, plan: Plan | None) -> None:
    """Nothing, when the labels say what they can say under that plan. Raises BadInput naming the label."""
    choices = (
        ("arm", labels.arm, ("", *Arm.values)),
        ("use", labels.use, EvidenceUse.values),
        ("placement_source", labels.placement_source, ("", Source.TYPED, Source.CAPTURE)),
    )
    for field, value, known in choices:
        if value not in known:
            raise BadInput(
                f"{value!r} is no {field}.", needs=f"Choose one of: {', '.join(filter(None, known))}.", where=field
            )
    wellformed.require_text(labels.kind, "kind", longest=80, code="no_kind")
    for field, longest in (("run", 300), ("block", 200), ("placement", 500)):
        wellformed.require_fits(getattr(labels, field), field, longest=longest)
    if labels.placement and not labels.placement_source:
        raise BadInput(
            "Say where the placement comes from.", needs="It was typed or captured.", where="placement_source"
        )
    _check_exclusion(labels.excluded, plan)
    _check_clock(labels.clock)


def refuse_double(row: EvidenceSet, artifact: Artifact, labels: Labels) -> None:
    """Raises BadInput when the set holds these runs of the artifact already, alone or with the whole file."""
    there = row.attachments.filter(artifact=artifact, detachment__isnull=True)
    if there.exists() and _is_log(artifact):
        there = there.filter(arm=labels.arm, block=labels.block, placement=labels.placement)
    as_runs = there.exclude(arm="")
    overlaps = as_runs.filter(run="") if labels.run else as_runs
    if there.filter(run=labels.run).exists() or (labels.arm and overlaps.exists()):
        raise BadInput(
            f"{artifact.name} is in this set already.",
            needs="Attach each run once; a file that was renamed is the same file.",
            code="attached_already",
            where="artifact",
        )


def _is_log(artifact: Artifact) -> bool:
    """Whether the file stands beside runs, possibly those of both arms."""
    parse = parsing.newest(artifact)
    return (parse.format if parse else parsing.format_of(artifact)) in POWER_LOGS | SERVER_LOGS


def _check_clock(said: str) -> None:
    wellformed.require_fits(said, "clock", longest=60)
    try:
        stated_clock(said)
    except Refused as refused:
        raise BadInput(refused.message, needs=refused.needs, code=refused.code, where="clock") from refused


def _check_exclusion(said: str, plan: Plan | None) -> None:
    rules = _rules(plan)
    if said and said not in rules:
        raise BadInput(
            "A run is left out only by a rule that its plan named before the runs.",
            needs=f"Choose one of: {'; '.join(rules) or 'none is planned'}. Else let the run count.",
            code="no_such_exclusion_rule",
            where="excluded",
        )


def _rules(plan: Plan | None) -> Collection[str]:
    if plan is None:
        return ()
    return tuple(
        dict.fromkeys(rule for row in plan_from_json(plan.content).comparisons for rule in row.exclusion_rules)
    )
