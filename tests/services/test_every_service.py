"""Every deed leaves its event, every refusal of the lifecycle reaches the services, and the chain holds."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Final

import pytest
from django.utils import timezone

from reviews.errors import NotPermitted, NotVisible, Refusal, WrongState
from reviews.models import Memo
from reviews.policies import lifecycle
from reviews.queries import people as readers
from reviews.services import (
    assessments,
    comments,
    decisions,
    delegations,
    events,
    evidence,
    memos,
    objections,
    observations,
    plans,
    production,
    rechecks,
    rollouts,
    signatures,
    waivers,
)  # fmt: skip
from reviews.services.decisions import DecisionWish
from reviews.services.delegations import DelegationWish
from reviews.services.production import ProductionReport, Reporter
from reviews.services.rechecks import RecheckWish
from reviews.vocabulary import Action, State
from tests import cases
from tests.services import deeds

pytestmark = pytest.mark.django_db
Deed = Callable[[Memo, str], object]
REPORT: Final = ProductionReport(
    kind="deployed", build="b", scope="", scope_percent="", text="", happened_at=timezone.now()
)
LENT: Final = DelegationWish(
    role="x", delegate="ben", starts_at=None, ends_at=timezone.now() + timedelta(days=9), reason="x"
)
RECHECK: Final = RecheckWish(comparison="C1", title="x", text="x", files=())


def _decide(kind: str) -> Deed:
    wish = DecisionWish(kind=kind, scope_percent="10" if kind == "bounded" else "", rationale="x")
    return lambda memo, name: decisions.decide(
        actor=cases.person(name), memo_id=memo.pk, base=cases.base_of(memo), wish=wish, authentication=cases.proof()
    )


def _set(memo: Memo) -> int:
    return memo.evidence_sets.get(state="open").pk


def _attachment(memo: Memo) -> int:
    """An attachment of the open set, made behind the back of the lifecycle."""
    row, sam = memo.evidence_sets.get(state="open"), cases.person("sam")
    known = row.attachments.first() or evidence.attached(sam, row, deeds.file_of(b"x"), deeds.RUN, None)
    return known.pk


def _by(call: Callable[..., object], **arguments: Any) -> Deed:
    return lambda memo, name: call(actor=cases.person(name), memo_id=memo.pk, **arguments)


DEEDS: Final[Mapping[str, tuple[Action, Deed]]] = {
    "revise": (Action.EDIT, lambda memo, name: deeds.revise(memo, {}, name=name)),
    "revise_text": (
        Action.EDIT,
        lambda memo, name: memos.revise_text(
            actor=cases.person(name), memo_id=memo.pk, base=cases.base_of(memo), text="x", said="x"
        ),
    ),
    "compute": (Action.EDIT, _by(assessments.compute, comparison="C1")),
    "explain": (
        Action.EDIT,
        _by(assessments.explain, comparison="C1", setting="s", text="t", greatest_effect="1.01"),
    ),
    "accept_explanation": (Action.EDIT, _by(assessments.accept_explanation, comparison="C1", setting="s")),
    "state_setting": (
        Action.EDIT,
        _by(assessments.state_setting, comparison="C1", setting="s", arm="baseline", value="1"),
    ),
    "leave_uncompared": (Action.EDIT, _by(assessments.leave_uncompared, comparison="C1", reason="x")),
    "register": (Action.EDIT, _by(plans.register, content=cases.plan_content(), nonce="", registered_at=None)),
    "account_for_run": (Action.ATTACH, _by(plans.account_for_run, plan="x", run="x", reason="x")),
    "open_set": (Action.OPEN_SET, _by(evidence.open_set, title="x", plan="")),
    "attach": (
        Action.ATTACH,
        lambda memo, name: evidence.attach(
            actor=cases.person(name), set_id=_set(memo), artifact="f" * 64, labels=deeds.RUN, token=None
        ),
    ),
    "detach": (
        Action.ATTACH,
        lambda memo, name: evidence.detach(actor=cases.person(name), attachment_id=_attachment(memo), reason="x"),
    ),
    "seal": (Action.SEAL, lambda memo, name: evidence.seal(actor=cases.person(name), set_id=_set(memo))),
    "comment": (Action.COMMENT, _by(comments.comment, anchor="action", text="x", answers=None)),
    "submit": (
        Action.SUBMIT,
        lambda memo, name: memos.submit(actor=cases.person(name), memo_id=memo.pk, base=cases.base_of(memo)),
    ),
    "return_to_author": (Action.RETURN, _by(memos.return_to_author, reason="x")),
    "withdraw": (Action.WITHDRAW, _by(memos.withdraw, reason="x")),
    "sign": (
        Action.SIGN,
        lambda memo, name: deeds.sign(memo, name, deeds.wish("inference_platform_owner")),
    ),
    "ship": (Action.SHIP, _decide("ship")),
    "roll_out": (Action.ROLL_OUT, _decide("bounded")),
    "roll_back": (Action.ROLL_BACK, _decide("rollback")),
    "escalate": (Action.ESCALATE, _decide("escalate")),
    "emergency_rollback": (
        Action.EMERGENCY_ROLLBACK,
        lambda memo, name: decisions.emergency_rollback(
            actor=cases.person(name),
            memo_id=memo.pk,
            reason="x",
            effective_at=timezone.now(),
            authentication=cases.proof(),
        ),
    ),
    "advance": (
        Action.ADVANCE_STAGE,
        lambda memo, name: rollouts.advance(
            actor=cases.person(name), memo_id=memo.pk, stage=2, note="", authentication=cases.proof()
        ),
    ),
    "delegate_on": (Action.DELEGATE, _by(delegations.delegate_on, wish=LENT)),
    "observe": (Action.OBSERVE, _by(observations.observe, text="x", assessment="", token=None)),
    "recheck": (Action.OBSERVE, _by(rechecks.recheck, wish=RECHECK, token=None)),
    "record_outcome": (Action.RECORD_OUTCOME, _by(observations.record_outcome, text="x")),
    "request_waiver": (
        Action.WAIVE,
        _by(
            waivers.request,
            wish=waivers.WaiverWish(
                requirement="x", owner="x", reason="x", control="x", expires_at=timezone.now() + timedelta(days=1)
            ),
        ),
    ),
}
STRANGER_ONLY: Final[Mapping[str, Deed]] = {
    "delegate_for_team": lambda memo, name: delegations.delegate_for_team(
        actor=cases.person(name), team=memo.team.slug, wish=LENT
    ),
    "report_production_event": lambda memo, name: production.report_for_memo(
        reporter=Reporter(cases.person(name)), memo_id=memo.pk, report=REPORT
    ),
}


@pytest.mark.parametrize("state", list(State))
def test_what_the_lifecycle_refuses_no_service_does(state: State) -> None:
    """For every deed, every person of the cast, in one state: the refusal is the table's, word for word."""
    memo = cases.a_memo_with_evidence()
    deeds.open_set(memo)
    deeds.put_into(memo, state)
    people = ("ann", "sam", "olga", "bea", "rob", "esk", "aud", "adi")
    seen = 0
    for name, (action, deed) in DEEDS.items():
        for person in people:
            expected = _refusal(cases.again(memo), person, action)
            if expected is None:
                continue
            with pytest.raises(Refusal) as caught:
                deed(memo, person)
            assert (type(caught.value), caught.value.message) == (type(expected), expected.message), (name, person)
            seen += 1
    assert seen > 100


