"""The batch policy page: curves of the memo's sweep, what is feasible under limits, and the curve pack."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from analysis.batch_region import State
from analysis.charts import ChartSpec
from analysis.errors import Refused
from reviews.batch_policy import packing, words
from reviews.batch_policy.asking import COMPARE, FIELDS, limits_in
from reviews.batch_policy.report import TAIL, Compared, PolicyReport
from reviews.errors import BadInput, WrongState
from reviews.queries import people, records
from reviews.queries.batch_policy_page import batch_policy_page
from reviews.services import batch_policy as service
from reviews.services import jobs
from reviews.signs import Sign
from reviews.web.acting import done
from reviews.web.door import actor_of, number_of
from reviews.web.refusals import is_fragment
from reviews.web.security import draws_charts

STATES: Final[Mapping[State, Sign]] = {
    "feasible": Sign("feasible", "■", "good"),
    "infeasible": Sign("infeasible", "✕", "bad"),
    "undetermined": Sign("undetermined", "○", "quiet"),
}


class Limits(forms.Form):
    """What is asked of the sweep; everything stands in the address, so that a view can be sent to somebody."""

    limits = forms.CharField(
        required=False, max_length=300, help_text="For example p99=50ms,throughput=2000,power=700W."
    )
    arms = forms.ChoiceField(
        required=False, label="Runs", choices=[("", "all as one sweep"), (COMPARE, "candidate against baseline")]
    )
    warmup = forms.CharField(required=False, max_length=6, help_text="Requests cut from the start of every run.")
    offered = forms.CharField(
        required=False, max_length=20, help_text="Rate of the latency measurement, where throughput was measured apart."
    )
    varied = forms.CharField(
        required=False,
        max_length=80,
        help_text="The setting that the sweep goes over; several with commas make a grid.",
    )
    grid = forms.CharField(
        required=False, max_length=200, help_text="The points that were meant to be measured, such as 1,2,4,8."
    )
    devices = forms.CharField(required=False, max_length=6, help_text="How many devices serve together.")
    latency = forms.CharField(required=False, max_length=80, help_text="The metric of p50, p95 and p99.")
    throughput = forms.CharField(required=False, max_length=80)


class Simulated(forms.Form):
    """What a simulation needs besides."""

    arrivals = forms.CharField(required=False, max_length=200, help_text="Requests per second, such as 200,1000,3000.")
    waits = forms.CharField(
        required=False, max_length=200, help_text="Greatest waits that are tried, such as 0,5ms,20ms."
    )
    traffic = forms.CharField(required=False, max_length=80, help_text="poisson, or mmpp:0.6,1.8,2,1.")
    idle = forms.CharField(required=False, max_length=20, help_text="Power of an idle server, such as 60W.")


@dataclass(frozen=True, slots=True)
class PointLine:
    """A point of the region with its sign, and what decided."""

    label: str
    runs: int
    sign: Sign
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArmView:
    """One sweep as shown. charts: (key, chart)."""

    arm: str
    varied: str
    points: tuple[PointLine, ...]
    charts: tuple[tuple[str, ChartSpec], ...]
    lines: tuple[str, ...]
    notices: tuple[str, ...]


@draws_charts
@require_safe
def batch_policy(request: HttpRequest, number: str) -> HttpResponse:
    """The page for the limits of the address; 422, with the refusal's words, where there is no curve."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    wish = {name: request.GET.get(name, "")[:500] for name in FIELDS}
    alone = is_fragment(request)
    template = f"reviews/{'partials/batch_policy/under_limits' if alone else 'batch_policy'}.html"
    context = {
        "page": batch_policy_page(actor, memo, _tail_limit(wish["limits"]), gate_too=not alone),
        "memo": memo,
        "here": request.get_full_path(),
        "limits": Limits(initial=wish, auto_id="limits-%s"),
        "simulated": Simulated(initial=wish, auto_id="simulated-%s"),
        "wish": {name: wish[name] for name in Limits.base_fields if wish[name]},
        "crumbs": [("Memos", reverse("memos")), (number, reverse("memo", args=[number])), ("Batch policy", "")],
    }
    try:
        looked = service.look(memo, wish)
    except Refused as refused:
        return render(request, template, {**context, "refused": refused}, status=422)
    found = looked.found
    change = list(words.compared_lines(found)) if isinstance(found, Compared) else []
    context |= {"arms": _arms(found), "change": change, "would": _would(looked)}
    return render(request, template, context)


def _tail_limit(text: str) -> float | None:
    """The limit of the p99 among the limits, in seconds; None where none can be read."""
    try:
        return next((limit.value for limit in limits_in(text) if limit.quantity == TAIL), None)
    except Refused:
        return None


def _would(looked: service.Looked) -> str:
    """What the gate would say of a pack made under these limits."""
    try:
        return service.sufficiency(looked)
    except BadInput as lacking:
        return f"{lacking.message} {lacking.needs}".strip()


def _arms(found: Compared | PolicyReport) -> list[ArmView]:
    arms = packing.arms_of(found)
    return [_arm(arm if len(arms) > 1 else "", report) for arm, report in arms.items()]


def _arm(arm: str, report: PolicyReport) -> ArmView:
    points = report.region.points if report.region is not None else ()
    return ArmView(
        arm=arm,
        varied=report.sweep.varied,
        points=tuple(
            PointLine(point.label, point.runs, STATES[point.state], tuple(map(words.answer_said, point.answers)))
            for point in points
        ),
        charts=tuple((f"{arm or 'sweep'}-{name}", spec) for name, spec in packing.charts_of(report, arm).items()),
        lines=(*words.front_lines(report), *words.interactivity_lines(report), *words.efficiency_lines(report)),
        notices=tuple(notice.sentence for notice in report.sweep.notices),
    )


@require_POST
def ask(request: HttpRequest, number: str) -> HttpResponse:
    """A simulation asked for; with a set, the pack is made and attached there."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    wish = {name: request.POST.get(name, "") for name in FIELDS}
    set_number = number_of(request.POST.get("set", ""), "set") or 0
    job = service.request(actor=actor, memo_id=memo.pk, wish=wish, set_number=set_number)
    what = f"The curve pack for set {set_number} is being made" if set_number else "The simulation is asked for"
    return done(request, f"{_path(number)}?{_query(request)}#job", f"{what} (job {job.pk}).")


@require_POST
def cancel(request: HttpRequest, number: str) -> HttpResponse:
    """The running job cancelled by whoever asked for it."""
    actor = actor_of(request)
    view = batch_policy_page(actor, people.memo_for(actor, number)).job
    if view is None:
        raise WrongState("There is no job to cancel.")
    jobs.cancel(job_id=records.own_job(actor, view.job.pk).pk)
    return done(request, f"{_path(number)}#job", "The job is cancelled, or will be as soon as its work looks.")


def _path(number: str) -> str:
    return reverse("batch-policy", args=[number])


def _query(request: HttpRequest) -> str:
    kept = request.POST.copy()
    for name in set(kept) - set(FIELDS):
        del kept[name]
    return kept.urlencode()
