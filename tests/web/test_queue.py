"""What waits for whom, and why."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviews.models import Memo
from reviews.queries.queue import queue_of
from reviews.queries.queue_items import QueueItem
from reviews.services import (
    assessments,
    decisions,
    evidence,
    memos,
    objections,
    previews,
    production,
    signatures,
    waivers,
)
from reviews.services.assessments import explain
from reviews.services.decisions import DecisionWish
from reviews.services.production import ProductionReport, Reporter
from reviews.vocabulary import State
from tests import cases
from tests.services import deeds
from tests.web.asking import page

pytestmark = pytest.mark.django_db


def waits_for(name: str, in_days: int = 0) -> dict[str, list[QueueItem]]:
    """Kind -> what waits for that person in so many days."""
    groups = queue_of(cases.person(name), timezone.now() + timedelta(days=in_days))
    return {group.title: list(group.items) for group in groups}


def said_to(name: str, kind: str, in_days: int = 0) -> list[str]:
    return [item.sentence for item in waits_for(name, in_days).get(kind, [])]


def edit(number_of: object, old: str, new: str) -> None:
    """Ann replaces words of the memo's text."""
    memo = cases.again(number_of)  # type: ignore[arg-type]
    text = previews.text_of(memo)
    assert old in text
    memos.revise_text(
        actor=cases.person("ann"),
        memo_id=memo.pk,
        base=cases.base_of(memo),
        text=text.replace(old, new),
        said="Other words.",
    )


def test_a_signature_is_wanted_from_the_holder_of_a_required_role() -> None:
    cases.a_memo_in_review()

    assert said_to("olga", "Your signature is wanted") == ["Sign as inference platform owner, or object."]
    assert said_to("rob", "Your signature is wanted") == ["Sign as rollback owner, or object."]
    assert "Your signature is wanted" not in waits_for("bea")


def test_no_signature_is_wanted_on_a_draft_nor_after_signing() -> None:
    cases.a_planned_draft()
    memo = cases.a_memo_with_waiver()
    cases.sign(memo, "olga", cases.OWNERS["olga"])

    assert "Your signature is wanted" not in waits_for("olga")


def test_the_rollout_is_accepted_by_the_owner_that_it_names_and_nobody_else() -> None:
    memo = cases.a_memo_in_review()
    edit(memo, "   - Owner: rob", "   - Owner: esk")

    assert "Your signature is wanted" not in waits_for("rob")


def test_a_withdrawn_signature_is_wanted_again() -> None:
    memo = cases.a_memo_with_waiver()
    signature = cases.sign(memo, "olga", cases.OWNERS["olga"])
    signatures.withdraw_signature(actor=cases.person("olga"), signature_id=signature.pk, reason="Too early.")

    assert said_to("olga", "Your signature is wanted")


def test_a_stale_signature_says_which_signed_sections_changed() -> None:
    memo = cases.a_memo_with_waiver()
    cases.sign(memo, "olga", cases.OWNERS["olga"])
    edit(memo, "one setting of one service", "one setting of one service, nothing else")

    assert said_to("olga", "Signed, and changed since") == [
        "You signed as inference platform owner; sections that you signed changed: action."
    ]


def test_a_change_elsewhere_leaves_a_signature_as_it_is() -> None:
    memo = cases.a_memo_with_waiver()
    cases.sign(memo, "tess", cases.OWNERS["tess"])
    edit(memo, "soak: 72 h", "soak: 96 h")

    assert "Signed, and changed since" not in waits_for("tess")


def test_an_objection_waits_for_the_author_and_the_board_until_it_is_resolved() -> None:
    memo = cases.a_memo_with_waiver()
    objection = cases.sign(memo, "quin", cases.OWNERS["quin"], "object", text="One host only.")

    for name in ("ann", "bea", "esk"):
        [said] = said_to(name, "Objections to answer")
        assert said == (
            "quin objects: One host only. It would clear if: The runs are repeated. "
            f"The escalation owner may end it from {timezone.now() + timedelta(days=7):%Y-%m-%d} on."
        )
    assert "Objections to answer" not in waits_for("olga")
    objections.resolve(actor=cases.person("quin"), signature_id=objection.pk, reason="Bounded to one host.")
    assert "Objections to answer" not in waits_for("ann")


def test_the_board_is_told_when_every_required_owner_has_signed() -> None:
    cases.a_memo_ready_to_roll_out()

    assert said_to("bea", "Ready to decide") == ["Every required owner has signed for bounded rollout and rollback."]
    assert "Ready to decide" not in waits_for("ann")


def test_one_signature_that_does_not_count_keeps_the_board_out() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    edit(memo, "one setting of one service", "one setting of one service, nothing else")

    assert "Ready to decide" not in waits_for("bea")


