"""`countersign compare`: recognise, audit, interval and verdict on files, without a server."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Final

from analysis.assess import AssessmentRequest, AssessmentResult, ComparisonPlan, assess, to_json
from analysis.comparison_charts import runs_chart
from reviews.charts.svg import as_svg
from reviews.cli import beside, compared, metering, parts, procedures, steps, together
from reviews.cli.command import Command, Exit, UsageError, complain, pairs, write, write_json
from reviews.cli.compared import Asked, share
from reviews.cli.report import markdown, text

EXITS: Final = {
    "within_margin": Exit.OK,
    "better_than_margin": Exit.OK,
    "not_worse_than_margin": Exit.OK,
    "worse_than_margin": Exit.FAILED,
    "not_better_than_margin": Exit.UNDECIDED,
    "undecided": Exit.UNDECIDED,
}
WORST_FIRST: Final = (Exit.FAILED, Exit.NOT_COMPARABLE, Exit.REFUSED, Exit.UNDECIDED)


def arguments(parser: ArgumentParser) -> None:
    """Two arms, what is compared, what differs on purpose, and how to print."""
    parser.add_argument("baseline", nargs="+", metavar="BASE", help="files or folders of the baseline")
    parser.add_argument("--candidate", nargs="+", required=True, metavar="CAND", help="those of the candidate")
    compared.arguments(parser)
    parser.add_argument(
        "--slo", metavar="LIMIT", help="also hold the candidate to this limit, in base units (0.05 is 50 ms)"
    )
    parser.add_argument("--looks", type=int, default=1, metavar="K", help="looks at growing data declared before it")
    parser.add_argument("--look", type=int, default=1, metavar="N", help="which look at the data this is")
    parser.add_argument("--varied", default="", metavar="A,B", help="settings that differ on purpose")
    parser.add_argument("--required", default="", metavar="A,B", help="settings that both arms must record")
    parser.add_argument("--tolerance", action="append", default=[], metavar="NAME=SHARE", help="widen, not block")
    parser.add_argument("--hardware-varied", action="store_true", help="the hardware itself is compared")
    steps.arguments(parser)
    parts.arguments(parser)
    parser.add_argument("--only", action="append", default=[], metavar="NAME=VALUE", help="keep runs that state this")
    parser.add_argument("--pattern", help='labels from paths, for example "*-b{block}.json"')
    parser.add_argument("--format", help="read every file as this format")
    beside.arguments(parser)
    metering.arguments(parser)
    procedures.arguments(parser)
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print the whole result as JSON")
    output.add_argument("--markdown", action="store_true", help="print Markdown for a pull request")
    parser.add_argument("--plot", metavar="FILE.svg", help="also draw every run to this file")


def run(options: Namespace) -> Exit:
    """Prints what the files establish; the exit code says it by materiality."""
    results = {name: assess(request) for name, request in requests_of(options).items()}
    primary = next(iter(results.values()))
    if options.plot:
        _draw(primary, options.plot)
    if options.json:
        write_json(to_json(primary) if len(results) == 1 else together.as_json(results))
    elif options.markdown:
        write(markdown(primary) if len(results) == 1 else together.as_markdown(results))
    else:
        write(text(primary) if len(results) == 1 else together.as_text(results))
    return exit_of_all(results.values())


def exit_of_all(results: Iterable[AssessmentResult]) -> Exit:
    """OK only when the primary comparison and every guardrail is; claims and screenings change nothing."""
    codes = {exit_of(result) for result in results if result.plan.role in ("primary", "guardrail")}
    return next((code for code in WORST_FIRST if code in codes), Exit.OK)


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


def requests_of(options: Namespace) -> dict[str, AssessmentRequest]:
    """The comparisons that the options describe, by name, the primary one first.

    Raises:
        UsageError; UnknownFormat, MalformedEvidence for a file.
    """
    only = pairs(options.only, "--only")
    procedures.settle(options)
    runs = beside.runs(options, only)
    return {
        one.name: AssessmentRequest(
            plan=parts.with_parts(_plan(options, one), options), runs=runs, explained=(), stated=(), predictions=()
        )
        for one in compared.asked(options, runs)
    }


def _plan(options: Namespace, one: Asked) -> ComparisonPlan:
    return ComparisonPlan(
        metric=one.metric,
        stat=one.stat,
        better=one.better,
        scale=one.scale,
        margin=one.margin,
        role=one.role,
        varied=_words(options.varied),
        required=_words(options.required),
        tolerances={name: share(value) for name, value in pairs(options.tolerance, "--tolerance").items()},
        warmup_steps=options.warmup,
        minimum_requests=options.minimum_steps,
        hardware_varied=options.hardware_varied,
        slo=_limit(options) if one.role == "primary" else None,
        match="same_requests",
        confidence=0.95,
        looks=options.looks,
        look=options.look,
        metering=metering.metering_of(options, one.metric),
        warmup_seconds=None if options.warmup_seconds is None else share(options.warmup_seconds),
        **procedures.fields(options, one),
    )


def _limit(options: Namespace) -> Fraction | None:
    """The limit that the candidate is held to. Raises UsageError for one that no positive value can meet."""
    if options.slo is None:
        return None
    limit = share(options.slo)
    if limit <= 0:
        raise UsageError(f"--slo {options.slo} is no limit: write a value above 0 in base units (0.05 is 50 ms).")
    return limit


def _draw(result: AssessmentResult, path: str) -> None:
    spec = runs_chart(result)
    if spec is None:
        complain("No run has a value, so nothing was drawn.")
        return
    Path(path).write_text(as_svg(spec), encoding="utf-8")


def _words(text_: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text_.split(",") if word.strip())


COMMAND = Command("compare", "recognise, audit, interval and verdict on files, no server", arguments, run)
