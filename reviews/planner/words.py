"""A plan in sentences, the same on the page and in a terminal."""

from collections.abc import Iterator
from math import sqrt

from analysis.guardrail_power import ENOUGH, Guardrails
from analysis.planning import RunPlan
from reviews import printing
from reviews.planner.pilot import ASSURANCE
from reviews.planner.planned import Planned, Wanted

LAYOUTS = {"independent": "independent arms", "blocked": "one run of each arm per block"}
PLACEMENTS = "both arms on each placement"


def noise_lines(planned: Planned) -> Iterator[str]:
    """How runs and steps differ, and how that is known."""
    pilot = planned.pilot
    if pilot is not None:
        each = f" of {printing.significant(pilot.spread.steps_per_run)} steps" if pilot.has_steps else ""
        yield f"Pilot: {pilot.metric}, {printing.plural(pilot.runs, 'run')}{each}."
        if pilot.has_steps:
            yield f"Steps correlate over {printing.significant(pilot.steps_correlate_over)} steps."
        yield from pilot.notes
    runs, steps = (_share(sqrt(square)) for square in (planned.noise.run, planned.noise.step))
    yield f"Runs differ by {runs} beyond their steps, independent steps by {steps}."


def plan_lines(planned: Planned) -> Iterator[str]:
    """The cheapest plan, what its width means, and the plan with assurance."""
    wanted, plan = planned.wanted, planned.plan
    if wanted is None or plan is None:
        return
    laid_out = LAYOUTS[wanted.layout] if wanted.placement_sd is None else PLACEMENTS
    yield f"Plan ({laid_out}, {printing.confidence(wanted.confidence)} confidence): {_size(plan)}."
    yield f"Expected half-width {_share(plan.half_width)}; half of all repetitions exceed it."
    if planned.steps_by_formula is not None:
        yield f"Kalibera and Jones (2013) would take {printing.plural(planned.steps_by_formula, 'step')} per run."
    yield _assurance(planned, wanted)


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
    on = f" on each of {plan.placements} placements" if plan.placements > 1 else ""
    return f"{runs} per arm of {steps}{on}, {printing.quantity(plan.cost_s, 's')} in all"


def power_heads(planned: Planned) -> tuple[str, ...]:
    """The heads of the rows of power; the last one only with a pilot."""
    assured = (f"with {printing.percent(ASSURANCE)} assurance",) if planned.upper is not None else ()
    return ("effect", "power", "runs", *assured)


def power_rows(planned: Planned) -> list[tuple[str, ...]]:
    """Runs per arm that establish an effect, under the heads."""
    return [
        (
            _share(row.effect),
            printing.percent(row.power),
            _count(row.runs),
            *((_count(row.assured),) if planned.upper is not None else ()),
        )
        for row in planned.power
    ]


def power_title(planned: Planned) -> str:
    """What the rows of power show, or why there are none."""
    if not planned.power:
        return "Runs for power are computed for independent arms only."
    return f"Runs per arm that establish an effect, with {printing.plural(planned.steps, 'step')} per run:"


def guardrail_lines(found: Guardrails) -> Iterator[str]:
    """What the plan does for all guardrails together, and how many runs would do."""
    level = printing.percent(ENOUGH)
    together = f"An equal candidate passes all of them with a chance of {printing.percent(found.together)}"
    yield (
        f"{together} under {printing.plural(found.runs, 'run')} per arm; with {printing.percent(ASSURANCE)} assurance, "
        f"{printing.percent(found.together_assured)}. Guardrails are taken to vary independently."
    )
    needed, assured = _count(found.needed), _count(found.needed_assured)
    yield f"Runs per arm for a chance of {level}: {needed}; with {printing.percent(ASSURANCE)} assurance: {assured}."


def _count(runs: int | None) -> str:
    return "out of reach" if runs is None else printing.count(runs)


def _share(value: float) -> str:
    return printing.percent(value, digits=4)
