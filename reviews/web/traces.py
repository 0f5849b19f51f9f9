"""The page of traces: where the arms part, by stage, by kernel and along the time of a step."""

import csv

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from reviews import trace_words
from reviews.errors import NotVisible
from reviews.models import TraceComparison
from reviews.queries import people
from reviews.queries.traced_sets import TracePage, trace_page
from reviews.services import trace_comparisons
from reviews.web.acting import done, onward
from reviews.web.door import actor_of, number_of
from reviews.web.security import draws_charts

ALL: int = 10**9
ORDER_WORDS = {
    "difference": "by how much they change a step",
    "baseline": "by their time in the baseline",
    "candidate": "by their time in the candidate",
    "name": "by name",
}


@draws_charts
@require_safe
def traces_of(request: HttpRequest, number: str) -> HttpResponse:
    """The page. `?set=` chooses the evidence set, `?by=` the order of the kernels, `?all=1` shows all of them."""
    actor = actor_of(request)
    page = trace_page(actor, people.memo_for(actor, number), number_of(request.GET.get("set", ""), "set"))
    order = request.GET.get("by", "")
    order = order if order in trace_words.ORDERS else trace_words.ORDERS[0]
    whole = request.GET.get("all") == "1"
    context = {
        "page": page,
        "memo": page.memo,
        "order": order,
        "whole": whole,
        "margin": trace_comparisons.MARGIN if page.row is None else trace_comparisons.percent_of(page.row),
        "orders": [(key, ORDER_WORDS[key]) for key in trace_words.ORDERS],
        "crumbs": [("Memos", reverse("memos")), (number, reverse("memo", args=[number])), ("Traces", "")],
        **_found(page, order, kernels=ALL if whole else trace_words.KERNELS),
    }
    return render(request, "reviews/traces.html", context)


def _found(page: TracePage, order: str, *, kernels: int) -> dict[str, object]:
    """What of the answer is printed."""
    found = page.found
    if found is None:
        return {}
    return {
        "sections": trace_words.sections(found, kernels=kernels, order=order),
        "over_runs": trace_words.intervals(found),
        "step": trace_words.whole_step(found),
        "counted": trace_words.counted(found),
        "remarks": trace_words.remarks(found),
    }


@require_POST
def compare(request: HttpRequest, number: str) -> HttpResponse:
    """The traces of a set compared, by a worker; the known comparison when nothing has changed."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    set_number = number_of(request.POST.get("set", ""), "set") or 0
    margin = request.POST.get("margin", "") or trace_comparisons.MARGIN
    asked = trace_comparisons.request(actor=actor, memo_id=memo.pk, set_number=set_number, margin=margin)
    path = f"{reverse('traces', args=[number])}?set={set_number}"
    if isinstance(asked, TraceComparison):
        messages.info(request, "These traces are compared already: nothing has changed.")
        return onward(request, path)
    return done(request, path, "A worker compares the traces. Look again in a moment.")


@require_POST
def recompute(request: HttpRequest, number: str, set_number: int) -> HttpResponse:
    """Whether comparing the stored files again gives the same digits."""
    actor = actor_of(request)
    page = trace_page(actor, people.memo_for(actor, number), set_number)
    if page.row is None:
        messages.warning(request, f"The traces of set {set_number} are not compared yet.")
    elif trace_comparisons.recompute(page.row):
        messages.success(request, f"Compared again: the same digest {page.row.digest}.")
    else:
        messages.error(request, "Compared again: another result. Somebody changed the files or the analysis.")
    return redirect(f"{reverse('traces', args=[number])}?set={set_number}")


@require_safe
def kernels(request: HttpRequest, number: str, set_number: int) -> HttpResponse:
    """All kernels of the newest comparison of a set, as CSV: times in seconds per step."""
    actor = actor_of(request)
    page = trace_page(actor, people.memo_for(actor, number), set_number)
    if page.found is None:
        raise NotVisible(f"The traces of set {set_number} are not compared yet.", needs="Compare them first.")
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{number}-set-{set_number}-kernels.csv"'
    response.headers["X-Content-Type-Options"] = "nosniff"
    writer = csv.writer(response)
    writer.writerow(("kernel", "times_baseline", "times_candidate", "baseline_s", "candidate_s", "difference_s"))
    for row in page.found.description.kernels:
        writer.writerow(
            (
                _plain(row.name),
                f"{row.baseline_count:.10g}",
                f"{row.candidate_count:.10g}",
                f"{row.baseline:.10g}",
                f"{row.candidate:.10g}",
                f"{row.candidate - row.baseline:.10g}",
            )
        )
    return response


def _plain(name: str) -> str:
    """A name that no spreadsheet takes for a formula."""
    return f"'{name}" if name[:1] in ("=", "+", "-", "@", "\t", "\r") else name
