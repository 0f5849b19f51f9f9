"""Production beside what was decided, on both databases."""

from datetime import timedelta
from fractions import Fraction

import pytest
from django.utils import timezone

from reviews.models import Memo, ProductionEvent
from reviews.policies.permit import Wish
from reviews.queries import permits
from reviews.queries.deployments import deployments
from reviews.queries.images import memos_that_name
from reviews.queries.recalled import memos_that_cite
from reviews.services import expiry, production, recalls, webhooks
from reviews.services.production import ProductionReport, Reporter
from tests import cases, clock, rolling
from tests.services import deeds
from tests.services.test_webhooks import delivery

IMAGE, OTHER = "a" * 64, "b" * 64


def a_rollout_of_the_image() -> Memo:
    memo = cases.a_memo_with_waiver()
    change = {**deeds.sections_of(memo)["change"], "candidate": f"sha256:{IMAGE}"}
    deeds.revise(memo, {"change": change})
    for name, role in (*cases.OWNERS.items(), cases.KEEPER):
        cases.sign(memo, name, role)
    cases.decide(memo)
    return memo


def say(kind: str, image: str, minutes: int = 0) -> ProductionEvent:
    report = ProductionReport(
        kind=kind,
        build=f"sha256:{image}",
        scope="",
        scope_percent="",
        text="",
        happened_at=timezone.now() - timedelta(minutes=minutes),
    )
    return production.report(reporter=Reporter(cases.person("sam")), team="", report=report)


def permitted() -> bool:
    wish = Wish(image=IMAGE, scope="the measured host", percent=Fraction(5))
    return permits.answer(cases.person("olga"), wish).permitted


def test_a_whole_rollout_from_the_decision_to_its_end(either_database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    memo = a_rollout_of_the_image()
    olga = cases.person("olga")
    assert memos_that_name(olga, IMAGE) == (memo,)
    assert memos_that_name(olga, OTHER) == ()
    assert memos_that_name(cases.person("eve"), IMAGE) == ()
    assert permitted()
    assert say("deployed", IMAGE).memo == memo
    assert say("deployed", OTHER).memo is None

    clock.move_on(monkeypatch, hours=25)
    rolling.observe_both(memo)
    assert rolling.advance(memo).stage == 2
    clock.move_on(monkeypatch, hours=24 * 61)
    assert expiry.sweep() == [memo.number]
    assert not permitted()

    page = deployments(olga, timezone.now())
    assert [(row.memo, row.live.last[:8]) for row in page.live] == [(memo, "deployed")]
    assert [row.event.build for row in page.unknown] == [f"sha256:{OTHER}"]
    assert len(page.events) == 2
    say("rolled_back", IMAGE)
    assert deployments(olga, timezone.now()).live == ()
    assert [one.memo for one in deployments(olga, timezone.now()).waiting] == [memo]
    rows = deployments(cases.person("eve"), timezone.now())
    assert (rows.live, rows.unknown, rows.events, rows.emergencies) == ((), (), (), ())


def test_a_recall_ends_what_a_decision_permitted(either_database: str) -> None:
    memo = a_rollout_of_the_image()
    procedure = deeds.content(memo).rollout.procedure
    assert permitted()
    assert memos_that_cite(procedure) == (memo,)

    recalls.recall(actor=cases.person("sam"), sha256=procedure, reason="It restarts the wrong pool.")

    assert not permitted()


def test_a_delivery_that_comes_twice_is_one_event(either_database: str) -> None:
    cases.set_up()
    source, secret = webhooks.make_source(actor=cases.person("sam"), team="serving", name="argo")
    sent = delivery(secret)

    assert webhooks.receive(key=source.key, delivery=sent) == webhooks.receive(key=source.key, delivery=sent)
    assert ProductionEvent.objects.count() == 1


def test_a_build_that_a_memo_names_by_now_says_which_and_one_that_was_ended_is_not_listed(either_database: str) -> None:
    cases.set_up()
    olga = cases.person("olga")
    say("deployed", IMAGE, minutes=30)
    say("deployed", OTHER, minutes=30)
    say("rolled_back", OTHER)

    memo = cases.a_draft()
    change = {**deeds.sections_of(memo)["change"], "candidate": f"sha256:{IMAGE}"}
    deeds.revise(memo, {"change": change})

    (row,) = deployments(olga, timezone.now()).unknown
    assert (row.event.build, row.named_since) == (f"sha256:{IMAGE}", (memo,))
