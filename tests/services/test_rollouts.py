"""A stage is advanced inside the signed contract: order, soak time, thresholds asked again, people who stand by it."""

import json

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from reviews.errors import BadInput, GateClosed, NotPermitted, NotSignedIn, NotVisible, StalePage, WrongState
from reviews.models import Memo, StageAdvance
from reviews.models.authority import OnlyByService
from reviews.queries import contracts
from reviews.services import assessments, events, rollouts, signatures
from reviews.vocabulary import State
from tests import cases, clock, rolling
from tests.services import deeds
from tests.services.deeds import refused

pytestmark = pytest.mark.django_db


def refusals(memo: Memo, stage: int = 2) -> dict[str, str]:
    """What stands before the stage, by code."""
    with refused(GateClosed, "contract_holds") as caught:
        rolling.advance(memo, stage)
    return {one.code: one.sentence for one in caught.value.missing}


@pytest.mark.parametrize("name", ["rob", "bea"])
def test_the_rollback_owner_and_the_board_advance_a_stage_that_nothing_stands_before(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    memo = rolling.a_watched_memo(monkeypatch)

    row = rolling.advance(memo, name=name)

    assert (row.stage, str(row.scope_percent), row.by_name) == (2, "10", name.title())
    assert [(one["comparison"], one["answer"]) for one in row.judged] == [("C1", "continue"), ("C2", "continue")]
    assert row.judged[0]["interval"]["candidate_hosts"] == 4
    assert row.judged[0]["balances"][0]["state"] == "balanced"
    last = events.chain_of(memo).last()
    assert last is not None
    assert (last.action, last.detail["stage"]) == ("advance_stage", 2)
    assert events.verify(memo) == []
    assert cases.again(memo).state == State.ROLLING_OUT
    found = contracts.standing(memo.pk, timezone.now()).contract
    assert found is not None
    assert (found.stage, found.following) == (2, None)


def test_nobody_else_advances_and_nobody_without_a_fresh_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = rolling.a_watched_memo(monkeypatch)
    for name in ("ann", "sam", "olga", "esk", "aud", "adi"):
        with refused(NotPermitted):
            rolling.advance(memo, name=name)
    with refused(NotVisible):
        rolling.advance(memo, name="eve")
    with refused(NotSignedIn):
        rollouts.advance(actor=cases.person("rob"), memo_id=memo.pk, stage=2, note="", authentication=deeds.old_proof())
    with refused(WrongState):
        rolling.advance(cases.a_memo_in_review())
    assert not StageAdvance.objects.exists()


def test_a_page_that_shows_another_stage_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = rolling.a_watched_memo(monkeypatch)
    rolling.advance(memo)

    for stage in (1, 2, 4):
        with refused(StalePage, "another_stage", "stage"):
            rolling.advance(memo, stage)


def test_before_its_soak_time_and_unobserved_a_stage_holds() -> None:
    memo = cases.a_memo_rolling_out()

    said = refusals(memo)

    assert set(said) == {"soak", "threshold:C1", "threshold:C2"}
    assert said["threshold:C1"] == "throughput rate of C1: hold. Nothing was observed in this rollout."
    assert "Stage 1 soaks until" in said["soak"]


def test_a_passed_threshold_aborts_and_an_undecided_one_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = cases.a_memo_rolling_out()
    clock.move_on(monkeypatch, hours=25)
    rolling.observe(memo, "C1", rolling.live_file(factor=0.98))
    rolling.observe(memo, "C2", rolling.live_file(slower=1.2))

    said = refusals(memo)

    assert set(said) == {"threshold:C1", "threshold:C2"}
    assert said["threshold:C1"].startswith("throughput rate of C1: hold. Candidate over baseline is between")
    assert said["threshold:C2"].startswith("e2e_latency p99 of C2: abort.")


def test_another_traffic_share_than_intended_holds_and_a_stated_one_is_the_intended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memo = cases.a_memo_rolling_out()
    clock.move_on(monkeypatch, hours=25)
    half = rolling.live_file(traffic=(40_000, 40_000))
    rolling.observe(memo, "C1", half)
    assert "5 % was meant" in refusals(memo)["threshold:C1"]

    other = cases.a_memo_rolling_out("Another")
    clock.move_on(monkeypatch, hours=50)
    rolling.observe(other, "C1", rolling.live_file(traffic=(40_000, 40_000)), share_percent="50")
    assert set(refusals(other)) == {"threshold:C2"}


def test_traffic_that_nobody_counted_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = cases.a_memo_rolling_out()
    clock.move_on(monkeypatch, hours=25)
    rolling.observe(memo, "C1", rolling.live_file(traffic=(None, None)))

    assert "is not recorded" in refusals(memo)["threshold:C1"]


def test_requests_are_counted_from_the_work_where_a_file_says_nothing_of_those_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memo = cases.a_memo_rolling_out()
    clock.move_on(monkeypatch, hours=25)
    document = json.loads(rolling.live_file())
    for run in document["runs"]:
        del run["attempted"], run["failed"]

    seen = rolling.observe(memo, "C1", json.dumps(document).encode())

    assert {(one["arm"], one["requests"]) for one in seen.traffic} == {("baseline", 95_000), ("candidate", 5_000)}


def test_one_host_an_arm_never_lets_a_rollout_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = cases.a_memo_rolling_out()
    clock.move_on(monkeypatch, hours=25)
    rolling.observe(memo, "C1", hosts=1)

    assert "1 baseline and 1 candidate hosts allow no interval" in refusals(memo)["threshold:C1"]


def test_the_next_stage_asks_for_what_is_observed_in_this_one_and_for_no_more_than_was_decided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memo = rolling.a_watched_memo(monkeypatch)
    rolling.advance(memo)
    clock.move_on(monkeypatch, hours=25 + 73)

    said = refusals(memo, 3)

    assert said["last_stage"] == "Stage 2 is the last of the contract."
    assert said["threshold:C1"].endswith("Nothing was observed in stage 2 yet.")


def test_who_withdraws_the_acceptance_or_objects_stops_it(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = rolling.a_watched_memo(monkeypatch)
    given = memo.signatures.get(role="rollback_owner")
    signatures.withdraw_signature(actor=cases.person("rob"), signature_id=given.pk, reason="I cannot watch it.")
    deeds.sign(
        memo, "olga",
        deeds.wish("inference_platform_owner", "object", kinds=(), scope_percent="", text="p50.", would_clear_if="?"),
    )  # fmt: skip

    said = refusals(memo)

    assert said["acceptance"] == "rob, who owns the rollout, does not stand by it with a signature any more."
    assert said["objection"] == "olga objects: p50."


def test_an_edited_rollout_changes_nothing_of_the_contract_that_was_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = rolling.a_watched_memo(monkeypatch)
    rollout = deeds.sections_of(memo)["rollout"]
    rollout["abort_thresholds"] = []
    rollout["stages"][0]["soak_hours"] = "1000"
    deeds.revise(memo, {"rollout": rollout})

    assert rolling.advance(memo).stage == 2


def test_what_is_observed_in_a_rollout_is_computed_again_to_the_same_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = rolling.a_watched_memo(monkeypatch)

    for row in memo.observations.all():
        assert row.assessment is not None
        assert row.assessment.inputs["plan"]["match"] == "traffic_split"
        assert assessments.recompute(row.assessment)


def test_a_share_is_stated_in_a_rollout_only_and_is_a_percentage() -> None:
    memo = cases.a_memo_rolling_out()
    with refused(BadInput, where="share_percent"):
        rolling.observe(memo, "C1", share_percent="500")
    deeds.put_into(memo, State.SHIPPED)
    with refused(BadInput, "share_out_of_place", "share_percent"):
        rolling.observe(memo, "C1", share_percent="5")


def test_an_advance_is_made_by_its_service_alone_and_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    row = rolling.advance(rolling.a_watched_memo(monkeypatch))

    with pytest.raises(OnlyByService):
        StageAdvance(stage=3).save()
    with pytest.raises(DatabaseError, match="written once"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE reviews_stageadvance SET stage = 3 WHERE id = %s", [row.pk])
