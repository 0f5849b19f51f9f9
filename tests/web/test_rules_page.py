"""The pages of templates and rules: the editor, the replay with its activation, and reference builds."""

import html
import json
import re
from typing import Any

import pytest
from django.urls import reverse

from reviews.models import TemplateActivation, TemplateDraft
from reviews.queries import records, rules_page
from reviews.web.forms.rules import EditTemplate
from tests import cases, cast
from tests.services.deeds import operator
from tests.web.asking import Answer, as_, follow, page

pytestmark = pytest.mark.django_db
EDIT = reverse("rules-edit", args=[cases.TEMPLATE])


def filled(**special: Any) -> dict[str, Any]:
    """The editor as it is filled at first, with a reason."""
    form = EditTemplate(None, content=rules_page.whole_of(records.template_version(cases.TEMPLATE, None)))
    return {**form.initial, "reason": "Four runs an arm.", **special}


def save(who: str = "adi", **special: Any) -> Answer:
    return as_(who).post(EDIT, filled(**special))


def said_on(answer: Answer) -> str:
    assert answer.status_code == 422, answer.status_code
    return html.unescape(answer.content.decode())


def replay_on(text: str) -> str:
    found = re.search(r'name="replay" value="([0-9a-f]{64})"', text)
    assert found
    return found[1]


def test_a_draft_shows_what_it_changes_whom_it_blocks_and_is_activated_by_another() -> None:
    memo = cases.a_memo_rolling_out()
    assert "Draft the next version" in page("adi", reverse("rules"))

    path = follow(save(minimum_runs=4))

    said = html.unescape(page("adi", path))
    assert "Minimum runs: 3 becomes 4." in said
    assert "this version would have blocked 1, of which 0 were later rolled back" in said
    assert f"{memo.number}</a>" in said
    assert "C1 (throughput rate) stands on 3 run(s) of the baseline; 4 are asked for." in said
    assert "An operator of this installation activates it." in said
    operator("opal")
    digest = replay_on(page("opal", path))
    assert follow(as_("opal").post(path, {"replay": digest, "reason": "Three were too few."})) == reverse("rules")
    assert TemplateActivation.objects.get().replay["counts"]["blocked"] == 1
    said = page("ann", reverse("rules"))
    assert (said.count(", active,"), said.count(", retired,")) == (2, 1)


def test_a_replay_of_before_is_refused_at_the_form_and_shown_anew() -> None:
    cases.set_up()
    path = follow(save(minimum_runs=4))
    operator("opal")
    before = replay_on(page("opal", path))
    cases.a_memo_rolling_out()

    got = as_("opal").post(path, {"replay": before, "reason": "It blocks nothing."})

    said = said_on(got)
    assert "The replay that you saw is not that of this draft over what is decided now." in said
    assert "It blocks nothing." in said
    assert replay_on(said) != before
    assert not TemplateActivation.objects.exists()


@pytest.mark.parametrize(
    ("special", "sentence"),
    [
        ({"rest": "{"}, "This is no JSON"),
        ({"rest": "[]"}, "This is no JSON object"),
        ({"rest": '{"quorum": 2}'}, "quorum has a field of its own above"),
        ({"rest": "{}"}, "This is no template: Object missing required field"),
        ({"quorum": 1}, "greater than or equal to 2"),
        ({}, "This draft says what the active version says."),
        ({"rollout_cap_percent": "a lot"}, "a lot"),
    ],
)
def test_what_does_not_fit_is_said_at_the_form_and_nothing_typed_is_lost(
    special: dict[str, Any], sentence: str
) -> None:
    cases.set_up()

    said = said_on(save(**special))

    assert sentence in said
    assert "Four runs an arm." in said
    assert not TemplateDraft.objects.exists()


def test_a_lowered_rule_is_refused_at_the_editor() -> None:
    cases.set_up()
    rest = json.loads(filled()["rest"])

    said = said_on(save(rest=json.dumps({**rest, "rules": {"nobody_objects": "○ ○ ○ ○ ·"}})))

    assert "nobody_objects asks less for ship, bounded rollout" in said


def test_who_drafts_nothing_reads_the_rules_and_has_no_editor() -> None:
    cases.set_up()

    assert "Draft the next version" not in page("ann", reverse("rules"))
    assert "Templates are drafted by administrators" in page("ann", EDIT)
    assert as_("ann").post(EDIT, filled(minimum_runs=4)).status_code == 403
    assert as_("ann").get(reverse("rules-draft", args=[10**6])).status_code == 404


def test_the_writer_of_a_draft_has_no_form_to_activate_it() -> None:
    cases.set_up()
    operator("opal")
    path = follow(save("opal", minimum_runs=4))

    assert "another operator does" in page("opal", path)
    assert as_("opal").post(path, {"replay": "0" * 64, "reason": "x"}).status_code == 403


def test_a_reference_build_is_pinned_by_the_board() -> None:
    cases.set_up()
    cast.a_person("eve")
    pin = reverse("reference-pin", args=["serving"])

    assert follow(as_("bea").post(pin, {"build": "2026.1", "reason": "The baseline."})) == reverse("rules")
    assert "2026.1" in page("ann", reverse("rules"))
    assert "Pin a build" not in page("ann", reverse("rules"))
    assert as_("ann").post(pin, {"build": "2026.2", "reason": "x"}).status_code == 403
    assert as_("bea").post(pin, {"build": "", "reason": "x"}).status_code == 422
    assert "You hold no role in a team." in page("eve", reverse("rules"))
