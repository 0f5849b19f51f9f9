"""On pages: an objection answered, heard and overridden, a condition cleared, a role delegated and signed for."""

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from reviews.models import Delegation, Memo, Signature
from reviews.queries.queue import queue_of
from reviews.services import objections
from tests import cases, cast
from tests.web.asking import as_, follow, page

pytestmark = pytest.mark.django_db
OWNER = "inference_platform_owner"
STAMP = "%Y-%m-%dT%H:%M"


def path(memo: Memo) -> str:
    return reverse("sign", args=[memo.number])


def act(name: str, memo: Memo, pk: int, who: str, **said: Any) -> int:
    return as_(who).post(reverse(name, args=[memo.number, pk]), said).status_code


def queue_says(name: str, kind: str) -> list[str]:
    return [i.sentence for g in queue_of(cases.person(name)) if g.title == kind for i in g.items]


def an_old_objection(memo: Memo, monkeypatch: pytest.MonkeyPatch, days: int) -> Signature:
    then = timezone.now() - timedelta(days=days)
    with monkeypatch.context() as patch:
        patch.setattr(timezone, "now", lambda: then)
        return cases.sign(memo, "quin", cases.OWNERS["quin"], "object", text="One host only.")


def test_an_objection_is_answered_and_says_when_its_clock_runs_out() -> None:
    memo = cases.a_memo_with_evidence()
    row = cases.sign(memo, "quin", cases.OWNERS["quin"], "object", text="One host only.")
    assert "Answer the objection" in page("ann", path(memo))
    assert "Answer the objection" not in page("aud", path(memo))

    assert act("objection-answer", memo, row.pk, "ann", text="It is bounded.") == 302
    assert act("objection-answer", memo, row.pk, "ann", text="") == 422
    assert act("objection-answer", memo, row.pk, "aud", text="x") == 403

    said = page("quin", path(memo))
    assert "Answer of Ann" in said
    assert "the escalation owner may end it from" in said
    assert act("objection-resolve", memo, row.pk, "esk", reason="x") == 409


