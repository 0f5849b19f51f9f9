"""`countersign trace`: where the traces or tables of stages of two arms part; it gives no verdict."""

import hashlib
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from typing import Final

from analysis.errors import Refused
from analysis.evidence import traces
from analysis.evidence.traces import Traced
from analysis.exact import parse_exact
from analysis.trace_answer import TraceAnswer, answer, to_json
from analysis.traced_runs import TracedRun
from reviews import trace_words
from reviews.breakdowns import PrintedTable
from reviews.cli.command import Command, Exit, UsageError, table, write, write_json
from reviews.cli.files import labels_of, places

PERCENT: Final = 100
HOW: Final = "Give two traces, BASE CAND, or several: BASE… --candidate CAND…."

Read = tuple[TracedRun, Traced]


def arguments(parser: ArgumentParser) -> None:
    """Traces of two arms, and how to print."""
    parser.add_argument(
        "traces", nargs="+", metavar="BASE",
        help="a trace, or a table of the times of stages, of the baseline, then one of the candidate",
    )  # fmt: skip
    parser.add_argument(
        "--candidate",
        nargs="+",
        default=[],
        metavar="CAND",
        help="traces of the candidate; all before it are then of the baseline, each of a run of its own",
    )
    parser.add_argument("--pattern", help='labels from paths, for example "*-b{block}.json"')
    parser.add_argument(
        "--margin", default="2%", metavar="SHARE", help="within which a stage is excluded, over several runs (2%%)"
    )
    parser.add_argument(
        "--kernels", type=int, default=trace_words.KERNELS, metavar="N", help="rows of kernels (default: 10)"
    )
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print JSON, with all kernels")
    output.add_argument("--markdown", action="store_true", help="print Markdown for a pull request")


def run(options: Namespace) -> Exit:
    """Prints where the traces part; OK whatever that is, because it is no verdict."""
    if options.kernels < 0:
        raise UsageError("--kernels is at least 0.")
    margin = _margin(options.margin)
    baseline, candidate = (list(_read(paths, options.pattern)) for paths in _arms(options))
    found = answer(
        [run for run, _ in baseline],
        [run for run, _ in candidate],
        margin=margin,
        cautions=list(traces.cautions(*([read for _, read in arm] for arm in (baseline, candidate)))),
    )
    if options.json:
        write_json(to_json(found))
    elif options.markdown:
        write("\n".join(trace_words.as_markdown(found, kernels=options.kernels)))
    else:
        write("\n".join(in_words(found, kernels=options.kernels)))
    return Exit.OK


def _arms(options: Namespace) -> tuple[list[str], list[str]]:
    """The paths of each arm. Raises UsageError."""
    if options.candidate:
        return options.traces, options.candidate
    if len(options.traces) != len(trace_words.ARMS):
        raise UsageError(HOW)
    return options.traces[:1], options.traces[1:]


def _margin(text: str) -> float:
    """The factor above 1 that a share says. Raises UsageError."""
    try:
        share = parse_exact(text.removesuffix("%")) / (PERCENT if text.endswith("%") else 1)
    except Refused as refused:
        raise UsageError(f"--margin {text!r} is no share: {refused.message}") from refused
    if share <= 0:
        raise UsageError(f"--margin {text} excludes nothing: write a share above 0, for example 2%.")
    return float(1 + share)


def _read(paths: Iterable[str], pattern: str | None) -> Iterator[Read]:
    """The runs of an arm, labelled by their paths."""
    for place in places(paths):
        said = labels_of(str(place), pattern)
        with place.open("rb") as file:
            artifact = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
            found = traces.runs_in(file, str(place))
        for one in found:
            label = str(place) if len(found) == 1 else f"{place}#{one.key}"
            block, placement = said.get("block", ""), said.get("placement", "")
            yield TracedRun(label, one.content, artifact, one.key, block, placement, rank=one.rank), one


def in_words(found: TraceAnswer, *, kernels: int) -> Iterator[str]:
    """The sentence, what to be careful of, and what it rests on in tables."""
    yield found.sentence
    yield from (said for said in (trace_words.whole_step(found), *trace_words.remarks(found), *found.notices) if said)
    over_runs = trace_words.intervals(found)
    if over_runs is not None:
        yield from ("", f"{over_runs.title}: {over_runs.sentence}")
        if over_runs.needs:
            yield f"What would help: {over_runs.needs}"
        yield from (_table(shown) for shown in over_runs.tables)
        yield from (f"{name}: {said}" for name, said in over_runs.about)
    for section in trace_words.sections(found, kernels=kernels):
        yield from ("", f"{section.title}:", _table(section.table))
        if section.more:
            yield f"… and {section.more} more: --kernels N prints more, --json prints all."


def _table(shown: PrintedTable) -> str:
    return table(shown.rows, shown.heads)


COMMAND = Command("trace", "where the traces of two arms part", arguments, run)
