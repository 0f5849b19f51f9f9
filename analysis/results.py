"""What an assessment says, and its canonical JSON. Only the outcome "verdict" supports a claim about an effect.

verdict          the interval is judged
withheld         nothing is judged; `refusal` says why, and a rate-limited one keeps its materiality
refused          no interval can honestly be given; `refusal` says why
not_comparable   the arms did not do the same work; the rows of the audit that block say why
failed_to_serve  the candidate lost runs and the baseline none; `failures` has the exact counts
"""

from collections.abc import Collection
from dataclasses import MISSING, dataclass, fields
from typing import Final, Literal

from analysis import canonical, energy_answer
from analysis.attribution import Attribution
from analysis.claim_json import as_object, estimate_to_json, framed, interval_to_json, widened_to_json
from analysis.claims import ConfidenceInterval, EffectEstimate, EquivalenceInterval, WidenedInterval
from analysis.companions import CAPTURE, Companion
from analysis.design import Design
from analysis.energy_answer import EnergyAnswer
from analysis.failures import FailureCount, among
from analysis.hypothesis import Judgement
from analysis.inputs import AssessmentRequest, ComparisonPlan, LabelledRun
from analysis.looks import ONLY_IF
from analysis.notices import Notice, Refusal
from analysis.parts import MechanismsAnswer, SplitAnswer, StagesAnswer
from analysis.runs import RunPoint
from analysis.slo import SloAnswer
from analysis.step_report import StepReport
from analysis.sweeps import Sweep
from analysis.verdict import Verdict
from analysis.widening import Allowance
from analysis.work import AuditRow
from analysis.worst_case import WorstCase

Outcome = Literal["verdict", "withheld", "refused", "not_comparable", "failed_to_serve"]

ANALYSIS_VERSION: Final = "4"
SLO_NAMES: Final = {"next_run": "bound", "confidence": "level", "runs": "n"}


@dataclass(frozen=True, slots=True)
class AssessmentResult:
    """One comparison at one look.

    interval: at the plan's level; at a look that was not declared, the one that holds at every look.
    widened: the same with its allowances, when there are any; it then governs.
    secondary: for these placements only, beside an interval for placements like these.
    with_excluded: the interval if no run were excluded, when some are.
    single_look: at a look that was not declared, the interval that is valid only if it was the only look; it governs
        nothing. slo: how the candidate stands to a limit, beside the verdict and never part of it.
    overlap: of the arms in time, 0 when one ran after the other, None when unknown.
    energy: of a metric that is computed from power, each run's bounds and what follows from them.
    steps: what the raw rows say of warmup, steadiness and tails; worst_case: what is left of the effect when the runs
        that an arm lost count as the worst there is. Both None in a result of before they were kept.
    stages, mechanisms: None when no run records stages of the metric, or counters. splits: sums that add up exactly.
    allowances: the parts of the widening. equivalence: what alone decides "within the margin", where the plan fixes a
        level of its own for it. sweeps: of rates, each with the runs that its goodput was read from.
    """

    outcome: Outcome
    refusal: Refusal | None
    plan: ComparisonPlan
    audit: tuple[AuditRow, ...]
    failures: tuple[FailureCount, FailureCount]
    design: Design | None
    overlap: float | None
    estimate: EffectEstimate | None
    interval: ConfidenceInterval | None
    widened: WidenedInterval | None
    secondary: ConfidenceInterval | None
    with_excluded: ConfidenceInterval | None
    single_look: ConfidenceInterval | None
    slo: SloAnswer | None
    verdict: Verdict | None
    judgements: tuple[Judgement, ...]
    runs: tuple[RunPoint, ...]
    notices: tuple[Notice, ...]
    attribution: Attribution
    inputs_digest: str
    energy: EnergyAnswer | None = None
    steps: StepReport | None = None
    worst_case: WorstCase | None = None
    stages: StagesAnswer | None = None
    splits: tuple[SplitAnswer, ...] = ()
    mechanisms: MechanismsAnswer | None = None
    allowances: tuple[Allowance, ...] = ()
    equivalence: EquivalenceInterval | None = None
    sweeps: tuple[Sweep, ...] = ()

    @property
    def governing(self) -> ConfidenceInterval | WidenedInterval | None:
        """The one interval that every statement rests on."""
        return self.widened or self.interval

    @property
    def among(self) -> str:
        """What an effect is among when an arm lost runs or sweeps: "among completed runs"; "" when none did."""
        return among(self.failures)

    @property
    def ladder_rung(self) -> int:
        """The attribution rung, 0 to 2."""
        return self.attribution.rung


def to_json(result: AssessmentResult) -> dict[str, object]:
    """The result as canonical JSON values; every number carries its kind, and decimals are strings."""
    return {
        "kind": "assessment",
        "analysis_version": ANALYSIS_VERSION,
        "inputs_digest": result.inputs_digest,
        "outcome": result.outcome,
        "refusal": canonical.as_json(result.refusal),
        "plan": _plan(result.plan),
        "audit": canonical.as_json(result.audit),
        "failures": canonical.as_json(result.failures),
        "design": canonical.as_json(result.design),
        "overlap": canonical.as_json(result.overlap),
        "estimate": estimate_to_json(result.estimate),
        "interval": interval_to_json(result.interval),
        "widened": widened_to_json(result.widened),
        "secondary": interval_to_json(result.secondary),
        "with_excluded": interval_to_json(result.with_excluded),
        "single_look": _single_look(result.single_look),
        "slo": _slo(result.slo),
        "verdict": canonical.as_json(result.verdict),
        "judgements": canonical.as_json(result.judgements),
        "runs": canonical.as_json(result.runs),
        "notices": canonical.as_json(result.notices),
        "ladder_rung": result.ladder_rung,
        "attribution": result.attribution.sentence,
        "energy": energy_answer.to_json(result.energy),
        "steps": _steps(result.steps),
        "worst_case": _worst_case(result.worst_case),
        **_parts(result),
        "allowances": [_allowance(part, result) for part in result.allowances],
        "equivalence": _equivalence(result.equivalence),
        "sweeps": [{"kind": "sweep", "unit": "1/s", **as_object(canonical.as_json(one))} for one in result.sweeps],
    }


