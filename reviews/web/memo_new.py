"""Filing a memo from its pasted text, with a preview of what the text becomes."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from reviews.errors import BadInput, NotVisible, TooLarge
from reviews.memo_text import best_template
from reviews.printing import plural
from reviews.queries.memos import newest_templates
from reviews.queries.people import teams_of
from reviews.services import memos, previews
from reviews.services.previews import TextPreview
from reviews.template_content import TemplateContent
from reviews.vocabulary import Intent, StandingRole
from reviews.web.door import actor_of
from reviews.web.forms.memo import NewMemo
from reviews.web.forms.refused import say
from reviews.web.refusals import is_fragment

PAGE = "reviews/memo_new.html"
FRAGMENT = "reviews/partials/memo/preview.html"


@require_http_methods(["GET", "HEAD", "POST"])
def memo_new(request: HttpRequest) -> HttpResponse:
    """The form; filled with a template's own text when the address says `?start=<template>`."""
    if request.method != "POST":
        return _page(request, _form(request), None)
    form = _form(request)
    if form.is_valid():
        try:
            filed = memos.file_text(actor=actor_of(request), **(form.cleaned_data | {"template": _template(form).slug}))
        except (BadInput, TooLarge) as refusal:
            say(form, refusal)
        else:
            messages.success(request, _said(filed))
            return redirect("memo", filed.memo.number)
    return _page(request, form, None)


@require_POST
def memo_preview(request: HttpRequest) -> HttpResponse:
    """What the text would become: a part of the page for htmx, else the whole page."""
    form, preview = _form(request), None
    if form.is_valid():
        data = form.cleaned_data
        try:
            preview = previews.of_new(data["text"], _template(form), team=data["team"], intent=data["intent"])
        except (BadInput, TooLarge) as refusal:
            say(form, refusal)
    if is_fragment(request):
        return render(request, FRAGMENT, {"preview": preview, "form": form, "is_new": True})
    return _page(request, form, preview)


def _form(request: HttpRequest) -> NewMemo:
    """The form for this person. Raises NotVisible for somebody who is author of no team."""
    teams = list(teams_of(actor_of(request), StandingRole.AUTHOR))
    if not teams:
        raise NotVisible("There is no team of which you are an author.", needs="Ask an administrator for the role.")
    templates = newest_templates()
    data = request.POST if request.method == "POST" else None
    return NewMemo(data, teams=teams, templates=templates, initial=_start(request, templates, teams[0].slug))


def _start(request: HttpRequest, templates: tuple[TemplateContent, ...], team: str) -> dict[str, str]:
    """The text of the template that the address names."""
    start = next((t for t in templates if t.slug == request.GET.get("start")), None)
    if start is None:
        return {}
    intent = Intent.REGRESSION.value
    return {"template": start.slug, "text": previews.text_to_start_from(start, team=team, intent=intent)}


def _template(form: NewMemo) -> TemplateContent:
    """The chosen template, or the one that the text names. Raises BadInput when that is no single one."""
    templates, chosen = newest_templates(), form.cleaned_data["template"]
    found = next((t for t in templates if t.slug == chosen), None) or best_template(
        form.cleaned_data["text"], templates
    )
    if found is None:
        raise BadInput("The text names no single template.", needs="Choose one.", where="template")
    return found


def _said(filed: memos.Filed) -> str:
    notes = f" {plural(len(filed.notes), 'note')} on its text." if filed.notes else ""
    return f"{filed.memo.number} is filed as a draft.{notes}"


def _page(request: HttpRequest, form: NewMemo, preview: TextPreview | None) -> HttpResponse:
    context = {"form": form, "preview": preview, "templates": newest_templates(), "is_new": True}
    return render(request, PAGE, context, status=422 if form.is_bound and form.errors else 200)
