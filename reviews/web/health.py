"""Whether this process can serve: asked by container health checks and load balancers, without signing in."""

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe


@require_safe
def healthz(_request: HttpRequest) -> HttpResponse:
    """A short text when the database answers; otherwise the error of the database ends as status 500."""
    connection.ensure_connection()
    return HttpResponse("ok", content_type="text/plain")
