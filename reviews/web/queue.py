"""My queue: what waits for the person who asks."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from reviews.queries.queue import queue_of
from reviews.queries.queue_items import QueueGroup
from reviews.web.door import actor_of
from reviews.web.places import place


@require_safe
def queue(request: HttpRequest) -> HttpResponse:
    """The home page."""
    groups = queue_of(actor_of(request))
    total = sum(len(group.items) for group in groups)
    return render(request, "reviews/queue.html", {"groups": [_shown(group) for group in groups], "total": total})


def _shown(group: QueueGroup) -> dict[str, object]:
    """The group with the address of each act."""
    return {"title": group.title, "rows": [(item, place(item.number, item.place)) for item in group.items]}
