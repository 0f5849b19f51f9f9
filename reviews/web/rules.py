"""The pages of templates and their rules: versions and drafts, the editor, the replay, and reference builds."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from reviews.errors import BadInput, StalePage, WrongState
from reviews.queries import records, rules_page
from reviews.queries.rules_page import ReferenceLine
from reviews.services import references, templates
from reviews.web.acting import done, values_of
from reviews.web.door import actor_of
from reviews.web.forms.refused import say
from reviews.web.forms.rules import Activate, EditTemplate, PinReference


@dataclass(frozen=True, slots=True)
class ReferenceCard:
    """A team's reference build with the form that pins another; None where the person may not."""

    line: ReferenceLine
    form: PinReference | None


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    """Every template with its versions and drafts, and the reference builds of the person's teams."""
    actor = actor_of(request)
    lines = rules_page.reference_lines(actor)
    context = {
        "templates": rules_page.all_templates(),
        "may_draft": rules_page.may_draft(actor),
        "references": [
            ReferenceCard(line, PinReference(None, team=line.team.slug) if line.may_pin else None) for line in lines
        ],
    }
    return render(request, "reviews/rules.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    """The editor, filled with the active version; a POST saves a draft."""
    actor = actor_of(request)
    active = records.template_version(slug, None)
    form = EditTemplate(request.POST if request.method == "POST" else None, content=rules_page.whole_of(active))
    if form.is_valid():
        try:
            row = templates.draft(actor=actor, slug=slug, content=form.content, reason=form.cleaned_data["reason"])
        except BadInput as refusal:
            say(form, refusal)
        else:
            messages.success(request, "The draft is saved. See below what it changes, and whom it would have blocked.")
            return redirect("rules-draft", row.pk)
    context = {
        "active": active,
        "form": form if rules_page.may_draft(actor) else None,
        "crumbs": [("Rules", reverse("rules")), (f"{active.template.title}, next version", "")],
    }
    return render(request, "reviews/rules_edit.html", context, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def draft(request: HttpRequest, draft_id: int) -> HttpResponse:
    """A draft with what it changes and its replay; a POST activates it, when the replay sent is the one of now."""
    actor = actor_of(request)
    page = rules_page.draft_page(actor, draft_id)
    form = Activate(request.POST if request.method == "POST" else None, initial={"replay": page.replay.digest})
    if form.is_valid():
        try:
            made = templates.activate(actor=actor, draft_id=draft_id, **form.cleaned_data)
        except (BadInput, StalePage, WrongState) as refusal:
            form = Activate({"replay": page.replay.digest, "reason": form.cleaned_data["reason"]})
            say(form, refusal)
        else:
            messages.success(request, f"Version {made.version} is active. Memos filed before keep their own version.")
            return redirect("rules")
    context = {
        "page": page,
        "draft": page.draft,
        "form": None if page.why_not else form,
        "crumbs": [("Rules", reverse("rules")), (f"{page.draft.template.title}, draft of {page.draft.version}", "")],
    }
    return render(request, "reviews/rules_draft.html", context, status=422 if form.is_bound else 200)


@require_POST
def pin(request: HttpRequest, team: str) -> HttpResponse:
    """The reference build of a team pinned."""
    said = values_of(PinReference(request.POST, team=team))
    references.pin(actor=actor_of(request), team=team, **said)
    return done(request, reverse("rules"), f"{said['build']} is pinned: what is shipped from now on is added up.")