def _plan(plan: ComparisonPlan) -> dict[str, object]:
    """The plan, without the members that it leaves at their default: a plan of before they existed has its digest."""
    said = as_object(canonical.as_json(plan))
    kept = [f.name for f in fields(plan) if f.default is MISSING or getattr(plan, f.name) != f.default]
    return {name: said[name] for name in kept}


def _parts(result: AssessmentResult) -> dict[str, object]:
    """What the runs say of their parts, where they record parts; a result of runs that record none has no member."""
    said: dict[str, object] = {}
    if result.stages is not None:
        said["stages"] = {"kind": "stages", **as_object(canonical.as_json(result.stages))}
    if result.splits:
        said["splits"] = [{"kind": "split", **as_object(canonical.as_json(split))} for split in result.splits]
    if result.mechanisms is not None:
        said["mechanisms"] = {"kind": "mechanisms", **as_object(canonical.as_json(result.mechanisms))}
    return said


def _single_look(interval: ConfidenceInterval | None) -> object:
    if interval is None:
        return None
    said = framed("single_look_interval", interval.frame, canonical.as_json(interval))
    return {**said, "condition": ONLY_IF}


def _steps(report: StepReport | None) -> object:
    """The report; its other cut names its claims by their kind, and says that it governs nothing."""
    if report is None:
        return None
    said, other = as_object(canonical.as_json(report)), report.other
    if other is None:
        return {"kind": "step_report", **said}
    beside = {
        "kind": "other_cut",
        "cut": other.cut,
        "estimate": estimate_to_json(other.estimate),
        "interval": interval_to_json(other.interval),
        "widened": widened_to_json(other.widened),
        "refusal": canonical.as_json(other.refusal),
        "governs": False,
    }
    return {"kind": "step_report", **said, "other": beside}


def _worst_case(found: WorstCase | None) -> object:
    if found is None:
        return None
    return {**framed("worst_case", found.frame, canonical.as_json(found)), "sentence": found.said}


def _slo(answer: SloAnswer | None) -> object:
    """The answer under the names that every claim has: bound, level, n."""
    if answer is None:
        return None
    refusal, limit = canonical.as_json(answer.refusal), canonical.as_json(answer.limit)
    check = as_object(canonical.as_json(answer.check))
    named = {SLO_NAMES.get(key, key): value for key, value in check.items()}
    return {
        "kind": "slo_check",
        "outcome": "refused",
        "sentence": answer.said,
        **named,
        "limit": limit,
        "refusal": refusal,
    }


def _allowance(part: Allowance, result: AssessmentResult) -> object:
    """The part with the unit of its amount: that of the metric, or none, for the log of a ratio."""
    of_ratio = part.factor is not None or result.estimate is None
    unit = "1" if of_ratio or result.estimate is None else result.estimate.frame.unit
    return {"kind": "allowance", "unit": unit, **as_object(canonical.as_json(part))}


def _equivalence(found: EquivalenceInterval | None) -> object:
    if found is None:
        return None
    return {
        "kind": "equivalence_interval",
        "interval": interval_to_json(found.interval),
        "widened": widened_to_json(found.widened),
        "with_excluded": interval_to_json(found.with_excluded),
    }


def inputs_json(request: AssessmentRequest) -> dict[str, object]:
    """All that goes in, as canonical JSON values; the order of runs, explanations and predictions does not matter."""
    plan = _plan(request.plan)
    return {
        "analysis_version": ANALYSIS_VERSION,
        "plan": {
            **plan,
            "varied": sorted(set(request.plan.varied)),
            "required": sorted(set(request.plan.required)),
        },
        "runs": _sorted([_run(run) for run in request.runs]),
        "explained": _sorted(request.explained),
        "stated": _sorted(request.stated),
        "predictions": _sorted(request.predictions),
    }


def inputs_digest(request: AssessmentRequest) -> str:
    """SHA-256 of `inputs_json`."""
    return canonical.digest(inputs_json(request))


def _sorted(parts: Collection[object]) -> list[object]:
    return sorted((canonical.as_json(part) for part in parts), key=canonical.text)


def _run(run: LabelledRun) -> dict[str, object]:
    """What identifies the run and what it is read as: its file by digest, its parser, its labels."""
    return {
        "artifact": run.artifact,
        "run": run.run.key,
        "format": run.reading.format,
        "parser_version": run.reading.parser_version,
        "label": run.label,
        "arm": run.arm,
        "block": run.block,
        "placement": run.placement,
        "placement_verified": run.placement_verified,
        "excluded": run.excluded,
        **({"clock": run.clock} if run.clock else {}),
        **({"companions": _sorted([_companion(one) for one in run.companions])} if run.companions else {}),
    }


def _companion(one: Companion) -> dict[str, object]:
    """What identifies a file beside the run: as the run itself; what was captured, by what it says."""
    return {
        "artifact": one.artifact,
        "format": one.reading.format,
        "parser_version": one.reading.parser_version,
        "run": one.run,
        "clock": one.clock,
        **({"settings": {s.name: s.value for s in one.settings()}} if one.reading.format == CAPTURE else {}),
    }
