"""Drafts of templates, their replay and activation, and reference builds, over the API."""

import pytest

from reviews.memo_text import shipped
from reviews.queries import rules_page
from reviews.template_content import template_to_json
from tests import cases
from tests.api.asking import Asker, as_person, as_token, good, problem
from tests.services.deeds import operator

pytestmark = pytest.mark.django_db
CONTENT = {**template_to_json(shipped.templates()[0]), "evidence_days": 30}
DRAFTS = f"templates/{cases.TEMPLATE}/drafts/"


def as_operator(name: str) -> Asker:
    operator(name)
    return as_person(name)


def test_a_version_is_drafted_replayed_and_activated() -> None:
    memo = cases.a_memo_rolling_out()
    row = good(as_person("adi").post(DRAFTS, {"content": CONTENT, "reason": "Fresher."}), 201)

    seen = good(as_token("aud", "read").get(f"templates/drafts/{row['id']}/"))
    assert [one["sentence"] for one in seen["changes"]] == ["Evidence days: 180 becomes 30."]
    assert (seen["standing"], seen["counts"]["decided"], seen["counts"]["blocked"]) == ("draft", 1, 0)
    assert [(one["memo"], one["outcome"]) for one in seen["decisions"]] == [(memo.number, "open")]
    assert seen["why_not"] == "An operator of this installation activates it."

    body = {"replay": seen["replay_digest"], "reason": "It blocks nothing."}
    where = f"templates/drafts/{row['id']}/activate/"
    problem(as_person("adi").post(where, body), 403, "not_permitted")
    problem(as_operator("opal").post(where, {**body, "replay": "0" * 64}), 409, "replay_not_seen")
    made = good(as_operator("opal").post(where, body), 201)

    assert (made["version"], made["content"]["evidence_days"]) == (CONTENT["version"] + 1, 30)
    assert good(as_token("aud", "read").get(DRAFTS))[0]["activated_at"]
    problem(as_person("opal").post(where, body), 409, "draft_activated")


def test_a_stranger_sees_a_replay_counted_and_not_listed() -> None:
    cases.a_memo_rolling_out()
    row = good(as_person("adi").post(DRAFTS, {"content": CONTENT, "reason": "Fresher."}), 201)

    seen = good(as_person("eve").get(f"templates/drafts/{row['id']}/"))

    assert (seen["decisions"], seen["hidden"], seen["counts"]["decided"]) == ([], 1, 1)
    problem(as_person("eve").get("templates/drafts/1000000/"), 404, "not_found")
    problem(as_person("eve").post(DRAFTS, {"content": CONTENT, "reason": "x"}), 403, "not_permitted")
    problem(as_token("adi").post(DRAFTS, {"content": CONTENT, "reason": "x"}), 403, "person_needed")


def test_a_team_pins_the_build_that_it_measures_against() -> None:
    cases.set_up()
    where = "teams/serving/reference-builds/"

    problem(as_person("ann").post(where, {"build": "2026.1", "reason": "x"}), 403, "not_permitted")
    problem(as_person("eve").post(where, {"build": "2026.1", "reason": "x"}), 404, "not_found")
    problem(as_person("eve").get(where), 404, "not_found")
    problem(as_person("bea").get("teams/nobody/reference-builds/"), 404, "not_found")
    good(as_person("adi").post(where, {"build": "2026.1", "reason": "The yearly baseline."}), 201)
    good(as_person("bea").post(where, {"build": "2026.2", "reason": "A new one."}), 201)

    assert [one["build"] for one in good(as_token("aud", "read").get(where))] == ["2026.2", "2026.1"]
    (line,) = rules_page.reference_lines(cases.person("bea"))
    assert (line.build and line.build.build, line.may_pin) == ("2026.2", True)
