"""`countersign sweep`: the curves of a sweep, what is feasible under limits, and which batch policy to run."""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

from analysis.arrivals import Traffic
from analysis.batch_region import Region
from analysis.simulated_tail import FEWEST_REPLICATIONS, Effort
from analysis.sweep_numbers import SweepPlan
from reviews.batch_policy import asking, packing, words
from reviews.batch_policy.asking import Asked, Simulation
from reviews.batch_policy.report import Compared, PolicyReport, compared, report_of
from reviews.cli.command import Command, Exit, UsageError, complain, pairs, table, write, write_json
from reviews.cli.files import EvidenceFile, labelled, read

METRICS: Final = ("throughput", "latency", "power", "energy", "temperature")
Sources = Mapping[str, Sequence[tuple[str, str]]]


def arguments(parser: ArgumentParser) -> None:
    """The files, what they vary, the limits, what is simulated, and what is written."""
    parser.add_argument("baseline", nargs="+", metavar="PATH", help="files of a sweep; a folder stands for its files")
    parser.add_argument("--candidate", nargs="+", metavar="PATH", help="files of the same sweep under another policy")
    parser.add_argument(
        "--varied", default="", metavar="NAME", help="the setting that the sweep goes over; A,B for a grid"
    )
    for name in METRICS:
        parser.add_argument(f"--{name}", default="", metavar="METRIC", help=f"what stands for {name}")
    parser.add_argument("--limits", default="", metavar="NAME=VALUE,…", help="p99=0.2s,power=700W,throughput=2000")
    parser.add_argument("--warmup", type=int, default=0, metavar="N", help="steps or requests cut from each run")
    parser.add_argument("--grid", default="", metavar="A,B", help="the points that were meant to be measured")
    parser.add_argument("--offered", metavar="RATE", help="the rate at which the latencies were measured")
    parser.add_argument("--devices", type=int, default=1, metavar="N", help="how many devices serve together")
    parser.add_argument("--only", action="append", default=[], metavar="NAME=VALUE", help="keep runs that state this")
    parser.add_argument("--pattern", help='labels from paths, for example "round-{block}.json"')
    parser.add_argument("--format", help="read every file as this format")
    simulating = parser.add_argument_group("simulating a batcher")
    simulating.add_argument("--arrivals", metavar="RATES", help="arrivals per second: a policy for each, 50,100,200")
    simulating.add_argument("--traffic", default="poisson", help="poisson, or mmpp:LOW,HIGH,SECONDS,SECONDS")
    simulating.add_argument("--replay", metavar="FILE", help="recorded arrivals, one number of seconds a line")
    simulating.add_argument(
        "--waits", default="0,5ms,10ms,20ms,40ms", metavar="A,B", help="greatest waits that are tried"
    )
    simulating.add_argument("--servers", type=int, default=1, metavar="N", help="how many serve one queue")
    simulating.add_argument("--idle", default="0", metavar="W", help="power of an idle server")
    simulating.add_argument("--requests", type=int, default=20_000, metavar="N", help="of each replication")
    simulating.add_argument("--replications", type=int, default=FEWEST_REPLICATIONS, metavar="N")
    simulating.add_argument("--seed", type=int, default=1, metavar="N", help="of all randomness")
    parser.add_argument("--pack", metavar="FILE.zip", help="write the curve pack")
    parser.add_argument("--json", action="store_true", help="print the document of the pack")


def run(options: Namespace) -> Exit:
    """Prints what the sweep shows; the exit code says whether some point is feasible."""
    asked = asked_in(options)
    found, sources = _found(options, asked)
    if options.pack:
        Path(options.pack).write_bytes(packing.packed(found, sources))
        complain(f"Wrote {options.pack}.")
    if options.json:
        write_json(packing.document_of(found, sources))
    else:
        write(text(found))
    return exit_of(next(iter(packing.arms_of(found).values())).region)


