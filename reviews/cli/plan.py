"""`countersign plan`: how many runs, of how many steps, from a pilot or from stated spreads; and a plan as jobs."""

from argparse import ArgumentParser, Namespace
from typing import Final

from analysis.errors import Refused
from analysis.exact import parse_exact
from analysis.planning import Cost, Layout, Noise, RunPlan, kalibera_jones_allocation, runs_for_power
from reviews.cli.command import Command, Exit, UsageError, write, write_json
from reviews.cli.emit import KINDS, emit
from reviews.cli.pilot import Pilot, pilot_of
from reviews.cli.plan_report import as_json, text
from reviews.cli.planned import Planned, PowerRow, Wanted, sd_of_run

USUAL_POWERS: Final = (0.8, 0.9)
EFFECTS_OF_A_HALF_WIDTH: Final = (1, 2, 3)


def arguments(parser: ArgumentParser) -> None:
    """The noise, the costs, what is asked for, and how to print."""
    noise = parser.add_argument_group("the noise: a pilot, or both spreads")
    noise.add_argument("--pilot", nargs="+", metavar="FILE", help="evidence files of one configuration, or folders")
    noise.add_argument("--metric", help="what is planned for, when the pilot has several metrics")
    noise.add_argument("--stat", help="the tool's own number, when the pilot has several and no steps")
    noise.add_argument("--warmup", type=int, default=0, metavar="STEPS", help="steps cut from the start of every run")
    noise.add_argument("--format", help="read every file as this format")
    noise.add_argument("--run-sd", metavar="SHARE", help='how runs differ beyond their steps: "1%%" or 0.01')
    noise.add_argument("--step-sd", metavar="SHARE", help="how independent steps of a run differ")
    asked = parser.add_argument_group("what is asked for: a half-width, or an effect and its power")
    asked.add_argument("--half-width", metavar="H", help='half the expected interval: "1%%" or 0.01')
    asked.add_argument("--effect", metavar="D", help="the true effect that the runs are to establish")
    asked.add_argument("--power", metavar="P", help="the chance of establishing it: 80%% or 0.8")
    asked.add_argument("--steps", type=int, metavar="M", help="steps per run, when only an effect is asked for")
    parser.add_argument("--run-cost", metavar="SECONDS", help="what a run takes before its steps")
    parser.add_argument("--step-cost", metavar="SECONDS", help="what a step takes")
    parser.add_argument("--blocks", action="store_true", help="one run of each arm per block, not independent arms")
    parser.add_argument("--confidence", default="0.95", help="level of the interval (default: 0.95)")
    jobs = parser.add_argument_group("the runs of a registered plan as jobs")
    jobs.add_argument("--emit", choices=KINDS, help="print its runs in a randomised, interleaved order")
    jobs.add_argument("--registered", metavar="FILE", help="the plan, as the API gives it")
    jobs.add_argument("--command", dest="child", metavar="TEXT", help="of a run, with {run}, {arm} and {block} in it")
    jobs.add_argument("--image", default="", help="for k8s: with the benchmark and countersign in it")
    jobs.add_argument("--claim", default="", metavar="NAME", help="for k8s: volume claim that results are written to")
    jobs.add_argument("--gpus", type=int, default=0, metavar="N", help="for k8s: GPUs of a run")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: Namespace) -> Exit:
    """Prints the plan. Raises UsageError for words that do not fit together; Refused for what cannot be planned."""
    if options.emit:
        emit(options)
        return Exit.OK
    planned = plan_of(options)
    if options.json:
        write_json(as_json(planned))
    else:
        write(text(planned))
    return Exit.OK


def plan_of(options: Namespace) -> Planned:
    """What the options ask for. Raises as `run`."""
    _check(options)
    pilot = pilot_of(options) if options.pilot else None
    noise = pilot.noise if pilot else Noise(_square(options.run_sd), _square(options.step_sd), 0.0)
    upper = pilot.upper_noise if pilot else None
    wanted = _wanted(options) if options.half_width else None
    plan = wanted.of(noise) if wanted else None
    steps = options.steps or (plan.steps if plan else _steps_of(pilot, noise))
    return Planned(
        pilot=pilot,
        noise=noise,
        upper=upper,
        wanted=wanted,
        confidence=_amount(options.confidence),
        plan=plan,
        assured=_in_reach(wanted, upper),
        steps_by_formula=kalibera_jones_allocation(noise, wanted.cost) if wanted and noise.run and noise.step else None,
        steps=steps,
        power=() if options.blocks else _power(options, (noise, upper), steps),
    )