def _refusal(memo: Memo, person: str, action: Action) -> Refusal | None:
    try:
        lifecycle.move(action, State(memo.state), readers.roles_on(cases.person(person), memo))
    except (WrongState, NotPermitted) as refusal:
        return refusal
    return None


def test_a_stranger_meets_nothing() -> None:
    memo = cases.a_memo_with_evidence()
    deeds.open_set(memo)
    for deed in (*(deed for _, deed in DEEDS.values()), *STRANGER_ONLY.values()):
        with pytest.raises(NotVisible):
            deed(memo, "eve")


def test_a_whole_case_leaves_its_events_in_one_chain_that_holds() -> None:
    memo = cases.a_memo_ready_to_roll_out()
    row = comments.comment(actor=cases.person("aud"), memo_id=memo.pk, anchor="action", text="Why?", answers=None)
    comments.resolve(actor=cases.person("ann"), comment_id=row.pk, note="")
    plans.account_for_run(
        actor=cases.person("sam"), memo_id=memo.pk, plan=f"plan-of-{memo.number}", run="b9", reason="It died."
    )
    cases.decide(memo)
    observations.observe(actor=cases.person("sam"), memo_id=memo.pk, text="Quiet.", assessment="", token=None)
    production.report_for_memo(reporter=Reporter(cases.person("sam")), memo_id=memo.pk, report=REPORT)
    decisions.emergency_rollback(
        actor=cases.person("rob"), memo_id=memo.pk, reason="x", effective_at=timezone.now(),
        authentication=cases.proof(),
    )  # fmt: skip

    actions = {event.action for event in events.chain_of(memo)}
    assert actions == {
        "file", "revise", "register_plan", "edit", "submit", "open_set", "attach", "seal", "assess", "waive",
        "waiver_approved", "sign", "comment", "resolve_comment", "account_for_run", "roll_out", "observe",
        "production_event", "emergency_rollback", "ratify",
    }  # fmt: skip
    assert events.verify(memo) == []
    assert events.verify(memo.team) == []


def test_an_objection_and_a_withdrawal_leave_their_events_too() -> None:
    memo = cases.a_memo_in_review()
    first = deeds.sign(memo, "pat", deeds.wish("capacity_planning_engineer"))
    objection = deeds.sign(
        memo,
        "olga",
        deeds.wish("inference_platform_owner", "object", kinds=(), scope_percent="", text="No.", would_clear_if="Yes."),
    )
    signatures.withdraw_signature(actor=cases.person("pat"), signature_id=first.pk, reason="x")
    objections.answer(actor=cases.person("ann"), signature_id=objection.pk, text="x")
    objections.resolve(actor=cases.person("olga"), signature_id=objection.pk, reason="x")
    memos.return_to_author(actor=cases.person("bea"), memo_id=memo.pk, reason="x")
    memos.withdraw(actor=cases.person("ann"), memo_id=memo.pk, reason="x")

    assert [event.action for event in events.chain_of(memo)][-5:] == [
        "withdraw_signature", "answer_objection", "resolve_objection", "return", "withdraw",
    ]  # fmt: skip
    assert events.verify(memo) == []