def exit_of(region: Region | None) -> Exit:
    """OK when some point is feasible, or no limit was asked for; FAILED when every point is infeasible."""
    if region is None or region.labels("feasible"):
        return Exit.OK
    return Exit.UNDECIDED if region.labels("undetermined") else Exit.FAILED


def asked_in(options: Namespace) -> Asked:
    """What the options ask for. Raises UsageError; Refused for what is no limit, number or pattern of traffic."""
    if options.warmup < 0 or options.devices < 1 or options.servers < 1 or options.seed < 0:
        raise UsageError("--warmup and --seed are at least 0, --devices and --servers at least 1.")
    offered = asking.numbers_in(options.offered, "1/s", "--offered") if options.offered else ()
    plan = SweepPlan(
        varied=options.varied,
        warmup=options.warmup,
        grid=tuple(Fraction(point) for point in asking.numbers_in(options.grid, "1", "--grid")),
        offered=offered[0] if offered else None,
        devices=options.devices,
        **{name: getattr(options, name) for name in METRICS},
    )
    return Asked(plan, asking.limits_in(options.limits), _simulation(options))


def _simulation(options: Namespace) -> Simulation | None:
    if not options.arrivals:
        return None
    idle = asking.numbers_in(options.idle, "W", "--idle")
    return Simulation(
        rates=asking.numbers_in(options.arrivals, "1/s", "--arrivals"),
        waits=asking.numbers_in(options.waits, "s", "--waits") or (0.0,),
        traffic=_traffic(options),
        servers=options.servers,
        idle_watts=idle[0] if idle else 0.0,
        effort=Effort(options.requests, options.replications, options.seed),
    )


def _traffic(options: Namespace) -> Traffic:
    if not options.replay:
        return asking.traffic_in(options.traffic)
    place = Path(options.replay)
    if not place.is_file():
        raise UsageError(f"There is no file {options.replay}.")
    return asking.recorded_in(place.read_text(encoding="utf-8", errors="replace"))


def _found(options: Namespace, asked: Asked) -> tuple[Compared | PolicyReport, Sources]:
    baseline, sources = _report(options.baseline, options, asked)
    if not options.candidate:
        return baseline, {"baseline": sources}
    candidate, others = _report(options.candidate, options, asked)
    return compared(baseline, candidate), {"baseline": sources, "candidate": others}


def _report(paths: list[str], options: Namespace, asked: Asked) -> tuple[PolicyReport, list[tuple[str, str]]]:
    files = read(paths, options.format)
    runs = tuple(labelled(files, "baseline", options.pattern, pairs(options.only, "--only")))
    report = report_of(runs, asked)
    return report, _sources(files, report)


def _sources(files: Sequence[EvidenceFile], report: PolicyReport) -> list[tuple[str, str]]:
    used = {run.artifact for point in report.sweep.points for run in point.runs}
    return sorted((Path(file.path).name, file.sha256) for file in files if file.sha256 in used)


def text(found: Compared | PolicyReport) -> str:
    """All of it for people."""
    parts: list[str] = []
    arms = packing.arms_of(found)
    for arm, report in reversed(arms.items()):
        heads, rows = words.curve_table(report.sweep)
        lines = [f"{arm}:"] if len(arms) > 1 else []
        lines += [table(rows, heads), *words.notice_lines(report.sweep), "", *words.region_lines(report)]
        lines += [*words.front_lines(report), *words.interactivity_lines(report), *words.efficiency_lines(report)]
        if report.table is not None:
            heads, rows = words.policy_rows(report.table)
            lines += ["", table(rows, heads), *words.policy_lines(report.table)]
        elif "table" in report.refusals:
            refusal = report.refusals["table"]
            lines += ["", f"No policy table: {refusal.message} {refusal.needs} [{refusal.code}]"]
        parts.append("\n".join(lines))
    if isinstance(found, Compared) and found.change is not None:
        parts.append("\n".join(words.compared_lines(found)))
    return "\n\n".join(parts)


COMMAND = Command("sweep", "curves, feasible region and batch policy of a sweep, without a server", arguments, run)
