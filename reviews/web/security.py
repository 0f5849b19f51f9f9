"""What a page may load: its own files and nothing else. Chart pages may set style attributes, which plotly.js does."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, Final, ParamSpec

from django.http import HttpRequest, HttpResponse

P = ParamSpec("P")

HEADER: Final = "Content-Security-Policy"
_RULES: Final = {
    "default-src": "'self'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data: blob:",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}


def _policy(**changed: str) -> str:
    return "; ".join(f"{name} {value}" for name, value in (_RULES | changed).items())


POLICY: Final = _policy()
CHART_POLICY: Final = _policy(**{"style-src": "'self' 'unsafe-inline'"})


class ContentSecurityPolicy:
    """Middleware: every answer carries the policy, unless its view has set another."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        response.headers.setdefault(HEADER, POLICY)
        return response


def draws_charts(
    view: Callable[Concatenate[HttpRequest, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Decorator for views whose page has a chart."""

    @wraps(view)
    def inner(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        response = view(request, *args, **kwargs)
        response.headers[HEADER] = CHART_POLICY
        return response

    return inner
