"""Pages for errors that are no refusal of a rule: not there, not allowed, a form too old, a fault of ours.

Django passes `exception` and `reason` by name; the pages show neither.
"""

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string


def _page(request: HttpRequest, status: int, title: str, message: str, needs: str) -> HttpResponse:
    context = {"title": title, "message": message, "needs": needs, "back": way_back(request)}
    return render(request, "errors/message.html", context, status=status)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001
    """400, without the reason, which may hold what an attacker sent; the host itself may be what is wrong."""
    context = {"title": "Not understood", "message": "This request cannot be read.", "needs": "", "back": ""}
    return render(request, "errors/message.html", context, status=400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001
    """403."""
    return _page(request, 403, "Not permitted", "You may not do that here.", "Ask an administrator for the role.")


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001
    """404; the same words whether it never existed or may not be seen."""
    return _page(
        request,
        404,
        "Not found",
        "There is nothing here, or nothing that you may see.",
        "Check the address, or ask the author to add you.",
    )


def form_expired(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001
    """403 when the token of a form is missing or old."""
    return _page(
        request,
        403,
        "The form is too old",
        "Nothing was saved: the page was open for too long, or cookies are switched off.",
        "Go back, load the page again, and send the form once more.",
    )


def server_error(_request: HttpRequest) -> HttpResponse:
    """500; asks neither session nor database, either of which may be the fault."""
    context = {
        "title": "A fault of ours",
        "message": "The request failed inside Countersign. Nothing that was not confirmed has been saved.",
        "needs": "Try again; if it stays, tell the administrator the time and the address of this page.",
        "back": "",
    }
    return HttpResponse(render_to_string("errors/message.html", context), status=500)


def way_back(request: HttpRequest) -> str:
    """The path that the person came from, when it is a page of this site and not this very address; else ""."""
    referer = urlsplit(request.headers.get("Referer", ""))
    if referer.netloc != request.get_host():
        return ""
    path = f"{referer.path}?{referer.query}" if referer.query else referer.path
    return "" if path == request.get_full_path() and request.method == "GET" else path
