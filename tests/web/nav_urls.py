"""The routes that the navigation needs."""

from django.http import HttpRequest, HttpResponse
from django.urls import path


def page(request: HttpRequest) -> HttpResponse:
    return HttpResponse("")


urlpatterns = [
    path("", page, name="queue"),
    path("notifications/", page, name="notifications"),
    path("memos/", page, name="memos"),
    path("memos/new/", page, name="memo-new"),
    path("deployments/", page, name="deployments"),
    path("rules/", page, name="rules"),
    path("planner/", page, name="planner"),
    path("lab/", page, name="lab"),
]
