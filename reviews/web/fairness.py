"""Fairness across streams: how evenly the streams or cores of a memo's runs are served."""

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from analysis.errors import Refused
from reviews.fairness import lines
from reviews.queries import people
from reviews.services import fairness as service
from reviews.web.door import actor_of
from reviews.web.security import draws_charts

LONGEST = 80


def _text(said: str) -> forms.CharField:
    return forms.CharField(required=False, max_length=LONGEST, help_text=said)


class FairnessForm(forms.Form):
    """What is looked at; it stands in the address."""

    metric = _text("Its stages are the streams; without it, the only metric that has several.")
    stat = _text("Of each stream in a run: mean without it, or p99.")
    better = forms.ChoiceField(required=False, choices=[("", "higher"), ("lower", "lower")])
    set = _text("Number of the evidence set; all sets without it.")
    warmup = _text("Steps cut from the start of every stream.")


@draws_charts
@require_safe
def fairness(request: HttpRequest, number: str) -> HttpResponse:
    """The page for the values of the address; 422, with the refusal's words, for runs without streams."""
    memo = people.memo_for(actor_of(request), number)
    wish = {name: request.GET.get(name, "")[:LONGEST] for name in service.FIELDS}
    context = {
        "memo": memo,
        "form": FairnessForm(initial=wish, auto_id="fairness-%s"),
        "crumbs": [("Memos", reverse("memos")), (number, reverse("memo", args=[number])), ("Fairness", "")],
    }
    try:
        found = service.look(memo, wish)
    except Refused as refused:
        return render(request, "reviews/fairness.html", {**context, "refused": refused}, status=422)
    shown = {"lines": list(lines(found)), "chart_spec": service.chart_of(found)}
    return render(request, "reviews/fairness.html", {**context, **shown})
