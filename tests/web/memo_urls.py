"""The site's routes, and stand-ins for the pages that the memo's pages only link to."""

from django.http import HttpRequest, HttpResponse
from django.urls import include, path


def elsewhere(request: HttpRequest, **_where: str) -> HttpResponse:
    return HttpResponse("elsewhere")


urlpatterns = [
    path("", include("config.urls")),
    path("memos/<str:number>/sign/", elsewhere, name="sign"),
    path("memos/<str:number>/decide/", elsewhere, name="decide"),
    path("memos/<str:number>/evidence/", elsewhere, name="evidence"),
    path("memos/<str:number>/waivers/", elsewhere, name="waivers"),
    path("memos/<str:number>/comparisons/<str:key>/", elsewhere, name="comparison"),
    path("memos/<str:number>/decision.pdf", elsewhere, name="decision-pdf"),
    path("memos/<str:number>/dossier.json", elsewhere, name="dossier"),
]
handler400 = "reviews.web.errors.bad_request"
handler403 = "reviews.web.errors.forbidden"
handler404 = "reviews.web.errors.not_found"
handler500 = "reviews.web.errors.server_error"
