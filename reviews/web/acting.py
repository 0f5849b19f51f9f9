"""What the views of acts share: the values of a form that fits, and the way on after the act."""

from collections.abc import Mapping
from typing import Any

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
    """The way to `path`, without a word."""
    if is_fragment(request):
        return HttpResponse(status=204, headers={"HX-Redirect": path})
    return redirect(path)


def _label(form: forms.Form, name: str) -> str:
    return str(form[name].label) if name in form.fields else "The form"
