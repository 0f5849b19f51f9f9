"""The comparison page, and what is done on it: compute, explain, accept, state, leave uncompared, compute again."""

from dataclasses import dataclass
from functools import partial

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from reviews.queries import people
from reviews.queries.comparison_page import AuditLine, ComparisonPage, comparison_page
from reviews.queries.comparison_text import as_text, compared_in_words, headline
from reviews.services import assessments
from reviews.signs import sign_of
from reviews.web.acting import done, values_of
from reviews.web.door import actor_of
from reviews.web.forms.comparison import Explain, LeaveUncompared, StateSetting
from reviews.web.security import draws_charts
from reviews.web.stale_first import asks_first


@dataclass(frozen=True, slots=True)
class AuditCard:
    """A line of the audit with its forms; None where the person may not use them."""

    line: AuditLine
    explain: Explain | None
    state_it: StateSetting | None


@draws_charts
@require_safe
def comparison(request: HttpRequest, number: str, key: str) -> HttpResponse:
    """The page."""
    page = comparison_page(actor_of(request), people.memo_for(actor_of(request), number), key)
    found = page.found
    context = {
        "page": page,
        "memo": page.memo,
        "row": page.row,
        "found": found,
        "compared": compared_in_words(page.row),
        "headline": headline(found) if found else "",
        "cards": [_card(place, line) for place, line in enumerate(found.differing)] if found else [],
        "text": as_text(page),
        "leave": LeaveUncompared(),
        "crumbs": _crumbs(page),
    }
    return render(request, "reviews/comparison.html", context)


@require_POST
def compute(request: HttpRequest, number: str, key: str) -> HttpResponse:
    """The comparison computed; the known assessment when nothing has changed."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    deed = partial(assessments.compute, actor=actor, memo_id=memo.pk, comparison=key)
    if asked := asks_first(request, memo, deed, f"Compute {key}"):
        return asked
    row = deed()
    word = sign_of("outcome", row.outcome).word
    return done(request, _path(number, key), f"{key} is computed, look {row.look}: {word}.")


@require_POST
def recompute(request: HttpRequest, number: str, key: str) -> HttpResponse:
    """Whether computing again from the stored measurements gives the same digits."""
    actor = actor_of(request)
    page = comparison_page(actor, people.memo_for(actor, number), key)
    if page.found is None:
        messages.warning(request, f"{key} is not computed yet: there is nothing to compare with.")
    elif assessments.recompute(page.found.assessment):
        messages.success(request, f"Computed again: the same digest {page.found.assessment.digest}.")
    else:
        messages.error(request, "Computed again: another result. Somebody changed the measurements or the analysis.")
    return redirect(_path(number, key))


@require_POST
def explain(request: HttpRequest, number: str, key: str) -> HttpResponse:
    """A difference explained."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    values = values_of(Explain(request.POST, place=0))
    deed = partial(assessments.explain, actor=actor, memo_id=memo.pk, comparison=key, **values)
    if asked := asks_first(request, memo, deed, "Explain the difference"):
        return asked
    deed()
    said = f"{values['setting']} is explained; a non-author must accept it, then compute again."
    return done(request, _path(number, key), said)


@require_POST
def accept(request: HttpRequest, number: str, key: str) -> HttpResponse:
    """An explanation accepted."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    setting = request.POST.get("setting", "")
    deed = partial(assessments.accept_explanation, actor=actor, memo_id=memo.pk, comparison=key, setting=setting)
    if asked := asks_first(request, memo, deed, "Accept the explanation"):
        return asked
    deed()
    return done(request, _path(number, key), f"The explanation of {setting} is accepted; compute again.")


@require_POST
def state_setting(request: HttpRequest, number: str, key: str) -> HttpResponse:
    """A setting stated that the files do not record."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    values = values_of(StateSetting(request.POST, place=0, arms=("baseline", "candidate")))
    deed = partial(assessments.state_setting, actor=actor, memo_id=memo.pk, comparison=key, **values)
    if asked := asks_first(request, memo, deed, "State the setting"):
        return asked
    deed()
    return done(request, _path(number, key), f"{values['setting']} of the {values['arm']} is stated; compute again.")


@require_POST
def leave_uncompared(request: HttpRequest, number: str, key: str) -> HttpResponse:
    """The reason why there will be no number."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    reason = values_of(LeaveUncompared(request.POST))["reason"]
    deed = partial(assessments.leave_uncompared, actor=actor, memo_id=memo.pk, comparison=key, reason=reason)
    if asked := asks_first(request, memo, deed, "Record the reason"):
        return asked
    deed()
    return done(request, _path(number, key), f"{key} stays uncompared; the gate asks for a waiver.")


def _card(place: int, line: AuditLine) -> AuditCard:
    asks = Explain(None, place=place) if line.may_explain else None
    states = StateSetting(None, place=place, arms=line.silent_arms) if line.may_state else None
    for form in (asks, states):
        if form is not None:
            form.initial = {"setting": line.row.setting}
    return AuditCard(line, asks, states)


def _path(number: str, key: str) -> str:
    return reverse("comparison", args=[number, key])


def _crumbs(page: ComparisonPage) -> list[tuple[str, str]]:
    number = page.memo.number
    return [("Memos", reverse("memos")), (number, reverse("memo", args=[number])), (page.row.key, "")]
