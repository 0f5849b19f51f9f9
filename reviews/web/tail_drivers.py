"""Tail drivers: queue waits, the impact of a batch policy, what steps do, and what the slowest spend beside all."""

from dataclasses import dataclass

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from analysis.charts import ChartSpec
from analysis.drivers_chart import drivers_chart, queue_chart
from analysis.errors import Refused
from analysis.policy_impact import LoadAnswer
from analysis.tail_drivers import TailDrivers
from reviews import driver_words, queue_words
from reviews.breakdowns import PrintedTable
from reviews.charts.svg import as_svg
from reviews.errors import NotVisible
from reviews.queries import people
from reviews.services import tail_drivers as service
from reviews.web.door import actor_of
from reviews.web.security import draws_charts

LONGEST = 300


class Asked(forms.Form):
    """What is looked at; it stands in the address."""

    slowest = forms.CharField(
        required=False, max_length=12, help_text="Percent of the requests of each run that are its tail; 5 without it."
    )
    set = forms.CharField(required=False, max_length=9, help_text="Number of the evidence set; all sets without it.")
    warmup = forms.CharField(required=False, max_length=9, help_text="Requests cut from the start of every run.")
    varied = forms.CharField(
        required=False, max_length=LONGEST, help_text="Settings that are the policy, such as max_num_seqs."
    )


@dataclass(frozen=True, slots=True)
class LoadView:
    """One offered load as shown. chart: None where no number has one."""

    load: str
    key: str
    chart: ChartSpec | None
    tables: tuple[tuple[str, PrintedTable], ...]
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GraphView:
    """A graph of drivers as shown. of: "requests" or "steps", as in the address of its SVG."""

    of: str
    chart: ChartSpec
    lines: tuple[str, ...]


@draws_charts
@require_safe
def tail_drivers(request: HttpRequest, number: str) -> HttpResponse:
    """The page for the values of the address; 422, with the refusal's words, for a wish that cannot be read."""
    memo = people.memo_for(actor_of(request), number)
    wish = _wish(request)
    context = {
        "memo": memo,
        "form": Asked(initial=wish, auto_id="drivers-%s"),
        "query": request.GET.urlencode(),
        "crumbs": [("Memos", reverse("memos")), (number, reverse("memo", args=[number])), ("Tail drivers", "")],
    }
    try:
        found = service.look(memo, wish)
    except Refused as refused:
        return render(request, "reviews/tail_drivers.html", {**context, "refused": refused}, status=422)
    return render(request, "reviews/tail_drivers.html", {**context, **_shown(found)})


@require_safe
def graph(request: HttpRequest, number: str, of: str) -> HttpResponse:
    """The graph of the drivers of requests, or of steps, as SVG."""
    memo = people.memo_for(actor_of(request), number)
    try:
        found = _graph(service.look(memo, _wish(request)), of)
    except Refused as refused:
        raise NotVisible(refused.message, needs=refused.needs) from refused
    if found is None:
        raise NotVisible(f"There is no graph of {of[:20]}.", needs="Look at the page of the tail drivers.")
    response = HttpResponse(as_svg(drivers_chart(found)), content_type="image/svg+xml")
    response.headers["Content-Disposition"] = f'attachment; filename="{number}-tail-drivers-{of}.svg"'
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


def _wish(request: HttpRequest) -> dict[str, str]:
    return {name: request.GET.get(name, "")[:LONGEST] for name in service.FIELDS}


def _graph(found: service.Looked, of: str) -> TailDrivers | None:
    if of == "requests":
        return found.requests.drivers
    return found.steps.found.drivers if of == "steps" and found.steps is not None else None


def _shown(found: service.Looked) -> dict[str, object]:
    of_requests, steps = found.requests, found.steps
    shown: dict[str, object] = {
        "no_queue": of_requests.no_queue,
        "no_drivers": of_requests.no_drivers,
        "graphs": [_graph_view(of, one) for of in ("requests", "steps") if (one := _graph(found, of)) is not None],
        "steps": steps,
    }
    if of_requests.queue is not None:
        shown["notices"] = of_requests.queue.notices
        shown["loads"] = [_load(at, one) for at, one in enumerate(of_requests.queue.loads)]
    if steps is not None:
        shown["no_step_drivers"] = steps.found.no_drivers
        if steps.found.effects is not None:
            shown["effects"] = driver_words.effects_table(steps.found.effects)
            shown["effect_lines"] = list(driver_words.effects_lines(steps.found.effects))
    return shown


def _load(at: int, load: LoadAnswer) -> LoadView:
    chart = queue_chart(load)
    tables = [("Typical run", queue_words.profile_table(load))]
    if load.changes is not None:
        tables.append(("Batch policy impact", queue_words.impact_table(load)))
    return LoadView(
        load=load.load,
        key=f"queue-{at}",
        chart=chart if chart.series or chart.intervals else None,
        tables=(*tables, ("Runs", queue_words.runs_table(load))),
        lines=tuple(queue_words.remarks(load)),
    )


def _graph_view(of: str, found: TailDrivers) -> GraphView:
    return GraphView(of, drivers_chart(found), tuple(driver_words.graph_lines(found)))
