"""The page on which the board records a decision, and on which a rollback that could not wait is recorded."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.request import QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from reviews.errors import BadInput
from reviews.models import Memo
from reviews.queries import people
from reviews.queries.decide_page import DecidePage, ToDecide, decide_page
from reviews.services import decisions
from reviews.services.decisions import DecisionWish
from reviews.vocabulary import DecisionKind
from reviews.web.door import actor_of
from reviews.web.forms.deciding import Decide, Stop
from reviews.web.forms.refused import say
from reviews.web.places import GateLine, gate_line
from reviews.web.step_up import authentication_of


@dataclass(frozen=True, slots=True)
class DecisionCard:
    """A decision with its requirements, their addresses, and its form; None where it cannot be recorded now."""

    one: ToDecide
    label: str
    blocking: tuple[GateLine, ...]
    others: tuple[GateLine, ...]
    form: Decide | None


@require_http_methods(["GET", "HEAD", "POST"])
def decide(request: HttpRequest, number: str) -> HttpResponse:
    """The page; a POST asks the gate again, whatever the page showed."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    if request.method != "POST":
        return _page(request, memo, None)
    form = _form(request, request.POST, request.POST.get("kind", ""))
    if form.is_valid() and _recorded(request, memo, form):
        return redirect("decide", number)
    return _page(request, memo, form)


@require_http_methods(["POST"])
def stop(request: HttpRequest, number: str) -> HttpResponse:
    """A rollback that has happened, recorded at once."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    form = Stop(request, request.POST)
    if form.is_valid() and _stopped(request, memo, form):
        return redirect("decide", number)
    return _page(request, memo, form)


def _recorded(request: HttpRequest, memo: Memo, form: Decide) -> bool:
    """Whether it is recorded; what does not fit is said at the form. A closed gate has its own page."""
    values = form.cleaned_data
    try:
        row = decisions.decide(
            actor=actor_of(request),
            memo_id=memo.pk,
            base=values["base"],
            wish=DecisionWish(
                kind=values["kind"], scope_percent=values.get("scope_percent", ""), rationale=values["rationale"]
            ),
            authentication=authentication_of(request),
        )
    except BadInput as refusal:
        say(form, refusal)
        return False
    messages.success(request, f"Recorded: {row.get_kind_display()}. The PDF is being made.")
    return True


def _stopped(request: HttpRequest, memo: Memo, form: Stop) -> bool:
    values = form.cleaned_data
    try:
        decisions.emergency_rollback(
            actor=actor_of(request),
            memo_id=memo.pk,
            reason=values["reason"],
            effective_at=values["effective_at"],
            authentication=authentication_of(request),
        )
    except BadInput as refusal:
        say(form, refusal)
        return False
    messages.success(request, "The emergency rollback is recorded. What the gate would have asked is now to be done.")
    return True


def _form(request: HttpRequest, data: QueryDict, kind: str) -> Decide:
    return Decide(request, data, kind=kind, base="", scope="")


def _page(request: HttpRequest, memo: Memo, sent: Decide | Stop | None) -> HttpResponse:
    """The page with the form that was sent, in its place."""
    page = decide_page(actor_of(request), memo)
    number = memo.number
    reported_at = page.waiting[-1].happened_at if page.waiting else None
    stopping = sent if isinstance(sent, Stop) else Stop(request, None, reported_at=reported_at)
    context = {
        "page": page,
        "memo": page.memo,
        "rollout": page.rollout,
        "cards": [_card(request, page, one, sent) for one in page.decisions],
        "stop": stopping if page.may_stop else None,
        "crumbs": [("Memos", reverse("memos")), (number, reverse("memo", args=[number])), ("Decide", "")],
    }
    return render(request, "reviews/decide.html", context, status=200 if sent is None else 422)


def _card(request: HttpRequest, page: DecidePage, one: ToDecide, sent: Decide | Stop | None) -> DecisionCard:
    number = page.memo.number
    mine = isinstance(sent, Decide) and sent.data.get("kind") == one.kind
    scope = page.greatest_percent if one.kind is DecisionKind.BOUNDED else ""
    fresh = Decide(request, None, kind=one.kind.value, base=page.revision.digest, scope=scope)
    return DecisionCard(
        one=one,
        label=str(one.kind.label),
        blocking=tuple(gate_line(number, line) for line in one.blocking),
        others=tuple(gate_line(number, line) for line in one.others),
        form=(sent if mine and isinstance(sent, Decide) else fresh) if one.may_record else None,
    )
