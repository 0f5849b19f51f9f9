"""The page of delegations: who signs in whose place on a memo, from when, until when; delegating, and ending it."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from reviews.errors import BadInput, NotVisible
from reviews.models import Memo
from reviews.queries import people, records
from reviews.queries.delegation_page import DelegationLine, DelegationPage, delegation_page
from reviews.services import delegations
from reviews.services.delegations import DelegationWish
from reviews.web.acting import done, values_of
from reviews.web.door import actor_of
from reviews.web.forms.delegations import Delegate
from reviews.web.forms.refused import say
from reviews.web.forms.signing import Because


@dataclass(frozen=True, slots=True)
class DelegationCard:
    """A delegation with the form that ends it; None where the person may not."""

    line: DelegationLine
    end: Because | None


@require_http_methods(["GET", "HEAD", "POST"])
def delegations_of(request: HttpRequest, number: str) -> HttpResponse:
    """The page; a POST delegates a role."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    page = delegation_page(actor, memo)
    form = Delegate(request.POST if request.method == "POST" else None, roles=page.roles)
    if form.is_valid() and _delegated(request, actor, memo, form):
        return redirect("delegations", number)
    return _page(request, page, form, status=422 if form.is_bound else 200)


@require_POST
def end(request: HttpRequest, number: str, delegation_id: int) -> HttpResponse:
    """A delegation ended before its time."""
    actor = actor_of(request)
    row = records.delegation(people.memo_for(actor, number), delegation_id)
    reason = values_of(Because(request.POST, place=""))["reason"]
    delegations.end(actor=actor, delegation_id=row.pk, reason=reason)
    return done(request, reverse("delegations", args=[number]), "The delegation has ended; what was signed stands.")


def _delegated(request: HttpRequest, actor: User, memo: Memo, form: Delegate) -> bool:
    """Whether it is delegated; what does not fit is said at the form."""
    values: dict[str, Any] = dict(form.cleaned_data)
    team = values.pop("scope") == "team"
    wish = DelegationWish(**values)
    try:
        if team:
            delegations.delegate_for_team(actor=actor, team=memo.team.slug, wish=wish)
        else:
            delegations.delegate_on(actor=actor, memo_id=memo.pk, wish=wish)
    except (BadInput, NotVisible) as refusal:
        say(form, refusal)
        return False
    messages.success(request, "Delegated. Both names are printed with each signature that is given so.")
    return True


def _page(request: HttpRequest, page: DelegationPage, form: Delegate, *, status: int) -> HttpResponse:
    number = page.memo.number
    context = {
        "page": page,
        "memo": page.memo,
        "form": form if page.roles else None,
        "cards": [
            DelegationCard(line, Because(None, place=f"end-{line.delegation.pk}") if line.may_end else None)
            for line in page.lines
        ],
        "crumbs": [("Memos", reverse("memos")), (number, reverse("memo", args=[number])), ("Delegations", "")],
    }
    return render(request, "reviews/delegations.html", context, status=status)
