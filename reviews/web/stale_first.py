"""Whose signatures a deed would make stale is shown before it is done, and who does it says that they are sure."""

from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from reviews.models import Memo
from reviews.services import previews
from reviews.web.refusals import is_fragment

UNSENT: Final = ("csrfmiddlewaretoken", "sure")


def asks_first(request: HttpRequest, memo: Memo, deed: Callable[[], object], words: str) -> HttpResponse | None:
    """The question with the form as it was sent; None where the deed makes no signature stale, or somebody is sure.

    words: what the deed is, on its button.
    """
    if request.POST.get("sure") or not previews.is_signed(memo):
        return None
    lapses = previews.of_deed(memo=memo, deed=deed)
    if not lapses:
        return None
    sent = [(name, value) for name, values in request.POST.lists() if name not in UNSENT for value in values]
    context = {"memo": memo, "lapses": lapses, "words": words, "sent": sent, "path": request.get_full_path()}
    if not is_fragment(request):
        return render(request, "reviews/stale_first.html", {**context, "level": "h1"}, status=409)
    response = render(request, "reviews/partials/memo/stale_first.html", {**context, "level": "h2"}, status=409)
    for name, value in (("HX-Retarget", "#refusal"), ("HX-Reswap", "innerHTML"), ("HX-Reselect", ".stale-first")):
        response.headers[name] = value
    return response
