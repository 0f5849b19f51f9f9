"""The audit trail of a memo, checked at the moment it is shown."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from reviews.queries import people
from reviews.queries.trail import trail_of
from reviews.services import events
from reviews.web.door import actor_of


@require_safe
def trail(request: HttpRequest, number: str) -> HttpResponse:
    """Every event in order, and whether the chain holds now."""
    memo = people.memo_for(actor_of(request), number)
    context = {"memo": memo, "trail": trail_of(memo), "faults": events.verify(memo)}
    return render(request, "reviews/trail.html", context)
