"""Any order of signing, objecting, revising, lending, waiving, recalling and waiting: no decision stands on a gap.

A machine does what it likes to a memo that is ready to roll out, with a clock of its own, and keeps its own account of
what each signature covers. What a decision needs is checked here against the rows, not by asking the gate.
COUNTERSIGN_MACHINE_EXAMPLES makes it try longer.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any, ClassVar, Final

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from reviews.errors import Refusal
from reviews.models import (
    Assignment,
    Condition,
    Decision,
    Delegation,
    Memo,
    Recall,
    Revision,
    Signature,
    Waiver,
)
from reviews.policies import gate as rules
from reviews.policies.staleness import stale_sections
from reviews.queries import gate
from reviews.services import conditions, decisions, delegations, events, objections, recalls, signatures, teams, waivers
from reviews.services.decisions import DecisionWish
from reviews.services.delegations import DelegationWish
from reviews.services.signatures import SignatureWish
from reviews.vocabulary import DecisionKind
from tests import cases
from tests.services import deeds

EXAMPLES: Final = int(os.environ.get("COUNTERSIGN_MACHINE_EXAMPLES", "30"))
STEPS: Final = 7
PEOPLE: Final = (*cases.OWNERS, "rob", "bea", "ben", "esk", "ann", "sam", "aud", "eve")
ROLES: Final = (*cases.OWNERS.values(), "rollback_owner")
POSITIONS: Final = ("approve", "approve", "approve", "approve_with_conditions", "object", "abstain", "recuse")
KINDS: Final = (("bounded",), ("bounded", "rollback"), ("rollback",))
REVISED: Final = {"symptom": "workload_slice", "action": "smallest_reversible_change", "signoff": "required_artifact"}
somebody = st.sampled_from(PEOPLE)
role = st.sampled_from(ROLES)
place = st.integers(0, 20)


class Signoff(RuleBasedStateMachine):
    """One memo of the team, ready to roll out at the beginning of each run."""

    memo: ClassVar[Memo]
    real_now: ClassVar[Callable[[], datetime]]
    seen: ClassVar[Counter[str]]

    def __init__(self) -> None:
        super().__init__()
        self.later = timedelta(0)
        self.changes = 0
        self.versions = dict.fromkeys(REVISED, 0)
        self.signed: dict[int, dict[str, int]] = {}
        timezone.now = self.now
        self.savepoint = transaction.savepoint()

    def now(self) -> datetime:
        """The machine's clock."""
        return type(self).real_now() + self.later

    def teardown(self) -> None:
        """At the end the board tries as it stands, and again once everybody has signed."""
        self.decide_as("bea", "bounded")
        self.sign_all()
        self.decide_as("ben", "bounded")
        assert events.verify(self.memo) == []
        transaction.savepoint_rollback(self.savepoint)
        timezone.now = type(self).real_now

    def tried(self, name: str, deed: Callable[[], Any]) -> Any:
        """What the deed made; None when it was refused."""
        with suppress(Refusal), transaction.atomic():
            made = deed()
            type(self).seen[name] += 1
            return made
        return None

    def one(self, rows: Any, number: int) -> Any:
        """Some row; None when there is none."""
        found = list(rows.order_by("pk"))
        return found[number % len(found)] if found else None

    @initialize()
    def begin(self) -> None:
        for row in self.memo.signatures.all():
            self.signed[row.pk] = dict(self.versions)

    @rule(
        name=somebody, role=role, position=st.sampled_from(POSITIONS), kinds=st.sampled_from(KINDS), lent=st.booleans()
    )
    def sign(self, name: str, role: str, position: str, kinds: tuple[str, ...], lent: bool) -> None:
        approves = position.startswith("approve")
        holder = next((n for n, r in (*cases.OWNERS.items(), cases.KEEPER) if r == role), "")
        wish = SignatureWish(
            role=role, position=position, kinds=kinds if approves else (), text="x" if position == "object" else "",
            scope_percent="10" if approves and "bounded" in kinds else "",
            would_clear_if="x" if position == "object" else "",
            conditions=(cases.WATCHED,) if position == "approve_with_conditions" else (),
            acting_for=holder if lent else "",
        )  # fmt: skip
        made = self.tried(f"sign {position}{' for another' if lent else ''}", lambda: deeds.sign(self.memo, name, wish))
        if made is not None:
            self.signed[made.pk] = dict(self.versions)

    @rule()
    def everybody_signs(self) -> None:
        self.sign_all()

    def sign_all(self) -> None:
        """Each holder in their own name, as far as they may."""
        for name, held in (*cases.OWNERS.items(), cases.KEEPER):
            made = self.tried("everybody signs", partial(cases.sign, self.memo, name, held))
            if made is not None:
                self.signed[made.pk] = dict(self.versions)

    @rule(number=place, name=somebody)
    def withdraw(self, number: int, name: str) -> None:
        row = self.one(Signature.objects.filter(memo=self.memo), number)
        self.tried(
            "withdraw",
            lambda: signatures.withdraw_signature(actor=cases.person(name), signature_id=row.pk, reason="x"),
        )

    @rule(section=st.sampled_from(sorted(REVISED)))
    def revise(self, section: str) -> None:
        self.changes += 1
        content = deeds.sections_of(self.memo)[section] | {REVISED[section]: f"text {self.changes}"}
        if self.tried("revise", lambda: deeds.revise(self.memo, {section: content})):
            self.versions[section] = self.changes

    @rule(number=place, name=somebody, what=st.sampled_from(("answer", "hear", "resolve", "override")))
    def settle(self, number: int, name: str, what: str) -> None:
        row = self.one(Signature.objects.filter(memo=self.memo, position="object"), number)
        if row is None:
            return
        who, at = cases.person(name), timezone.now()
        acts: dict[str, Callable[[], Any]] = {
            "answer": lambda: objections.answer(actor=who, signature_id=row.pk, text="x"),
            "hear": lambda: objections.hear(actor=who, signature_id=row.pk, held_at=at, note="x"),
            "resolve": lambda: objections.resolve(actor=who, signature_id=row.pk, reason="x"),
            "override": lambda: objections.resolve(actor=who, signature_id=row.pk, reason="x", held_at=at),
        }
        self.tried(what, acts[what])

    @rule(number=place, name=somebody)
    def clear(self, number: int, name: str) -> None:
        row = self.one(Condition.objects.filter(signature__memo=self.memo), number)
        if row is not None:
            self.tried("clear", lambda: conditions.clear(actor=cases.person(name), condition_id=row.pk, proof="x"))

    @rule(role=role, delegate=somebody, days=st.integers(1, 30), begins=st.integers(0, 3))
    def lend(self, role: str, delegate: str, days: int, begins: int) -> None:
        holder = next(n for n, r in (*cases.OWNERS.items(), cases.KEEPER) if r == role)
        start = timezone.now() + timedelta(days=begins)
        wish = DelegationWish(
            role=role, delegate=delegate, starts_at=start, ends_at=start + timedelta(days=days), reason="x"
        )
        self.tried("lend", lambda: delegations.delegate_on(actor=cases.person(holder), memo_id=self.memo.pk, wish=wish))

    @rule(number=place)
    def end_lending(self, number: int) -> None:
        row = self.one(Delegation.objects.filter(memo=self.memo), number)
        if row is not None:
            self.tried("end lending", lambda: delegations.end(actor=row.holder, delegation_id=row.pk, reason="x"))

    @rule(role=role)
    def role_ends(self, role: str) -> None:
        row = Assignment.objects.filter(team=self.memo.team, role=role, end=None).first()
        if row is not None and self.changes % 3 == 0:
            self.tried(
                "role ends",
                lambda: teams.end_assignment(actor=cases.person("adi"), assignment_id=row.pk, reason="x"),
            )

    @rule(asker=st.sampled_from(("ann", "bea")), answerer=st.sampled_from(("bea", "ben")))
    def waive(self, asker: str, answerer: str) -> None:
        wish = waivers.WaiverWish(
            requirement=cases.ENERGY, owner="tess", reason="x", control="x",
            expires_at=timezone.now() + timedelta(days=20),
        )  # fmt: skip
        asked = self.tried(
            "ask to waive", lambda: waivers.request(actor=cases.person(asker), memo_id=self.memo.pk, wish=wish)
        )
        if asked is not None:
            self.tried(
                "waive",
                lambda: waivers.approve(
                    actor=cases.person(answerer), waiver_id=asked.pk, note="", authentication=cases.proof()
                ),
            )

    @rule(days=st.sampled_from((1, 1, 2, 8, 15)))
    def wait(self, days: int) -> None:
        self.later += timedelta(days=days)

    @rule(odds=st.integers(0, 9))
    def recall(self, odds: int) -> None:
        part = deeds.content(self.memo).evidence.sets[0].attachments[0]
        name = ("sam", "ann", "bea", "olga", "eve")[odds % 5]
        if odds < 2 or name in ("olga", "eve"):
            self.tried("recall", partial(recalls.recall, actor=cases.person(name), sha256=part.artifact, reason="x"))

    @rule(
        name=st.sampled_from(("bea", "ben", "ann", "olga")),
        kind=st.sampled_from(("bounded", "bounded", "rollback", "ship")),
    )
    def decide(self, name: str, kind: str) -> None:
        self.decide_as(name, kind)

    def decide_as(self, name: str, kind: str) -> None:
        """A decision that is recorded lacks nothing."""
        wish = DecisionWish(kind=kind, scope_percent="10" if kind == "bounded" else "", rationale="x")
        made = self.tried(
            f"decide {kind}",
            lambda: decisions.decide(
                actor=cases.person(name), memo_id=self.memo.pk, base=cases.base_of(self.memo), wish=wish,
                authentication=cases.proof(),
            ),
        )  # fmt: skip
        if made is not None:
            gaps = list(_gaps(made))
            assert gaps == [], gaps

    @invariant()
    def an_open_gate_lacks_nothing(self) -> None:
        memo = cases.again(self.memo)
        assert memo.current_revision is not None
        for kind in (DecisionKind.BOUNDED, DecisionKind.ROLLBACK):
            facts = gate.gate_facts(memo.pk, decider=None, requested_percent=None)
            if rules.is_open(rules.evaluate(facts, kind)):
                type(self).seen[f"open {kind.value}"] += 1
                assert list(_lacks(memo, kind.value, facts.now, memo.current_revision)) == []

    @invariant()
    def signatures_are_stale_exactly_when_what_they_cover_changed(self) -> None:
        facts = gate.gate_facts(self.memo.pk, decider=None, requested_percent=None)
        rows = Signature.objects.filter(memo=self.memo).order_by("pk")
        for row, said in zip(rows, facts.signatures, strict=True):
            then = self.signed[row.pk]
            moved = {name for name, version in self.versions.items() if then[name] != version}
            assert set(stale_sections(said.covered, facts.section_digests)) == moved & set(row.section_digests)


