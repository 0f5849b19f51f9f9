"""`countersign plan`: how many runs, of how many steps, from a pilot or from stated spreads; and a plan as jobs."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator

from analysis.planning import Cost, Layout, Noise
from reviews.cli.command import Command, Exit, UsageError, table, write, write_json
from reviews.cli.emit import KINDS, emit
from reviews.cli.files import labelled, read
from reviews.planner import words
from reviews.planner.asking import amount, square
from reviews.planner.document import as_json
from reviews.planner.pilot import Choice, NotSaid, pilot_of
from reviews.planner.planned import Asked, Planned, Wanted, planned_of


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
    parser.add_argument("--placement-sd", metavar="SHARE", help="how the effect differs from placement to placement")
    parser.add_argument("--placement-cost", default="0", metavar="SECONDS", help="what one more placement takes")
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
        write(_text(planned))
    return Exit.OK


def _text(planned: Planned) -> str:
    """Plain lines, details indented."""
    told = words.power_title(planned)
    lines = [*_indented(words.noise_lines(planned)), *_indented(words.plan_lines(planned)), "", told]
    return "\n".join([*lines, table(words.power_rows(planned), words.power_heads(planned))] if planned.power else lines)


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" if at else line for at, line in enumerate(lines))


def plan_of(options: Namespace) -> Planned:
    """What the options ask for. Raises as `run`."""
    _check(options)
    try:
        return planned_of(_asked(options))
    except NotSaid as refused:
        raise UsageError(f"{refused.message} {refused.needs}") from refused


def _asked(options: Namespace) -> Asked:
    pilot = None
    if options.pilot:
        runs = tuple(labelled(read(options.pilot, options.format), "baseline", None, {}))
        pilot = pilot_of(runs, Choice(options.metric or "", options.stat or "", options.warmup))
    return Asked(
        noise=pilot.noise if pilot else Noise(square(options.run_sd), square(options.step_sd), 0.0),
        pilot=pilot,
        wanted=_wanted(options) if options.half_width else None,
        effect=amount(options.effect) if options.effect else None,
        power=amount(options.power) if options.power else None,
        steps=options.steps,
        confidence=amount(options.confidence),
        blocked=options.blocks,
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
    if options.placement_sd and (options.blocks or not options.half_width):
        raise UsageError("Placements are planned for a --half-width, without --blocks.")
    if options.steps is not None and options.steps < 1:
        raise UsageError("--steps is 1 or more.")


def _wanted(options: Namespace) -> Wanted:
    cost = Cost(amount(options.run_cost), amount(options.step_cost), amount(options.placement_cost))
    layout: Layout = "blocked" if options.blocks else "independent"
    placement = square(options.placement_sd) ** 0.5 if options.placement_sd else None
    return Wanted(amount(options.half_width), cost, layout, amount(options.confidence), placement)


COMMAND = Command("plan", "how many runs and steps, from a pilot or from stated spreads, no server", arguments, run)
