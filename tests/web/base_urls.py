"""Routes only for tests: refusals of every kind, errors, a sheet of all building blocks, a page with charts."""

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.urls import include, path

from reviews.errors import Missing, Refusal
from reviews.signs import SIGNS
from reviews.vocabulary import RequirementState
from reviews.web.door import actor_of
from reviews.web.security import draws_charts
from reviews.web.step_up import StepUp, authentication_of
from tests.charts import specs

MISSING = (
    Missing("required_owners_have_signed", "The runtime owner has not signed.", "runtime owner", "/memos/1/sign/"),
    Missing("required_artifacts_are_attached", "No curve pack is attached.", "", ""),
)
KINDS: list[type[Refusal]] = [Refusal, *Refusal.__subclasses__()]
REFUSALS = {
    kind.__name__: kind("It stands against a rule.", needs="Do it otherwise.", where="symptom.metric", missing=MISSING)
    for kind in KINDS
}


def refuse(request: HttpRequest, name: str) -> HttpResponse:
    raise REFUSALS[name]


def fail(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a secret of the machine")


def forbid(request: HttpRequest) -> HttpResponse:
    raise PermissionDenied


def who(request: HttpRequest) -> HttpResponse:
    return HttpResponse(actor_of(request).get_username())


class Act(StepUp):
    reason = forms.CharField(label="Reason", help_text="One sentence.", widget=forms.Textarea)
    sure = forms.BooleanField(label="I have read it")
    position = forms.ChoiceField(choices=[("a", "approve"), ("o", "object")], widget=forms.RadioSelect)
    note = forms.CharField(label="Note", required=False)


ACT = engines["django"].from_string("""{% extends "base.html" %}{% load ui %}
{% block content %}<h1>Act</h1><form method="post" class="form" hx-post="" hx-target="main">{% csrf_token %}
{% include "reviews/partials/ui/form_errors.html" %}
{% for one in form %}{% if one.name == "sure" %}{% include "reviews/partials/ui/field.html" with field=one check=True %}
{% else %}{% include "reviews/partials/ui/field.html" with field=one %}{% endif %}{% endfor %}
<div class="actions"><button>Act</button></div></form>
<form hx-post="/refuse/GateClosed/" hx-target="this"><button id="refused">Try</button></form>{% endblock %}""")


def act(request: HttpRequest) -> HttpResponse:
    form = Act(request, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        return HttpResponse(authentication_of(request).method)
    return HttpResponse(ACT.render({"form": form}, request), status=422 if form.is_bound else 200)


SHEET = engines["django"].from_string("""{% extends "base.html" %}{% load ui numbers %}
{% block crumbs %}{% include "reviews/partials/ui/crumbs.html" %}{% endblock %}
{% block content %}<div class="page-head"><h1>All building blocks</h1>{% badge "state" "in_review" %}</div>
<div class="with-side"><aside class="with-side__panel" aria-label="Gate"><h2>Gate</h2>
{% include "reviews/partials/ui/gate.html" with label="bounded rollout" allowed=False blocking=blocking others=others %}
{% include "reviews/partials/ui/gate.html" with label="rollback" allowed=True blocking=nothing others=nothing %}</aside>
<div><section class="card"><h2>Signs</h2>{% for kind, values in signs.items %}<h3>{{ kind }}</h3>
<p>{% for value in values %}{% badge kind value %} {% endfor %}</p>{% endfor %}</section>
<section class="card"><h2>Numbers</h2><dl class="facts"><dt>Interval</dt>
<dd>{% interval "0.90796" "0.89710" "0.91896" level=0.95 method="paired_log" replicates="5 blocks" scope=scope %}</dd>
<dt>Bounds</dt><dd>{% bounds "0.89189189" "0.92660551" %}</dd><dt>Quantity</dt><dd>{{ seconds|quantity:"s" }}</dd>
<dt>Digest</dt><dd>{{ sha|digest }} {{ sha|digest_wrapped }}</dd>
<dt>Time</dt><dd>{{ moment|utc }}, {{ moment|age }}</dd></dl>
<details><summary>More</summary><p>Said in full.</p></details>
{% include "reviews/partials/ui/nothing.html" with said="No waiver was asked for." %}</section>
<section><h2>Table</h2>{% chart_table chart %}</section></div></div>{% endblock %}""")


def sheet(request: HttpRequest) -> HttpResponse:
    messages.success(request, "The set is sealed.")
    requirement = {
        "rule": "nobody_objects",
        "state": "unmet",
        "sentence": "Cy objects.",
        "who": "Cy, or the escalation owner",
        "where": "/memos/1/",
    }
    context = {
        "crumbs": [("Memos", "/memos/"), ("ARM-2026-0042", "")],
        "signs": SIGNS,
        "seconds": 0.0412,
        "scope": "this placement only",
        "sha": "0123456789abcdef" * 4,
        "moment": "2026-03-01T14:05:09+01:00",
        "blocking": [requirement],
        "others": [requirement | {"state": state} for state in RequirementState.values],
        "nothing": [],
        "chart": specs.interval_and_margin(),
    }
    return HttpResponse(SHEET.render(context, request))


CHARTS = engines["django"].from_string("""{% extends "base.html" %}{% load ui %}
{% block scripts %}{% include "reviews/partials/ui/chart_scripts.html" %}{% endblock %}
{% block content %}<h1>Charts</h1>{% chart runs "runs" %}{% chart interval "interval" %}{% endblock %}""")


@draws_charts
def charts(request: HttpRequest) -> HttpResponse:
    context = {"runs": specs.runs_by_block(name="</script><b>run"), "interval": specs.interval_and_margin()}
    return HttpResponse(CHARTS.render(context, request))


urlpatterns = [
    path("", include("config.urls")),
    path("refuse/<str:name>/", refuse),
    path("fail/", fail),
    path("forbid/", forbid),
    path("who/", who),
    path("act/", act),
    path("sheet/", sheet),
    path("charts/", charts),
]
handler400 = "reviews.web.errors.bad_request"
handler403 = "reviews.web.errors.forbidden"
handler404 = "reviews.web.errors.not_found"
handler500 = "reviews.web.errors.server_error"
