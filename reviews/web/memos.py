"""The list of memos."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from reviews.queries.memos import memo_list
from reviews.web.door import actor_of


@require_safe
def memos(request: HttpRequest) -> HttpResponse:
    """The memos that the person sees, narrowed by the filters in the address."""
    found = memo_list(actor_of(request), request.GET)
    return render(request, "reviews/memos.html", {"found": found, "form": found.filters.form})