def _gaps(decision: Decision) -> Iterator[str]:
    """What the decision lacks, looked up in the rows at the moment that it bears."""
    wrote = _wrote(decision.memo)
    yield from _lacks(decision.memo, decision.kind, decision.recorded_at, decision.revision)
    seats = {a.person.username for a in _held(decision.memo, decision.recorded_at) if a.role == "board"}
    if decision.decider.username in wrote or decision.decider.username not in seats:
        yield "the decider is not independent"


def _wrote(memo: Memo) -> set[str]:
    return {"ann", "sam", *Revision.objects.filter(memo=memo).values_list("contributor__username", flat=True)}


def _held(memo: Memo, at: datetime) -> list[Assignment]:
    rows = Assignment.objects.filter(team=memo.team).select_related("person", "end")
    return [row for row in rows if not hasattr(row, "end") or row.end.at > at]


def _lacks(memo: Memo, kind: str, at: datetime, revision: Revision) -> Iterator[str]:
    """What a decision of that kind would lack at that moment, whoever decides."""
    digests, wrote = revision.section_digests, _wrote(memo)
    held = {(row.role, row.person.username) for row in _held(memo, at)}
    standing = [s for s in _last_words(memo) if _counts(s, kind, digests, held)]
    for role in cases.OWNERS.values():
        if not any(s.role == role for s in standing):
            yield f"nobody signed as {role}"
    if len({s.signer.username for s in standing if s.role != "rollback_owner"} - wrote) < 2:
        yield "fewer than two people"
    if kind == "bounded" and not any(s.role == "rollback_owner" for s in standing):
        yield "nobody accepts the rollout"
    if kind in ("bounded", "ship"):
        yield from _objections(memo)
        if not any(
            w.expires_at > at and w.state == "approved" and w.approval.by_id != w.requested_by_id
            for w in Waiver.objects.filter(memo=memo).select_related("approval")
        ):
            yield "energy is neither measured nor waived"
    if Recall.objects.exists():
        yield "the evidence is recalled"