def _check(options: Namespace) -> None:
    if options.registered or options.child:
        raise UsageError("--registered and --command belong to --emit.")
    spreads = (options.run_sd, options.step_sd)
    if bool(options.pilot) == any(spreads) or (any(spreads) and not all(spreads)):
        raise UsageError("Give a pilot with --pilot FILE…, or both --run-sd and --step-sd.")
    if not options.pilot and any((options.metric, options.stat, options.warmup, options.format)):
        raise UsageError("--metric, --stat, --warmup and --format belong to a --pilot.")
    if bool(options.effect) != bool(options.power) or not (options.half_width or options.effect):
        raise UsageError("Ask for a half-width with --half-width, or for --effect with --power.")
    if options.half_width and not (options.run_cost and options.step_cost):
        raise UsageError("The cheapest plan needs --run-cost and --step-cost, in seconds.")
    if options.blocks and options.effect:
        raise UsageError("Power is computed for independent arms: leave out --blocks, or ask for a --half-width.")
    if options.steps is not None and options.steps < 1:
        raise UsageError("--steps is 1 or more.")


def _amount(said: str) -> float:
    """ "1%" and "0.01" are the same. Raises Refused."""
    return float(parse_exact(said.removesuffix("%")) / (100 if said.endswith("%") else 1))


def _square(said: str) -> float:
    sd = _amount(said)
    if sd < 0:
        raise Refused("not_positive", f"A spread is below 0: {said}.", "Give standard deviations.")
    return sd**2


def _wanted(options: Namespace) -> Wanted:
    cost = Cost(_amount(options.run_cost), _amount(options.step_cost), 0.0)
    layout: Layout = "blocked" if options.blocks else "independent"
    return Wanted(_amount(options.half_width), cost, layout, _amount(options.confidence))


def _in_reach(wanted: Wanted | None, noise: Noise | None) -> RunPlan | None:
    """The plan, or None when nothing is known or nothing gets there."""
    if wanted is None or noise is None:
        return None
    try:
        return wanted.of(noise)
    except Refused as refused:
        if refused.code != "out_of_reach":
            raise
        return None


def _steps_of(pilot: Pilot | None, noise: Noise) -> int:
    """Steps of a run as in the pilot; 1 when steps do not differ."""
    if pilot is not None:
        return max(1, int(pilot.spread.steps_per_run))
    if noise.step:
        raise UsageError("Say how many steps a run has: --steps M.")
    return 1


def _power(options: Namespace, noises: tuple[Noise, Noise | None], steps: int) -> tuple[PowerRow, ...]:
    """Rows for the effect that was asked for, which is refused out of reach; else for one to three half-widths."""
    face, upper = (sd_of_run(noise, steps) if noise else None for noise in noises)
    confidence = _amount(options.confidence)
    if options.effect and face is not None:
        runs_for_power(_amount(options.power), effect=_amount(options.effect), sd=face, confidence=confidence)
    powers = sorted({*USUAL_POWERS, _amount(options.power)}) if options.power else USUAL_POWERS
    return tuple(
        PowerRow(effect, power, _runs(power, effect, face, confidence), _runs(power, effect, upper, confidence))
        for effect in _effects(options)
        for power in powers
    )


def _effects(options: Namespace) -> tuple[float, ...]:
    if options.effect:
        return (_amount(options.effect),)
    return tuple(times * _amount(options.half_width) for times in EFFECTS_OF_A_HALF_WIDTH)


def _runs(power: float, effect: float, sd: float | None, confidence: float) -> int | None:
    """None when nothing is known, or more runs are needed than the planner looks at."""
    if sd is None:
        return None
    try:
        return runs_for_power(power, effect=effect, sd=sd, confidence=confidence)
    except Refused as refused:
        if refused.code != "out_of_reach":
            raise
        return None


COMMAND = Command("plan", "how many runs and steps, from a pilot or from stated spreads, no server", arguments, run)
