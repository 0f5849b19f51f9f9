"""Submitting, returning and withdrawing a memo, its comments and follow-ups: one POST each, then back to the page."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from reviews.queries import people, records
from reviews.queries.memo_page import comment_of
from reviews.services import comments, follow_ups, memos
from reviews.web.door import actor_of, number_of


@require_POST
def submit(request: HttpRequest, number: str) -> HttpResponse:
    """The memo goes into review."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    memos.submit(actor=actor, memo_id=memo.pk, base=request.POST.get("base", ""))
    messages.success(request, f"{number} is in review.")
    return redirect("memo", number)


@require_POST
def return_to_author(request: HttpRequest, number: str) -> HttpResponse:
    """The memo goes back to its author, with a reason."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    memos.return_to_author(actor=actor, memo_id=memo.pk, reason=request.POST.get("reason", ""))
    messages.success(request, f"{number} is a draft again.")
    return redirect("memo", number)


@require_POST
def withdraw(request: HttpRequest, number: str) -> HttpResponse:
    """The memo is withdrawn for good."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    memos.withdraw(actor=actor, memo_id=memo.pk, reason=request.POST.get("reason", ""))
    messages.success(request, f"{number} is withdrawn.")
    return redirect("memo", number)


@require_POST
def comment(request: HttpRequest, number: str) -> HttpResponse:
    """A comment at a section, or an answer to one."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    anchor = request.POST.get("anchor", "")
    comments.comment(
        actor=actor,
        memo_id=memo.pk,
        anchor=anchor,
        text=request.POST.get("text", ""),
        answers=number_of(request.POST.get("answers", ""), "answers"),
    )
    return redirect(f"{reverse('memo', args=[number])}#comments-{anchor.partition('.')[0]}")


@require_POST
def resolve_comment(request: HttpRequest, number: str, comment_id: int) -> HttpResponse:
    """A comment is resolved."""
    actor = actor_of(request)
    row = comment_of(people.memo_for(actor, number), comment_id)
    comments.resolve(actor=actor, comment_id=row.pk, note=request.POST.get("note", ""))
    return redirect(f"{reverse('memo', args=[number])}#comments-{row.section}")


@require_POST
def meet_follow_up(request: HttpRequest, number: str, follow_up_id: int) -> HttpResponse:
    """A follow-up of an emergency is met."""
    actor = actor_of(request)
    row = records.follow_up(people.memo_for(actor, number), follow_up_id)
    follow_ups.meet(actor=actor, follow_up_id=row.pk, note=request.POST.get("note", ""))
    messages.success(request, "The follow-up is met.")
    return redirect("memo", number)