def _last_words(memo: Memo) -> list[Signature]:
    last: dict[tuple[int, int | None, str], Signature] = {}
    for row in memo.signatures.select_related("signer", "acting_for", "withdrawal").order_by("pk"):
        last[row.signer_id, row.acting_for_id, row.role] = row
    return list(last.values())


def _counts(row: Signature, kind: str, digests: dict[str, str], held: set[tuple[str, str]]) -> bool:
    holder = row.acting_for or row.signer
    lent = row.acting_for is None or any(
        d.starts_at <= row.signed_at < d.ends_at and (not hasattr(d, "end") or d.end.at > row.signed_at)
        for d in Delegation.objects.filter(holder=row.acting_for, delegate=row.signer, role=row.role)
    )
    return (
        not hasattr(row, "withdrawal")
        and row.position in ("approve", "approve_with_conditions")
        and kind in row.decision_kinds
        and (row.role, holder.username) in held
        and lent
        and all(digests[name] == digest for name, digest in row.section_digests.items())
        and all(hasattr(condition, "clearance") for condition in row.conditions.all())
    )


def _objections(memo: Memo) -> Iterator[str]:
    for row in memo.signatures.filter(position="object"):
        if not hasattr(row, "withdrawal") and not hasattr(row, "resolution"):
            yield f"{row.signer.username} objects"


@pytest.mark.django_db
def test_no_order_of_deeds_leads_to_a_decision_with_a_gap() -> None:
    real = timezone.now
    Signoff.real_now = staticmethod(real)
    Signoff.memo = cases.a_memo_ready_to_roll_out()
    Signoff.seen = Counter()
    try:
        run_state_machine_as_test(
            Signoff,
            settings=settings(
                max_examples=EXAMPLES, stateful_step_count=STEPS, deadline=None, derandomize=True,
                suppress_health_check=list(HealthCheck), database=None,
            ),
        )  # fmt: skip
    finally:
        timezone.now = real
    assert Signoff.seen["revise"] > 0
    assert Signoff.seen["decide bounded"] > 0
