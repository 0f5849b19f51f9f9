"""Every error as RFC 9457 problem details: `code`, `detail`, `where`, and `missing`, as the services said them."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.core.signals import got_request_exception
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import APIView

from analysis.errors import AnalysisError
from reviews.api.authentication import REALM
from reviews.errors import BadInput, NotSignedIn, Refusal, TooLarge

log = logging.getLogger(__name__)

MEDIA_TYPE: Final = "application/problem+json"
BROWSER_ONLY: Final = "only_in_a_browser"
UNTRANSLATED: Final = (Http404, PermissionDenied, SuspiciousOperation)


class MatchNeeded(Refusal):
    code, status, title = "match_needed", 428, "Say which revision you saw"


class MatchFailed(Refusal):
    """changes: what came in between, by record."""

    code, status, title = "match_failed", 412, "Changed meanwhile"
    changes: tuple[Mapping[str, str], ...] = ()


class InABrowser(Refusal):
    code, status, title = "in_a_browser", 405, "In a browser"


class NothingHere(Refusal):
    code, status, title = "not_found", 404, "Not found"


def answer(error: Exception, context: Mapping[str, Any]) -> Response:
    """The problem that an exception of a view becomes; REST framework calls this."""
    refusal = refusal_of(error, context)
    body = {**refusal.as_problem(), **_more(error, refusal)}
    headers = _headers(error, refusal, context)
    return Response(body, status=refusal.status, headers=headers, content_type=MEDIA_TYPE)


def refusal_of(error: Exception, context: Mapping[str, Any]) -> Refusal:
    """The error in the words of the house."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, AnalysisError):
        return BadInput(str(error), code=error.code, where=getattr(error, "where", ""))
    if isinstance(error, exceptions.ValidationError):
        pointer, said, _ = next(_faults(error.detail, ""))
        return BadInput(f"{pointer or 'The request'}: {said}", where=pointer)
    if isinstance(error, exceptions.MethodNotAllowed):
        return _not_that_method(error, context["view"])
    if isinstance(error, exceptions.NotAuthenticated | exceptions.AuthenticationFailed):
        return NotSignedIn("Nobody is signed in.", needs="Send a token as “Authorization: Bearer cs_…”, or log in.")
    if isinstance(error, exceptions.APIException):
        return _known(str(error.detail), str(error.default_code), error.status_code)
    if isinstance(error, UNTRANSLATED):
        return _of_django(error)
    return _fault(context)


def _known(message: str, code: str, status: int) -> Refusal:
    refusal = Refusal(message, code=code)
    refusal.status, refusal.title = status, code.replace("_", " ").capitalize()
    return refusal


def _of_django(error: Exception) -> Refusal:
    if isinstance(error, Http404):
        return NothingHere("There is nothing here, or nothing that you may see.")
    if isinstance(error, PermissionDenied):
        return _known("You may not do that here.", "permission_denied", 403)
    if type(error).__name__ == "RequestDataTooBig":
        return TooLarge("The request is larger than what is taken.")
    return _known("This request cannot be read.", "bad_request", 400)


def _not_that_method(error: exceptions.MethodNotAllowed, view: APIView) -> Refusal:
    said: str = getattr(view, BROWSER_ONLY, "")
    if said:
        return InABrowser(said, needs="A person does it in a browser, signed in, with the password given again.")
    return _known(str(error.detail), "method_not_allowed", error.status_code)


def _fault(context: Mapping[str, Any]) -> Refusal:
    """An error of ours: logged, told to whoever listens for such, and answered without its inner side."""
    request = context["request"]
    log.exception("%s %s failed", request.method, request.path)
    got_request_exception.send(sender=APIView, request=request._request)  # noqa: SLF001 - Django's own request
    return _known(
        "The request failed inside Countersign. Nothing that was not confirmed has been saved.", "server_error", 500
    )


def _more(error: Exception, refusal: Refusal) -> Mapping[str, object]:
    if isinstance(error, exceptions.ValidationError):
        faults = _faults(error.detail, "")
        return {"errors": [{"pointer": pointer, "detail": said, "code": code} for pointer, said, code in faults]}
    if isinstance(refusal, MatchFailed):
        return {"difference": list(refusal.changes)}
    return {}


def _headers(error: Exception, refusal: Refusal, context: Mapping[str, Any]) -> dict[str, str]:
    headers = {}
    if refusal.status == NotSignedIn.status:
        headers["WWW-Authenticate"] = REALM
    if refusal.status == InABrowser.status:
        headers["Allow"] = ", ".join(context["view"].allowed_methods)
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = str(int(wait) + 1)
    return headers


def _faults(detail: object, pointer: str) -> Iterator[tuple[str, str, str]]:
    """(JSON pointer, sentence, code) of each fault that a serializer found."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            yield from _faults(inner, pointer if name == "non_field_errors" else f"{pointer}/{name}")
    elif isinstance(detail, Sequence) and not isinstance(detail, str):
        for place, inner in enumerate(detail):
            yield from _faults(inner, pointer if isinstance(inner, str) else f"{pointer}/{place}")
    else:
        yield pointer, str(detail), str(getattr(detail, "code", "invalid"))
