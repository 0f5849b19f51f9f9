"""The metric that a row names, by canonical names or as people say it."""

import re
from typing import Final

from reviews.memo_text.findings import Source
from reviews.memo_text.lists import Row
from reviews.memo_text.metrics import Lexicon
from reviews.memo_text.reader import Field

_STAT: Final = re.compile(r"(?P<metric>\S+)\s+(?P<stat>value|mean|median|std|min|max|total|rate|p\d{1,2}(?:\.\d+)?)")


def metric_cells(source: Source, found: Field, row: Row, lexicon: Lexicon) -> tuple[str, str]:
    """Metric and stat of a row: the cells "metric" and "stat", or a "metric" in words ("P99 TTFT")."""
    path = found.label.path
    said = source.findings.value(path, row.get("metric"))
    if "stat" in row.cells:
        return said, source.findings.value(path, row.get("stat"))
    if m := _STAT.fullmatch(said):
        return m["metric"], m["stat"]
    named = lexicon.first(said)
    if said and not named.metric:
        choices = ", ".join(dict.fromkeys(c.metric for c in named.choices)) or "no metric of the template"
        source.findings.note(found.line, f'"{said}" can mean: {choices}. Write "metric: … | stat: …".')
        return ("", named.stat) if named.choices else (said, "")
    return named.metric, named.stat
