"""Delegation: a holder lends a role for a time; the delegate signs with both names, and is bound as the holder is."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from reviews.errors import BadInput, NotPermitted, NotVisible
from reviews.models import Delegation, Memo
from reviews.policies import gate as rules
from reviews.queries import gate, people
from reviews.services import delegations, events, signatures
from reviews.services.delegations import DelegationWish
from reviews.vocabulary import DecisionKind
from tests import cases, cast
from tests.services import deeds
from tests.services.deeds import refused, sign, wish

pytestmark = pytest.mark.django_db
ROLE = "inference_platform_owner"
DAY = timedelta(days=1)


def lend(memo: Memo, holder: str = "olga", delegate: str = "eve", **special: Any) -> Delegation:
    """From now on for ten days, on this memo alone unless said otherwise."""
    team = special.pop("team", "")
    usual: dict[str, Any] = {
        "role": ROLE, "delegate": delegate, "starts_at": None, "ends_at": timezone.now() + 10 * DAY, "reason": "Leave.",
    }  # fmt: skip
    wanted = DelegationWish(**{**usual, **special})
    if team:
        return delegations.delegate_for_team(actor=cases.person(holder), team=team, wish=wanted)
    return delegations.delegate_on(actor=cases.person(holder), memo_id=memo.pk, wish=wanted)


def blockers(memo: Memo, days: int = 0) -> set[str]:
    facts = gate.gate_facts(
        memo.pk, decider=None, requested_percent=None, now=timezone.now() + timedelta(days=days, seconds=1)
    )
    return {line.code for line in rules.missing(rules.evaluate(facts, DecisionKind.BOUNDED))}


def sign_but_olga(memo: Memo) -> None:
    for name, role in (*cases.OWNERS.items(), cases.KEEPER):
        if name != "olga":
            cases.sign(memo, name, role)


def test_a_delegate_sees_the_memo_signs_with_both_names_and_counts() -> None:
    memo = cases.a_memo_with_waiver()
    with refused(NotVisible):
        sign(memo, "eve", wish(ROLE, acting_for="olga"))
    lend(memo)
    assert people.memos_visible_to(cases.person("eve")).get() == memo
    sign_but_olga(memo)

    signature = sign(memo, "eve", wish(ROLE, acting_for="olga"))

    assert (signature.signer_name, signature.acting_for_name) == ("Eve", "Olga")
    said = json.loads(bytes(signature.statement))
    assert (said["signer"], said["acting_for"]) == ("eve", "olga")
    assert not {code for code in blockers(memo) if "signed" in code or "quorum" in code or "independent" in code}
    assert [e.action for e in events.chain_of(memo) if "eve" in json.dumps(e.detail)] == ["delegate"]


def test_a_signature_outside_the_period_is_refused_and_one_inside_it_stands_after_it() -> None:
    """ServiceNow lets a delegate act outside the period."""
    memo = cases.a_memo_with_waiver()
    lend(memo, starts_at=timezone.now() + DAY, ends_at=timezone.now() + 3 * DAY)
    with refused(NotVisible):
        sign(memo, "eve", wish(ROLE, acting_for="olga"))
    cast.assign(memo.team, "eve", "auditor")
    with refused(NotPermitted):
        sign(memo, "eve", wish(ROLE, acting_for="olga"))

    lend(memo, delegate="aud", ends_at=timezone.now() + DAY / 2)
    sign_but_olga(memo)
    sign(memo, "aud", wish(ROLE, acting_for="olga"))
    assert f"required_owners_have_signed:{ROLE}" not in blockers(memo, days=20)


def test_a_signature_dated_outside_the_delegation_counts_for_nothing() -> None:
    """Also where a row says otherwise: the gate looks at the period itself."""
    memo = cases.a_memo_with_waiver()
    row = lend(memo)
    sign(memo, "eve", wish(ROLE, acting_for="olga"))
    assert gate.gate_facts(memo.pk, decider=None, requested_percent=None).signatures[0].delegation_in_force
    delegations.end(actor=cases.person("olga"), delegation_id=row.pk, reason="Back.")
    assert gate.gate_facts(memo.pk, decider=None, requested_percent=None).signatures[0].delegation_in_force
    with refused(NotPermitted):
        sign(memo, "eve", wish(ROLE, acting_for="olga"))


def test_a_delegation_for_the_team_reaches_every_memo_of_it_and_one_of_another_role_none() -> None:
    memo = cases.a_memo_with_waiver()
    lend(memo, team="serving")
    other = cases.a_memo_in_review("Another")

    assert {m.pk for m in people.memos_visible_to(cases.person("eve"))} == {memo.pk, other.pk}
    assert sign(other, "eve", wish(ROLE, acting_for="olga")).acting_for_name == "Olga"
    with refused(NotPermitted):
        sign(other, "eve", wish("sre_performance_owner", acting_for="quin"))
    with refused(NotVisible):
        sign(other, "eve", wish(ROLE, acting_for="nobody"))


def test_a_delegation_for_one_memo_reaches_no_other() -> None:
    memo = cases.a_memo_with_waiver()
    other = cases.a_memo_in_review("Another")
    lend(memo, delegate="aud")

    with refused(NotPermitted):
        sign(other, "aud", wish(ROLE, acting_for="olga"))


@pytest.mark.parametrize(
    ("code", "holder", "special"),
    [
        ("not_permitted", "pat", {}),
        ("role_not_delegable", "olga", {"role": "board"}),
        ("delegate_is_no_stranger", "olga", {"delegate": "sam"}),
        ("delegate_is_holder", "olga", {"delegate": "olga"}),
        ("bad_period", "olga", {"ends_at": timezone.now() + 200 * DAY}),
        ("start_in_the_past", "olga", {"starts_at": timezone.now() - DAY}),
        ("no_reason", "olga", {"reason": " "}),
        ("not_found", "olga", {"delegate": "nobody"}),
    ],
)
def test_what_no_delegation_can_be_is_refused(code: str, holder: str, special: dict[str, Any]) -> None:
    memo = cases.a_memo_with_evidence()
    with pytest.raises((BadInput, NotPermitted, NotVisible)) as caught:
        lend(memo, holder, **special)
    assert caught.value.code == code
    assert not Delegation.objects.exists()


def test_a_delegate_delegates_no_further_and_never_back() -> None:
    memo = cases.a_memo_with_evidence()
    lend(memo)
    with refused(NotPermitted, "delegate_of_a_delegate"):
        lend(memo, "eve", "aud")
    cast.assign(memo.team, "eve", ROLE)
    with refused(BadInput, "delegation_in_a_circle"):
        lend(memo, "eve", "olga")
    with refused(BadInput, "delegated_already"):
        lend(memo, delegate="aud")


def test_separation_of_duties_holds_for_the_delegate() -> None:
    memo = cases.a_memo_with_waiver()
    lend(memo, "olga", "pat")
    cases.sign(memo, "pat", cases.OWNERS["pat"])

    with refused(NotPermitted, "second_role"):
        sign(memo, "pat", wish(ROLE, acting_for="olga"))


def test_a_holder_takes_back_what_was_signed_in_their_place() -> None:
    memo = cases.a_memo_with_waiver()
    lend(memo)
    row = sign(memo, "eve", wish(ROLE, acting_for="olga"))

    signatures.withdraw_signature(actor=cases.person("olga"), signature_id=row.pk, reason="I disagree.")
    assert gate.gate_facts(memo.pk, decider=None, requested_percent=None).signatures[0].withdrawn


def test_the_rollout_owner_may_let_a_delegate_accept_it() -> None:
    memo = cases.a_memo_with_waiver()
    for name, role in cases.OWNERS.items():
        cases.sign(memo, name, role)
    assert "the_rollout_is_bounded" in blockers(memo)
    lend(memo, "rob", "aud", role="rollback_owner")
    sign(memo, "aud", wish("rollback_owner", acting_for="rob"))
    assert blockers(memo) == set()


@pytest.mark.parametrize("who", ["olga", "eve", "adi"])
def test_a_delegation_is_ended_by_either_side_or_an_administrator_once(who: str) -> None:
    memo = cases.a_memo_with_evidence()
    row = lend(memo)

    def end(name: str, reason: str = "Back.") -> Any:
        return delegations.end(actor=cases.person(name), delegation_id=row.pk, reason=reason)

    with refused(NotPermitted):
        end("pat")
    with refused(BadInput, "no_reason"):
        end(who, " ")
    assert end(who).ended_by == cases.person(who)
    with refused(BadInput, "delegation_ended"):
        end("olga")
    with refused(NotVisible):
        delegations.end(actor=cast.a_person("mal"), delegation_id=row.pk, reason="x")
    assert events.verify(memo) == []


def test_a_team_that_one_is_not_of_is_not_there() -> None:
    memo = cases.a_memo_with_evidence()
    with refused(NotVisible, where="team"):
        lend(memo, "eve", "aud", team="serving")
    assert deeds.content(memo)
