"""Submitting, returning and withdrawing a memo, and its follow-ups: one POST each, then back to the page."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from reviews.queries import people, records
from reviews.services import follow_ups, memos
from reviews.web.door import actor_of


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
def meet_follow_up(request: HttpRequest, number: str, follow_up_id: int) -> HttpResponse:
    """A follow-up of an emergency is met."""
    actor = actor_of(request)
    row = records.follow_up(people.memo_for(actor, number), follow_up_id)
    follow_ups.meet(actor=actor, follow_up_id=row.pk, note=request.POST.get("note", ""))
    messages.success(request, "The follow-up is met.")
    return redirect("memo", number)
