"""The page of a bounded rollout: what its thresholds say, and beginning its next stage."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from reviews.errors import Missing
from reviews.models import Memo
from reviews.policies.contract import Contract
from reviews.queries import people
from reviews.queries.rollout_page import Running, running
from reviews.sections import RolloutStage
from reviews.services import rollouts
from reviews.web.door import actor_of
from reviews.web.forms.rollouts import Advance
from reviews.web.places import place
from reviews.web.step_up import authentication_of


@dataclass(frozen=True, slots=True)
class StageRow:
    """A stage of the contract. began_at: None for one that is not reached; by: "" for the first, which was decided."""

    number: int
    stage: RolloutStage
    began_at: datetime | None
    by: str


@require_http_methods(["GET", "HEAD", "POST"])
def rollout(request: HttpRequest, number: str) -> HttpResponse:
    """The page; a POST begins the next stage, and asks the thresholds again whatever the page showed."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    page = running(actor, memo)
    form = Advance(request, request.POST if request.method == "POST" else None, stage=page.contract.stage + 1)
    if form.is_valid():
        rollouts.advance(
            actor=actor,
            memo_id=memo.pk,
            stage=form.cleaned_data["stage"],
            note=form.cleaned_data["note"],
            authentication=authentication_of(request),
        )
        messages.success(request, f"Stage {form.cleaned_data['stage']} has begun.")
        return redirect("rollout", number)
    return _page(request, memo, page, form)


def _page(request: HttpRequest, memo: Memo, page: Running, form: Advance) -> HttpResponse:
    number = memo.number
    context = {
        "page": page,
        "memo": memo,
        "stages": _stages(page.contract),
        "gaps": [Missing(gap.code, gap.sentence, gap.who, place(number, gap.where)) for gap in page.gaps],
        "form": form if page.may_advance else None,
        "crumbs": [("Memos", reverse("memos")), (number, reverse("memo", args=[number])), ("Rollout", "")],
    }
    return render(request, "reviews/rollout.html", context, status=422 if form.is_bound else 200)


def _stages(contract: Contract) -> list[StageRow]:
    begun = {1: (contract.began_at, ""), **{one.stage: (one.at, one.by) for one in contract.advances}}
    return [
        StageRow(number, stage, *begun.get(number, (None, "")))
        for number, stage in enumerate(contract.rollout.stages, start=1)
    ]
