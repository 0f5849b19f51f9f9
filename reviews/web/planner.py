"""The planner: how many placements, runs and steps, from a pilot in a memo's evidence or from stated spreads."""

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from analysis.errors import Refused
from reviews import printing
from reviews.planner import words
from reviews.planner.asking import CONFIDENCE, FIELDS, LAYOUTS, is_blank
from reviews.planner.pilot import ASSURANCE
from reviews.services import planner as service
from reviews.web.door import actor_of
from reviews.web.security import draws_charts

LONGEST = 80


def _text(said: str, label: str = "") -> forms.CharField:
    return forms.CharField(required=False, max_length=LONGEST, label=label or None, help_text=said)


class PilotForm(forms.Form):
    """The noise: a pilot among a memo's evidence, or both spreads."""

    memo = _text("Number of a memo whose evidence holds a pilot.")
    set = _text("Number of the evidence set; all sets without it.")
    arm = forms.ChoiceField(
        required=False, label="Runs of the", choices=[("", service.ARMS[0]), (service.ARMS[1], service.ARMS[1])]
    )
    metric = _text("What is planned for, where the pilot has several metrics.")
    stat = _text("The tool's own number, where the pilot has several and no steps.")
    warmup = _text("Steps cut from the start of every run.")
    run_sd = _text("Without a pilot: how runs differ beyond their steps, such as 1%.", "Spread of runs")
    step_sd = _text("Without a pilot: how independent steps of a run differ.", "Spread of steps")


class WantedForm(forms.Form):
    """What is asked for, and what it costs."""

    half_width = _text("Half the expected interval, such as 1%.", "Half-width")
    run_cost = _text("Seconds that a run takes before its steps.", "Seconds of a run")
    step_cost = _text("Seconds that a step takes.", "Seconds of a step")
    effect = _text("The true effect that the runs are to establish, such as 2%.")
    power = _text("The chance of establishing it, such as 80%.")
    steps = _text("Steps of a run, where only an effect is asked for.")
    layout = forms.ChoiceField(
        required=False,
        choices=[("", "independent arms"), (LAYOUTS[1], "one run of each arm per block")],
    )
    placement_sd = _text("To plan over placements: how the effect differs between them.", "Spread of placements")
    placement_cost = _text("Seconds that one more placement takes.", "Seconds of a placement")
    confidence = _text(f"Level of the interval, {CONFIDENCE} without it.")


@draws_charts
@require_safe
def planner(request: HttpRequest) -> HttpResponse:
    """The page for the values of the address; 422, with the refusal's words, for what cannot be planned."""
    actor = actor_of(request)
    wish = {name: request.GET.get(name, "")[:LONGEST] for name in FIELDS}
    context = {
        "pilot": PilotForm(initial=wish, auto_id="plan-%s"),
        "wanted": WantedForm(initial=wish, auto_id="plan-%s"),
        "assurance": printing.percent(ASSURANCE),
    }
    if is_blank(wish):
        return render(request, "reviews/planner.html", context)
    try:
        found = service.look(actor, wish)
    except Refused as refused:
        return render(request, "reviews/planner.html", {**context, "refused": refused}, status=422)
    return render(request, "reviews/planner.html", {**context, "found": found, **_told(found)})


def _told(found: service.Looked) -> dict[str, object]:
    """The plan in words."""
    planned, warning = found.planned, found.warning
    return {
        "plan_lines": list(words.plan_lines(planned)),
        "noise_lines": list(words.noise_lines(planned)),
        "power_title": words.power_title(planned),
        "power_heads": words.power_heads(planned),
        "power_rows": words.power_rows(planned),
        "guardrail_lines": list(words.guardrail_lines(warning.found)) if warning and warning.found else [],
    }
