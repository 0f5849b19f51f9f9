"""What the views of acts share: the values of a form that fits, and the way on after the act."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from reviews.errors import BadInput
from reviews.web.refusals import is_fragment


def values_of(form: forms.Form) -> Mapping[str, Any]:
    """The cleaned values. Raises BadInput that names every field that does not fit."""
    if form.is_valid():
        return form.cleaned_data
    said = [f"{_label(form, name)}: {' '.join(map(str, errors))}" for name, errors in form.errors.items()]
    raise BadInput(" ".join(said), needs="Go back, correct it, and send it again.", code="bad_form")


def done(request: HttpRequest, path: str, said: str) -> HttpResponse:
    """The way to `path`, where `said` is shown; for htmx by its own header."""
    messages.success(request, said)
    return onward(request, path)


def onward(request: HttpRequest, path: str) -> HttpResponse:
    """The way to `path`, without a word. A page that is open already is loaded anew: an anchor alone loads nothing."""
    if not is_fragment(request):
        return redirect(path)
    stays = urlsplit(request.headers.get("HX-Current-URL", "")).path == urlsplit(path).path
    return HttpResponse(status=204, headers={"HX-Refresh": "true"} if stays else {"HX-Redirect": path})


def _label(form: forms.Form, name: str) -> str:
    return str(form[name].label) if name in form.fields else "The form"
