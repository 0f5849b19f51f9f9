"""The curve pack as one zip: the document for the gate, curves to look at, tables to compute with, and all digests."""

import csv
import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from analysis.batch_charts import curves, front_chart
from analysis.batch_sweep import BatchSweep
from analysis.charts import ChartSpec
from analysis.interactivity_chart import interactivity_chart
from reviews.batch_policy import content, words
from reviews.batch_policy.report import Compared, PolicyReport
from reviews.charts.palette import PAPER
from reviews.charts.plotting import as_plotly_json
from reviews.charts.svg import as_png, as_svg
from reviews.digests import sha256_of

DOCUMENT: Final = "batch-policy-curve-pack.json"
SUMS: Final = "SHA256SUMS"
EPOCH: Final = (1980, 1, 1, 0, 0, 0)
HEADS: Final = (
    "arm", "varied", "at", "point", "run_label", "file_sha256", "quantity", "source_metric", "source_stat", "base_unit",
    "run_value", "requests", "why_not_used",
)  # fmt: skip
"""Other words than those of a measurements table, so that nobody reads the pack as new runs."""
INTERACTIVITY_HEADS: Final = (
    "point", "runs", "standing", "beaten_by", "user_tokens_per_s", "user_at_least", "user_at_most",
    "device_tokens_per_s", "device_at_least", "device_at_most",
)  # fmt: skip
Sources = Mapping[str, Sequence[tuple[str, str]]]
Row = tuple[str | float | int | None, ...]


def packed(found: Compared | PolicyReport, sources: Sources) -> bytes:
    """The zip of a report, or of a candidate with its baseline; the same report gives the same bytes here."""
    members = dict(_members(found, sources))
    members[SUMS] = "".join(f"{sha256_of(data)}  {name}\n" for name, data in sorted(members.items())).encode()
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(members, key=lambda name: (name != DOCUMENT, name)):
            about = zipfile.ZipInfo(name, EPOCH)
            about.compress_type = zipfile.ZIP_DEFLATED
            about.external_attr = 0o644 << 16
            archive.writestr(about, members[name])
    return made.getvalue()


def arms_of(found: Compared | PolicyReport) -> dict[str, PolicyReport]:
    """The reports by arm, the one that the pack speaks for first: the candidate, or the only one."""
    if isinstance(found, PolicyReport):
        return {"baseline": found}
    return {"candidate": found.candidate, "baseline": found.baseline}


def document_of(found: Compared | PolicyReport, sources: Sources) -> dict[str, Any]:
    """The pack's own document; that of a candidate carries its baseline and what changes."""
    if isinstance(found, PolicyReport):
        return content.document(found, sources["baseline"])
    whole = content.as_json(found, sources)
    return {**whole["candidate"], "baseline": whole["baseline"], "change": whole["change"]}


def _members(found: Compared | PolicyReport, sources: Sources) -> Iterator[tuple[str, bytes]]:
    yield DOCUMENT, content.text_of(document_of(found, sources)).encode()
    yield "method.txt", method_sheet(found, sources).encode()
    drawn: dict[str, ChartSpec] = {}
    for arm, report in arms_of(found).items():
        alone = len(arms_of(found)) == 1
        prefix = "" if alone else f"{arm}-"
        drawn |= {f"{prefix}{name}": spec for name, spec in charts_of(report, "" if alone else arm).items()}
        if report.table is not None:
            heads, rows = words.policy_rows(report.table)
            yield f"tables/{prefix}policy.csv", _csv(heads, rows)
        if report.interactivity is not None:
            chart = interactivity_chart(report.interactivity)
            yield f"tables/{prefix}interactivity.csv", _csv(INTERACTIVITY_HEADS, chart.rows)
    for name, spec in drawn.items():
        yield f"curves/{name}.svg", as_svg(spec).encode()
        yield f"curves/{name}.png", as_png(spec)
    yield "curves.html", page_of(drawn).encode()
    table = list(_run_rows(found))
    yield "tables/runs.csv", _csv(HEADS, table)
    yield "tables/runs.parquet", _parquet(table)


