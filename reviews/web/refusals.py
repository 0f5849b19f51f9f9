"""Refusals as pages: the one translation from `reviews.errors` to HTML.

A whole page for a browser; for htmx a fragment that goes to `#refusal` of the base page, with the same status.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from reviews.errors import Refusal
from reviews.web.errors import way_back
from reviews.web.places import missing_of


class Refusals:
    """Middleware: a Refusal that leaves a view becomes its page; every other exception passes."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return page_of(request, exception) if isinstance(exception, Refusal) else None


def page_of(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """The answer to a refused request, with the refusal's status; what is missing is shown with addresses."""
    refusal.missing = missing_of(request, refusal.missing)
    if is_fragment(request):
        response = render(
            request, "reviews/partials/ui/refusal.html", {"refusal": refusal, "level": "h2"}, status=refusal.status
        )
        for name, value in (("HX-Retarget", "#refusal"), ("HX-Reswap", "innerHTML"), ("HX-Reselect", ".refusal")):
            response.headers[name] = value
        return response
    return render(
        request, "errors/refusal.html", {"refusal": refusal, "back": way_back(request)}, status=refusal.status
    )


def is_fragment(request: HttpRequest) -> bool:
    """Whether htmx asks for a part of a page."""
    return request.headers.get("HX-Request") == "true" and request.headers.get("HX-Boosted") != "true"
