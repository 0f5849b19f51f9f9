"""The page of a rollout, beginning its next stage, and the page of deployments."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from reviews.models import Memo, StageAdvance
from reviews.services import production
from reviews.services.production import ProductionReport, Reporter
from reviews.vocabulary import State
from tests import cases, cast, clock, rolling
from tests.services import deeds

pytestmark = pytest.mark.django_db


def client(name: str) -> Client:
    found = Client()
    found.force_login(cases.person(name))
    return found


def text(name: str, path: str) -> str:
    answer = client(name).get(path)
    assert answer.status_code == 200, answer.status_code
    return " ".join(answer.content.decode().split())


def page(memo: Memo, rest: str = "rollout/") -> str:
    return f"/memos/{memo.number}/{rest}"


def say(kind: str, build: str = "vllm 0.7", name: str = "sam") -> Any:
    report = ProductionReport(
        kind=kind, build=build, scope="host-1", scope_percent="5", text="p99.", happened_at=timezone.now()
    )
    return production.report(reporter=Reporter(cases.person(name)), team="", report=report)


def test_the_page_says_where_the_rollout_stands_and_what_stands_before_the_next_stage() -> None:
    memo = cases.a_memo_rolling_out()

    said = text("ann", page(memo))

    assert "Stage 1 of 2, 5 % of “the measured host”" in said
    assert "throughput rate of C1, limit 0.98" in said
    assert "Nothing was observed in this rollout." in said
    assert "Stage 1 soaks until" in said
    assert "Begin stage" not in said


def test_the_traffic_of_each_look_is_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = rolling.a_watched_memo(monkeypatch)

    said = text("ann", page(memo))

    assert "The traffic split of each look" in said
    assert "4 hosts, 4 runs, 380000 requests" in said.replace("\xa0", "").replace(",000", "000").replace(" 000", "000")
    assert "5 % was meant" in said
    assert "The review board or the rollback owner begins it." in said


def test_the_rollback_owner_begins_the_next_stage_with_the_password(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = rolling.a_watched_memo(monkeypatch)
    rob = client("rob")
    assert "Begin stage 2" in rob.get(page(memo)).content.decode()

    without = rob.post(page(memo), {"stage": "2", "note": ""})
    assert (without.status_code, StageAdvance.objects.count()) == (422, 0)
    done = rob.post(page(memo), {"stage": "2", "note": "Quiet.", "password": cast.PASSWORD})

    assert (done.status_code, StageAdvance.objects.get().note) == (302, "Quiet.")
    said = text("ann", page(memo))
    assert "Stage 2 of 2, 10 % of “the measured host”" in said
    assert "by Rob" in said


def test_a_closed_contract_refuses_the_stage_in_words() -> None:
    memo = cases.a_memo_rolling_out()

    answer = client("rob").post(page(memo), {"stage": "2", "password": cast.PASSWORD})

    assert answer.status_code == 409
    assert "Nothing was observed in this rollout." in answer.content.decode()


def test_a_memo_without_a_rollout_has_no_such_page() -> None:
    memo = cases.a_draft()
    assert client("ann").get(page(memo)).status_code == 404


def test_memo_list_queue_and_deployments_show_what_is_still_live_without_authority(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memo = cases.a_memo_rolling_out()
    assert "The rollout now" in text("ann", page(memo, ""))
    assert "still live without authority" not in text("ann", "/memos/")
    clock.move_on(monkeypatch, hours=24 * 61)

    assert "it may be live without authority" in text("ann", page(memo, ""))
    assert "in review" in text("ann", page(memo, ""))
    assert "still live without authority" in text("ann", "/memos/")
    for name in ("rob", "bea", "ann"):
        assert "is still live without authority: end it, or decide." in text(name, "/")
    assert "is still live without authority" not in text("olga", "/")
    assert f'href="/memos/{memo.number}/decide/"' in text("olga", "/deployments/")
    assert "Production has reported nothing." in text("olga", "/deployments/")


def test_the_queue_tells_of_passed_thresholds_soaked_stages_and_rollbacks_to_ratify(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memo = rolling.a_watched_memo(monkeypatch)
    assert "Stage 1 has soaked: nothing stands before the next." in text("rob", "/")
    rolling.observe(memo, "C2", rolling.live_file(slower=1.5))
    rolling.observe(memo, "C2", rolling.live_file(slower=1.9))
    assert "e2e_latency p99 of C2 says abort: roll back." in text("bea", "/")
    assert "says abort" not in text("sam", "/")

    say("rolled_back")
    said = text("rob", "/")
    assert "Sam reported that vllm 0.7 was rolled back: ratify it by a decision." in said


def test_deployments_list_unknown_builds_reported_rollbacks_and_emergencies() -> None:
    cases.set_up()
    say("deployed", "vllm 0.8")
    incident = say("rolled_back").memo
    assert incident is not None

    said = text("olga", "/deployments/")

    assert "vllm 0.8" in said
    assert "Ratify it by a decision" in said
    assert "No emergency was recorded." in said
    rob = client("rob")
    ready = rob.get(page(incident, "decide/")).content.decode()
    assert "A rollback that is recorded here ratifies it." in ready
    done = rob.post(
        page(incident, "decide/emergency/"),
        {"reason": "It was right.", "effective_at": "2026-11-01T03:00", "password": cast.PASSWORD},
    )
    assert done.status_code == 302
    assert cases.again(incident).state == State.ROLLED_BACK
    after = text("olga", "/deployments/")
    assert "No reported rollback waits for a decision." in after
    assert "ratified by Rob" in after
    assert "Serving" in after.partition("Emergency use by team")[2]
    assert "Nothing was reported yet" in text("eve", "/deployments/")


def test_a_file_is_recalled_on_its_page_by_who_may() -> None:
    memo = cases.a_memo_with_evidence()
    sha256 = next(part.artifact for part in deeds.content(memo).evidence.sets[0].attachments if part.arm)
    path = f"/artifacts/{sha256}/"
    assert "Recall this file" in text("ann", path)
    assert "Recall this file" not in text("olga", path)

    done = client("ann").post(f"{path}recall/", {"reason": "The clock was throttled."})

    assert done.status_code == 302
    assert "Recalled by Ann: The clock was throttled." in text("olga", path)
    assert "Recall this file" not in text("ann", path)
    assert "This memo cites a file that was recalled." in text("olga", page(memo, ""))
    assert client("olga").post(f"{path}recall/", {"reason": "x"}).status_code == 403
