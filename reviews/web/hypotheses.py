"""Resolving a hypothesis from the memo's page."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from reviews.queries import people
from reviews.sections import HypothesisResolution
from reviews.services import hypotheses
from reviews.web.acting import done, values_of
from reviews.web.door import actor_of
from reviews.web.forms.hypotheses import Resolve


@require_POST
def resolve(request: HttpRequest, number: str, key: str) -> HttpResponse:
    """The hypothesis supported, refuted or left open, as one revision."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    said = values_of(Resolve(request.POST))
    resolution = HypothesisResolution(
        state=said["state"],
        reason=said["reason"],
        owner=said["owner"],
        due=said["due"].isoformat() if said["due"] else "",
    )
    hypotheses.resolve(actor=actor, memo_id=memo.pk, hypothesis=key, resolution=resolution)
    return done(request, f"{reverse('memo', args=[number])}#hypothesis-{key}", f"{key} is resolved.")
