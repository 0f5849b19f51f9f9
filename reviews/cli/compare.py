"""`countersign compare`: recognise, audit, interval and verdict on files, without a server."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Final

from analysis.assess import AssessmentRequest, AssessmentResult, ComparisonPlan, LabelledRun, assess, to_json
from analysis.comparison_charts import runs_chart
from analysis.errors import Refused
from analysis.exact import parse_exact
from analysis.inputs import Better
from reviews.charts.svg import as_svg
from reviews.cli import procedures
from reviews.cli.command import Command, Exit, UsageError, complain, pairs, write, write_json
from reviews.cli.files import labelled, read
from reviews.cli.report import markdown, text

HIGHER: Final = ("throughput", "goodput", "accuracy", "score", "bandwidth", "exact_match", "pass_rate", "win_rate")
STATS: Final = {"wall_time": "value", "time_to_train": "value", "step_time": "median"}
EXITS: Final = {
    "within_margin": Exit.OK,
    "better_than_margin": Exit.OK,
    "not_worse_than_margin": Exit.OK,
    "worse_than_margin": Exit.FAILED,
    "not_better_than_margin": Exit.UNDECIDED,
    "undecided": Exit.UNDECIDED,
}


def arguments(parser: ArgumentParser) -> None:
    """Two arms, what is compared, what differs on purpose, and how to print."""
    parser.add_argument("baseline", nargs="+", metavar="BASE", help="files or folders of the baseline")
    parser.add_argument("--candidate", nargs="+", required=True, metavar="CAND", help="those of the candidate")
    parser.add_argument("--metric", help='for example "output_throughput", "ttft", "wall_time"')
    parser.add_argument("--stat", help='"value", "mean", "median", "p99", "rate" (default: by the metric)')
    parser.add_argument("--better", choices=("higher", "lower"), help="default: by the metric")
    parser.add_argument("--margin", default="2%", help='what is still acceptable: "2%%" (default) or a ratio "0.98"')
    parser.add_argument(
        "--slo", metavar="LIMIT", help="also hold the candidate to this limit, in base units (0.05 is 50 ms)"
    )
    parser.add_argument("--looks", type=int, default=1, metavar="K", help="looks at growing data declared before it")
    parser.add_argument("--look", type=int, default=1, metavar="N", help="which look at the data this is")
    parser.add_argument("--scale", choices=("ratio", "difference", "proportion"), default="ratio")
    parser.add_argument("--varied", default="", metavar="A,B", help="settings that differ on purpose")
    parser.add_argument("--required", default="", metavar="A,B", help="settings that both arms must record")
    parser.add_argument("--tolerance", action="append", default=[], metavar="NAME=SHARE", help="widen, not block")
    parser.add_argument("--hardware-varied", action="store_true", help="the hardware itself is compared")
    parser.add_argument("--warmup", type=int, default=0, metavar="STEPS", help="steps cut from the start of every run")
    parser.add_argument("--only", action="append", default=[], metavar="NAME=VALUE", help="keep runs that state this")
    parser.add_argument("--pattern", help='labels from paths, for example "*-b{block}.json"')
    parser.add_argument("--format", help="read every file as this format")
    procedures.arguments(parser)
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print the whole result as JSON")
    output.add_argument("--markdown", action="store_true", help="print Markdown for a pull request")
    parser.add_argument("--plot", metavar="FILE.svg", help="also draw every run to this file")


def run(options: Namespace) -> Exit:
    """Prints what the files establish; the exit code says it by materiality."""
    result = assess(request_of(options))
    if options.plot:
        _draw(result, options.plot)
    if options.json:
        write_json(to_json(result))
    else:
        write(markdown(result) if options.markdown else text(result))
    return exit_of(result)


def exit_of(result: AssessmentResult) -> Exit:
    """The exit code of a result."""
    match result.outcome:
        case "failed_to_serve":
            return Exit.FAILED
        case "not_comparable":
            return Exit.NOT_COMPARABLE
        case "refused":
            return Exit.REFUSED
        case "verdict" if result.verdict is not None:
            return EXITS[result.verdict.materiality]
    return Exit.UNDECIDED


def request_of(options: Namespace) -> AssessmentRequest:
    """The comparison that the options describe. Raises UsageError; UnknownFormat, MalformedEvidence for a file."""
    only = pairs(options.only, "--only")
    runs = (
        *labelled(read(options.baseline, options.format), "baseline", options.pattern, only),
        *labelled(read(options.candidate, options.format), "candidate", options.pattern, only),
    )
    return AssessmentRequest(plan=_plan(options, runs), runs=runs, explained=(), stated=(), predictions=())


def _plan(options: Namespace, runs: tuple[LabelledRun, ...]) -> ComparisonPlan:
    procedures.settle(options)
    metric, stat = _metric(options, runs)
    better: Better = options.better or ("higher" if any(word in metric for word in HIGHER) else "lower")
    return ComparisonPlan(
        metric=metric,
        stat=stat,
        better=better,
        scale=options.scale,
        margin=margin_of(options.margin, better),
        role="primary",
        varied=_words(options.varied),
        required=_words(options.required),
        tolerances={name: _share(value) for name, value in pairs(options.tolerance, "--tolerance").items()},
        warmup_steps=options.warmup,
        minimum_requests=0,
        hardware_varied=options.hardware_varied,
        slo=_share(options.slo) if options.slo else None,
        match="same_requests",
        confidence=0.95,
        looks=options.looks,
        look=options.look,
        **procedures.fields(options),
    )


def margin_of(said: str, better: Better) -> Fraction:
    """The worst acceptable ratio: "2%" is 0.98 when higher is better and 1.02 when lower is."""
    if not said.endswith("%"):
        return _share(said)
    share = _share(said.removesuffix("%")) / 100
    return 1 - share if better == "higher" else 1 + share


def _metric(options: Namespace, runs: Iterable[LabelledRun]) -> tuple[str, str]:
    """The metric and stat that were asked for, or the only ones that the runs have."""
    measured = [run.reading.of_run(run.run.key).measured() for run in runs]
    found = {names for rows in measured for names in rows.combinations("metric", "stat", "kind")}
    seen = sorted({(metric, stat) for metric, stat, _ in found})
    if options.metric:
        raw = any(metric == options.metric and kind == "raw" for metric, _, kind in found)
        return options.metric, options.stat or _stat(
            options.metric, [s for m, s in seen if m == options.metric], raw=raw
        )
    metrics = {metric for metric, _ in seen}
    if len(metrics) == 1:
        (only,) = metrics
        options.metric = only
        return _metric(options, runs)
    listed = ", ".join(f"{metric} {stat}" for metric, stat in seen) or "none"
    raise UsageError(f"Say which metric is compared: --metric NAME --stat STAT. The files have: {listed}.")


def _stat(metric: str, stats: list[str], *, raw: bool) -> str:
    """The usual stat of the metric, where the runs have it or it can be computed from their rows; else the only one."""
    usual = STATS.get(metric, "rate" if "throughput" in metric else "p99")
    return stats[0] if len(stats) == 1 and usual not in stats and not raw else usual


def _draw(result: AssessmentResult, path: str) -> None:
    spec = runs_chart(result)
    if spec is None:
        complain("No run has a value, so nothing was drawn.")
        return
    Path(path).write_text(as_svg(spec), encoding="utf-8")


def _words(text_: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text_.split(",") if word.strip())


def _share(said: str) -> Fraction:
    try:
        return parse_exact(said)
    except Refused as refused:
        raise UsageError(f"{said!r} is no number: {refused.message}") from refused


COMMAND = Command("compare", "recognise, audit, interval and verdict on files, no server", arguments, run)