def test_what_rolls_out_waits_for_no_second_decision() -> None:
    cases.a_memo_rolling_out()

    assert "Ready to decide" not in waits_for("bea")


def test_a_waiver_waits_for_the_board_until_it_is_answered() -> None:
    waiver = cases.ask_for_waiver(cases.a_memo_with_evidence())
    asked = "Ann asks to waive “the symptom is complete: energy_per_request.mean”: The machine shows no power counter."

    assert said_to("ben", "Waivers to answer") == [asked]
    assert "Waivers to answer" not in waits_for("ann")
    waivers.decline(actor=cases.person("ben"), waiver_id=waiver.pk, reason="Measure it.")
    assert "Waivers to answer" not in waits_for("ben")


@pytest.mark.parametrize(
    ("in_days", "said", "tone"),
    [(45, None, ""), (50, "runs out in 9 days", "info"), (58, "runs out in 1 day", "warn"), (61, "has run out", "bad")],
)
def test_a_waiver_that_runs_out_is_said_beforehand(in_days: int, said: str | None, tone: str) -> None:
    cases.a_memo_with_waiver()

    for name in ("tess", "ann", "bea"):
        found = [i for i in waits_for(name, in_days).get("Overdue and running out", []) if "waiver" in i.sentence]
        assert [item.tone for item in found] == ([tone] if said else [])
        assert all(str(said) in item.sentence for item in found)
    assert "Overdue and running out" not in waits_for("pat", in_days)


def test_missing_evidence_waits_for_the_role_that_owns_it() -> None:
    cases.a_memo_in_review()

    assert said_to("tess", "Evidence") == [
        "Evidence is missing that you own: energy per inference: the machine shows no power counter"
    ]
    assert "Evidence" not in waits_for("olga")


def test_contributors_are_told_what_no_runs_are_attached_for() -> None:
    memo = cases.a_memo_in_review()
    assert said_to("sam", "Evidence") == ["C1 and C2: no runs are sealed yet."]

    row = cases.an_open_set(memo)
    assert "Evidence set 1, “Three blocks”, is open with 8 file(s): complete it and seal it." in said_to(
        "sam", "Evidence"
    )

    evidence.seal(actor=cases.person("sam"), set_id=row.pk)
    assert said_to("sam", "Evidence") == ["C1 and C2: the evidence is sealed and not computed."]

    for key in ("C1", "C2"):
        assessments.compute(actor=cases.person("sam"), memo_id=memo.pk, comparison=key)
    assert "Evidence" not in waits_for("sam")


def test_an_explanation_waits_for_somebody_who_neither_gave_it_nor_wrote_the_memo() -> None:
    memo = cases.a_memo_with_evidence()
    explain(
        actor=cases.person("ann"),
        memo_id=memo.pk,
        comparison="C1",
        setting="seed",
        text="Another seed, same prompts.",
        greatest_effect="1.01",
    )

    assert "ann explains the difference in seed of C1: Another seed, same prompts." in said_to("sam", "Evidence")
    assert "Evidence" not in waits_for("ann")


def test_a_draft_says_to_its_author_what_it_lacks() -> None:
    memo = cases.a_draft()
    assert said_to("ann", "Your drafts") == ["Your draft lacks nothing: submit it."]

    edit(memo, "chat, 1024 fixed prompts in turn", "<name>")
    [said] = said_to("ann", "Your drafts")
    assert "The symptom names no workload or traffic slice." in said
    assert "Your drafts" not in waits_for("sam")


def test_a_rollout_that_has_ended_is_said_to_be_live_without_authority() -> None:
    cases.a_memo_rolling_out()

    for name in ("rob", "ann", "bea"):
        (said,) = [s for s in said_to(name, "In production", 70) if "The rollout" in s]
        assert "is still live without authority" in said
        assert not [s for s in said_to(name, "Overdue and running out", 70) if "The rollout" in s]


@pytest.mark.parametrize(("in_days", "waits"), [(40, False), (50, True)])
def test_a_rollout_that_ends_soon_waits_for_its_owner_author_and_board(in_days: int, waits: bool) -> None:
    cases.a_memo_rolling_out()

    for name in ("rob", "ann", "bea"):
        found = [s for s in said_to(name, "Overdue and running out", in_days) if "The rollout" in s]
        assert bool(found) is waits
    assert "Overdue and running out" not in waits_for("olga", in_days)


def test_a_rollout_that_lost_its_end_is_said() -> None:
    memo = cases.a_memo_rolling_out()
    ends = memo.current_revision.sections["rollout"]["ends_at"]  # type: ignore[union-attr]
    edit(memo, f"   - Ends: {ends}\n", "")

    assert any("which is not an ISO date" in said for said in said_to("rob", "Overdue and running out"))


