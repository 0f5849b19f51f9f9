"""A plan for a terminal, and as JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from math import sqrt

from analysis.planning import Noise, RunPlan
from reviews import printing
from reviews.cli.command import table
from reviews.cli.pilot import ASSURANCE, Pilot
from reviews.cli.planned import Planned, Wanted, sd_of_run

LAYOUTS = {"independent": "independent arms", "blocked": "one run of each arm per block"}


def as_json(planned: Planned) -> dict[str, object]:
    """All of it as JSON values; spreads, effects and half-widths on logs, where 0.01 is about 1 %."""
    wanted, upper = planned.wanted, planned.upper
    return {
        "scale": "log",
        "confidence": planned.confidence,
        "layout": wanted.layout if wanted else "independent",
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
    return {"runs": plan.runs, "steps": plan.steps, "cost_s": plan.cost_s, "half_width": plan.half_width}


def text(planned: Planned) -> str:
    """Plain lines."""
    return "\n".join((*_noise(planned), *_plan(planned), *_power(planned)))


def _noise(planned: Planned) -> Iterator[str]:
    pilot = planned.pilot
    if pilot is not None:
        each = f" of {printing.significant(pilot.spread.steps_per_run)} steps" if pilot.has_steps else ""
        yield f"Pilot: {pilot.metric}, {printing.plural(pilot.runs, 'run')}{each}."
        if pilot.has_steps:
            yield f"  Steps correlate over {printing.significant(pilot.steps_correlate_over)} steps."
        yield from (f"  {note}" for note in pilot.notes)
    runs, steps = (_share(sqrt(square)) for square in (planned.noise.run, planned.noise.step))
    yield f"Runs differ by {runs} beyond their steps, independent steps by {steps}."


def _plan(planned: Planned) -> Iterator[str]:
    wanted, plan = planned.wanted, planned.plan
    if wanted is None or plan is None:
        return
    yield f"Plan ({LAYOUTS[wanted.layout]}, {printing.confidence(wanted.confidence)} confidence): {_size(plan)}."
    yield f"  Expected half-width {_share(plan.half_width)}; half of all repetitions exceed it."
    if planned.steps_by_formula is not None:
        yield f"  Kalibera and Jones (2013) would take {printing.plural(planned.steps_by_formula, 'step')} per run."
    yield f"  {_assurance(planned, wanted)}"


def _assurance(planned: Planned, wanted: Wanted) -> str:
    level = printing.percent(ASSURANCE)
    if planned.upper is None:
        return "Without a pilot nothing is known of how sure these spreads are, so there is no plan with assurance."
    limit = f"With {level} assurance (runs differ by up to {_share(sqrt(planned.upper.run))})"
    if planned.assured is None:
        return f"{limit} no plan of a reasonable size reaches {_share(wanted.half_width)}."
    return f"{limit}: {_size(planned.assured)}."


def _size(plan: RunPlan) -> str:
    runs, steps = printing.plural(plan.runs, "run"), printing.plural(plan.steps, "step")
    return f"{runs} per arm of {steps}, {printing.quantity(plan.cost_s, 's')} in all"


def _power(planned: Planned) -> Iterator[str]:
    yield ""
    if not planned.power:
        yield "Runs for power are computed for independent arms only."
        return
    yield f"Runs per arm that establish an effect, with {printing.plural(planned.steps, 'step')} per run:"
    assured = planned.upper is not None
    heads = ("effect", "power", "runs", *((f"with {printing.percent(ASSURANCE)} assurance",) if assured else ()))
    rows = [
        (
            _share(row.effect),
            printing.percent(row.power),
            _count(row.runs),
            *((_count(row.assured),) if assured else ()),
        )
        for row in planned.power
    ]
    yield table(rows, heads)


def _count(runs: int | None) -> str:
    return "out of reach" if runs is None else printing.count(runs)


def _share(value: float) -> str:
    return printing.percent(value, digits=4)
