"""Revising a memo as text: preview, whose signatures would go stale, and what came in between."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from reviews.errors import BadInput, NotPermitted, StalePage, TooLarge
from reviews.models import Memo
from reviews.queries import changes, people
from reviews.services import memos, previews, revisions
from reviews.services.previews import TextPreview
from reviews.vocabulary import Action
from reviews.web.door import actor_of
from reviews.web.forms.memo import Revise
from reviews.web.forms.refused import say
from reviews.web.refusals import is_fragment

PAGE = "reviews/memo_edit.html"
FRAGMENT = "reviews/partials/memo/preview.html"


@require_http_methods(["GET", "HEAD", "POST"])
def memo_edit(request: HttpRequest, number: str) -> HttpResponse:
    """The text with its preview; `act=save` saves it, anything else that is sent previews it."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    revisions.asked(actor, memo, Action.EDIT)
    if request.method != "POST":
        form = Revise(initial={"base": revisions.current(memo).digest, "text": previews.text_of(memo)})
        return _page(request, memo, form, None)
    form = Revise(request.POST)
    saves = request.POST.get("act") == "save"
    if not saves:
        form.fields["said"].required = False
    preview = _preview(request, memo, form) if form.is_valid() else None
    if is_fragment(request):
        return render(request, FRAGMENT, {"preview": preview, "form": form})
    if saves and preview is not None:
        return _save(request, memo, form, preview)
    return _page(request, memo, form, preview)


@require_safe
def memo_text(request: HttpRequest, number: str) -> HttpResponse:
    """The memo as exchange text, to download."""
    memo = people.memo_for(actor_of(request), number)
    response = HttpResponse(previews.text_of(memo), content_type="text/plain; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{memo.number}.txt"'
    return response


def _preview(request: HttpRequest, memo: Memo, form: Revise) -> TextPreview | None:
    """The preview of the text; None when it cannot be read, which the form then says."""
    try:
        return previews.of_revision(actor=actor_of(request), memo=memo, text=form.cleaned_data["text"])
    except (BadInput, TooLarge) as refusal:
        say(form, refusal)
    return None


def _save(request: HttpRequest, memo: Memo, form: Revise, preview: TextPreview) -> HttpResponse:
    data = form.cleaned_data
    if preview.lapses and not data["sure"]:
        form.add_error("sure", "Signatures go stale by this: see whose, then say that you are sure.")
        return _page(request, memo, form, preview)
    try:
        filed = memos.revise_text(
            actor=actor_of(request), memo_id=memo.pk, base=data["base"], text=data["text"], said=data["said"]
        )
    except StalePage as refusal:
        return _overtaken(request, memo, data, refusal)
    except (BadInput, TooLarge, NotPermitted) as refusal:
        say(form, refusal)
        return _page(request, memo, form, preview)
    messages.success(request, f"Revision {filed.revision.number} is saved.")
    return redirect("memo", memo.number)


def _overtaken(request: HttpRequest, memo: Memo, data: dict[str, str], refusal: StalePage) -> HttpResponse:
    """The form again, with the author's text, what came in between, and the newer revision as its base."""
    now = revisions.current(memo)
    between = changes.since_digest(memo, data["base"], now)
    text = data["text"].replace(data["base"], now.digest)
    form = Revise(initial={"base": now.digest, "text": text, "said": data["said"]})
    preview = previews.of_revision(actor=actor_of(request), memo=memo, text=text)
    context = {"overtaken": refusal, "between": between, "now": now}
    return _page(request, memo, form, preview, context, status=409)


def _page(
    request: HttpRequest,
    memo: Memo,
    form: Revise,
    preview: TextPreview | None,
    more: dict[str, object] | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {"memo": memo, "form": form, "preview": preview, "asks_sure": bool(preview and preview.lapses)}
    status = 422 if form.is_bound and form.errors else status
    return render(request, PAGE, context | (more or {}), status=status)