def an_escalated_memo(by: str) -> Memo:
    memo = cases.a_memo_with_waiver()
    section = deeds.sections_of(memo)["signoff"]
    section["escalation"] = {"to": "capacity planning engineer", "by": by, "question": "Is energy worth it?"}
    deeds.revise(memo, {"signoff": section})
    wish = DecisionWish(kind="escalate", scope_percent="", rationale="The board cannot weigh energy.")
    decisions.decide(
        actor=cases.person("bea"), memo_id=memo.pk, base=cases.base_of(memo), wish=wish, authentication=cases.proof()
    )
    return cases.again(memo)


def test_an_escalated_question_waits_for_whom_it_names_for_escalation_owners_and_for_the_board() -> None:
    an_escalated_memo((timezone.now() + timedelta(days=10)).date().isoformat())
    kind = "Escalated to you, or by your board"

    for name in ("pat", "esk", "bea"):
        [said] = said_to(name, kind)
        assert said.startswith("Is energy worth it? Asked of capacity planning engineer; the time to answer runs out")
    assert kind not in waits_for("olga")
    assert [item.tone for item in waits_for("esk", 12)[kind]] == ["bad"]


def test_an_escalated_question_that_lost_its_date_is_said() -> None:
    memo = an_escalated_memo((timezone.now() + timedelta(days=10)).date().isoformat())
    section = deeds.sections_of(memo)["signoff"]
    section["escalation"]["by"] = ""
    deeds.revise(memo, {"signoff": section})

    [said] = said_to("esk", "Escalated to you, or by your board")
    assert "which is not an ISO date" in said


def test_follow_ups_wait_for_their_owner() -> None:
    memo = cases.a_memo_in_review()
    decisions.emergency_rollback(
        actor=cases.person("rob"),
        memo_id=memo.pk,
        reason="Errors rose.",
        effective_at=timezone.now(),
        authentication=cases.proof(),
    )

    assert any("Due on" in said for said in said_to("ann", "Overdue and running out"))
    assert any("Was due on" in said for said in said_to("ann", "Overdue and running out", in_days=8))
    assert "Overdue and running out" not in waits_for("bea")


def test_a_role_of_another_team_brings_nothing() -> None:
    cases.a_memo_in_review()

    assert waits_for("eve") == {}
    assert "Nothing waits for you" in page("eve", "/")


def test_each_row_leads_to_the_act() -> None:
    memo = cases.a_memo_with_waiver()
    cases.sign(memo, "quin", cases.OWNERS["quin"], "object", text="One host only.")

    assert f'href="/memos/{memo.number}/sign/"' in page("olga", "/")
    assert f'href="/memos/{memo.number}/sign/"' in page("bea", "/")
    assert f'href="/memos/{memo.number}/evidence/"' in page("tess", "/")


@pytest.mark.parametrize(
    ("left", "tone"),
    [
        (timedelta(days=14, microseconds=1), ""),
        (timedelta(days=14), "info"),
        (timedelta(days=3, microseconds=1), "info"),
        (timedelta(days=3), "warn"),
        (timedelta(microseconds=1), "warn"),
        (timedelta(0), "bad"),
    ],
)
def test_a_waiver_runs_out_in_the_queue_from_exactly_fourteen_days_before_its_end(left: timedelta, tone: str) -> None:
    ends = cases.a_memo_with_waiver().waivers.get().expires_at

    groups = {group.title: group.items for group in queue_of(cases.person("tess"), ends - left)}
    found = [one for one in groups.get("Overdue and running out", ()) if "waiver" in one.sentence]

    assert [one.tone for one in found] == ([tone] if tone else [])


def test_a_rollback_of_a_shipped_memo_that_production_reported_waits_until_it_is_ratified() -> None:
    memo = cases.a_memo_rolling_out()
    deeds.put_into(memo, State.SHIPPED)
    assert said_to("bea", "In production") == []
    report = ProductionReport(
        kind="rolled_back", build="vllm 0.7", scope="", scope_percent="", text="p99.", happened_at=timezone.now()
    )

    production.report_for_memo(reporter=Reporter(cases.person("sam")), memo_id=memo.pk, report=report)

    for name in ("bea", "rob"):
        assert said_to(name, "In production") == [
            "Sam reported that vllm 0.7 was rolled back, and the memo is shipped: ratify it by a decision."
        ]
    for name in ("ann", "olga"):
        assert said_to(name, "In production") == []
    decisions.emergency_rollback(
        actor=cases.person("rob"), memo_id=memo.pk, reason="p99.", effective_at=timezone.now(),
        authentication=cases.proof(),
    )  # fmt: skip
    assert said_to("bea", "In production") == []
