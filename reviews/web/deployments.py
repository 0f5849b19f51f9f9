"""Deployments: what runs in production beside what was decided."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from reviews.queries import deployments as production
from reviews.web.door import actor_of


@require_safe
def deployments(request: HttpRequest) -> HttpResponse:
    """Rollouts without authority, reported rollbacks to ratify, deployments without a memo, emergencies by team."""
    page = production.deployments(actor_of(request), timezone.now())
    return render(request, "reviews/deployments.html", {"page": page})