def test_the_board_hears_and_overrides_and_the_memo_keeps_the_dissent(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = cases.a_memo_with_evidence()
    row = an_old_objection(memo, monkeypatch, 5)
    first, second = (f"{timezone.now() - timedelta(days=d):{STAMP}}" for d in (3, 1))
    assert "Record the first meeting" in page("bea", path(memo))
    assert "Override the objection" not in page("bea", path(memo))

    assert act("objection-hear", memo, row.pk, "bea", held_at=first, reason="Heard.") == 302
    assert "Override the objection" not in page("bea", path(memo))
    assert "Override the objection" in page("ben", path(memo))
    assert act("objection-override", memo, row.pk, "bea", held_at=second, reason="Enough.") == 403
    assert act("objection-override", memo, row.pk, "ben", held_at=second, reason="Enough.") == 302

    assert "at the second meeting of the board" in page("aud", path(memo))
    assert "Overridden at the second meeting of the board" in page("aud", reverse("memo", args=[memo.number]))
    assert "overridden by ben" in page("bea", reverse("decide", args=[memo.number]))


def test_after_the_silence_the_escalation_owner_finds_the_form(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = cases.a_memo_with_evidence()
    row = an_old_objection(memo, monkeypatch, 8)

    assert "Resolve the objection" in page("esk", path(memo))
    assert "may end it now" in queue_says("esk", "Objections to answer")[0]
    assert act("objection-resolve", memo, row.pk, "esk", reason="Nobody answered.") == 302
    with pytest.raises(Exception, match="resolved already"):
        objections.answer(actor=cases.person("ann"), signature_id=row.pk, text="x")


def test_a_condition_waits_in_queues_and_is_cleared_with_its_proof() -> None:
    memo = cases.a_memo_with_evidence()
    row = cases.sign(memo, "olga", OWNER, "approve_with_conditions").conditions.get()
    told = "olga approves on the condition: Watch the queue. Owner: sam."
    for name in ("sam", "olga", "bea"):
        assert queue_says(name, "Conditions to meet") == [told]
    assert "Clear the condition" not in page("sam", path(memo))

    assert act("condition-clear", memo, row.pk, "sam", proof="x") == 403
    assert act("condition-clear", memo, row.pk, "olga", proof="") == 422
    assert act("condition-clear", memo, row.pk + 9, "olga", proof="x") == 404
    assert act("condition-clear", memo, row.pk, "olga", proof="The dashboard of week 49.") == 302
    assert "The dashboard of week 49." in page("aud", path(memo))
    assert queue_says("sam", "Conditions to meet") == []


def form(**said: Any) -> dict[str, Any]:
    end = timezone.now() + timedelta(days=9)
    return {"role": OWNER, "delegate": "eve", "scope": "memo", "ends_at": f"{end:%Y-%m-%d}", "reason": "Leave."} | said


def test_a_role_is_delegated_on_the_page_and_signed_for_with_both_names() -> None:
    memo = cases.a_memo_with_evidence()
    where = reverse("delegations", args=[memo.number])
    assert "Delegate a role" not in page("aud", where)
    assert follow(as_("olga").post(where, form())) == where
    assert "<strong>Eve</strong> for <strong>Olga</strong>" in page("eve", where)
    assert queue_says("eve", "Your signature is wanted")[0].startswith("Sign as inference platform owner for Olga")

    said = page("eve", path(memo))
    assert "in the place of <strong>olga</strong>" in said
    sent = {
        "base": cases.base_of(memo), "role": OWNER, "acting_for": "olga", "position": "approve", "kinds": ["rollback"],
        "scope_percent": "", "text": "", "would_clear_if": "", "conditions": "", "password": cast.PASSWORD,
    }  # fmt: skip
    assert follow(as_("eve").post(path(memo), sent)) == f"{path(memo)}#signatures"
    assert "<strong>Eve</strong> for <strong>Olga</strong>" in page("aud", path(memo))
    assert queue_says("eve", "Your signature is wanted") == []


@pytest.mark.parametrize(
    ("special", "said"),
    [
        ({"delegate": "sam"}, "as independent as the holder has to be"),
        ({"delegate": "nobody"}, "no active account nobody"),
        ({"ends_at": "2099-01-01"}, "within 90 days"),
        ({"scope": "team", "delegate": "olga"}, "to somebody else"),
    ],
)
def test_what_no_delegation_can_be_is_said_at_the_form(special: dict[str, str], said: str) -> None:
    memo = cases.a_memo_with_evidence()

    got = as_("olga").post(reverse("delegations", args=[memo.number]), form(**special))

    assert got.status_code == 422
    assert said in got.content.decode()
    assert not Delegation.objects.exists()


def test_a_delegation_for_the_team_begins_later_and_is_ended_on_the_page() -> None:
    memo = cases.a_memo_with_evidence()
    where = reverse("delegations", args=[memo.number])
    begins = f"{timezone.now() + timedelta(days=2):%Y-%m-%d}"
    as_("olga").post(where, form(scope="team", starts_at=begins))
    row = Delegation.objects.get()
    assert "on all memos of the team: begins later" in page("olga", where)
    assert "End the delegation" not in page("pat", where)

    assert act("delegation-end", memo, row.pk, "olga", reason="Not needed.") == 302
    assert "was ended" in page("olga", where)


def test_the_preview_of_a_revision_says_whose_signature_and_why() -> None:
    memo = cases.a_memo_with_evidence()
    cases.sign(memo, "olga", OWNER)
    edit = reverse("memo-edit", args=[memo.number])
    text = as_("ann").get(reverse("memo-text", args=[memo.number])).content.decode()
    changed = text.replace("one setting of one service", "one setting of one service, nothing else")
    assert changed != text

    said = as_("ann").post(edit, {"base": cases.base_of(memo), "text": changed, "said": "x", "act": "preview"})
    assert "olga, as inference platform owner" in said.content.decode()
    assert "action, rollback boundary" in said.content.decode() or "action, " in said.content.decode()
