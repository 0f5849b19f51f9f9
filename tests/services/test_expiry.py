"""A rollout expires by the clock: noted once by the sweeper, and true for whoever asks before that."""

from datetime import datetime

import pytest
from django.core.management import call_command
from django.utils import timezone

from reviews import tasks
from reviews.errors import GateClosed, WrongState
from reviews.models import Memo
from reviews.queries import contracts, gate, people
from reviews.queries.live import live_without_authority
from reviews.services import events, expiry, production
from reviews.services.production import ProductionReport, Reporter
from reviews.vocabulary import State
from tests import cases, clock, rolling
from tests.services import deeds
from tests.services.deeds import refused

pytestmark = pytest.mark.django_db
PAST_ITS_END = 24 * 61


def an_expired_memo(monkeypatch: pytest.MonkeyPatch) -> Memo:
    """Rolling out, and past its end; nobody has noted it."""
    memo = cases.a_memo_rolling_out()
    clock.move_on(monkeypatch, hours=PAST_ITS_END)
    return memo


def report(memo: Memo, kind: str) -> None:
    happened = ProductionReport(kind=kind, build="b", scope="", scope_percent="", text="", happened_at=timezone.now())
    production.report_for_memo(reporter=Reporter(cases.person("sam")), memo_id=memo.pk, report=happened)


def is_live(memo: Memo) -> bool:
    return memo.pk in live_without_authority([memo.pk], timezone.now())


def test_the_sweeper_notes_an_expired_rollout_once(monkeypatch: pytest.MonkeyPatch) -> None:
    running = cases.a_memo_rolling_out("Another")
    assert expiry.sweep() == []
    memo = an_expired_memo(monkeypatch)

    assert expiry.sweep() == [running.number, memo.number]
    assert expiry.sweep() == []

    assert cases.again(memo).state == State.IN_REVIEW
    last = events.chain_of(memo).last()
    assert last is not None
    assert (last.action, last.actor_name, last.detail["before"]) == ("expire", "the clock", "rolling_out")
    assert [event.action for event in events.chain_of(memo)].count("expire") == 1
    assert events.verify(memo) == []


def test_the_task_and_the_command_sweep(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    memo = an_expired_memo(monkeypatch)
    call_command("sweep", "--once")
    assert f"Rollout expired: {memo.number}" in capsys.readouterr().out

    other = cases.a_memo_rolling_out("Another")
    clock.move_on(monkeypatch, hours=3 * PAST_ITS_END)
    tasks.sweep()
    assert cases.again(other).state == State.IN_REVIEW


def test_no_late_sweep_matters_to_whoever_reads_or_acts(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = an_expired_memo(monkeypatch)

    assert people.memo_for(cases.person("bea"), memo.number).state == State.IN_REVIEW
    facts = gate.gate_facts(memo.pk, decider=None, requested_percent=None)
    assert facts.state == State.IN_REVIEW
    assert facts.expired_rollouts == (facts.section_digests["rollout"],)
    with refused(WrongState):
        rolling.advance(memo)
    assert cases.again(memo).state == State.ROLLING_OUT
    deeds.revise(memo, {"action": {**deeds.sections_of(memo)["action"], "rollback_boundary": "when p99 doubles"}})
    assert cases.again(memo).state == State.IN_REVIEW
    assert [event.action for event in events.chain_of(memo)][-2:] == ["expire", "edit"]


def test_signatures_for_an_expired_rollout_no_longer_count(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = an_expired_memo(monkeypatch)

    with refused(GateClosed) as caught:
        cases.decide(memo)
    said = " ".join(one.sentence for one in caught.value.missing)
    assert "was given for a rollout that has expired" in said
    assert "has expired" in said


def test_it_stays_live_without_authority_until_production_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = cases.a_memo_rolling_out()
    report(memo, "deployed")
    assert not is_live(memo)
    clock.move_on(monkeypatch, hours=PAST_ITS_END)

    assert is_live(memo)
    report(memo, "rolled_back")
    assert not is_live(memo)


def test_a_memo_without_decisions_has_nothing_live() -> None:
    memo = cases.a_memo_in_review()
    assert not is_live(memo)
    assert contracts.standing(memo.pk, timezone.now()) == contracts.NOTHING


def test_a_rollout_that_has_not_ended_is_left_alone() -> None:
    memo = cases.a_memo_rolling_out()
    assert isinstance(contracts.standing(memo.pk, timezone.now()).contract.ends_at, datetime)  # type: ignore[union-attr]
    assert not expiry.note(cases.again(memo))
    assert not expiry.note(cases.a_memo_in_review("Another"))
    assert people.memo_for(cases.person("bea"), memo.number).state == State.ROLLING_OUT