def charts_of(report: PolicyReport, arm: str = "") -> dict[str, ChartSpec]:
    """All charts of a report, by name; titled by their arm where there are two."""
    found = curves(report.sweep, report.region)
    if report.front is not None:
        found["front"] = front_chart(report.sweep, report.front)
    if report.interactivity is not None:
        found["interactivity"] = interactivity_chart(report.interactivity)
    return {name: replace(spec, title=f"{arm}: {spec.title}" if arm else spec.title) for name, spec in found.items()}


def method_sheet(found: Compared | PolicyReport, sources: Sources) -> str:
    """How the numbers were made and what they came from, in plain text."""
    lines = ["Batch policy curve pack", "", content.METHOD, ""]
    for arm, report in arms_of(found).items():
        heads, rows = words.curve_table(report.sweep)
        lines += [f"{arm}: {report.sweep.varied} {', '.join(point.label for point in report.sweep.points)}", ""]
        lines += ["\t".join(row) for row in (heads, *rows)]
        lines += ["", *words.region_lines(report), *words.front_lines(report), *words.interactivity_lines(report)]
        lines += [*words.efficiency_lines(report)]
        if report.table is not None:
            lines += [
                "\t".join(row) for row in (words.policy_rows(report.table)[0], *words.policy_rows(report.table)[1])
            ]
            lines += list(words.policy_lines(report.table))
        lines += [*words.notice_lines(report.sweep), "", "Made of:"]
        lines += [f"{digest}  {name}" for name, digest in sources[arm]] + [""]
    if isinstance(found, Compared):
        lines += list(words.compared_lines(found))
    return "\n".join(lines).rstrip() + "\n"


def _run_rows(found: Compared | PolicyReport) -> Iterator[Row]:
    for arm, report in arms_of(found).items():
        yield from _rows_of(arm, report.sweep)


def _rows_of(arm: str, sweep: BatchSweep) -> Iterator[Row]:
    for point in sweep.points:
        for run in point.runs:
            for one in sweep.quantities:
                number = run.numbers[one.name]
                why = run.failed or (number.problem.message if number.problem else "")
                yield (
                    arm, sweep.varied, point.at, point.label, run.label, run.artifact, one.name, one.metric, one.stat,
                    one.unit, number.value, number.requests, why,
                )  # fmt: skip


def _csv(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    return text.getvalue().encode()


def _parquet(rows: Sequence[Row]) -> bytes:
    import pyarrow as pa  # noqa: PLC0415 -- half a second that no page should pay
    import pyarrow.parquet as pq  # noqa: PLC0415

    kinds = {"at": pa.float64(), "run_value": pa.float64(), "requests": pa.int64()}
    columns = {name: pa.array([row[at] for row in rows], kinds.get(name, pa.string())) for at, name in enumerate(HEADS)}
    made = io.BytesIO()
    pq.write_table(pa.table(columns), made)
    return made.getvalue()


def page_of(charts: Mapping[str, ChartSpec]) -> str:
    """One page with every chart, to point at and zoom into; it carries its script and asks no other host."""
    drawn = {name: _coloured(as_plotly_json(spec)) for name, spec in charts.items()}
    parts = "\n".join(f'<h2>{escape(spec.title)}</h2>\n<div id="{name}"></div>' for name, spec in charts.items())
    told = json.dumps(drawn, allow_nan=False).replace("</", "<\\/")
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Batch policy curves</title>\n'
        f"<h1>Batch policy curves</h1>\n{parts}\n<script>{_plotly()}</script>\n"
        f"<script>const charts = {told};\n"
        "for (const [id, one] of Object.entries(charts))\n  Plotly.newPlot(id, one.data, one.layout, one.config);"
        "</script>\n</html>\n"
    )


def _plotly() -> str:
    """The script of the installed plotly, found without importing it."""
    found = find_spec("plotly")
    folder = Path(str(found.origin)).parent if found is not None else Path()
    return (folder / "package_data" / "plotly.min.js").read_text(encoding="utf-8").replace("</script", "<\\/script")


def _coloured(value: object) -> object:
    """The chart with the colours of paper in place of their names."""
    if isinstance(value, dict):
        return {key: _coloured(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_coloured(one) for one in value]
    return PAPER.get(value.removeprefix("@"), value) if isinstance(value, str) and value.startswith("@") else value
