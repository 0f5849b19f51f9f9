"""Production events: of a memo by number or by digest, of none, kept once, and the incident that one opens."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from reviews.errors import BadInput, NotPermitted, NotVisible
from reviews.models import ApiToken, Decision, FollowUp, Memo, ProductionEvent
from reviews.policies.permit import Wish
from reviews.queries import gate, permits
from reviews.services import decisions, events, production, templates, tokens
from reviews.services.production import ProductionReport, Reporter
from reviews.vocabulary import DecisionKind, Intent, RequirementState, State
from tests import cases, cast
from tests.services import deeds
from tests.services.deeds import refused

pytestmark = pytest.mark.django_db
IMAGE = "sha256:" + "a" * 64


def report(**special: Any) -> ProductionReport:
    usual = ProductionReport(
        kind="deployed", build=IMAGE, scope="host-1", scope_percent="5", text="", happened_at=timezone.now()
    )
    return replace(usual, **special)


def a_token(name: str = "olga") -> ApiToken:
    return tokens.issue(
        actor=cases.person(name), name="ci", scopes=("report",), expires_at=timezone.now() + timedelta(days=1)
    )[0]


def tell(memo: Memo, name: str = "sam", token: ApiToken | None = None, **special: Any) -> ProductionEvent:
    return production.report_for_memo(
        reporter=Reporter(cases.person(name), token), memo_id=memo.pk, report=report(**special)
    )


def say(name: str = "sam", team: str = "", token: ApiToken | None = None, **special: Any) -> ProductionEvent:
    return production.report(reporter=Reporter(cases.person(name), token), team=team, report=report(**special))


def a_memo_of_the_image(title: str = "Larger batches for chat") -> Memo:
    """A draft whose candidate is the image."""
    memo = cases.a_draft(title)
    change = {**deeds.sections_of(memo)["change"], "candidate": f"vllm@{IMAGE}"}
    deeds.revise(memo, {"change": change})
    return memo


def emergency(memo: Memo, name: str = "rob") -> Decision:
    return decisions.emergency_rollback(
        actor=cases.person(name), memo_id=memo.pk, reason="p99 doubled.",
        effective_at=timezone.now() - timedelta(minutes=5), authentication=cases.proof(),
    )  # fmt: skip


# Of a memo


def test_production_is_reported_by_people_and_tokens_of_the_team() -> None:
    memo = cases.a_memo_rolling_out()

    assert str(tell(memo).scope_percent) == "5"
    told = tell(memo, "olga", a_token(), scope_percent="")
    assert (told.reported_by, told.reported_by_name, told.scope_percent) == (None, "token ci of Olga", None)


@pytest.mark.parametrize(
    ("special", "kind", "code"),
    [
        ({"kind": "exploded"}, BadInput, ""),
        ({"build": " "}, BadInput, "no_build"),
        ({"build": "b" * 301}, BadInput, "too_long"),
        ({"scope": "s" * 301}, BadInput, "too_long"),
        ({"event_id": "e" * 201}, BadInput, "too_long"),
        ({"scope_percent": "500"}, BadInput, ""),
        ({"happened_at": timezone.now() + timedelta(days=1)}, BadInput, "future_time"),
        ({"name": "aud"}, NotPermitted, ""),
        ({"name": "adi"}, NotPermitted, ""),
        ({"name": "eve"}, NotVisible, ""),
    ],
)
def test_a_report_that_cannot_be_is_refused(special: dict[str, Any], kind: Any, code: str) -> None:
    with refused(kind, code):
        tell(cases.a_draft(), **special)


def test_an_event_under_the_same_id_is_kept_once_for_each_reporter() -> None:
    memo, token, at = cases.a_draft(), a_token(), timezone.now()
    first = tell(memo, event_id="e1", happened_at=at)

    assert tell(memo, event_id="e1", happened_at=at) == first
    assert tell(memo, "olga", token, event_id="e1", happened_at=at) != first
    assert tell(memo, event_id="e2", happened_at=at) != first
    assert tell(memo, happened_at=at) != tell(memo, happened_at=at)
    for other in ({"kind": "advanced"}, {"build": "b"}, {"scope": "host-2"}, {"happened_at": at - timedelta(hours=1)}):
        with refused(BadInput, "event_id_reused", "event_id"):
            tell(memo, "sam", None, **{"event_id": "e1", "happened_at": at, **other})
    assert [event.action for event in events.chain_of(memo)].count("production_event") == 5


# By digest


def test_an_event_belongs_to_the_memo_whose_candidate_it_names() -> None:
    memo = a_memo_of_the_image()

    row = say()

    assert (row.memo, row.team.slug) == (memo, "serving")  # type: ignore[union-attr]
    assert say(build=f"registry.local/vllm:7@{IMAGE}").memo == memo
    assert say(build="sha256:" + "b" * 64).memo is None


def test_of_several_memos_the_one_that_was_decided_last_has_it() -> None:
    first, second = a_memo_of_the_image(), a_memo_of_the_image("Another")
    assert say().memo == second

    emergency(first)
    assert say().memo == first


def test_a_deployment_without_a_memo_is_kept_in_the_chain_of_its_team() -> None:
    cases.set_up()

    row = say(token=a_token("sam"))

    assert (row.memo, row.team.slug) == (None, "serving")  # type: ignore[union-attr]
    last = events.chain_of(cast.a_team()).last()
    assert last is not None
    assert (last.action, last.detail["build"]) == ("production_event", IMAGE)
    assert not Memo.objects.exists()


def test_the_team_is_named_when_it_is_not_the_only_one() -> None:
    cases.set_up()
    other = cast.a_team("batch")
    cast.assign(other, "sam", "contributor")

    with refused(BadInput, "no_team", "team") as caught:
        say()
    assert caught.value.needs == "Name one of: batch, serving."
    assert say(team="batch").team == other
    with refused(NotVisible, where="team"):
        say(team="nobody")
    with refused(NotPermitted):
        say("aud", team="serving")
    with refused(BadInput, "no_team") as caught:
        say("eve")
    assert caught.value.needs == "Ask a team for a role."


# From nothing, at three in the morning


def test_a_rollback_without_a_memo_opens_an_incident() -> None:
    cases.set_up()

    row = say("olga", token=a_token(), kind="rolled_back", text="p99 doubled.", happened_at=timezone.now())

    memo = row.memo
    assert memo is not None
    assert (memo.intent, memo.state, memo.created_by.username) == (Intent.INCIDENT, State.DRAFT, "olga")
    assert memo.title == f"Rolled back in production: {IMAGE}"
    assert deeds.content(memo).symptom.failing_metric == "p99 doubled."
    assert deeds.content(memo).change.candidate == IMAGE
    assert [event.action for event in events.chain_of(memo)] == ["file", "revise", "production_event"]
    assert say("olga", kind="rolled_back").memo == memo
    assert say("olga", kind="rolled_back", build="vllm 0.7").memo != memo
    assert say("olga", kind="rolled_back", build="vllm 0.7").memo == say("olga", build="vllm 0.7").memo
    assert Memo.objects.count() == 2


def test_a_decision_ratifies_the_incident_and_keeps_both_times() -> None:
    cases.set_up()
    happened = timezone.now() - timedelta(hours=5)
    row = say("olga", kind="rolled_back", happened_at=happened)
    memo = row.memo
    assert memo is not None
    wish = Wish(image="a" * 64, scope="host-1", percent=1)  # type: ignore[arg-type]
    assert "nobody has decided since" in permits.answer(cases.person("olga"), wish).reasons[0]

    decision = decisions.emergency_rollback(
        actor=cases.person("bea"), memo_id=memo.pk, reason="It was right.", effective_at=happened,
        authentication=cases.proof(),
    )  # fmt: skip

    assert cases.again(memo).state == State.ROLLED_BACK
    assert (decision.effective_at, decision.emergency) == (happened, True)
    assert decision.recorded_at > happened + timedelta(hours=4)
    row.refresh_from_db()
    assert (row.ratification.by_name, row.ratification.note) == ("Bea", "It was right.")
    assert ProductionEvent.objects.count() == 1
    assert "was rolled back on" in permits.answer(cases.person("olga"), wish).reasons[0]
    owed = FollowUp.objects.filter(decision=decision)
    assert owed.exists()
    assert {one.owner.username for one in owed} == {"olga"}
    assert events.verify(memo) == []
    other = cases.a_memo_in_review()
    lines = {line.rule: line for line in gate_of(other)}
    assert lines["follow_ups_are_not_overdue"].state == RequirementState.MET


def gate_of(memo: Memo) -> Any:
    return gate.preview(memo.pk).outlooks[0].requirements


def test_an_emergency_that_nobody_reported_is_its_own_production_event() -> None:
    memo = a_memo_of_the_image()

    decision = emergency(memo)

    row = memo.production_events.get()
    assert (row.kind, row.build, row.happened_at) == ("rolled_back", f"vllm@{IMAGE}", decision.effective_at)
    assert row.ratification.by_name == "Rob"
    assert [event.action for event in events.chain_of(memo)][-3:] == [
        "emergency_rollback", "production_event", "ratify",
    ]  # fmt: skip


def test_a_rollback_by_the_board_ratifies_too() -> None:
    memo = cases.a_memo_rolling_out()
    tell(memo, kind="rolled_back")
    decision = cases.decide(memo, "rollback")

    assert decision.kind == DecisionKind.ROLLBACK
    assert memo.production_events.get().ratification.by_name == "Bea"


def test_an_incident_has_the_template_of_the_latest_memo_of_its_team() -> None:
    memo = cases.a_draft()
    found = say("olga", kind="rolled_back").memo

    assert found is not None
    assert found.template_version.template == memo.template_version.template


def test_without_any_template_there_is_no_incident() -> None:
    cast.the_team()
    with refused(BadInput, "no_template"):
        say(kind="rolled_back")
    templates.ship()
    assert say(kind="rolled_back").memo is not None
