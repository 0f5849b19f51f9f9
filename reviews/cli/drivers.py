"""`countersign drivers`: what the slowest requests or steps spend beside all of them. An association, and no cause."""

from argparse import ArgumentParser, Namespace
from typing import Final

from analysis import canonical
from analysis.drivers_chart import drivers_chart
from analysis.evidence import traces
from analysis.request_drivers import request_drivers
from reviews.charts.svg import as_svg
from reviews.cli.command import Command, Exit, UsageError, write, write_json
from reviews.cli.files import labelled, read
from reviews.driver_words import graph_lines
from reviews.planner.asking import amount

OF_TRACES: Final = "These are traces: `countersign trace` says more of their steps, of devices, streams and operators."


def arguments(parser: ArgumentParser) -> None:
    """The runs, how many of the slowest are meant, and how to print."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="evidence files, or folders")
    parser.add_argument("--candidate", nargs="+", metavar="PATH", default=[], help="the same under a change")
    parser.add_argument("--slowest", default="5%", metavar="SHARE", help="of each run that is its tail (default: 5%%)")
    parser.add_argument("--warmup", type=int, default=0, metavar="REQUESTS", help="cut from the start of every run")
    parser.add_argument("--pattern", help='labels from paths, for example "*-b{block}.json"')
    parser.add_argument("--format", help="read every file as this format")
    parser.add_argument("--confidence", default="0.95", help="level of the intervals (default: 0.95)")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print JSON")
    output.add_argument("--svg", action="store_true", help="print the graph as SVG")


def run(options: Namespace) -> Exit:
    """Prints the graph, edge by edge. Raises Refused."""
    if options.warmup < 0:
        raise UsageError("--warmup is at least 0.")
    files = [read(paths, options.format) for paths in (options.paths, options.candidate)]
    found = request_drivers(
        tuple(labelled(files[0], "baseline", options.pattern, {})),
        tuple(labelled(files[1], "candidate", options.pattern, {})),
        share=amount(options.slowest),
        warmup=options.warmup,
        confidence=amount(options.confidence),
    )
    if options.json:
        write_json({"kind": "tail_drivers", "graph": canonical.as_json(found)})
    elif options.svg:
        write(as_svg(drivers_chart(found)))
    else:
        write("\n".join(graph_lines(found)))
        if all(file.reading.format in traces.FORMATS for file in files[0]):
            write(OF_TRACES)
    return Exit.OK


COMMAND = Command("drivers", "what the slowest requests spend beside all of them", arguments, run)
