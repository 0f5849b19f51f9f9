"""Comments on a memo: written, reworded, resolved, reopened; one POST each, then back to its place on the page."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from reviews.policies.mentions import mentioned
from reviews.policies.numbers import listed
from reviews.queries import comments as readers
from reviews.queries import people
from reviews.queries.comments import Said
from reviews.queries.seeing import who_see
from reviews.services import comments
from reviews.web.door import actor_of, number_of


@require_POST
def comment(request: HttpRequest, number: str) -> HttpResponse:
    """A comment at a section, a field or words of it, or an answer to one."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    section, field = request.POST.get("anchor", ""), request.POST.get("field", "")
    text = request.POST.get("text", "")
    comments.comment(
        actor=actor,
        memo_id=memo.pk,
        anchor=f"{section}.{field}" if field else section,
        text=text,
        answers=number_of(request.POST.get("answers", ""), "answers"),
        quote=request.POST.get("quote", "").replace("\r\n", "\n"),
    )
    names = mentioned(text)
    if strangers := sorted(set(names) - who_see(memo, names)):
        messages.warning(request, f"Not told, for nobody of that name sees this memo: {listed(strangers)}.")
    return _back(number, section.partition(".")[0])


@require_POST
def edit(request: HttpRequest, number: str, comment_id: int) -> HttpResponse:
    """A comment in other words."""
    row = _said(request, number, comment_id)
    comments.edit(actor=actor_of(request), comment_id=row.comment.pk, text=request.POST.get("text", ""))
    return _back(number, row.comment.section)


@require_POST
def resolve(request: HttpRequest, number: str, comment_id: int) -> HttpResponse:
    """A comment is resolved."""
    row = _said(request, number, comment_id)
    comments.resolve(actor=actor_of(request), comment_id=row.comment.pk, note=request.POST.get("note", ""))
    return _back(number, row.comment.section)


@require_POST
def reopen(request: HttpRequest, number: str, comment_id: int) -> HttpResponse:
    """A resolved comment is open again."""
    row = _said(request, number, comment_id)
    comments.reopen(actor=actor_of(request), comment_id=row.comment.pk, reason=request.POST.get("reason", ""))
    return _back(number, row.comment.section)


def _said(request: HttpRequest, number: str, comment_id: int) -> Said:
    return readers.said(people.memo_for(actor_of(request), number), comment_id)


def _back(number: str, section: str) -> HttpResponse:
    return redirect(f"{reverse('memo', args=[number])}#comments-{section}")
