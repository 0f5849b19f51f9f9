"""A plan as JSON values, the same from the API and on the command line."""

from dataclasses import asdict
from math import sqrt

from analysis.planning import Noise, RunPlan
from reviews.planner.guardrails import GuardrailWarning
from reviews.planner.pilot import ASSURANCE, Pilot
from reviews.planner.planned import Planned, sd_of_run


def as_json(planned: Planned) -> dict[str, object]:
    """All of it as JSON values; spreads, effects and half-widths on logs, where 0.01 is about 1 %."""
    wanted, upper = planned.wanted, planned.upper
    return {
        "scale": "log",
        "confidence": planned.confidence,
        "layout": wanted.layout if wanted else "independent",
        "placement_sd": wanted.placement_sd if wanted else None,
        "pilot": _pilot_json(planned.pilot) if planned.pilot else None,
        "noise": _noise_json(planned.noise),
        "half_width": wanted.half_width if wanted else None,
        "plan": _plan_json(planned.plan),
        "kalibera_jones_steps": planned.steps_by_formula,
        "assurance": {"share": ASSURANCE, "noise": _noise_json(upper), "plan": _plan_json(planned.assured)}
        if upper
        else None,
        "power": {
            "steps": planned.steps,
            "run_value_sd": sd_of_run(planned.noise, planned.steps),
            "rows": [asdict(row) for row in planned.power],
        }
        if planned.power
        else None,
    }


def _pilot_json(pilot: Pilot) -> dict[str, object]:
    spread = pilot.spread
    return {
        "metric": pilot.metric,
        "runs": pilot.runs,
        "steps_per_run": spread.steps_per_run,
        "within": spread.within,
        "between": spread.between,
        "mean_square": spread.mean_square,
        "between_was_negative": spread.between_was_negative,
        "autocorrelation_time": pilot.steps_correlate_over,
        "notes": list(pilot.notes),
    }


def _noise_json(noise: Noise) -> dict[str, object]:
    return {"run_sd": sqrt(noise.run), "step_sd": sqrt(noise.step)}


def _plan_json(plan: RunPlan | None) -> dict[str, object] | None:
    if plan is None:
        return None
    return {
        "placements": plan.placements,
        "runs": plan.runs,
        "steps": plan.steps,
        "cost_s": plan.cost_s,
        "half_width": plan.half_width,
    }


def guardrails_json(warning: GuardrailWarning | None) -> dict[str, object] | None:
    """What a plan does for guardrails as JSON values."""
    if warning is None:
        return None
    found = warning.found
    return {
        "declared": warning.declared,
        "runs": found.runs if found else None,
        "each": [
            {
                "guardrail": one.guarded.name,
                "run_value_sd": one.guarded.sd,
                "power": one.power,
                "assured_power": one.assured,
                "underpowered": one.underpowered,
            }
            for one in (found.each if found else ())
        ],
        "together": {
            "power": found.together,
            "assured_power": found.together_assured,
            "underpowered": found.underpowered,
            "runs_needed": found.needed,
            "assured_runs_needed": found.needed_assured,
        }
        if found
        else None,
        "unknown": [{"guardrail": name, "reason": why} for name, why in warning.unknown],
    }
