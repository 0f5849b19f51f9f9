"""Building blocks that a plain include cannot make: badges by value, and charts."""

from django import template

from analysis.charts import ChartSpec
from reviews.charts import plotting
from reviews.charts.frame import table_of
from reviews.signs import Sign, sign_of

register = template.Library()


@register.inclusion_tag("reviews/partials/ui/badge.html")
def badge(kind: str, value: str) -> dict[str, Sign]:
    """{% badge "requirement" requirement.state %}: word, shape and colour of a value; kinds are keys of SIGNS."""
    return {"sign": sign_of(kind, value)}


@register.inclusion_tag("reviews/partials/ui/chart.html")
def chart(spec: ChartSpec, key: str) -> dict[str, object]:
    """{% chart spec "C1" %}: the plot and the table of its numbers. `key` is unique on the page."""
    return {"figure": plotting.as_plotly_json(spec), "figure_id": f"chart-{key}"} | _table(spec)


@register.inclusion_tag("reviews/partials/ui/chart_table.html")
def chart_table(spec: ChartSpec) -> dict[str, object]:
    """{% chart_table spec %}: the table alone, as the PDF prints it beside the drawing."""
    return _table(spec)


@register.filter
def words(value: str) -> str:
    """{{ "fix_check"|words }}: a word of the vocabulary as people write it."""
    return value.replace("_", " ")


def _table(spec: ChartSpec) -> dict[str, object]:
    table = table_of(spec)
    cells = [[(cell, column.numeric) for cell in column.cells] for column in table]
    return {"spec": spec, "table": table, "rows": list(zip(*cells, strict=True))}
